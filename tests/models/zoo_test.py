"""The benchmark models: their files are valid, their sizes are as expected, and every value that
Braid computes is ONNX Runtime's, before and after canonicalisation.

BRAID_CLI names the binary. Run by ctest; `python zoo_test.py ZooTest.test_googlenet` works too.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime

BRAID = os.environ["BRAID_CLI"]

# Of a value's largest element.
TOLERANCE = 1e-4
# Two inputs' outputs differ by more than this part of the largest output.
LEAST_REACTION = 0.1
# Values fetched from one run of ONNX Runtime: bounds the memory.
BYTES_AT_ONCE = 512 << 20

# Millions of parameters, thousands of millions of multiply-adds, operators, depth, width. How many
# operators BERT has depends on who writes it; the last three of GoogLeNet and SqueezeNet are our own
# counts and only guard against change.
EXPECTED = {
    "inception-v3": (23.835, 5.713, 312, 158, 6),
    "resnet-50": (25.557, 4.089, 174, 166, 2),
    "resnext-50": (25.029, 4.230, 174, 166, 2),
    "nasnet-a-large": (88.753, 23.783, 1236, 327, 16),
    "nasnet-a-mobile": (5.290, 0.564, 906, 249, 13),
    "bert-base": (109.482, 11.174, None, None, 3),
    "rnntc-sru": (62.915, 0.063, 220, 44, 60),
    "googlenet": (6.625, 1.498, 195, 78, 4),
    "squeezenet-1.1": (1.235, 0.349, 64, 48, 2),
}
UNCOUNTED = {"Constant", "Identity", "Reshape", "Flatten", "Pad", "Slice"}


def braid(*arguments):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"braid {arguments} failed with {done.returncode}:\n{done.stderr}")
    return done.stdout


def random_inputs(session, seed):
    """Normal numbers, any token, either type, a tenth masked out."""
    draw = np.random.default_rng(seed)
    inputs = {}
    for declared in session.get_inputs():
        if declared.type == "tensor(float)":
            inputs[declared.name] = draw.standard_normal(declared.shape, np.float32)
        elif declared.type == "tensor(bool)":
            inputs[declared.name] = draw.random(declared.shape) < 0.9
        else:
            count = 2 if declared.name == "token_type_ids" else 30522
            inputs[declared.name] = draw.integers(0, count, declared.shape)
    return inputs


class Reference:
    """ONNX Runtime without optimisations, and every value of the model."""

    def __init__(self, path):
        model = onnx.load(path)
        self.outputs = [output.name for output in model.graph.output]
        self.sizes = self._sizes(model)
        for name in self.sizes.keys() - set(self.outputs):
            model.graph.output.add(name=name)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_cpu_mem_arena = False
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    @staticmethod
    def _sizes(model):
        """Bytes of every node's output, in order."""
        inferred = onnx.shape_inference.infer_shapes(model).graph
        shapes = {
            value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
            for value in [*inferred.value_info, *inferred.output]
        }
        names = [name for node in model.graph.node for name in node.output if name]
        return {name: 4 * int(np.prod(shapes[name])) for name in names}

    def chunks(self):
        chunk, total = [], 0
        for name, size in self.sizes.items():
            if chunk and total + size > BYTES_AT_ONCE:
                yield chunk
                chunk, total = [], 0
            chunk.append(name)
            total += size
        yield chunk

    def run(self, names, inputs):
        return dict(zip(names, self.session.run(names, inputs)))


class ZooTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, batch=1):
        path = self.path / "model.onnx"
        braid("zoo", name, "-o", path, "--batch", batch)
        onnx.checker.check_model(str(path), full_check=True)
        return path

    def check_size(self, name, path):
        parameters, macs, operators, depth, width = EXPECTED[name]
        found = json.loads(braid("inspect", path, "--json"))
        self.assertEqual(round(found["parameters"] / 1e6, 3), parameters)
        self.assertEqual(round(found["macs"] / 1e9, 3), macs)
        self.assertEqual(found["width"], width)
        if operators is not None:
            self.assertEqual((found["operators"], found["depth"]), (operators, depth))
        nodes = onnx.load(path, load_external_data=False).graph.node
        counted = sum(node.op_type not in UNCOUNTED for node in nodes)
        self.assertEqual(found["operators"], counted)

    def check_value(self, name, found, expected):
        self.assertEqual(found.shape, expected.shape, name)
        self.assertEqual(found.dtype, expected.dtype, name)
        if expected.dtype != np.float32:
            np.testing.assert_array_equal(found, expected, name)
            return
        self.assertTrue(np.isfinite(expected).all(), name)
        largest = np.abs(expected).max()
        self.assertGreater(largest, 0, name)
        error = np.abs(found - expected).max()
        self.assertLessEqual(error, TOLERANCE * largest, f"{name}: off by {error / largest:.2g}")

    def check_values(self, reference, path, inputs):
        np.savez(self.path / "in.npz", **inputs)
        runs = {"as written": ["--no-canonicalise"], "canonicalised": []}
        for run, options in runs.items():
            braid(
                "run", path, "--load-inputs", self.path / "in.npz", "--outputs", "all",
                "--save-outputs", self.path / f"{run}.npz", "--quiet", *options,
            )
        with np.load(self.path / "as written.npz") as plain, np.load(
            self.path / "canonicalised.npz"
        ) as canonical:
            self.assertLessEqual(reference.sizes.keys(), set(plain.files))
            self.assertLessEqual(set(reference.outputs), set(canonical.files))
            survivors = reference.sizes.keys() & set(canonical.files)
            self.assertGreater(len(survivors), len(reference.sizes) / 5)
            for names in reference.chunks():
                for name, expected in reference.run(names, inputs).items():
                    with self.subTest("as written", value=name):
                        self.check_value(name, plain[name], expected)
                    if name in survivors:
                        with self.subTest("canonicalised", value=name):
                            self.check_value(name, canonical[name], expected)

    def check_reaction(self, reference, inputs):
        first = reference.run(reference.outputs, inputs)
        second = reference.run(reference.outputs, random_inputs(reference.session, 1))
        for name, output in first.items():
            difference = np.abs(output - second[name]).max()
            self.assertGreater(difference, LEAST_REACTION * np.abs(output).max(), name)

    def check(self, name, batch=1):
        path = self.write(name, batch)
        if batch == 1:
            self.check_size(name, path)
        reference = Reference(path)
        inputs = random_inputs(reference.session, 0)
        self.check_reaction(reference, inputs)
        self.check_values(reference, path, inputs)

    def test_every_model_is_tested(self):
        listed = [row["name"] for row in json.loads(braid("zoo", "--json"))["models"]]
        self.assertEqual(listed, list(EXPECTED))

    def test_batch_3_squeezenet(self):
        self.check("squeezenet-1.1", batch=3)

    def test_batch_3_nasnet_a_mobile(self):
        self.check("nasnet-a-mobile", batch=3)


def add_model_test(name):
    method = "test_" + name.replace("-", "_").replace(".", "_")
    setattr(ZooTest, method, lambda self: self.check(name))


for model_name in EXPECTED:
    add_model_test(model_name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
