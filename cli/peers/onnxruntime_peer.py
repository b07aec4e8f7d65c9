"""ONNX Runtime at its best: every optimisation, one operator after another on all threads."""
import onnxruntime as ort

version = ort.__version__


class Peer:
    def __init__(self, session, inputs):
        self.session = session
        self.inputs = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in inputs.items()}
        self.binding = self.bind()

    def bind(self):
        """Inputs and outputs stay where they are from run to run."""
        binding = self.session.io_binding()
        for name, value in self.inputs.items():
            binding.bind_ortvalue_input(name, value)
        for output in self.session.get_outputs():
            binding.bind_output(output.name)
        return binding

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return self.binding.copy_outputs_to_cpu()

    def caller(self):
        binding = self.bind()
        return lambda: self.session.run_with_iobinding(binding)


def load(inputs, setting):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.intra_op_num_threads = setting["threads"]
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    for symbol, size in setting["symbols"].items():
        options.add_free_dimension_override_by_name(symbol, size)
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    # Threads spin while a run is under way and sleep when it ends: idle contenders leave the cores to the others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return Peer(ort.InferenceSession(setting["model"], options, providers=["CPUExecutionProvider"]), inputs)
