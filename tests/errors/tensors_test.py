"""Shapes, types and elements that do not fit together, or do not fit anywhere."""
import unittest

import numpy as np
from onnx import TensorProto, helper

from hostile import BAD, QUOTA, UNSUPPORTED, USAGE, HostileTest, constant, floats, model, one_node


def with_weight(**fields):
    """x + w, the weight changed field by field."""
    made = model([helper.make_node("Add", ["x", "w"], ["y"], name="sum")], [floats("x", [2])], [floats("y", [2])],
                 [constant("w", np.ones(2, np.float32))])
    weight = made.graph.initializer[0]
    for name, value in fields.items():
        weight.ClearField(name)
        if isinstance(value, (list, tuple)):
            getattr(weight, name).extend(value)
        elif value is not None:
            setattr(weight, name, value)
    return made


class TensorsTest(HostileTest):
    def test_shapes_that_overflow(self):
        for dims in ([2**32, 2**32], [2**62, 4], [2**31, 2**31, 2**31], [2**63 - 1]):
            with self.subTest(dims=dims):
                self.refused(with_weight(dims=dims), (BAD, QUOTA), "'w'")
                self.refused(one_node("Relu", [dims]), QUOTA)

    def test_negative_dimensions(self):
        for dims in ([-1], [-2**63], [2, -1]):
            with self.subTest(dims=dims):
                self.refused(with_weight(dims=dims), BAD, "'w'")
                self.refused(one_node("Relu", [dims]), (BAD, USAGE))

    def test_a_thousand_axes(self):
        self.refused(with_weight(dims=[1] * 1000), (BAD, QUOTA), "'w'")
        self.refused(one_node("Relu", [[1] * 1000]), (BAD, QUOTA))

    def test_elements_that_do_not_fit_the_shape(self):
        self.refused(with_weight(raw_data=b"1234"), BAD, "'w'")
        self.refused(with_weight(raw_data=b"123456789abc"), BAD, "'w'")
        self.refused(with_weight(raw_data=b""), BAD, "'w'")
        self.refused(with_weight(raw_data=None, float_data=[1.0]), BAD, "'w'")
        self.refused(with_weight(raw_data=None, float_data=[1.0] * 3), BAD, "'w'")
        self.refused(with_weight(float_data=[1.0, 2.0]), BAD, "'w'")
        self.refused(with_weight(raw_data=None, int32_data=[1, 2]), BAD, "'w'")

    def test_element_types(self):
        self.refused(with_weight(data_type=0), BAD, "'w'")
        self.refused(with_weight(data_type=999), (BAD, UNSUPPORTED), "'w'")
        for kind in (TensorProto.STRING, TensorProto.COMPLEX64, TensorProto.INT4, TensorProto.FLOAT8E4M3FN):
            with self.subTest(kind=kind):
                self.refused(with_weight(data_type=kind), (BAD, UNSUPPORTED), "'w'")

    def test_types_that_differ(self):
        self.refused(one_node("Add", [[2], np.ones(2, np.float64)]), BAD, "culprit", "f64", "f32")

    def test_scalars_and_vectors_for_each_other(self):
        self.refused(one_node("Gemm", [[3], np.ones((3, 3), np.float32)]), BAD, "culprit")
        self.refused(one_node("Conv", [[], np.ones((1, 1, 3, 3), np.float32)]), BAD, "culprit")
        self.refused(one_node("Transpose", [[]], perm=[0]), BAD, "culprit")
        self.accepted(one_node("Softmax", [[1]]))
        self.refused(one_node("Softmax", [[]]), BAD, "culprit")
        self.refused(one_node("Range", [np.zeros(2), np.ones(1), np.ones(1)]), BAD, "culprit")

    def test_no_elements(self):
        for op, inputs, attributes in (
            ("Relu", [[0, 3]], {}), ("Add", [[0, 3], [3]], {}), ("Concat", [[0, 3], [2, 3]], {"axis": 0}),
            ("Softmax", [[0, 3]], {}), ("Softmax", [[3, 0]], {}), ("MatMul", [[0, 3], [3, 2]], {}),
            ("MatMul", [[2, 0], [0, 3]], {}), ("Gemm", [[0, 3], [3, 2]], {}), ("ReduceSum", [[0, 3]], {}),
            ("ReduceMax", [[0, 3]], {}), ("ReduceMean", [[3, 0]], {}), ("Transpose", [[0, 3]], {}),
            ("MaxPool", [[0, 3, 4, 4]], {"kernel_shape": [2, 2]}),
            ("MaxPool", [[1, 0, 4, 4]], {"kernel_shape": [2, 2]}),
            ("Conv", [[0, 1, 4, 4], np.ones((1, 1, 3, 3), np.float32)], {}),
            ("Gather", [[0, 3], np.zeros(0, np.int64)], {}), ("Gather", [[0, 3], np.zeros(1, np.int64)], {}),
            ("TopK", [[0], np.zeros(1, np.int64)], {"outputs": ("y", "z")}), ("ArgMax", [[0, 3]], {"axis": 1}),
            ("ArgMax", [[3, 0]], {"axis": 1}), ("LayerNormalization", [[0, 3], [3]], {}),
            ("GlobalAveragePool", [[1, 2, 0, 0]], {}), ("BatchNormalization", [[0, 2, 3, 3], [2], [2], [2], [2]], {}),
            ("LSTM", [[0, 1, 2], [1, 12, 2], [1, 12, 3]], {"hidden_size": 3}),
        ):
            with self.subTest(op=op, inputs=[np.shape(i) if isinstance(i, np.ndarray) else i for i in inputs]):
                self.answered(one_node(op, inputs, **attributes))

    def test_symbolic_dimensions(self):
        two = model([helper.make_node("Relu", ["x"], ["y"])], [floats("x", ["n", "n"])],
                    [floats("y", ["n", "n"])])
        path = self.save(two)
        self.accepted(path, "--dim", "n=3")
        self.accepted(path, "--dim", "n=0")
        for arguments, code in ((["--shapes", "x:2x3"], USAGE), (["--dim", "n=-1"], USAGE), (["--dim", "n=x"], USAGE),
                                (["--dim", "n=99999999999999999999"], USAGE), (["--dim", "n=4294967296"], QUOTA),
                                (["--dim", "m=1"], USAGE), (["--shapes", "z:1"], USAGE), (["--shapes", "x:2"], USAGE)):
            with self.subTest(arguments=arguments):
                self.refused(path, code, command=("run", "-q", *arguments))

    def test_reshapes(self):
        for target, allowzero in (([-1, -1], 0), ([0, 0, 0], 0), ([7], 0), ([-2, 3], 0), ([0, -1], 1), ([2**40, 2**40], 0)):
            with self.subTest(target=target):
                self.refused(one_node("Reshape", [[2, 3], np.array(target)], allowzero=allowzero), (BAD, QUOTA),
                             "culprit")

    def test_an_initialiser_that_is_an_input_takes_its_own_shape_only(self):
        made = model([helper.make_node("Add", ["x", "w"], ["y"])], [floats("x", [2]), floats("w", [3])],
                     [floats("y", [2])], [constant("w", np.ones(2, np.float32))])
        self.accepted(made)

    def test_more_elements_than_there_are(self):
        """Asked for by an operator: refused before the memory is taken."""
        big = np.array([2**40], np.int64)
        for op, inputs, attributes in (
            ("ConstantOfShape", [big], {}), ("Expand", [[1], big], {}), ("Tile", [[1], big], {}),
            ("Range", [np.array(0), np.array(2**60), np.array(1)], {}),
            ("OneHot", [np.zeros(2**10, np.int64), np.array(2**50), np.array([0.0, 1.0], np.float32)], {}),
            ("Pad", [[1], np.array([0, 2**50])], {}), ("Resize", [[1], None, None, np.array([2**60])], {}),
            ("ConstantOfShape", [np.array([2**60, 2**60])], {}),
            ("CenterCropPad", [[1], np.array([2**50])], {"opset": 18}),
        ):
            with self.subTest(op=op):
                self.refused(one_node(op, inputs, **attributes), (BAD, QUOTA), "culprit")

    def test_two_thousand_million_elements_in_one_value(self):
        self.refused(one_node("Relu", [[2**31 + 8]]), QUOTA, "'in0'", "memory_bytes",
                     command=("run", "-q", "--quota", "memory_bytes=2G"))
        self.refused(one_node("EyeLike", [[2**20, 2**20]]), QUOTA, "'in0'")
        self.refused(one_node("Expand", [[1], np.array([2**29])]), QUOTA, "culprit", "memory_bytes",
                     command=("run", "-q", "--no-canonicalise", "--quota", "memory_bytes=1G"))


if __name__ == "__main__":
    unittest.main()
