"""What commands read and write: nothing is overwritten or lost, and what is missing is named."""

import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

BRAID = os.environ["BRAID_CLI"]
USAGE = 2
QUOTA = 6
NOT_WRITTEN = 9


def braid(*arguments, **more):
    return subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300, **more)


def two_inputs(path):
    shape = ["n", 3, 8, 8]
    nodes = [helper.make_node("Add", ["x", "mask"], ["s"]), helper.make_node("Relu", ["s"], ["y"])]
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "mask")]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "g", tensors, [output])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.model = self.path / "m.onnx"
        two_inputs(self.model)
        self.common = (self.model, "--dim", "n=1", "--no-profile-cache")

    def refused(self, *arguments, code=USAGE):
        done = braid(*arguments)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        return done.stderr


class Overwriting(Files):
    def test_no_command_writes_over_a_model(self):
        other = self.path / "other.onnx"
        two_inputs(other)
        for arguments in (("plan", *self.common, "-o", self.model),
                          ("plan", *self.common, "-o", other),
                          ("run", *self.common, "--trace", other),
                          ("bench", *self.common, f"--json={other}"),
                          ("report", *self.common, "-o", other),
                          ("trace", *self.common, "-o", other),
                          ("inspect", self.model, "--dim", "n=1", "-o", other),
                          ("zoo", "squeezenet", "-o", other)):
            before = self.model.read_bytes(), other.read_bytes()
            message = self.refused(*arguments)
            self.assertIn("would overwrite", message)
            self.assertIn("--force", message)
            self.assertEqual((self.model.read_bytes(), other.read_bytes()), before)

    def test_force_does(self):
        done = braid("plan", *self.common, "-o", self.model, "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(self.model.read_text())

    def test_nor_over_what_it_reads(self):
        inputs = self.path / "in.npz"
        self.assertEqual(braid("run", *self.common, "--save-inputs", inputs).returncode, 0)
        for given in (inputs, self.path / "." / "in.npz"):
            self.assertIn("which is read", self.refused("run", *self.common, "--load-inputs", given,
                                                        "--save-outputs", inputs))

    def test_nor_over_the_weights_of_a_model(self):
        weights = numpy_helper.from_array(numpy.ones([4, 64], numpy.float32), "w")
        graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64])], [weights])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), self.model,
                  save_as_external_data=True, location="weights.json", size_threshold=0)
        before = (self.path / "weights.json").read_bytes()
        self.assertIn("which is read", self.refused("plan", self.model, "-o", self.path / "weights.json"))
        self.assertEqual((self.path / "weights.json").read_bytes(), before)
        self.assertEqual(braid("plan", self.model, "-o", self.path / "plan.json").returncode, 0)

    def test_another_result_of_the_same_name_is_replaced(self):
        plan = self.path / "plan.json"
        for _ in range(2):
            self.assertEqual(braid("plan", *self.common, "-o", plan).returncode, 0)


class Twice(Files):
    def outputs(self, one, other, *more):
        return braid("run", *self.common, "--save-outputs", one, "--save-inputs", other, *more)

    def test_no_two_outputs_lead_to_one_file(self):
        there = self.path / "there.npz"
        there.write_bytes(b"kept")
        os.link(there, self.path / "hard.npz")
        (self.path / "soft.npz").symlink_to("there.npz")
        (self.path / "dangling.npz").symlink_to("new.npz")
        (self.path / "here").symlink_to(".")
        for names in (("new.npz", "new.npz"), ("new.npz", "./new.npz"), ("new.npz", "here/new.npz"),
                      ("dangling.npz", "new.npz"), ("there.npz", "hard.npz"), ("there.npz", "soft.npz")):
            for more in ((), ("--force",)):
                done = self.outputs(*(f"{self.path}/{name}" for name in names), *more)
                self.assertEqual(done.returncode, USAGE, (names, done.stderr))
                self.assertIn("--save-outputs and --save-inputs both write", done.stderr)
        self.assertEqual(there.read_bytes(), b"kept")
        self.assertFalse((self.path / "new.npz").exists())

    def test_nor_to_standard_output(self):
        self.assertIn("both write standard output", self.refused("run", *self.common, "--json", "-", "--trace", "-"))

    def test_a_folder_and_a_device_take_several(self):
        folder = self.path / "case"
        for _ in range(2):
            done = self.outputs(folder, f"{self.path}/./case")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({p.name for p in folder.iterdir()}, {"input_0.pb", "input_1.pb", "output_0.pb"})
        done = braid("run", *self.common, "--trace", "/dev/null", "--json=/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)


class Caches(Files):
    def setUp(self):
        super().setUp()
        self.cache = self.path / "times.db"

    def measure(self, command="profile", *more):
        return braid(command, self.model, "--dim", "n=1", "--threads", 1, "--profile-cache", self.cache, *more)

    def test_whatever_is_no_cache_is_refused_and_stays_as_it_is(self):
        with sqlite3.connect(self.path / "other.db") as database:
            database.execute("CREATE TABLE bookmarks(url)")
        (self.path / "notes.txt").write_text("mine")
        (self.path / "damaged.db").write_bytes(b"SQLite format 3\0" + bytes(5000))
        for name in ("m.onnx", "other.db", "notes.txt", "damaged.db", "."):
            self.cache = self.path / name
            before = self.cache.read_bytes() if self.cache.is_file() else None
            for command in (("profile",), ("bench", "--iterations", 1), ("run", "--profile"), ("plan",)):
                done = self.measure(*command, *(("--force", "--json", self.path / "out.json") if command[0] == "bench" else ()))
                self.assertEqual(done.returncode, USAGE, (name, command, done.stderr))
                self.assertIn("--profile-cache takes a file that it made itself, or a new name", done.stderr)
            if before is not None:
                self.assertEqual(self.cache.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["damaged.db", "m.onnx", "notes.txt", "other.db"])

    def test_a_cache_is_made_found_and_made_anew_if_it_is_damaged(self):
        for damage in (lambda: None, lambda: None, lambda: self.cache.write_bytes(self.cache.read_bytes()[:3000])):
            damage()
            self.assertEqual(self.measure().returncode, 0)
        self.assertTrue((self.path / "times.db.aside").exists())

    def test_no_output_is_written_over_a_cache(self):
        self.assertEqual(self.measure().returncode, 0)
        before = self.cache.read_bytes()
        self.assertIn("a profile cache", self.refused("plan", *self.common, "-o", self.cache))
        self.assertIn("both write", self.measure("plan", "-o", self.cache).stderr)
        self.assertEqual(self.cache.read_bytes(), before)


class Unwritable(Files):
    def test_is_found_before_anything_is_done(self):
        missing = self.path / "no" / "folder.json"
        for arguments in (("bench", "--json", missing), ("plan", "-o", missing), ("run", "--trace", missing),
                          ("report", "-o", missing), ("profile", "--save-costs", missing), ("trace", "-o", missing),
                          ("bench", "--json", self.path)):
            command, *rest = arguments
            # The model would be refused, too, if anything were done.
            message = self.refused(command, self.path / "absent.onnx", *rest)
            self.assertIn("cannot write", message)
            self.assertIn(str(rest[0]), message)
        self.assertEqual([p.name for p in self.path.iterdir()], ["m.onnx"])

    def test_full_disks_are_errors(self):
        for arguments in (("inspect", self.model, "--dim", "n=1", "--json"), ("bench", *self.common, "--iterations", 1, "--json", "-"),
                          ("zoo",), ("--help",), ("run", *self.common)):
            with open("/dev/full", "w") as full:
                done = subprocess.run([BRAID, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=300)
            self.assertEqual(done.returncode, NOT_WRITTEN, (arguments, done.stderr))
            self.assertIn("cannot write to standard output", done.stderr)
        self.assertIn("cannot write", self.refused("plan", *self.common, "-o", "/dev/full", code=NOT_WRITTEN))

    def test_outputs_in_a_form_that_holds_no_tensors(self):
        self.assertIn("holds no tensors", self.refused("run", *self.common, "--save-outputs", self.path / "o.txt"))
        self.assertFalse((self.path / "o.txt").exists())
        self.assertEqual(braid("run", *self.common, "--save-outputs", self.path / "o.NPZ").returncode, 0)
        self.assertTrue((self.path / "o.NPZ").is_file())
        self.assertEqual(braid("run", *self.common, "--save-outputs", self.path / "folder").returncode, 0)
        self.assertTrue((self.path / "folder" / "output_0.pb").is_file())


class Inputs(Files):
    def given(self, **tensors):
        file = self.path / "in.npz"
        numpy.savez(file, **tensors)
        return ("--load-inputs", file)

    def test_those_that_files_lack_are_an_error(self):
        x = numpy.zeros((1, 3, 8, 8), numpy.float32)
        empty = self.path / "empty"
        empty.mkdir()
        for given in (self.given(x=x), ("--load-inputs", empty)):
            message = self.refused("run", *self.common, *given)
            self.assertIn("mask", message)
            self.assertIn("--seed", message)
        done = braid("run", *self.common, *self.given())
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("x, mask", done.stderr)

    def test_a_seed_makes_them_random_and_they_are_named(self):
        x = numpy.zeros((1, 3, 8, 8), numpy.float32)
        done = braid("run", *self.common, *self.given(x=x), "--seed", 3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("random inputs (seed 3): mask;", done.stdout)
        told = json.loads(braid("run", *self.common, "--json").stdout)
        self.assertEqual(told["random_inputs"], ["x", "mask"])
        told = json.loads(braid("run", *self.common, *self.given(x=x, mask=x), "--json").stdout)
        self.assertEqual(told["random_inputs"], [])

    def test_those_that_decide_shapes_are_saved_too(self):
        nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
        inputs = [helper.make_tensor_value_info("shape", TensorProto.INT64, [2]),
                  helper.make_tensor_value_info("x", TensorProto.FLOAT, [6])]
        graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.model)
        given = self.given(x=numpy.ones(6, numpy.float32), shape=numpy.array([2, 3]))
        saved = self.path / "saved.npz"
        done = braid("run", self.model, *given, "--save-inputs", saved)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(numpy.load(saved)), ["shape", "x"])
        self.assertEqual(braid("run", self.model, "--load-inputs", saved).returncode, 0)

    def test_ranges_of_unknown_inputs_are_refused(self):
        self.assertIn("x, mask", self.refused("run", *self.common, "--val-range", "z:[0,1]"))

    def test_memory_is_checked_before_it_is_taken(self):
        size = 1024 ** 3
        for command in (("run",), ("plan",), ("bench",), ("trace", "-o", self.path / "t.json")):
            for n in (500_000, 1_000_000):  # inputs that fit without the output; inputs that do not
                done = braid(*command, self.model, "--dim", f"n={n}", "--no-profile-cache", "--quota",
                             f"memory_bytes={size}", preexec_fn=self.limited)
                self.assertEqual(done.returncode, QUOTA, (command, n, done.stderr))
                self.assertIn("memory_bytes", done.stderr)

    @staticmethod
    def limited():
        import resource
        resource.setrlimit(resource.RLIMIT_DATA, (512 * 1024 ** 2, 512 * 1024 ** 2))


if __name__ == "__main__":
    unittest.main()
