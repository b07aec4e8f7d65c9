"""What the suites of hostile input share: small models, and a run of Braid with bounded time and memory.

BRAID_CLI names the binary. BRAID_SANITISED is set if it reserves address space for a sanitizer.
"""
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

import numpy as np
from onnx import TensorProto, helper, numpy_helper

BRAID = os.environ["BRAID_CLI"]
SECONDS = 10 if "BRAID_SANITISED" not in os.environ else 120
MEMORY = 2 << 30

USAGE, BAD, UNSUPPORTED, QUOTA = 2, 3, 4, 6


def limit_memory():
    if "BRAID_SANITISED" not in os.environ:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def braid(*arguments):
    return subprocess.run([BRAID, *map(str, arguments)], capture_output=True, timeout=SECONDS,
                          preexec_fn=limit_memory)


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def model(nodes, inputs, outputs, initializers=(), opset=17, **more):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], **more)
    made.ir_version = 8
    return made


def one_node(op, inputs, opset=17, outputs=("y",), **attributes):
    """A model of one node called 'culprit'. Arrays become initialisers, lists shapes of float inputs."""
    names, graph_inputs, initializers = [], [], []
    for i, given in enumerate(inputs):
        name = "" if given is None else f"in{i}"
        names.append(name)
        if isinstance(given, np.ndarray):
            initializers.append(constant(name, given))
        elif given is not None:
            graph_inputs.append(floats(name, given))
    node = helper.make_node(op, names, list(outputs), name="culprit", **attributes)
    return model([node], graph_inputs, [helper.make_empty_tensor_value_info(o) for o in outputs],
                 initializers, opset)


def relu_chain():
    return model([helper.make_node("Relu", ["x"], ["y"], name="first")], [floats("x", [2, 3])],
                 [floats("y", [2, 3])])


class HostileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def save(self, proto, name="m.onnx"):
        path = self.path / name
        path.write_bytes(proto if isinstance(proto, bytes) else proto.SerializeToString())
        return path

    def check_clean(self, done, codes):
        """The run ended by itself with one of these exit codes and said so in one way."""
        message = done.stderr.decode(errors="replace")
        self.assertIn(done.returncode, codes, message)
        self.assertNotIn("Sanitizer", message)
        self.assertNotIn("runtime error", message)
        if done.returncode != 0:
            self.assertTrue(message.startswith("braid: "), message)
        for at, byte in enumerate(done.stdout + done.stderr):
            if byte < 32 and byte not in (9, 10, 13):
                self.fail(f"control byte {byte} at {at} of the output")
        return message

    def refused(self, subject, code, *words, command=("run", "-q")):
        """Braid refuses a model (or a file) with this exit code and a message with these words."""
        path = subject if isinstance(subject, pathlib.Path) else self.save(subject)
        codes = code if isinstance(code, tuple) else (code,)
        message = self.check_clean(braid(*command, path), codes)
        for word in words:
            self.assertIn(word, message)
        return message

    def accepted(self, subject, *arguments, command=("run", "-q")):
        path = subject if isinstance(subject, pathlib.Path) else self.save(subject)
        self.check_clean(braid(*command, path, *arguments), (0,))

    def answered(self, subject, *arguments, command=("run", "-q")):
        """An answer or an error, but not one of Braid's own making."""
        path = subject if isinstance(subject, pathlib.Path) else self.save(subject)
        done = braid(*command, path, *arguments)
        self.check_clean(done, (0, USAGE, BAD, UNSUPPORTED, QUOTA))
        return done.returncode
