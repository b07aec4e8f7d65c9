"""Real networks as PyTorch's exporters write them: every value that Braid computes is ONNX Runtime's,
before and after canonicalisation, at two batches.

usage: exports_test.py MODEL                 a name of `tools/export-models --list`; run by ctest
       exports_test.py MODEL FOLDER          takes what tools/export-models has written there
BRAID_CLI names the binary.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from values import Reference, ValuesTest, braid, random_inputs

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.append(str(TOOLS))

from export_models.matrix import OPSETS  # noqa: E402

BATCHES = [1, 3]

# How the exporters' answers begin where they fail.
NO_SUCH_OPERATOR = "UnsupportedOperatorError: Exporting the operator 'aten::"
# The file says opset 18, and has operators of later ones.
HALF_CONVERTED = "ValidationError: No Op registered for"
NO_WHOLE_MIN = "InferenceError: [ShapeInferenceError] (op_type:Min"
EXPORTER_FAILURES = {
    ("convnext-tiny", "dynamo", 26): HALF_CONVERTED,
    ("vit-b-16", "torchscript", 11): NO_SUCH_OPERATOR,
    ("vit-b-16", "dynamo", 26): HALF_CONVERTED,
    ("swin-t", "dynamo", 26): HALF_CONVERTED,
    ("bert", "torchscript", 11): NO_SUCH_OPERATOR,
    ("bert", "dynamo", 26): HALF_CONVERTED,
    ("gpt2", "torchscript", 11): NO_SUCH_OPERATOR,
    ("gpt2", "dynamo", 26): HALF_CONVERTED,
    ("t5-encoder", "torchscript", 11): NO_WHOLE_MIN,
}

# What is left of NASNet once the padding that it computes is folded. The exporters write the same
# network, but for its head.
NASNET_OPERATORS = {
    "Add": 64, "AveragePool": 52, "Concat": 26, "Conv": 488, "Gemm": 1, "MaxPool": 4, "Pad": 4,
    "Relu": 66,
}
NASNET_HEAD = {
    "torchscript": {"GlobalAveragePool": 1, "Flatten": 1},
    "dynamo": {"ReduceMean": 1, "Reshape": 1},
}


class ExportsTest(ValuesTest):
    zeros_allowed = True
    model = None
    written = None  # a folder, or None to export again

    @classmethod
    def setUpClass(cls):
        cls.exports = cls.written
        if cls.written is None:
            folder = tempfile.TemporaryDirectory()
            cls.addClassCleanup(folder.cleanup)
            cls.exports = pathlib.Path(folder.name)
            command = [TOOLS / "export-models", cls.exports, "--models", cls.model]
            subprocess.run(command, check=True)
        rows = json.loads((cls.exports / "exports.json").read_text())
        cls.rows = [row for row in rows if row["model"] == cls.model]

    def test_every_export_is_there(self):
        asked = [(exporter, opset) for exporter in OPSETS for opset in OPSETS[exporter]]
        self.assertEqual([(row["exporter"], row["opset"]) for row in self.rows], asked)
        for row in self.rows:
            key = (row["model"], row["exporter"], row["opset"])
            with self.subTest(export=key):
                if key in EXPORTER_FAILURES:
                    self.assertIn("failure", row, "the exporter has learnt it: take it off the list")
                    self.assertTrue(row["failure"].startswith(EXPORTER_FAILURES[key]), row["failure"])
                else:
                    self.assertNotIn("failure", row)

    def test_values(self):
        for row in self.rows:
            if "failure" in row:
                continue
            with self.subTest(exporter=row["exporter"], opset=row["opset"]):
                path = self.exports / row["file"]
                reference = Reference(path)
                self.check_reaction(reference, random_inputs(reference.session, 0))
                for batch in BATCHES:
                    with self.subTest(batch=batch):
                        self.check_values(
                            reference, path, random_inputs(reference.session, 0, batch)
                        )

    def test_nasnet_folds_to_its_operators(self):
        if self.model != "nasnet-large":
            self.skipTest("about NASNet")
        for row in self.rows:
            with self.subTest(exporter=row["exporter"], opset=row["opset"]):
                path = self.exports / row["file"]
                found = braid("inspect", path, "--dim", "batch=1", "--canonicalise", "--json")
                expected = NASNET_OPERATORS | NASNET_HEAD[row["exporter"]]
                self.assertEqual(json.loads(found)["operator_counts"], expected)


if __name__ == "__main__":
    ExportsTest.model = sys.argv[1]
    if len(sys.argv) > 2:
        ExportsTest.written = pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
