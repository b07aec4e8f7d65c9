"""Wrong command lines: a message that says what was meant, and the exit code of wrong usage."""

import os
import subprocess
import unittest

BRAID = os.environ["BRAID_CLI"]


def complaint(*arguments):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != 2:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stderr.splitlines()[0].removeprefix("braid: usage error: ")


class Usage(unittest.TestCase):
    def test_misspelt_names_are_recognised(self):
        self.assertEqual(complaint("bnech", "m.onnx"), "there is no command 'bnech'; did you mean bench?")
        self.assertEqual(complaint("--versoin"), "there is no option '--versoin'; did you mean --version?")
        self.assertEqual(complaint("run", "m.onnx", "--thread", 2),
                         "run has no option '--thread'; did you mean --threads?")
        self.assertEqual(complaint("run", "m.onnx", "--thread=2"),
                         "run has no option '--thread'; did you mean --threads?")
        self.assertEqual(complaint("bench", "m.onnx", "--scheduler", "braid"),
                         "bench has no option '--scheduler'; did you mean --schedulers?")
        self.assertEqual(complaint("run", "m.onnx", "--zzzzzzzz"), "run has no option '--zzzzzzzz'")

    def test_values(self):
        self.assertEqual(complaint("run", "m.onnx", "--threads", "two"),
                         "--threads: expected a whole number from 0 to 4096, got 'two'")
        self.assertEqual(complaint("run", "m.onnx", "--threads", "1.5"),
                         "--threads: expected a whole number from 0 to 4096, got '1.5'")
        self.assertEqual(complaint("run", "m.onnx", "--threads", 99999),
                         "--threads: expected a whole number from 0 to 4096, got '99999'")
        self.assertEqual(complaint("run", "m.onnx", "--threads"), "--threads needs a value: a whole number")
        self.assertEqual(complaint("run", "m.onnx", "--threads", 1, "--threads", 2),
                         "--threads takes one value and was given 2 times")

    def test_arguments(self):
        self.assertEqual(complaint("run"), "run needs a model: an ONNX file, or zoo:NAME")
        self.assertEqual(complaint("run", "m.onnx", "other"), "run does not expect the argument 'other'")

    def test_several_dimensions_after_one_flag(self):
        message = complaint("inspect", "zoo:squeezenet", "--quota", "nodes=5000", "values=5000")
        self.assertIn("'values'", message)
        self.assertIn("--batch", complaint("inspect", "zoo:squeezenet", "--dim", "n=1"))


if __name__ == "__main__":
    unittest.main()
