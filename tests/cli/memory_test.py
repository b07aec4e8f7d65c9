"""A large model is inspected where it lies: its weights are mapped, not copied.

BRAID_CLI names the binary.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

BRAID = os.environ["BRAID_CLI"]


def peak_anonymous_bytes(command):
    """The largest RssAnon seen while the command runs."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        try:
            for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    peak = max(peak, int(line.split()[1]) * 1024)
        except (FileNotFoundError, ProcessLookupError):
            break
    if process.wait() != 0:
        raise AssertionError(f"{command} failed")
    return peak


class Memory(unittest.TestCase):
    def test_inspecting_a_large_model_takes_little_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bert.onnx"
            subprocess.run([BRAID, "zoo", "bert-base", "-o", file], check=True)
            self.assertGreater(file.stat().st_size, 400_000_000)
            peak = peak_anonymous_bytes([BRAID, "inspect", file])
            self.assertGreater(peak, 0)
            self.assertLess(peak, 60_000_000)


if __name__ == "__main__":
    unittest.main()
