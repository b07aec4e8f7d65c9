"""As much of ONNX Runtime's face as a peer uses."""
import types

from fake_runtime import FakeRuntime

__version__ = "0.0.fake"
RUNTIME = FakeRuntime("onnxruntime")
GraphOptimizationLevel = types.SimpleNamespace(ORT_ENABLE_ALL=99)
ExecutionMode = types.SimpleNamespace(ORT_SEQUENTIAL=0)


class SessionOptions:
    def __init__(self):
        self.symbols = {}

    def add_free_dimension_override_by_name(self, name, size):
        self.symbols[name] = size

    def add_session_config_entry(self, key, value):
        pass


class OrtValue:
    @staticmethod
    def ortvalue_from_numpy(array):
        return array


class Binding:
    def __init__(self):
        self.inputs = {}

    def bind_ortvalue_input(self, name, value):
        self.inputs[name] = value

    def bind_output(self, name):
        pass

    def copy_outputs_to_cpu(self):
        return self.outputs


class InferenceSession:
    def __init__(self, model, options, providers):
        self.model, self.options, self.loaded = model, options, False

    def get_outputs(self):
        return [types.SimpleNamespace(name="y")]

    def io_binding(self):
        return Binding()

    def run_with_iobinding(self, binding):
        if not self.loaded:
            self.loaded = True
            RUNTIME.load(self.model, threads=self.options.intra_op_num_threads, symbols=self.options.symbols,
                         shapes={name: list(value.shape) for name, value in binding.inputs.items()},
                         sum=float(binding.inputs["x"].sum()))
        binding.outputs = RUNTIME.run(binding.inputs)
