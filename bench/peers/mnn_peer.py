"""MNN in float32, on a model that conversion.py made."""
import MNN
import MNN.expr as expr
import MNN.nn as nn
import numpy as np

version = MNN.version()
TYPES = {"float32": expr.float, "int32": expr.int}


class Peer:
    def __init__(self, setting, inputs):
        self.setting = setting
        self.inputs = [constant(inputs[name]) for name in setting["inputs"]]
        self.runtime = nn.create_runtime_manager(
            ({"backend": "CPU", "precision": "high", "numThread": setting["threads"]},))
        self.module = self.load()
        self.made = None

    def load(self):
        return nn.load_module_from_file(self.setting["model"], self.setting["inputs"], self.setting["outputs"],
                                        runtime_manager=self.runtime)

    def run(self):
        self.made = self.module.forward(self.inputs)

    def outputs(self):
        made = [expr.convert(one, expr.NCHW) if one.data_format == expr.NC4HW4 else one for one in self.made]
        return [np.array(one.read()) for one in made]

    def caller(self):
        module = self.load()
        return lambda: module.forward(self.inputs)


def constant(array):
    if array.dtype in (np.int64, np.bool_):
        array = array.astype(np.int32)
    if array.dtype.name not in TYPES:
        raise TypeError(f"MNN takes no {array.dtype}")
    return expr.const(np.ascontiguousarray(array), list(array.shape), expr.NCHW, TYPES[array.dtype.name])


def load(inputs, setting):
    return Peer(setting, inputs)
