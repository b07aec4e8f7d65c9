"""ncnn in float32, on a model that conversion.py made."""
import pathlib
import re

import ncnn
import numpy as np

version = ncnn.__version__


def batch_axes(example):
    """Which axis of each input and output is the batch, which ncnn keeps apart: only the example that pnnx writes tells."""
    text = pathlib.Path(example).read_text()
    return {name: int(axis) for name, axis in re.findall(r"\b((?:in|out)\d+)\.numpy\(\)?,? ?batch_index=(\d+)", text)}


class Peer:
    def __init__(self, net, axes, arrays):
        self.net, self.axes = net, axes
        self.arrays = arrays  # what the Mats below read
        self.inputs = {f"in{i}": ncnn.Mat(array, batch_index=axes[f"in{i}"]).clone() for i, array in enumerate(arrays)}
        self.output_names = net.output_names()
        self.made = []

    def answer(self):
        made = []
        with self.net.create_extractor() as extractor:
            for name, value in self.inputs.items():
                extractor.input(name, value)
            for name in self.output_names:
                status, value = extractor.extract(name)
                if status != 0:
                    raise RuntimeError(f"extracting {name} gives {status}")
                made.append(value)
        return made

    def run(self):
        self.made = self.answer()

    def outputs(self):
        return [np.array(value.numpy(batch_index=self.axes[name])) for name, value in zip(self.output_names, self.made)]

    def caller(self):
        return self.answer


def load(inputs, setting):
    net = ncnn.Net()
    net.opt.num_threads = setting["threads"]
    net.opt.use_vulkan_compute = False
    for half in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_packed", "bf16_storage"):
        setattr(net.opt, f"use_{half}", False)
    if net.load_param(setting["model"]) != 0 or net.load_model(setting["weights"]) != 0:
        raise RuntimeError("ncnn cannot load what pnnx made")
    arrays = [inputs[name].astype(np.int32) if inputs[name].dtype == np.int64 else inputs[name]
              for name in setting["inputs"]]
    return Peer(net, batch_axes(setting["example"]), [np.ascontiguousarray(array) for array in arrays])
