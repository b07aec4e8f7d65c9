"""OpenVINO at its best in float32: latency hint, or throughput hint for several callers."""
import collections

import openvino as ov

version = ov.__version__.split("-")[0]


class Peer:
    def __init__(self, compiled, inputs):
        self.compiled = compiled
        self.inputs = {name: ov.Tensor(array, shared_memory=True) for name, array in inputs.items()}
        self.request = self.make_request()

    def make_request(self):
        request = self.compiled.create_infer_request()
        for name, tensor in self.inputs.items():
            request.set_tensor(name, tensor)
        return request

    def run(self):
        self.request.infer(share_outputs=True)

    def outputs(self):
        return [self.request.get_output_tensor(i).data for i in range(len(self.compiled.outputs))]

    def primitives(self):
        nodes = self.compiled.get_runtime_model().get_ordered_ops()
        return collections.Counter(str(node.get_rt_info()["primitiveType"].astype(str)) for node in nodes)

    def caller(self):
        request = self.make_request()
        return lambda: request.infer(share_outputs=True)


def load(inputs, setting):
    callers = setting["callers"]
    core = ov.Core()
    settings = {
        "PERFORMANCE_HINT": "LATENCY" if callers == 1 else "THROUGHPUT",
        "INFERENCE_NUM_THREADS": setting["threads"],
        # Some CPUs would compute in bfloat16.
        "INFERENCE_PRECISION_HINT": "f32",
    }
    if callers > 1:
        settings["PERFORMANCE_HINT_NUM_REQUESTS"] = callers
    network = core.read_model(setting["model"])
    network.reshape({name: list(array.shape) for name, array in inputs.items()})
    compiled = core.compile_model(network, "CPU", settings)
    precision = compiled.get_property("INFERENCE_PRECISION_HINT")
    if precision != ov.Type.f32:
        raise RuntimeError(f"OpenVINO computes in {precision}")
    return Peer(compiled, inputs)
