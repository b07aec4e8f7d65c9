"""A large model is inspected where it lies: its weights are mapped, not copied.

BRAID_CLI names the binary.
"""
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

BRAID = os.environ["BRAID_CLI"]


def inspects_within(data_bytes, file):
    """Whether `braid inspect` succeeds with this much private writable memory. Mapped files do not count."""

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))

    done = subprocess.run([BRAID, "inspect", file], preexec_fn=limit, capture_output=True)
    return done.returncode == 0


class Memory(unittest.TestCase):
    def test_inspecting_a_large_model_takes_little_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bert.onnx"
            subprocess.run([BRAID, "zoo", "bert-base", "-o", file], check=True)
            self.assertGreater(file.stat().st_size, 400_000_000)
            self.assertTrue(inspects_within(60_000_000, file))
            self.assertFalse(inspects_within(1_000_000, file), "the limit has no effect here")


if __name__ == "__main__":
    unittest.main()
