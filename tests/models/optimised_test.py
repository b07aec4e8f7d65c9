"""Rewritten models: the benchmark models after `braid optimize` are valid files that give ONNX Runtime's numbers of what
was given, and the Plan that was saved beside each fits what is read back.

BRAID_CLI names the binary. Run by ctest; `python optimised_test.py OptimisedTest.test_sim_squeezenet_1_1` works too. With
BRAID_EXPORTS, the folder that tools/export-models wrote, its files are treated in the same way.
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
from values import random_inputs

BRAID = os.environ["BRAID_CLI"]
FULL = "BRAID_FULL" in os.environ
EXPORTS = os.environ.get("BRAID_EXPORTS")
MODELS = ("inception-v3", "resnet-50", "resnext-50", "nasnet-a-large", "nasnet-a-mobile", "bert-base", "rnntc-sru",
          "googlenet", "squeezenet-1.1", "deepfm", "t5-small-encoder")
FEW = {"sim:a100": ("squeezenet-1.1", "resnext-50", "deepfm"), "cpu": ("squeezenet-1.1",)}
# No clock is read. By the cost alone nearly every search keeps something, so that there is something to compare.
SEARCHES = {"sim:a100": ("--max-candidates", "60", "--plan-steps", "50", "--no-verify", "--cost", "sum"),
            "cpu": ("--max-candidates", "20", "--no-verify", "--no-profile-cache")}
TOLERANCE = 1e-4


def braid(*arguments):
    return subprocess.run([BRAID, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def outputs_of(path, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session, session.run(None, inputs(session))


class OptimisedTest(unittest.TestCase):
    def check_zoo(self, name, device):
        with tempfile.TemporaryDirectory() as folder:
            given = pathlib.Path(folder) / "given.onnx"
            braid("zoo", name, "-o", given)
            self.check(given, device)

    def check(self, given, device, *shape):
        with tempfile.TemporaryDirectory() as folder:
            made, plan = pathlib.Path(folder) / "made.onnx", pathlib.Path(folder) / "plan.json"
            report = json.loads(braid("optimize", given, "-d", device, "-o", made, "--save-plan", plan, "--json", "-",
                                      *SEARCHES[device], *shape))
            onnx.checker.check_model(str(made), full_check=True)
            session, expected = outputs_of(given, lambda s: random_inputs(s, 0))
            again, got = outputs_of(made, lambda s: random_inputs(s, 0))
            for before, after in ((session.get_inputs(), again.get_inputs()),
                                  (session.get_outputs(), again.get_outputs())):
                self.assertEqual([(v.name, v.type) for v in before], [(v.name, v.type) for v in after])
            for one, other in zip(expected, got):
                self.assertEqual(one.shape, other.shape)
                self.assertLessEqual(np.abs(one - other).max(), TOLERANCE * np.abs(one).max(), report["rules"])
            braid("plan", made, "-d", device, "--load-plan", plan, *shape)


def add_test(name, device, check, skip=False):
    method = "test_{}_{}".format(device.split(":")[0], name.replace("-", "_").replace(".", "_"))
    setattr(OptimisedTest, method, unittest.skipIf(skip, "only with --full")(check))


for device_name in SEARCHES:
    for model in MODELS:
        add_test(model, device_name, lambda self, m=model, d=device_name: self.check_zoo(m, d),
                 not FULL and model not in FEW[device_name])
    for file in sorted(pathlib.Path(EXPORTS).glob("*.onnx")) if EXPORTS else ():
        add_test(file.stem, device_name, lambda self, f=file, d=device_name: self.check(f, d, "--batch", 1))

if __name__ == "__main__":
    unittest.main(verbosity=2)
