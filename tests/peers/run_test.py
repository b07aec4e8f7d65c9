"""bench/peers/run on a small model: the shape of its JSON, and that a peer's failure is told."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RUN = pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers" / "run"
ENVIRONMENT = RUN.parents[2] / "build" / "peers-venv"
BUILD = pathlib.Path(os.environ["BRAID_CLI"]).resolve().parents[1]
NAMES = ["braid", "onnxruntime", "openvino"]


def setUpModule():
    subprocess.run([RUN.parents[2] / "tools" / "setup", "peers"], check=True)


def save_model(path, domain=""):
    """y = Relu(Conv(x)) with an open batch; a strange domain makes it one that no one knows."""
    weight = np.random.default_rng(0).standard_normal((8, 3, 3, 3)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Relu", ["c"], ["y"], domain=domain)]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 16, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 8, 14, 14])],
        [numpy_helper.from_array(weight, "w")])
    opsets = [helper.make_opsetid("", 17)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


class Peers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = pathlib.Path(folder.name) / "small.onnx"

    def compare(self, *arguments, bound=("--batch", "2")):
        done = subprocess.run([RUN, "--build", BUILD, "--models", self.model, "--json", "-", *bound, *arguments],
                              stdout=subprocess.PIPE, text=True, timeout=1500)
        return done.returncode, json.loads(done.stdout)

    def check_result(self, result, names=NAMES):
        self.assertEqual(result["model"], "small")
        self.assertEqual((result["failures"], result["left_out"]), ({}, {}))
        self.assertEqual(list(result["contenders"]), names)
        for row in result["contenders"].values():
            self.assertLessEqual(row["min_ms"], row["p20_ms"])
            self.assertLessEqual(row["median_ms"], row["p99_ms"])
            self.assertGreater(row["first_answer_s"], 0)
            self.assertGreater(row["memory_bytes"], 0)
        for name in names[1:]:
            self.assertLessEqual(result["ratios"][name]["low"], result["ratios"][name]["high"])
            self.assertEqual((result["outputs"][name]["verdict"], result["outputs"][name]["output"]), ("agrees", 0))
        self.assertIn(result["best_peer"], names[1:])

    def test_alternates_single_inferences(self):
        save_model(self.model)
        code, document = self.compare("--threads", "1", "--iterations", "4")
        self.assertEqual(code, 0)
        self.assertEqual((document["threads"], document["callers"], len(document["pinned_to"])), (1, 1, 1))
        self.check_result(document["results"][0])
        self.assertEqual({row["iterations"] for row in document["results"][0]["contenders"].values()}, {4})
        self.assertEqual(list(document["geometric_means"]), [*NAMES[1:], "best peer"])

    def test_runtimes_that_convert_the_model(self):
        save_model(self.model)
        names = ["braid", "onnxruntime", "mnn", "ncnn"]
        code, document = self.compare("--threads", "1", "--iterations", "2", "--contenders", ",".join(names))
        self.assertEqual(code, 0)
        self.check_result(document["results"][0], names)
        self.assertEqual(list(document["geometric_means"]), [*names[1:], "best peer"])

    def test_a_model_that_a_runtime_cannot_convert_is_left_out(self):
        self.model = self.model.with_name("bool.onnx")
        nodes = [helper.make_node("Not", ["x"], ["y"])]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.BOOL, [4])],
                                  [helper.make_tensor_value_info("y", TensorProto.BOOL, [4])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.model)
        code, document = self.compare("--threads", "1", "--iterations", "2", "--contenders", "braid,ncnn", bound=())
        self.assertEqual((code, document["results"][0]["failures"]), (0, {}))
        self.assertEqual(document["results"][0]["left_out"], {"ncnn": "it takes no bool, as the input 'x' has"})

    def test_a_lower_instruction_set_is_a_stand_in_beside_openvino(self):
        save_model(self.model)
        code, document = self.compare("--threads", "1", "--iterations", "2", "--isa", "baseline")
        self.assertEqual((code, document["isa"], document["stand_in"]), (0, "baseline", True))
        self.assertEqual(list(document["left_out"]), ["onnxruntime"])
        result = document["results"][0]
        if "openvino" not in result["left_out"]:
            self.assertTrue(result["contenders"]["openvino"]["stand_in"])
            self.assertFalse(result["contenders"]["braid"]["stand_in"])

    def test_two_callers(self):
        save_model(self.model)
        code, document = self.compare("--callers", "2", "--iterations", "2", "--window", "0.1")
        self.assertEqual((code, document["callers"]), (0, 2))
        self.check_result(document["results"][0])

    def test_failures_are_told(self):
        save_model(self.model, domain="org.nowhere")
        code, document = self.compare("--threads", "1", "--iterations", "2")
        self.assertEqual(code, 1)
        self.assertIn("org.nowhere", document["results"][0]["failures"]["braid"])

    def test_open_dimensions_are_not_guessed(self):
        save_model(self.model)
        code, document = self.compare("--threads", "1", "--iterations", "2", bound=())
        self.assertEqual(code, 1)
        self.assertIn("--dim batch=", document["results"][0]["failures"]["braid"])

    def test_given_inputs_bind_dimensions(self):
        save_model(self.model)
        inputs = self.model.with_name("in.npz")
        np.savez(inputs, x=np.ones((3, 3, 16, 16), np.float32))
        code, document = self.compare("--threads", "1", "--iterations", "2", bound=("--load-inputs", inputs))
        self.assertEqual(code, 0)
        self.check_result(document["results"][0])


class Against(unittest.TestCase):
    """`braid bench --against` with the real runtimes; tests/cli/against_test.py has what goes wrong."""

    def test_both_runtimes_beside_braid(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "small.onnx"
            save_model(model)
            done = subprocess.run([os.environ["BRAID_CLI"], "bench", model, "--batch", "2", "--against",
                                   "onnxruntime,openvino", "--python", ENVIRONMENT / "bin" / "python",
                                   "--iterations", "4", "--json", "-"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        rows = json.loads(done.stdout)["results"]
        self.assertEqual([row.get("peer", "braid") for row in rows], NAMES)
        self.assertEqual({row["outputs"]["verdict"] for row in rows[1:]}, {"agrees"})


if __name__ == "__main__":
    unittest.main()
