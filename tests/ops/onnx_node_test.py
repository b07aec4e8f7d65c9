"""ONNX's own tests of single operators: all that Braid takes are right, all others are refused with
a reason, and docs/operators.md says so.

BRAID_CLI names the binary.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BRAID = os.environ["BRAID_CLI"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST_PASSED = 1400


class OnnxNodeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cases = pathlib.Path(folder.name)
        subprocess.run([sys.executable, ROOT / "tools/onnx-node-tests", cls.cases], check=True,
                       stdout=subprocess.DEVNULL)

    def outcomes(self, *arguments):
        done = subprocess.run([BRAID, "test-onnx", self.cases, "--json", "-q", *arguments],
                              capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 5), done.stderr)
        return json.loads(done.stdout)

    def check(self, report):
        wrong = [case for case in report["cases"] if case["outcome"] == "failed"]
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(report["summary"]["passed"], LEAST_PASSED)
        for case in report["cases"]:
            if case["outcome"] == "unsupported":
                self.assertTrue(case["reason"], case["name"])

    def test_canonicalised(self):
        self.check(self.outcomes())

    def test_as_written(self):
        self.check(self.outcomes("--no-canonicalise"))

    def test_the_page_of_operators_is_up_to_date(self):
        page = subprocess.run([sys.executable, ROOT / "tools/operators-page", BRAID, self.cases],
                              check=True, capture_output=True, text=True).stdout
        self.assertEqual(page, (ROOT / "docs/operators.md").read_text(),
                         "make it again with tools/operators-page")


if __name__ == "__main__":
    unittest.main()
