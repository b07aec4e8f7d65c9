"""What holds for all options of all commands, read from the table that --help shows: lists, what needs what, sections."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper

from options_of import help_of, options_of

BRAID = os.environ["BRAID_CLI"]
COMMANDS = ("zoo", "inspect", "run", "profile", "bench", "plan", "optimize", "rules", "explain", "trace", "report", "compare",
            "operators", "replay-ios", "test-onnx")
ARGUMENTS = {"zoo": (), "rules": (), "operators": (), "replay-ios": ("s.json",), "test-onnx": ("case",),
             "compare": ("m.onnx", "m.onnx"), "trace": ("m.onnx", "-o", "t.json"), "optimize": ("m.onnx", "-o", "o.bin")}
# Two values of each list, and what else is needed for them to be read; of lists that bind names, both bind another name.
VALUES = {
    "--shapes": ("a:2x3", "b:2x3"), "--dim": ("n=2", "k=3"), "--load-inputs": ("a:a.npy", "b:b.npy"),
    "--val-range": ("a:[0,1]", "b:[0,2]"), "--quota": ("nodes=5000", "values=5000"), "--disable": ("no-step", "fuse-bias"),
    "--schedulers": ("no-scheduler", "nimble"), "--optimise": ("no-graph", "none"), "--against": ("no-peer", "openvino"),
    "--outputs": ("y", "no-value"), "--load-plan": ("no-plan.json", "no-other.json"), "--pair": ("no-node", "no-other"),
    "--disable-rule": ("no-rule", "cut-depth"), "--threads": ("1", "2"), "--streams": ("1", "2"), "--concurrency": ("1", "2"),
    "--rate": ("10", "20"),
}
BINDINGS = {"--shapes": ("a:2x3", "a:2x4"), "--dim": ("n=2", "n=3"), "--load-inputs": ("a:a.npy", "a:b.npy"),
            "--val-range": ("a:[0,1]", "a:[0,2]"), "--quota": ("nodes=5000", "nodes=6000")}
SAMPLE = {"N": "1", "X": "1", "FILE": "f.json", "NAME": "avx2", "DEVICE": "cpu", "PROGRAM": "python3"}


def save_model(path, dims, declared=None):
    a, b = (helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name in "ab")
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, declared or dims)
    graph = helper.make_graph([helper.make_node("Add", ["a", "b"], ["y"], name="sum")], "m", [a, b], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


class InFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "case").mkdir()
        save_model(cls.folder / "m.onnx", [2, 3])
        save_model(cls.folder / "open.onnx", ["n", "k"])
        for name in "ab":
            np.save(cls.folder / f"{name}.npy", np.ones([2, 3], np.float32))

    def braid(self, *arguments, code=0):
        done = subprocess.run([BRAID, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        return done

    def refused(self, *arguments):
        done = self.braid(*arguments, code=2)
        self.assertEqual(done.stdout, "")
        return done.stderr


class Lists(InFolder):
    def lists(self):
        return [(command, option) for command in COMMANDS for option in options_of(command) if option.is_list]

    def test_all_are_known_to_this_test(self):
        self.assertEqual({option.long for _, option in self.lists()}, set(VALUES))

    def test_words_commas_and_repetition_are_alike_before_and_behind_the_model(self):
        for command, option in self.lists():
            first, second = VALUES[option.long]
            model = ("open.onnx",) if option.long in ("--shapes", "--dim", "--load-inputs") else ("m.onnx",)
            model = ("case",) if command == "test-onnx" else model * (2 if command == "compare" else 1)
            rest = {"trace": ("-o", "t.json"), "optimize": ("-o", "o.bin", "--max-candidates", "1")}.get(command, ())
            rest += ("--canonicalise",) if (command, option.long) == ("inspect", "--disable") else ()
            rest += ("--device", "sim:v100") if command not in ("run", "trace", "inspect", "test-onnx", "compare") and \
                option.long != "--against" else ()
            ways = [(option.long, first, second), (option.long, f"{first},{second}"),
                    (option.long, first, option.long, second)]
            lines = [(command, *way, *model, *rest) if before else (command, *model, *rest, *way)
                     for way in ways for before in (True, False)]
            answers = [subprocess.run([BRAID, *line], cwd=self.folder, capture_output=True, text=True, timeout=120)
                       for line in lines]
            with self.subTest(f"{command} {option.long}"):
                for line, done in zip(lines, answers):
                    error = re.sub(r"\[\d+.*|\d+\.\d+", "", done.stderr)
                    self.assertEqual((done.returncode, error),
                                     (answers[0].returncode, re.sub(r"\[\d+.*|\d+\.\d+", "", answers[0].stderr)), line)
                    self.assertNotIn("cannot open", error.replace("cannot open 'no-", ""), line)
                    self.assertNotIn("does not expect", error, line)

    def test_a_value_given_twice_for_one_name_is_refused_naming_both(self):
        for command, option in self.lists():
            if option.long not in BINDINGS:
                continue
            for words in (BINDINGS[option.long], (",".join(BINDINGS[option.long]),)):
                with self.subTest(f"{command} {option.long} {words}"):
                    message = self.refused(command, *ARGUMENTS.get(command, ("m.onnx",)), option.long, *words)
                    for value in BINDINGS[option.long]:
                        self.assertIn(f"'{value}'", message)

    def test_files_that_give_one_input_are_refused(self):
        np.savez(self.folder / "both.npz", a=np.ones([2, 3], np.float32), b=np.ones([2, 3], np.float32))
        message = self.refused("run", "m.onnx", "--load-inputs", "both.npz", "a:a.npy")
        self.assertIn("the input 'a' is given twice, by 'both.npz' and by 'a:a.npy'", message)

    def test_a_comma_in_the_name_of_a_file(self):
        np.save(self.folder / "x,1.npy", np.ones([2, 3], np.float32))
        self.braid("run", "m.onnx", "--load-inputs", "a:x,1.npy", "b:b.npy", "-q")

    def test_a_list_ends_at_the_argument_that_is_missing(self):
        (self.folder / "model").write_bytes((self.folder / "open.onnx").read_bytes())
        for words in (["--dim", "n=2", "k=3", "model"], ["--dim", "n=2", "k=3", "--", "model"],
                      ["--dim", "n=2,k=3", "-q", "model"]):
            self.braid("run", *words)
        self.braid("compare", "open.onnx", "--load-inputs", "a:a.npy", "b:b.npy", "--atol", 1, "model")

    def test_shapes_in_brackets_and_in_one_word(self):
        for words in (["a:[2,3],b:[2,3]"], ["a:2x3 b:2x3"], ["a:[2,3]", "b[2,3]"]):
            self.braid("run", "open.onnx", "--shapes", *words, "-q")

    def test_a_list_without_a_value(self):
        self.assertIn("--disable needs a value, STEP, before the model 'm.onnx'", self.refused("run", "--disable", "m.onnx"))


class Needs(InFolder):
    def words(self, command, name):
        if not name.startswith("--"):
            return ["squeezenet"]
        option = next(option for option in options_of(command) if option.long == name)
        return [name] + ([] if not option.type or option.type == "[FILE]" else
                         [SAMPLE.get(option.type, VALUES.get(name, ("x",))[0])])

    def test_every_pair(self):
        pairs = 0
        for command in COMMANDS:
            for option in options_of(command):
                if not option.needs:
                    continue
                with self.subTest(f"{command} {option.long}"):
                    line = [command, *ARGUMENTS.get(command, ("m.onnx",)), *self.words(command, option.long)]
                    message = self.refused(*line)
                    self.assertIn(f"{option.long} needs {' or '.join(option.needs)}: ", message)
                    for other in option.needs:
                        pairs += 1
                        done = subprocess.run([BRAID, *line, *self.words(command, other)], cwd=self.folder,
                                              capture_output=True, text=True, timeout=120)
                        self.assertNotIn(f"{option.long} needs {' or '.join(option.needs)}", done.stderr)
        self.assertGreater(pairs, 15)

    def test_every_pair_that_excludes_each_other(self):
        pairs = 0
        for command in COMMANDS:
            for option in options_of(command):
                for other in option.excludes:
                    pairs += 1
                    message = self.refused(command, *ARGUMENTS.get(command, ("m.onnx",)),
                                           *self.words(command, option.long), *self.words(command, other))
                    self.assertIn(f"{option.long} and {other} exclude each other: ", message)
        self.assertGreater(pairs, 15)

    def test_the_known_cases(self):
        for words in (["inspect", "m.onnx", "--isa", "avx2"], ["inspect", "m.onnx", "--opset", 13],
                      ["bench", "m.onnx", "--optimise-seconds", 3], ["report", "m.onnx", "--optimise-seconds", 3],
                      ["zoo", "--size", 64], ["optimize", "m.onnx", "-o", "o.bin", "--no-partition"],
                      ["run", "m.onnx", "--profile-cache", "p.db", "--no-profile-cache"], ["run", "m.onnx", "--force"]):
            self.refused(*words)

    def test_what_all_inputs_given_leave_idle(self):
        given = ("run", "m.onnx", "--load-inputs", "a:a.npy", "b:b.npy")
        self.assertIn("--seed changes nothing here", self.braid(*given, "--seed", 1).stderr)
        self.assertIn("--val-range [0,1] changes nothing here", self.braid(*given, "--val-range", "[0,1]").stderr)
        self.assertEqual(self.braid("run", "m.onnx", "--load-inputs", "a:a.npy", "--seed", 1).stderr, "")

    def test_what_a_simulated_device_or_a_plan_leaves_idle(self):
        told = self.braid("bench", "m.onnx", "--device", "sim:v100", "--schedulers", "sequential", "--iterations", 3,
                          "--plan-steps", 5, "--optimise", "none", "--optimise-seconds", 1).stderr
        for option in ("--iterations", "--plan-steps", "--optimise-seconds"):
            self.assertIn(f"note: {option} changes nothing here: ", told)
        self.assertIn("--seed changes nothing here", self.braid("plan", "m.onnx", "--seed", 3).stderr)

    def test_a_model_behind_json(self):
        before = (self.folder / "open.onnx").read_bytes()
        hint = "--json=FILE.json writes a file"
        self.assertIn(hint, self.refused("run", "m.onnx", "--json", "open.onnx"))
        save_model(self.folder / "other.onnx", [2, 3])
        done = self.braid("bench", "m.onnx", "--device", "sim:v100", "--schedulers", "sequential", "--json", "other.onnx")
        self.assertIn(hint, done.stderr)
        self.assertEqual({row["model"] for row in json.loads(done.stdout)["results"]}, {"m.onnx", "other.onnx"})
        self.assertEqual((self.folder / "open.onnx").read_bytes(), before)


class Help(unittest.TestCase):
    def test_sections_width_and_names(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = help_of(command).split("\nExamples:\n")[0]
                for line in text.splitlines():
                    self.assertLessEqual(len(line), 96, line)
                self.assertNotIn("{false}", text)
                self.assertLessEqual(len(re.findall("^ .*An ONNX file, or zoo:NAME", text, re.M)), 1)
                titles = [line for line in text.splitlines() if re.match(r"\S.*:$", line)]
                order = ["What to run:", "How to run it:", "What to print and write:"]
                self.assertEqual(titles, [title for title in order if title in titles])
        everything = subprocess.run([BRAID, "--help"], capture_output=True, text=True, check=True).stdout
        self.assertLessEqual(max(map(len, everything.splitlines())), 100)
        self.assertEqual([title in help_of("run") for title in order], [True] * 3)


class Hints(InFolder):
    def test_names_that_were_meant(self):
        for words, meant in [
            (["run", "m.onnx", "--scheduler", "nimbel"], "nimble"),
            (["bench", "m.onnx", "--schedulers", "sequental"], "sequential"),
            (["run", "m.onnx", "--device", "cpuu"], "cpu"),
            (["plan", "m.onnx", "--device", "sim:a10O"], "a100"),
            (["plan", "m.onnx", "--device", "sin:a100"], "sim:a100"),
            (["bench", "m.onnx", "--against", "onnxrutime"], "onnxruntime"),
            (["inspect", "zoo:gogglenet"], "googlenet"),
            (["optimize", "m.onnx", "-o", "o.bin", "--disable-rule", "cut-dept"], "cut-depth"),
            (["optimize", "m.onnx", "-o", "o.bin", "--cost", "mixd"], "mixed"),
            (["run", "m.onnx", "--disable", "fuse-bais"], "fuse-bias"),
            (["bench", "m.onnx", "--optimise", "mixd"], "mixed"),
            (["operators", "Covn"], "Conv"),
            (["run", "m.onnx", "--quota", "node=5"], "nodes"),
        ]:
            with self.subTest(" ".join(words)):
                self.assertIn(f"; did you mean {meant}?", self.refused(*words))

    def test_files_near_by(self):
        for words, meant in [(["run", "mm.onnx"], "m.onnx"), (["inspect", self.folder / "opem.onnx"], self.folder / "open.onnx"),
                             (["run", "m.onnx", "--load-inputs", "a:c.npy", "b:b.npy"], "a.npy")]:
            self.assertIn(f"; did you mean {meant}?", self.braid(*words, code=3).stderr)
        self.assertNotIn("did you mean", self.braid("run", "quite-another.onnx", code=3).stderr)

    def test_an_output_of_another_shape_than_declared(self):
        save_model(self.folder / "wrong.onnx", [4], declared=[5])
        told = self.braid("run", "wrong.onnx").stderr
        self.assertEqual(told, "braid: note: the output 'y' is declared with the shape [5] and comes out as f32[4]\n")
        self.assertEqual(self.braid("run", "m.onnx").stderr, "")

    def test_an_input_that_decides_a_shape(self):
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
        s = helper.make_tensor_value_info("s", TensorProto.INT64, ["n"])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph([helper.make_node("Reshape", ["x", "s"], ["y"])], "g", [x, s], [y])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8),
                  self.folder / "shaped.onnx")
        for command in ("run", "inspect"):
            self.assertIn("--load-inputs s:FILE.npy",
                          self.braid(command, "shaped.onnx", "--dim", "n=1", code=4).stderr)
        np.save(self.folder / "s.npy", np.array([6], np.int64))
        self.braid("run", "shaped.onnx", "--load-inputs", "s:s.npy", "--seed", 0)


class Figures(InFolder):
    def test_an_empty_tensor_has_no_minimum(self):
        save_model(self.folder / "empty.onnx", [0, 3])
        row = json.loads(self.braid("run", "empty.onnx", "--json").stdout)["outputs"][0]
        self.assertEqual((row["min"], row["mean"], row["max"]), (None, None, None))
        self.assertRegex(self.braid("run", "empty.onnx").stdout, r"y +f32\[0,3\] *\n")

    def test_one_of_a_thing(self):
        text = self.braid("plan", "m.onnx", "--threads", 1).stdout
        self.assertIn("1 node on 1 stream; 0 nodes are cut", text)
        text = self.braid("bench", "m.onnx", "--threads", 1, "--schedulers", "sequential", "--iterations", 2,
                          "--no-profile-cache").stdout
        self.assertIn(", 1 thread;", text)

    def test_a_full_disk_is_no_quota(self):
        done = self.braid("run", "m.onnx", "--trace", "/dev/full", code=9)
        self.assertIn("not written: cannot write '/dev/full': No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
