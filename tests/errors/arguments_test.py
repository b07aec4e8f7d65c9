"""Attributes and inputs that operators must not believe: indices, windows, sizes, equations."""
import unittest

import numpy as np

from hostile import BAD, QUOTA, UNSUPPORTED, HostileTest, one_node

LEAST = np.iinfo(np.int64).min
MOST = np.iinfo(np.int64).max


def ints(*numbers):
    return np.array(numbers, np.int64)


class ArgumentsTest(HostileTest):
    def refuse_all(self, cases, code=BAD):
        for op, inputs, attributes in cases:
            with self.subTest(op=op, inputs=str(inputs), attributes=attributes):
                self.refused(one_node(op, inputs, **attributes), code, "culprit")

    def test_indices(self):
        for index in (3, -4, LEAST, MOST):
            self.refuse_all([
                ("Gather", [[3, 2], ints(index)], {}),
                ("GatherElements", [[3], ints(index)], {}),
                ("GatherND", [[3], ints(index)], {}),
                ("ScatterND", [[3], ints(index).reshape(1, 1), [1]], {}),
                ("ScatterElements", [[3], ints(index), [1]], {}),
            ])
        self.refuse_all([
            ("Gather", [[3], ints(0)], {"axis": 1}),
            ("GatherElements", [[3, 3], ints(0)], {}),
            ("GatherND", [[3], ints(0)], {"batch_dims": 5}),
            ("GatherND", [[3], ints(0, 0)], {}),
            ("ScatterND", [[3], ints(0).reshape(1, 1), [2]], {}),
        ])

    def test_windows(self):
        image, weight = [1, 4, 5, 5], np.ones((2, 4, 3, 3), np.float32)
        self.refuse_all([
            ("Conv", [image, weight, [3]], {}),
            ("Conv", [image, weight], {"group": 3}),
            ("Conv", [image, weight], {"group": 0}),
            ("Conv", [image, weight], {"group": -1}),
            ("Conv", [image, np.ones((2, 4, 9, 9), np.float32)], {}),
            ("Conv", [image, weight], {"strides": [0, 1]}),
            ("Conv", [image, weight], {"strides": [-1, 1]}),
            ("Conv", [image, weight], {"dilations": [0, 1]}),
            ("Conv", [image, weight], {"dilations": [MOST, 1]}),
            ("Conv", [image, weight], {"pads": [1, 1, 1]}),
            ("Conv", [image, weight], {"pads": [-1, 0, 0, 0]}),
            ("Conv", [image, weight], {"kernel_shape": [2, 2]}),
            ("Conv", [image, weight], {"auto_pad": "SOMEHOW"}),
            ("MaxPool", [image], {"kernel_shape": [0, 1]}),
            ("MaxPool", [image], {"kernel_shape": [9, 9]}),
            ("MaxPool", [image], {"kernel_shape": [2, 2], "strides": [0, 0]}),
            ("ConvTranspose", [image, weight], {"output_padding": [9, 9]}),
            ("ConvTranspose", [[1, 2, 3, 3], weight], {"output_shape": [MOST, 1]}),
            ("LpPool", [image], {"kernel_shape": [2, 2], "p": 0}),
        ], (BAD, QUOTA))
        self.refuse_all([
            ("Conv", [image, weight], {"pads": [2**40, 0, 2**40, 0]}),
            ("Conv", [image, weight], {"pads": [MOST, 0, MOST, 0]}),
            ("ConvTranspose", [[1, 2, 3, 3], np.ones((2, 1, 3, 3), np.float32)], {"strides": [2**40, 2**40]}),
        ], (BAD, QUOTA))

    def test_sizes_of_parts(self):
        two = {"outputs": ("y", "z")}
        self.refuse_all([
            ("Split", [[4], ints(1, 2)], two), ("Split", [[4], ints(-1, 5)], two), ("Split", [[4], ints(4)], two),
            ("Split", [[4], ints(MOST, MOST)], two), ("Split", [[4], ints(2, 2)], {**two, "axis": 1}),
            ("Split", [[5]], {**two, "opset": 18, "num_outputs": 0}),
            ("Concat", [[2, 3], [2, 3, 1]], {"axis": 0}), ("Concat", [[2, 3], [3, 2]], {"axis": 0}),
            ("Concat", [[2]], {"axis": 2}),
        ], (BAD, QUOTA))

    def test_slices(self):
        self.refuse_all([
            ("Slice", [[4], ints(0), ints(4), ints(0), ints(0)], {}),
            ("Slice", [[4], ints(0, 0), ints(4), ints(0)], {}),
            ("Slice", [[4], ints(0), ints(4), ints(7)], {}),
            ("Slice", [[4, 4], ints(0, 0), ints(4, 4), ints(0, 0)], {}),
        ])
        for start in (LEAST, -9, 9, MOST):
            for end in (LEAST, MOST):
                for step in (LEAST, -1, 1, MOST):
                    with self.subTest(start=start, end=end, step=step):
                        self.answered(one_node("Slice", [[4], ints(start), ints(end), ints(0), ints(step)]))

    def test_scales_and_coordinates(self):
        for scale in (0.0, -1.0, float("nan"), float("inf"), 1e30):
            with self.subTest(scale=scale):
                self.refused(one_node("Resize", [[1, 1, 2, 2], None, np.array([1, 1, scale, 1], np.float32)]),
                             (BAD, QUOTA), "culprit")
        self.refuse_all([
            ("Resize", [[1, 1, 2, 2], None, np.ones(3, np.float32)], {}),
            ("Resize", [[1, 1, 2, 2], None, None, ints(1, 1, -1, 2)], {}),
            ("Resize", [[1, 1, 2, 2], None, np.ones(4, np.float32)], {"mode": "psychic"}),
            ("Resize", [[1, 1, 2, 2]], {}),
        ])
        grid = np.full((1, 2, 2, 2), np.nan, np.float32)
        grid[0, 0] = [[np.inf, -np.inf], [1e38, -1e38]]
        for mode in ("bilinear", "nearest", "bicubic"):
            for padding in ("zeros", "border", "reflection"):
                self.accepted(one_node("GridSample", [[1, 1, 3, 3], grid], mode=mode, padding_mode=padding))

    def test_pads(self):
        self.refuse_all([
            ("Pad", [[4], ints(-5, 0)], {}), ("Pad", [[4], ints(LEAST, 0)], {}), ("Pad", [[4], ints(1)], {}),
            ("Pad", [[4], ints(MOST, MOST)], {}),
            ("Pad", [[4], ints(1, 1)], {"mode": "sideways"}), ("Pad", [[0], ints(1, 1)], {"mode": "edge"}),
        ], (BAD, QUOTA))

    def test_sequences(self):
        for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
            weights = [[1, 3 * gates, 2], [1, 3 * gates, 3]]
            for lengths in ([5], [-1], [2, 2]):
                self.refuse_all([(op, [[4, 1, 2], *weights, None, np.array(lengths, np.int32)], {"hidden_size": 3})])
            self.accepted(one_node(op, [[4, 1, 2], *weights, None, np.array([0], np.int32)], hidden_size=3))
            self.refuse_all([
                (op, [[4, 1, 2], *weights], {"hidden_size": 0}), (op, [[4, 1, 2], *weights], {"hidden_size": 7}),
                (op, [[4, 1, 2], *weights], {"hidden_size": 3, "direction": "up"}),
                (op, [[4, 1, 2], *weights], {"hidden_size": 3, "activations": ["Wish"]}),
            ], (BAD, UNSUPPORTED))

    def test_axes_and_counts(self):
        two = {"outputs": ("y", "z")}
        self.refuse_all([
            ("TopK", [[3], ints(4)], two), ("TopK", [[3], ints(-1)], two), ("TopK", [[3], ints(1)], {**two, "axis": 4}),
            ("CumSum", [[3], np.array(7)], {}), ("Transpose", [[2, 3]], {"perm": [0, 0]}),
            ("Transpose", [[2, 3]], {"perm": [0, 2]}), ("Transpose", [[2, 3]], {"perm": [0]}),
            ("Softmax", [[2, 3]], {"axis": 2}), ("Softmax", [[2, 3]], {"axis": LEAST}),
            ("ReduceSum", [[2], ints(5)], {}), ("ReduceMax", [[2]], {"axes": [0, 0]}), ("ArgMax", [[2]], {"axis": 9}),
            ("Unsqueeze", [[2], ints(0, 0)], {}), ("Unsqueeze", [[2], ints(9)], {}), ("Squeeze", [[2], ints(0)], {}),
            ("Flatten", [[2]], {"axis": 9}), ("DepthToSpace", [[1, 4, 2, 2]], {"blocksize": 3}),
            ("DepthToSpace", [[1, 4, 2, 2]], {"blocksize": 0}), ("SpaceToDepth", [[1, 1, 3, 3]], {"blocksize": 2}),
            ("OneHot", [ints(1), np.array(-1), np.array([0.0, 1.0])], {}), ("Trilu", [[3]], {}),
            ("Range", [np.array(0), np.array(5), np.array(0)], {}), ("ReverseSequence", [[2, 2], ints(9, 9)], {}),
            ("GroupNormalization", [[1, 4, 2], [4], [4]], {"num_groups": 3, "opset": 21}),
            ("LayerNormalization", [[2, 3], [5]], {}), ("BatchNormalization", [[1, 2, 3], [5], [5], [5], [5]], {}),
            ("LRN", [[1, 2, 3, 3]], {"size": 0}),
        ], (BAD, UNSUPPORTED))

    def test_equations(self):
        for equation in ("", "ij", "ij,jk->il", "i$j->ij", "ij,jk,kl->il", "iij->i->j", "...ij", "ijk->ij", "->", "i" * 5000):
            with self.subTest(equation=equation[:20]):
                self.refused(one_node("Einsum", [[2, 3], [3, 4]], equation=equation), (BAD, QUOTA), "culprit")

    def test_attention(self):
        self.refuse_all([
            ("Attention", [[1, 4, 6], [1, 4, 6], [1, 4, 6]], {"q_num_heads": 4, "kv_num_heads": 4, "opset": 23}),
            ("Attention", [[1, 4, 6], [1, 4, 6], [1, 4, 6]], {"q_num_heads": 0, "kv_num_heads": 0, "opset": 23}),
            ("Attention", [[1, 2, 4, 6], [1, 2, 4, 6], [1, 2, 4, 6], [9, 9]], {"opset": 23}),
            ("Attention", [[1, 2, 4, 6], [1, 2, 4, 5], [1, 2, 4, 6]], {"opset": 23}),
        ])

    def test_matrices(self):
        self.refuse_all([
            ("MatMul", [[2, 3], [4, 2]], {}), ("MatMul", [[], [2]], {}), ("MatMul", [[2, 2, 3], [3, 3, 2]], {}),
            ("Gemm", [[2, 3], [3, 2], [3]], {}), ("Gemm", [[2, 3, 1], [3, 2]], {}), ("Gemm", [[2, 3], [2, 3]], {}),
        ])


if __name__ == "__main__":
    unittest.main()
