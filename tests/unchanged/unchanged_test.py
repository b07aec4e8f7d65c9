"""Plans and outputs of the zoo keep their bits while the house is reshaped.

Plans depend on nothing but the sources (`--plan-steps` reads no clock). Outputs also depend on the machine's instructions,
caches and libraries: they are compared under the fingerprint under which they were recorded, and elsewhere left out, which
the test says. `UNCHANGED_RECORD=1` writes unchanged.json again. BRAID_CLI names the binary.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BRAID = os.environ["BRAID_CLI"]
RECORD = pathlib.Path(__file__).resolve().parent / "unchanged.json"
MODELS = ["inception-v3", "resnet-50", "resnext-50", "nasnet-a-large", "nasnet-a-mobile", "bert-base", "rnntc-sru", "googlenet",
          "squeezenet-1.1"]
PLANS = [("sim:a100", "braid", 60), ("sim:rtx2080s", "braid", 60), ("sim:a100", "opara", 0), ("sim:rtx2080s", "nimble", 0)]


def braid(*arguments):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"braid {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def fingerprint():
    return braid("--version").partition("cpu is ")[2].strip() or braid("--version").strip()


def plans(folder):
    found = {}
    for model in MODELS:
        for device, scheduler, steps in PLANS:
            path = folder / "plan.json"
            braid("plan", f"zoo:{model}", "--device", device, "--scheduler", scheduler, "--plan-steps", steps, "-o", path, "-q")
            found[f"{model} {device} {scheduler}"] = digest(path)
    return found


def outputs(folder):
    found = {}
    for model in MODELS:
        path = folder / "outputs.npz"
        braid("run", f"zoo:{model}", "--save-outputs", path, "--no-profile-cache", "-q")
        found[model] = digest(path)
    return found


class Unchanged(unittest.TestCase):
    maxDiff = None

    def test_plans_and_outputs(self):
        recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {"plans": {}, "outputs": {}}
        machine = fingerprint()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if os.environ.get("UNCHANGED_RECORD"):
                recorded["plans"] = plans(folder)
                recorded["outputs"][machine] = outputs(folder)
                RECORD.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
                return
            self.assertEqual(plans(folder), recorded["plans"])
            if machine in recorded["outputs"]:
                self.assertEqual(outputs(folder), recorded["outputs"][machine])
            else:
                print(f"outputs are not compared: none were recorded on {machine}", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
