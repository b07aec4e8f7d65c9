"""Every command with every flag that its --help shows, used wrongly: a clear message, the right exit code, nothing
overwritten and nothing lost.

BRAID_CLI names the binary.
"""
import concurrent.futures
import itertools
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from options_of import options_of

BRAID = os.environ["BRAID_CLI"]
SCHEDULE = pathlib.Path(__file__).resolve().parent / "ios_schedule.json"
QUICK = ("--iterations", "1", "--no-profile-cache")
# What is needed besides the flag at hand, with the tiny model of the test.
COMMANDS = {
    "zoo": (),
    "inspect": ("m.onnx",),
    "run": ("m.onnx",),
    "profile": ("m.onnx", "--no-profile-cache"),
    "bench": ("m.onnx", *QUICK, "--schedulers", "sequential"),
    "plan": ("m.onnx",),
    "optimize": ("m.onnx", "--max-candidates", "1", "--no-profile-cache", "--device", "sim:v100", "-o", "written.bin"),
    "rules": ("--no-profile-cache",),
    "explain": ("m.onnx",),
    "trace": ("m.onnx", "-o", "written.json"),
    "report": ("m.onnx", *QUICK, "--schedulers", "sequential", "-o", "written.html"),
    "compare": ("m.onnx", "m.onnx"),
    "operators": (),
    "replay-ios": ("schedule.json",),
    "test-onnx": ("case",),
}
MODEL_COMMANDS = ("inspect", "run", "profile", "bench", "plan", "optimize", "explain", "trace", "report",
                  "compare")


def save_model(path, dims):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, dims)
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], name="act")], "m", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


class EveryFlag(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        save_model(cls.folder / "m.onnx", [1, 4])
        save_model(cls.folder / "open.onnx", ["batch", "?"])
        data = cls.folder / "case" / "test_data_set_0"
        data.mkdir(parents=True)
        save_model(cls.folder / "case" / "model.onnx", [1, 4])
        for name in ("input_0.pb", "output_0.pb"):
            (data / name).write_bytes(numpy_helper.from_array(np.ones([1, 4], np.float32)).SerializeToString())
        (cls.folder / "schedule.json").write_bytes(SCHEDULE.read_bytes())
        cls.kept = cls.files()
        cls.flags = {command: options_of(command) for command in COMMANDS}

    @classmethod
    def files(cls):
        return {path: path.read_bytes() for path in sorted(cls.folder.rglob("*")) if path.is_file()}

    def setUp(self):
        self.addCleanup(self.check_nothing_was_touched)

    def check_nothing_was_touched(self):
        now = self.files()
        for path, content in self.kept.items():
            self.assertEqual(now.get(path), content, path)
        for path in now.keys() - self.kept.keys():
            path.unlink()

    def braid(self, *arguments, **how):
        return subprocess.run([BRAID, *map(str, arguments)], cwd=self.folder, text=True, timeout=120,
                              stderr=subprocess.PIPE, **{"stdout": subprocess.PIPE, **how})

    def check(self, cases, judge):
        """`cases` are command lines; all go wrong kindly, and `judge` tells what else."""
        self.assertGreater(len(cases), 0)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for case, done in zip(cases, pool.map(lambda case: self.braid(*case), cases)):
                with self.subTest(" ".join(map(str, case))):
                    self.assertGreaterEqual(done.returncode, 0, "killed by a signal")
                    self.assertNotEqual(done.returncode, 1, done.stderr)
                    judge(case, done)

    def usage_error(self, case, done):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"^braid: usage error: \S")
        self.assertEqual(done.stdout, "")

    def test_all_flags_are_found(self):
        self.assertIn("--json", [flag.long for flag in self.flags["bench"]])
        self.assertGreater(sum(map(len, self.flags.values())), 200)
        for command, flags in self.flags.items():
            if command not in ("trace",):
                self.assertIn("--json", [flag.long for flag in flags], command)

    def test_misspelt(self):
        cases = [(command, *arguments, flag.long[:3] + "q" + flag.long[3:], *(["1"] if flag.type else []))
                 for command, arguments in COMMANDS.items() for flag in self.flags[command]]

        def judge(case, done):
            self.usage_error(case, done)
            self.assertRegex(done.stderr, r"has no option '--.*'; did you mean --\S+\?")

        self.check(cases, judge)

    def test_valueless(self):
        cases = [(command, *arguments, flag.long) for command, arguments in COMMANDS.items()
                 for flag in self.flags[command] if flag.type and flag.type != "[FILE]"]

        def judge(case, done):
            self.usage_error(case, done)
            self.assertIn(case[-1], done.stderr)

        self.check(cases, judge)

    def test_a_value_for_a_flag_that_takes_none(self):
        cases = [(command, *arguments, flag.long + "=maybe") for command, arguments in COMMANDS.items()
                 for flag in self.flags[command] if not flag.type]
        self.check(cases, self.usage_error)

    def test_doubled(self):
        cases = [(command, *arguments, name, "1", name, "1") for command, arguments in COMMANDS.items()
                 for flag in self.flags[command] for name in flag.names
                 if flag.type and not flag.is_list and flag.long not in arguments]

        def judge(case, done):
            self.usage_error(case, done)
            if done.stderr.count("was given") == 0:
                self.assertIn("--json", case)  # a word behind it may be an argument

        self.check(cases, judge)

    def test_out_of_range(self):
        cases = [(command, *arguments, flag.long, value) for command, arguments in COMMANDS.items()
                 for flag in self.flags[command] if flag.long not in arguments
                 for value in {"N": ("-1", "two", "1.5", "99999999999999999999"),
                               "X": ("-1", "two", "nan", "inf")}.get(flag.type, ())]

        def judge(case, done):
            self.usage_error(case, done)
            self.assertRegex(done.stderr, rf"{case[-2]}: expected a (whole )?number .*, got '{case[-1]}'")

        self.check(cases, judge)

    def test_nonsense_for_what_has_a_form(self):
        nonsense = {"--device": "tpu", "--pin": "sideways", "--isa": "sse9", "--shapes": "x", "--dim": "batch",
                    "--quota": "nodes", "--val-range": "high", "--mem-budget": "much", "--scheduler": "best",
                    "--schedulers": "best", "--optimise": "fast", "--disable": "nothing", "--against": "tvm",
                    "--load-inputs": "no-such.npz",
                    "--load-plan": "no-such.json", "--load-costs": "no-such.json", "--edits": "no-such.txt",
                    "--cost": "money", "--disable-rule": "magic", "--resume": "no-such.json"}
        lowering = {"inspect": ("--lowered", "--optimised")}  # the model itself is the same for all devices
        usual = ("--schedulers", "sequential", "--device", "sim:v100")
        cases = [(command, *[a for a in arguments if a not in usual], *lowering.get(command, ()),
                  flag.long, nonsense[flag.long])
                 for command, arguments in COMMANDS.items() for flag in self.flags[command] if flag.long in nonsense]

        def judge(case, done):
            self.assertIn(done.returncode, (2, 3), done.stderr)
            self.assertIn(case[-1], done.stderr)
            self.assertEqual(done.stdout, "")

        self.check(cases, judge)

    def test_outputs_that_cannot_be_written(self):
        cases = []
        needed = {("zoo", "--output"): ("squeezenet",)}
        for command, arguments in COMMANDS.items():
            rest = arguments[:-2] if arguments[-2:-1] == ("-o",) else arguments
            for flag in self.flags[command]:
                if flag.writes:
                    words = (command, *rest, *needed.get((command, flag.long), ()))
                    cases.append((*words, f"{flag.long}=no-such-folder/file.json"))
                    cases.append((*words, f"{flag.long}=m.onnx"))
        self.assertGreater(len(cases), 30)

        def judge(case, done):
            self.assertIn(done.returncode, (2, 3, 9), done.stderr)
            self.assertIn(case[-1].split("=")[1], done.stderr)
            self.assertEqual(done.stdout, "")

        self.check(cases, judge)

    def test_two_outputs_on_one_file(self):
        cases, names = [], {}
        for command, arguments in COMMANDS.items():
            rest = [a for a in (arguments[:-2] if arguments[-2:-1] == ("-o",) else arguments) if a != "--no-profile-cache"]
            if command == "zoo":
                continue  # It writes a model or lists them.
            outputs = [flag for flag in self.flags[command] if flag.writes or flag.long == "--profile-cache"]
            names |= {flag.long: flag.names for flag in outputs}
            cases += [(command, *rest, f"{one.long}=same.npz", f"{other.long}=./same.npz")
                      for one, other in itertools.combinations(outputs, 2)]
        self.assertGreater(len(cases), 60)

        def judge(case, done):
            self.usage_error(case, done)
            self.assertIn("both write './same.npz'", done.stderr.replace("'same.npz'", "'./same.npz'"))
            for word in case[-2:]:
                self.assertTrue(any(name in done.stderr for name in names[word.split("=")[0]]), done.stderr)
            self.assertFalse((self.folder / "same.npz").exists())

        self.check(cases, judge)

    def test_a_profile_cache_that_is_none(self):
        cases = [(command, *[a for a in arguments if a != "--no-profile-cache"], "--profile-cache=m.onnx")
                 for command, arguments in COMMANDS.items()
                 if "--profile-cache" in [flag.long for flag in self.flags[command]]]
        self.assertGreater(len(cases), 8)

        def judge(case, done):
            self.usage_error(case, done)
            self.assertIn("'m.onnx' is not a profile cache; --profile-cache takes", done.stderr)

        self.check(cases, judge)

    def test_a_full_disk_behind_standard_output(self):
        cases = [(command, *arguments, *flag) for command, arguments in COMMANDS.items()
                 for flag in ((), ("--json",)) if not (command in ("trace", "report") and not flag)]
        for case in cases:
            if case[0] == "trace":
                continue
            with self.subTest(" ".join(map(str, case))), open("/dev/full", "w") as full:
                done = self.braid(*case, stdout=full)
                self.assertEqual(done.returncode, 9, done.stderr)
                self.assertIn("not written: cannot write to standard output", done.stderr)
                self.assertNotIn("quota", done.stderr)

    def test_a_reader_that_has_gone(self):
        for command, arguments in COMMANDS.items():
            with self.subTest(command):
                reader, writer = os.pipe()
                os.close(reader)
                try:
                    done = self.braid(command, *arguments, stdout=writer)
                finally:
                    os.close(writer)
                self.assertNotIn("bug in Braid", done.stderr)
                self.assertIn(done.returncode, (0, 8, -13), done.stderr)

    def test_open_dimensions(self):
        for command in MODEL_COMMANDS:
            arguments = ["open.onnx" if word == "m.onnx" else word for word in COMMANDS[command]]
            with self.subTest(command):
                done = self.braid(command, *arguments)
                if command == "inspect":
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("--shapes x:1x128", done.stdout)
                    continue
                self.usage_error((command,), done)
                self.assertIn("--shapes x:1x128", done.stderr)


if __name__ == "__main__":
    unittest.main()
