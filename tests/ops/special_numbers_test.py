"""NaN, infinities and denormals among the inputs of ONNX's tests of single operators: on every instruction set Braid gives what
ONNX Runtime gives, but for the operators that docs/operators.md lists.

BRAID_CLI names the binary.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import onnx

BRAID = os.environ["BRAID_CLI"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST_PASSED = 520


def told(*command, isa=None):
    environment = os.environ | ({"BRAID_MAX_ISA": isa} if isa else {})
    done = subprocess.run([BRAID, *command, "--json"], capture_output=True, text=True, env=environment)
    assert done.returncode in (0, 5), done.stderr
    return json.loads(done.stdout)


class SpecialNumbersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cases = pathlib.Path(folder.name)
        subprocess.run([sys.executable, ROOT / "tools/onnx-node-tests", cls.cases, "--special"], check=True,
                       stdout=subprocess.DEVNULL)
        operators = told("operators")["operators"]
        # The tests are of f32.
        cls.listed = {op["name"] for op in operators
                      if op["special_numbers"] and not op["special_numbers"].startswith("on f64 ")}

    def operators_of(self, case):
        model = onnx.load(self.cases / case["name"] / "model.onnx", load_external_data=False)
        return {node.op_type for node in model.graph.node}

    def test_come_out_as_of_onnx_runtime_on_every_instruction_set(self):
        for isa in ("baseline", "avx2", "avx512"):
            report = told("test-onnx", self.cases, "-q", isa=isa)
            wrong = collections.defaultdict(list)
            for case in report["cases"]:
                if case["outcome"] == "failed":
                    found = self.operators_of(case)
                    if not found & self.listed:
                        wrong[", ".join(sorted(found))].append(f"{case['name']}: {case['reason']}")
            self.assertEqual(dict(wrong), {}, f"under {isa}")
            self.assertGreaterEqual(report["summary"]["passed"], LEAST_PASSED)


if __name__ == "__main__":
    unittest.main()
