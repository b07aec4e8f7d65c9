"""--json [FILE] has one meaning on every command: JSON instead of the text, or in a file beside it."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BRAID = os.environ["BRAID_CLI"]
SCHEDULE = pathlib.Path(__file__).parent / "ios_schedule.json"


def braid(*arguments, folder, code=0):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=folder)
    if done.returncode != code:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], name="act")], "m", [x], [y])
        for model in ["m.onnx", "case/model.onnx"]:
            (cls.folder / model).parent.mkdir(exist_ok=True)
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8),
                      cls.folder / model)
        data = cls.folder / "case" / "test_data_set_0"
        data.mkdir()
        tensor = numpy_helper.from_array(np.ones([1, 4], np.float32))
        for name in ["input_0.pb", "output_0.pb"]:
            (data / name).write_bytes(tensor.SerializeToString())
        cls.commands = {
            "zoo": [],
            "inspect": ["m.onnx"],
            "run": ["m.onnx"],
            "profile": ["m.onnx", "--no-profile-cache"],
            "bench": ["m.onnx", "--iterations", 2, "--no-profile-cache", "--schedulers", "sequential"],
            "plan": ["m.onnx"],
            "optimize": ["m.onnx", "--device", "sim:v100", "--max-candidates", 1, "--no-profile-cache", "-o", "o.bin"],
            "rules": ["--no-profile-cache"],
            "explain": ["m.onnx"],
            "report": ["m.onnx", "--iterations", 2, "--no-profile-cache", "--schedulers", "sequential"],
            "compare": ["m.onnx", "m.onnx"],
            "operators": ["Relu"],
            "replay-ios": [SCHEDULE, "--device", "sim:v100"],
            "test-onnx": ["case"],
        }

    def test_every_command_that_prints_has_it(self):
        words = braid("--help", folder=self.folder).stdout
        for command in self.commands:
            self.assertRegex(words, rf"\n  {command}[ ,]")
        self.assertEqual(words.count("\n  trace "), 1)  # all that it writes is JSON

    def test_it_replaces_the_text(self):
        for command, arguments in self.commands.items():
            for flag in [["--json"], ["--json", "-"], ["--json=-"]]:
                with self.subTest(command=command, flag=flag):
                    json.loads(braid(command, *arguments, *flag, folder=self.folder).stdout)

    def test_before_the_arguments(self):
        for command, arguments in self.commands.items():
            with self.subTest(command=command):
                json.loads(braid(command, "--json", *arguments, folder=self.folder).stdout)

    def test_a_file_comes_beside_the_text(self):
        for command, arguments in self.commands.items():
            with self.subTest(command=command):
                file = self.folder / f"{command}.json"
                flag = [f"--json={file}"] if command == "replay-ios" else ["--json", file]
                text = braid(command, *arguments, *flag, folder=self.folder).stdout
                json.loads(file.read_text())
                if command != "report":  # which prints nothing
                    self.assertNotEqual(text, "")
                    self.assertFalse(text.startswith("{"))

    def test_other_flags_add_to_it(self):
        found = json.loads(braid("plan", "m.onnx", "--json", "--steps", folder=self.folder).stdout)
        self.assertEqual([step["operator"] for step in found["steps"][0]], ["Relu"])
        self.assertEqual(found["steps"][0][0]["node"], "act")
        found = json.loads(braid("inspect", "m.onnx", "--json", "--text", folder=self.folder).stdout)
        self.assertIn("Relu", found["text"])
        self.assertEqual(found["operators"], 1)


if __name__ == "__main__":
    unittest.main()
