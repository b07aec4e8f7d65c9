"""The command line: what goes in, what comes out, and which exit code follows which fault.

BRAID_CLI names the binary. Run by ctest; `python cli_test.py` works too.
"""
import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command import BRAID, braid


def model(nodes, inputs, outputs, initializers=(), opset=17):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def tensor(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


class Cli(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def save(self, proto, name="m.onnx"):
        onnx.save(proto, self.path / name)
        return self.path / name

    def scaled_add(self, factor=2.0, name="m.onnx"):
        """y = x * factor + b"""
        return self.save(
            model(
                [
                    helper.make_node("Mul", ["x", "f"], ["s"], name="scale"),
                    helper.make_node("Add", ["s", "b"], ["y"], name="shift"),
                ],
                [tensor("x", [2, 3]), tensor("b", [3])],
                [tensor("y", [2, 3])],
                [numpy_helper.from_array(np.float32(factor), "f")],
            ),
            name,
        )

    # --- what comes out -----------------------------------------------------------------------

    def test_help_has_examples_for_every_command(self):
        text = braid("--help").stdout
        self.assertIn("Exit codes", text)
        for command in ("zoo", "inspect", "run", "bench", "plan", "explain", "report", "trace", "compare"):
            self.assertIn(command, text)
            self.assertIn(f"braid {command} ", braid(command, "--help").stdout)

    def test_zoo_lists_models_as_json(self):
        names = {row["name"] for row in json.loads(braid("zoo", "--json").stdout)["models"]}
        self.assertLessEqual({"inception-v3", "nasnet-a-mobile", "bert-base", "squeezenet-1.1"}, names)

    def test_inspect_gives_the_numbers_of_a_model(self):
        found = json.loads(braid("inspect", self.scaled_add(), "--json").stdout)
        self.assertEqual(found["operators"], 2)
        self.assertEqual(found["depth"], 2)
        self.assertEqual(found["width"], 1)
        self.assertEqual(found["operator_counts"], {"Mul": 1, "Add": 1})
        self.assertEqual([i["name"] for i in found["inputs"]], ["x", "b"])
        self.assertEqual(found["outputs"][0], {"name": "y", "shape": [2, 3], "type": "f32"})
        for key in ("parameters", "macs"):
            self.assertIn(key, found)

    def test_run_reads_and_writes_archives(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        b = np.array([1, 2, 3], dtype=np.float32)
        np.savez(self.path / "in.npz", x=x, b=b)
        np.savez_compressed(self.path / "packed.npz", x=x, b=b)
        for archive in ("in.npz", "packed.npz"):
            out = self.path / "out.npz"
            braid("run", self.scaled_add(), "--load-inputs", self.path / archive, "--save-outputs", out)
            np.testing.assert_array_equal(np.load(out)["y"], x * 2 + b)

    def test_run_reads_npy_and_pb_files_and_writes_folders(self):
        x = np.asfortranarray(np.arange(6, dtype=">f4").reshape(2, 3))
        b = np.array([1, 2, 3], dtype=np.float32)
        np.save(self.path / "x.npy", x)
        (self.path / "b.pb").write_bytes(numpy_helper.from_array(b, "b").SerializeToString())
        out = self.path / "out"
        braid("run", self.scaled_add(), "--load-inputs", f"x:{self.path}/x.npy", "--load-inputs", self.path / "b.pb",
              "--save-outputs", out)
        made = numpy_helper.to_array(onnx.load_tensor(out / "output_0.pb"))
        np.testing.assert_array_equal(made, x * 2 + b)
        braid("run", self.scaled_add(), "--load-inputs", f"x:{self.path}/x.npy", "--load-inputs", self.path / "b.pb",
              "--save-outputs", self.path / "y.npy")
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), x * 2 + b)

    def test_flags_may_stand_before_the_model(self):
        np.savez(self.path / "in.npz", x=np.zeros((2, 3), np.float32))
        braid("run", "--seed", 0, "--load-inputs", self.path / "in.npz", self.scaled_add())

    def test_the_same_seed_gives_the_same_inputs(self):
        file = self.scaled_add()
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            braid("run", file, "--seed", seed, "--save-inputs", self.path / f"{name}.npz")
        a, b, c = (np.load(self.path / f"{n}.npz")["x"] for n in "abc")
        np.testing.assert_array_equal(a, b)
        self.assertTrue((a != c).any())

    def test_all_values_can_be_asked_for(self):
        out = self.path / "out.npz"
        braid("run", self.scaled_add(), "--outputs", "all", "--no-canonicalise", "--save-outputs", out)
        self.assertEqual(set(np.load(out).files), {"s", "y"})
        braid("run", self.scaled_add(), "--outputs", "s", "--no-canonicalise", "--save-outputs", out)
        self.assertEqual(np.load(out).files, ["s"])

    def test_compare_tells_equal_from_different(self):
        same = braid("compare", self.scaled_add(2.0, "a.onnx"), self.scaled_add(2.0, "b.onnx"), "--json")
        found = json.loads(same.stdout)
        self.assertTrue(found["equal"])
        self.assertEqual(found["outputs"][0]["max_abs"], 0)
        other = braid("compare", self.path / "a.onnx", self.scaled_add(2.1, "c.onnx"), "--json", check=False)
        self.assertEqual(other.returncode, 5)
        found = json.loads(other.stdout)
        self.assertFalse(found["equal"])
        self.assertGreater(found["outputs"][0]["max_rel"], 0.01)

    def test_compare_takes_recorded_outputs(self):
        file = self.scaled_add()
        recorded = self.path / "y.npz"
        braid("run", file, "--seed", 3, "--save-outputs", recorded)
        braid("compare", file, recorded, "--seed", 3)
        self.assertEqual(braid("compare", file, recorded, "--seed", 4, check=False).returncode, 5)

    def chain(self, length, name, sizes=("n", 64)):
        """y = relu(… relu(x w) w …)"""
        weight = np.eye(64, dtype=np.float32)
        nodes = []
        for i in range(length):
            before, after = "x" if i == 0 else f"r{i}", "y" if i == length - 1 else f"r{i + 1}"
            nodes += [helper.make_node("MatMul", [before, "w"], [f"m{i}"]),
                      helper.make_node("Relu", [f"m{i}"], [after])]
        return self.save(model(nodes, [tensor("x", sizes)], [tensor("y", sizes)],
                               [numpy_helper.from_array(weight, "w")]), name)

    def test_compare_tells_which_is_faster(self):
        files = (self.chain(1, "short.onnx"), self.chain(60, "long.onnx"))
        text = braid("compare", *files, "--dim", "n=64", "--time").stdout
        self.assertRegex(text, r"\nMODEL \d+\.\d+ ms, OTHER \d+\.\d+ ms: OTHER is 0\.\d+ times as fast in 200 runs by "
                               r"turns, \[0\.\d+, 0\.\d+\] with 95 % confidence\n$")
        time = json.loads(braid("compare", *reversed(files), "--dim", "n=64", "--time", "--json").stdout)["time"]
        self.assertEqual(list(time), ["first_ms", "second_ms", "ratio", "ratio_interval", "ratio_band", "turns"])
        self.assertEqual(time["turns"], 200)
        self.assertAlmostEqual(time["ratio"], time["first_ms"] / time["second_ms"], places=9)
        self.assertGreater(time["ratio_interval"][0], 1)
        self.assertLessEqual(*time["ratio_interval"])
        self.assertLessEqual(*time["ratio_band"])
        self.assertNotIn("time", json.loads(braid("compare", *files, "--dim", "n=64", "--json").stdout))

    def test_compare_follows_the_plan_of_each(self):
        files = (self.chain(1, "short.onnx", [4, 64]), self.chain(3, "long.onnx", [4, 64]))
        plans = [self.path / f"{file.stem}.json" for file in files]
        for file, plan in zip(files, plans):
            braid("plan", file, "-o", plan)
        both = ("--load-plan", plans[0], "--load-plan", plans[1])
        braid("compare", *files, "--load-plan", plans[0])
        braid("compare", *files, *both, "--time")
        self.assertIn("long.json", self.refused(3, "compare", *files, "--load-plan", plans[1]))
        self.assertIn("short.json", self.refused(3, "compare", *files, "--load-plan", plans[0], "--load-plan", plans[0]))
        self.assertIn("3 files", self.refused(2, "compare", *files, *both, "--load-plan", plans[0]))

    def test_compare_times_models_that_run(self):
        file = self.scaled_add()
        recorded = self.path / "y.npz"
        braid("run", file, "--save-outputs", recorded)
        self.assertIn("is a recording", self.refused(2, "compare", file, recorded, "--time"))
        self.assertIn("a recording has none", self.refused(2, "compare", file, recorded, "--load-plan", "a", "--load-plan", "b"))
        self.assertIn("simulated", self.refused(2, "compare", file, file, "--time", "--device", "sim:v100"))

    def test_compare_binds_dimensions_that_only_one_leaves_open(self):
        files = (self.chain(2, "open.onnx"), self.chain(2, "fixed.onnx", [3, 64]))
        for pair in (files, files[::-1]):
            braid("compare", *pair, "--dim", "n=3")
            braid("compare", *pair, "--batch", 3)
        self.refused(5, "compare", *files, "--dim", "n=4")
        self.assertIn("'m'", self.refused(2, "compare", *files, "--dim", "n=3,m=4"))

    def test_open_dimensions_are_bound_by_flags(self):
        file = self.save(model([helper.make_node("Relu", ["x"], ["y"])], [tensor("x", ["batch", 3])],
                               [tensor("y", ["batch", 3])]))
        refused = braid("run", file, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("batch", refused.stderr)
        self.assertIn("--dim", refused.stderr)
        for flags in (["--dim", "batch=4"], ["-f", "batch:4"], ["--shapes", "x:4x3"], ["--shapes=x:[4,3]"]):
            found = json.loads(braid("inspect", file, *flags, "--json").stdout)
            self.assertEqual(found["inputs"][0]["shape"], [4, 3])

    def test_zoo_models_take_an_image_size(self):
        file = self.path / "small.onnx"
        braid("zoo", "squeezenet-1.1", "--size", 64, "-o", file)
        for model in (file, "zoo:squeezenet-1.1@64"):
            found = json.loads(braid("inspect", model, "--json").stdout)
            self.assertEqual(found["inputs"][0]["shape"], [1, 3, 64, 64])
        self.assertIn("equal", braid("compare", file, "zoo:squeezenet-1.1@64").stdout)

    def test_zoo_models_run_by_name(self):
        found = json.loads(braid("inspect", "zoo:squeezenet-1.1", "--json").stdout)
        self.assertGreater(found["parameters"], 1_000_000)

    # --- what goes wrong ----------------------------------------------------------------------

    def refused(self, code, *arguments):
        done = braid(*arguments, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertTrue(done.stderr.startswith("braid: "), done.stderr)
        return done.stderr

    def test_wrong_usage_exits_with_2(self):
        self.refused(2, "fly")
        self.refused(2, "inspect")
        self.refused(2, "inspect", "m.onnx", "--no-such-flag")
        self.assertIn("inception-v3", self.refused(2, "zoo", "no-such-model", "-o", self.path / "x.onnx"))
        self.assertIn("-o FILE", self.refused(2, "zoo", "googlenet"))
        self.assertIn("needs at least 75x75", self.refused(2, "zoo", "inception-v3", "--size", 60, "-o", self.path / "x.onnx"))
        self.assertIn("needs at least 75x75", self.refused(2, "inspect", "zoo:inception-v3@60"))
        self.assertIn("reads no image", self.refused(2, "inspect", "zoo:bert-base@128"))
        self.assertIn("sequential", self.refused(2, "run", self.scaled_add(), "--scheduler", "none"))
        self.assertIn("cpu", self.refused(2, "run", self.scaled_add(), "--device", "abacus"))
        self.assertIn("fold-constants", self.refused(2, "run", self.scaled_add(), "--disable", "nonsense"))

    def test_a_bad_file_or_input_exits_with_3(self):
        self.assertIn("No such file", self.refused(3, "inspect", self.path / "missing.onnx"))
        (self.path / "text.onnx").write_text("hello, this is not a model")
        self.refused(3, "inspect", self.path / "text.onnx")
        (self.path / "empty.onnx").write_bytes(b"")
        self.refused(3, "inspect", self.path / "empty.onnx")
        np.savez(self.path / "in.npz", x=np.zeros((2, 4), np.float32))
        message = self.refused(3, "run", self.scaled_add(), "--seed", 0, "--load-inputs", self.path / "in.npz")
        self.assertIn("f32[2,4]", message)
        self.assertIn("f32[2,3]", message)
        np.savez(self.path / "in.npz", z=np.zeros((2, 3), np.float32))
        self.assertIn("x, b", self.refused(3, "run", self.scaled_add(), "--load-inputs", self.path / "in.npz"))

    def test_an_unknown_operator_exits_with_4_and_is_named(self):
        file = self.save(model([helper.make_node("Frobnicate", ["x"], ["y"], name="frob", domain="my.ops")],
                               [tensor("x", [1])], [tensor("y", [1])]))
        message = self.refused(4, "inspect", file)
        self.assertIn("Frobnicate", message)
        self.assertIn("frob", message)

    def test_names_cannot_forge_terminal_output(self):
        file = self.save(model([helper.make_node("Relu", ["x\x1b[31m\nbraid: done"], ["y"])],
                               [tensor("x\x1b[31m\nbraid: done", [1])], [tensor("y", [1])]))
        for arguments in (["inspect", file], ["inspect", file, "--text"], ["run", file]):
            done = braid(*arguments, check=False)
            self.assertNotIn("\x1b", done.stdout + done.stderr)
            self.assertNotIn("\nbraid: done", done.stdout)

    def test_ctrl_c_exits_with_130_and_leaves_no_half_file(self):
        out = self.path / "out.npz"
        process = subprocess.Popen([BRAID, "run", str(self.scaled_add()), "--iterations", "100000000",
                                    "--save-outputs", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, message)
        self.assertEqual([p.name for p in self.path.iterdir()], ["m.onnx"])


if __name__ == "__main__":
    unittest.main()
