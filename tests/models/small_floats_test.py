"""Networks in float16 and bfloat16: their operators run in float32 between casts, so that they are as fast as in
float32 or nearly so, and at least as exact as ONNX Runtime, which does likewise.

BRAID_CLI names the binary.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime

BRAID = os.environ["BRAID_CLI"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed with {done.returncode}:\n{done.stderr}")
    return done.stdout


def output_of(model, inputs, folder):
    np.savez(folder / "in.npz", **inputs)
    run(BRAID, "run", model, "--load-inputs", folder / "in.npz", "--save-outputs", folder / "out.npz", "-q")
    with np.load(folder / "out.npz") as outputs:
        return outputs[outputs.files[0]]


def farthest(found, expected):
    """In units of the largest element that is expected."""
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    return np.abs(found - expected).max() / np.abs(expected).max()


class SmallFloatsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, kind):
        whole, half = self.folder / "whole.onnx", self.folder / f"{kind}.onnx"
        run(BRAID, "zoo", name, "-o", whole, "--force", *(["--size", 96] if name == "squeezenet-1.1" else []))
        run(sys.executable, ROOT / "tools/to-small-floats", whole, "-o", half, "--type", kind)
        return whole, half

    def test_float16_is_nearer_to_float32_than_its_digits(self):
        whole, half = self.write("squeezenet-1.1", "float16")
        shape = [d.dim_value for d in onnx.load(half).graph.input[0].type.tensor_type.shape.dim]
        name = onnx.load(half).graph.input[0].name
        x = np.random.default_rng(3).random(shape).astype(np.float16)
        found = output_of(half, {name: x}, self.folder)
        self.assertEqual(found.dtype, np.float16)
        session = onnxruntime.InferenceSession(str(half), providers=["CPUExecutionProvider"])
        theirs = session.run(None, {name: x})[0]
        exact = output_of(whole, {name: x.astype(np.float32)}, self.folder)
        self.assertLess(farthest(found, theirs), 1e-2)
        self.assertLess(farthest(found, exact), 1e-2)

    def test_every_convolution_has_a_kernel(self):
        for kind in ("float16", "bfloat16"):
            _, half = self.write("squeezenet-1.1", kind)
            told = json.loads(run(BRAID, "run", half, "--json", "--no-profile-cache"))
            self.assertEqual(told["reference"], {"share": 0, "uses": {}})
            text = json.loads(run(BRAID, "inspect", half, "--lowered", "--text", "--json"))["text"]
            convs = [line for line in text.splitlines() if " = Conv(" in line]
            self.assertTrue(convs)
            for line in convs:
                self.assertNotIn(f"{'bf16' if kind == 'bfloat16' else 'f16'}[", line)

    def test_values_between_are_cast_once(self):
        """A Cast at each input and output of the model, none between operators."""
        _, half = self.write("squeezenet-1.1", "float16")
        told = json.loads(run(BRAID, "inspect", half, "--lowered", "--json"))
        self.assertEqual(told["operator_counts"]["Cast"], 2)

    def test_what_the_reference_runs_is_told_once_with_its_share(self):
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node("Relu", ["x"], ["a"]), onnx.helper.make_node("Atan", ["a"], ["b"]),
             onnx.helper.make_node("Atan", ["b"], ["y"])], "g",
            [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT16, [64, 64])],
            [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT16, [64, 64])])
        path = self.folder / "atan.onnx"
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 22)], ir_version=10), path)
        for command in (("run",), ("bench", "--iterations", 1, "--schedulers", "sequential"), ("explain",)):
            text = run(BRAID, command[0], path, *command[1:], "--no-profile-cache")
            self.assertEqual(text.count("2 Atan (f16)"), 1, text)
            self.assertRegex(text, r"\d %")
        told = json.loads(run(BRAID, "run", path, "--json", "--no-profile-cache"))["reference"]
        self.assertEqual(told["uses"], {"Atan (f16)": 2})
        self.assertGreater(told["share"], 0.1)


if __name__ == "__main__":
    unittest.main()
