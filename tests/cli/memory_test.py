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


def limited(*arguments, data_bytes=None):
    """What a command says that may have so much private writable memory."""

    def limit():
        if data_bytes:
            resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))

    return subprocess.run([BRAID, *map(str, arguments)], preexec_fn=limit, capture_output=True, text=True, timeout=300)


class Together(unittest.TestCase):
    """Several that fit one by one, and not at once. SqueezeNet packs 5 MB of weights for each."""

    MODEL = "zoo:squeezenet-1.1@64"
    SEVERAL = (("bench", MODEL, "--schedulers", "sequential,braid", "--iterations", 1),
               ("bench", MODEL, "--schedulers", "sequential", "--iterations", 1, "--optimise", "none,sum",
                "--optimise-seconds", 1),
               ("report", MODEL, "--schedulers", "sequential,braid", "--iterations", 1, "-o", "/dev/null"),
               ("compare", MODEL, MODEL, "--time"),
               ("optimize", MODEL, "--max-candidates", 1, "-o", "/dev/null"))
    ALONE = (("run", MODEL), ("compare", MODEL, MODEL), ("bench", MODEL, "--schedulers", "sequential", "--iterations", 1))

    def test_several_are_summed_before_they_begin(self):
        quota = ("--threads", 1, "--quota", "memory_bytes=9M", "--no-profile-cache")
        for command in self.ALONE:
            done = limited(*command, *quota)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
        for command in self.SEVERAL:
            done = limited(*command, *quota)
            self.assertEqual(done.returncode, 6, (command, done.stderr))
            self.assertRegex(done.stderr, r"[\d.]+ MB of memory are needed at once, more than 9\.4 MB "
                                          r"\(quota 'memory_bytes'\); .*--quota memory_bytes=NUMBER")
            self.assertGreater(len([line for line in done.stderr.splitlines() if line.endswith(" MB")]), 1)

    def test_callers_count(self):
        bench = ("bench", "zoo:squeezenet-1.1@224", "--schedulers", "sequential", "--iterations", 1, "--threads", 4, "--quota",
                 "memory_bytes=24M", "--no-profile-cache")
        self.assertEqual(limited(*bench).returncode, 0)
        done = limited(*bench, "--concurrency", 4)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("fewer callers (--concurrency)", done.stderr)

    def test_a_limit_of_the_process_counts(self):
        model = "zoo:resnet-50@64"
        few = 420_000_000
        self.assertEqual(limited("run", model, "--threads", 1, data_bytes=few).returncode, 0)
        done = limited("compare", model, model, "--time", "--threads", 1, data_bytes=few)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("(what is free)", done.stderr)


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
