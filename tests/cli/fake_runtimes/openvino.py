"""As much of OpenVINO's face as a peer uses."""
import types

from fake_runtime import FakeRuntime

__version__ = "0.0.fake-1234"
RUNTIME = FakeRuntime("openvino")
Type = types.SimpleNamespace(f32="f32")


def Tensor(array, shared_memory):
    return array


class Request:
    def __init__(self):
        self.inputs = {}

    def set_tensor(self, name, array):
        self.inputs[name] = array

    def infer(self, share_outputs):
        self.outputs = RUNTIME.run(self.inputs)

    def get_output_tensor(self, number):
        return types.SimpleNamespace(data=self.outputs[number])


class Compiled:
    outputs = ["y"]

    def get_property(self, name):
        return Type.f32

    def create_infer_request(self):
        return Request()


class Network:
    def reshape(self, shapes):
        self.shapes = shapes


class Core:
    def read_model(self, model):
        network = Network()
        network.model = model
        return network

    def compile_model(self, network, device, settings):
        RUNTIME.load(network.model, threads=settings["INFERENCE_NUM_THREADS"], shapes=network.shapes)
        return Compiled()
