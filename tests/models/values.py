"""Every value that Braid computes is ONNX Runtime's: what the suites of whole models share.

BRAID_CLI names the binary.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

import numpy as np
import onnx
import onnxruntime

BRAID = os.environ["BRAID_CLI"]

# Two inputs' outputs differ by more than this part of the largest output.
LEAST_REACTION = 0.1
# Values fetched from one run of ONNX Runtime: bounds the memory.
BYTES_AT_ONCE = 512 << 20
# Masks are made of numbers beyond this, and infinities; what they are added to is no measure.
HUGE = 1e30
FAULTS_SHOWN = 10


def braid(*arguments):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"braid {arguments} failed with {done.returncode}:\n{done.stderr}")
    return done.stdout


def random_inputs(session, seed, batch=1):
    """Normal numbers, any token, either type, any value of the smallest field, a tenth masked out. Open dimensions are the
    batch."""
    draw = np.random.default_rng(seed)
    inputs = {}
    for declared in session.get_inputs():
        shape = [batch if isinstance(dim, str) else dim for dim in declared.shape]
        if declared.type == "tensor(float)":
            inputs[declared.name] = draw.standard_normal(shape, np.float32)
        elif declared.type == "tensor(bool)":
            inputs[declared.name] = draw.random(shape) < 0.9
        elif declared.name == "attention_mask":
            inputs[declared.name] = (draw.random(shape) < 0.9).astype(np.int64)
            # A causal row must see something.
            inputs[declared.name][:, 0] = 1
        else:
            count = 2 if declared.name == "token_type_ids" else 100 if declared.name.startswith("field_") else 30522
            inputs[declared.name] = draw.integers(0, count, shape)
    return inputs


class Reference:
    """ONNX Runtime without optimisations, and every value that the model computes."""

    def __init__(self, path):
        model = onnx.load(path)
        self.outputs = [output.name for output in model.graph.output]
        nodes = [node for node in model.graph.node if node.op_type != "Constant"]
        self.names = [name for node in nodes for name in node.output if name]
        for name in self.names:
            if name not in self.outputs:
                model.graph.output.add(name=name)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        # Threads that wait busily starve the suites beside this one.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def run(self, names, inputs):
        return dict(zip(names, self.session.run(names, inputs)))


def chunks(names, archive):
    """The names in rows that are fetched together; the archive, Braid's values, tells their sizes."""
    sizes = {entry.filename: entry.file_size for entry in zipfile.ZipFile(archive).infolist()}
    chunk, total = [], 0
    for name in names:
        size = sizes[name + ".npy"]
        if chunk and total + size > BYTES_AT_ONCE:
            yield chunk
            chunk, total = [], 0
        chunk.append(name)
        total += size
    yield chunk


def fault(found, expected, tolerance):
    """What is wrong with a value, or None. The tolerance is a part of the largest element."""
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        return f"is {found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}"
    if expected.dtype != np.float32:
        wrong = np.count_nonzero(found != expected)
        return f"has {wrong} wrong elements" if wrong else None
    huge = np.abs(expected) > HUGE
    if not np.allclose(found[huge], expected[huge], 1e-6):
        return "has other elements beyond all bounds"
    largest = np.abs(expected[~huge]).max(initial=0)
    error = np.abs(found[~huge] - expected[~huge]).max(initial=0)
    # Put so that a NaN is a fault.
    return None if error <= tolerance * largest else f"is off by {error:.3g}, its largest is {largest:.3g}"


class ValuesTest(unittest.TestCase):
    # As a part of a value's largest element.
    tolerance = 1e-4
    # Masks begin as zeros.
    zeros_allowed = False

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_braid(self, path, outputs, *options):
        braid(
            "run", path, "--load-inputs", self.path / "in.npz", "--outputs", "all",
            "--save-outputs", outputs, "--quiet", *options,
        )

    def check_values(self, reference, path, inputs):
        np.savez(self.path / "in.npz", **inputs)
        plain_path, canonical_path = self.path / "plain.npz", self.path / "canonical.npz"
        self.run_braid(path, plain_path, "--no-canonicalise")
        self.run_braid(path, canonical_path)
        with np.load(plain_path) as plain, np.load(canonical_path) as canonical:
            self.assertEqual(set(reference.names) - set(plain.files), set())
            self.assertEqual(set(reference.outputs) - set(canonical.files), set())
            survivors = set(reference.names) & set(canonical.files)
            self.assertGreater(len(survivors), 0.8 * len(canonical.files))
            faults = []
            for names in chunks(reference.names, plain_path):
                for name, expected in reference.run(names, inputs).items():
                    found = {"as written": plain[name]}
                    if name in survivors:
                        found["canonicalised"] = canonical[name]
                    for run, value in found.items():
                        message = fault(value, expected, self.tolerance)
                        if message:
                            faults.append(f"{name}, {run}, {message}")
                    telling = expected.dtype != np.float32 or expected.any()
                    if not (telling or self.zeros_allowed):
                        faults.append(f"{name} is zero everywhere, which tells nothing")
        if faults:
            listed = "\n".join(faults[:FAULTS_SHOWN])
            self.fail(f"{len(faults)} values are wrong, the first are\n{listed}")

    def check_reaction(self, reference, inputs):
        first = reference.run(reference.outputs, inputs)
        second = reference.run(reference.outputs, random_inputs(reference.session, 1))
        for name, output in first.items():
            difference = np.abs(output - second[name]).max()
            self.assertGreater(difference, LEAST_REACTION * np.abs(output).max(), name)
