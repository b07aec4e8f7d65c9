"""bench_kernels on a small model: every operator once, every way of it, and what is wrong is said.

The argument is the program.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROGRAM = sys.argv.pop(1)


def save_model(path):
    """Two convolutions of one shape, their product with a matrix, and one of two values, which does not count."""
    random = np.random.default_rng(0)
    weights = {name: random.standard_normal(shape).astype(np.float32)
               for name, shape in {"v": (16, 16, 3, 3), "w": (16, 16, 3, 3), "m": (8, 32)}.items()}
    nodes = [helper.make_node("Conv", ["x", "v"], ["a"], pads=[1, 1, 1, 1]),
             helper.make_node("Conv", ["a", "w"], ["b"], pads=[1, 1, 1, 1]),
             helper.make_node("MatMul", ["b", "m"], ["c"]),
             helper.make_node("Softmax", ["c"], ["d"]),
             helper.make_node("Transpose", ["d"], ["e"], perm=[0, 1, 3, 2]),
             helper.make_node("MatMul", ["e", "d"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 16, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 16, 32, 32])],
                              [numpy_helper.from_array(array, name) for name, array in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Kernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = pathlib.Path(folder.name) / "small.onnx"
        save_model(self.model)

    def run_bench(self, *arguments):
        return subprocess.run([PROGRAM, "--models", self.model, "--rounds", "2", *arguments], capture_output=True,
                              text=True, timeout=300)

    def document(self, *arguments):
        done = self.run_bench("--batch", "2", "--json", "-", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_way_of_every_operator(self):
        told = self.document()
        self.assertFalse(told["simulated"])
        self.assertGreater(told["peak_gflops"], 0)
        conv, product = told["results"]
        self.assertTrue(conv["operator"].startswith("Conv 2x16x8x8 16x16x3x3"), conv["operator"])
        self.assertEqual(conv["flops"], 2 * 2 * 64 * 16 * 16 * 9)
        self.assertEqual((conv["uses"], product["uses"]), ({str(self.model): 2}, {str(self.model): 1}))
        self.assertIn("panels", {way["way"] for way in conv["ways"]})
        self.assertTrue(any(way["way"].startswith("onednn:") for way in conv["ways"]))
        for row in (conv, product):
            self.assertTrue(any(way["taken"] for way in row["ways"]))
            for way in row["ways"]:
                self.assertLessEqual(way["best_us"], way["median_us"])
                self.assertAlmostEqual(way["gflops"], row["flops"] / way["best_us"] / 1e3)
                self.assertAlmostEqual(way["share_of_peak"], way["gflops"] / told["peak_gflops"])

    def test_only_some_operators_and_less_instructions(self):
        told = self.document("--only", "^MatMul", "--isa", "baseline")
        self.assertEqual(told["isa"], "baseline")
        self.assertEqual([row["operator"].split()[0] for row in told["results"]], ["MatMul"])

    def test_the_table_marks_what_lowering_takes(self):
        done = self.run_bench("--batch", "1", "--only", "Conv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        machine, head, *rows = done.stdout.splitlines()
        self.assertIn("peak", machine)
        self.assertTrue(head.startswith("operator"))
        self.assertEqual(sum(" * " in row for row in rows), 1)

    def test_open_dimensions_have_names(self):
        done = self.run_bench("--dim", "batch=3", "--json", "-", "--only", "Conv")
        self.assertTrue(json.loads(done.stdout)["results"][0]["operator"].startswith("Conv 3x16x8x8"))

    def test_mistakes_are_told(self):
        for arguments, message in ((["--batch", "1", "--only", "("], "no regular expression"),
                                   (["--batch", "1", "--only", "Gemm"], "no convolution or product"),
                                   ([], "--dim batch="), (["--dim", "batch"], "NAME=SIZE"), (["--batch", "1", "--models", "no-such-model"], "no-such-model")):
            done = self.run_bench(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
