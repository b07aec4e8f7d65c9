"""Writes two small models of dynamic shape, with random weights, for docs/quick-start.md:

    python3 examples/dynamic_models.py FOLDER

detector.onnx finds text on a page of any size; recogniser.onnx reads a line of any width.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    """A graph that is built operator by operator; a value is named by the operator that gives it."""

    def __init__(self, input_name, input_shape):
        self.input = helper.make_tensor_value_info(input_name, TensorProto.FLOAT, input_shape)
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(0)

    def add(self, op, *inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def convolve(self, x, channels_in, channels, size, name, stride=1):
        weight = self.random.standard_normal((channels, channels_in, size, size)) / size / channels_in ** 0.5
        self.weights.append(numpy_helper.from_array(weight.astype(np.float32), f"{name}.weight"))
        y = self.add("Conv", x, f"{name}.weight", name=f"{name}.conv", pads=[size // 2] * 4, strides=[stride] * 2)
        return self.add("Relu", y, name=name)

    def save(self, path, output_name, output_shape):
        output = helper.make_tensor_value_info(output_name, TensorProto.FLOAT, output_shape)
        graph = helper.make_graph(self.nodes, path.stem, [self.input], [output], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write_detector(path):
    net = Network("image", ["batch", 3, "height", "width"])
    x = net.convolve("image", 3, 16, 3, "stem", stride=2)
    x = net.convolve(x, 16, 32, 3, "down", stride=2)
    branches = [net.convolve(x, 32, 32, size, f"look_{size}") for size in (1, 3, 5, 7)]
    x = net.convolve(net.add("Concat", *branches, name="looks", axis=1), 128, 1, 1, "score")
    net.add("Sigmoid", x, name="heat")
    net.save(path, "heat", ["batch", 1, None, None])


def write_recogniser(path):
    net = Network("line", ["batch", 1, 32, "width"])
    x = net.convolve("line", 1, 32, 3, "stem", stride=2)
    x = net.convolve(x, 32, 64, 3, "down", stride=2)
    x = net.convolve(x, 64, 40, 3, "letters")
    x = net.add("ReduceMean", x, name="columns", axes=[2], keepdims=0)
    x = net.add("Transpose", x, name="steps", perm=[0, 2, 1])
    net.add("Softmax", x, name="characters", axis=2)
    net.save(path, "characters", ["batch", None, 40])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_detector(folder / "detector.onnx")
    write_recogniser(folder / "recogniser.onnx")
