"""`optimize`, `rules` and `inspect --optimised`: a plain ONNX file comes out that gives the same numbers, says what was
done to it, and never takes the place of the one that was given."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

BRAID = os.environ["BRAID_CLI"]
USAGE, MODEL, CANCELLED = 2, 3, 130
QUICK = ("--device", "sim:v100", "--max-candidates", 40)
KEYS = ["before_ms", "after_ms", "ratio", "ratio_band", "candidates", "seconds", "stop_reason", "rules",
        "predicted_us", "critical_path_us", "sum_us", "width"]


def grouped_model(path, channels=32, height="h", external=False):
    """Two grouped convolutions, which a GPU runs slowly, with names, metadata and open sizes to be kept."""
    draw = np.random.default_rng(1)
    weights = [numpy_helper.from_array((draw.standard_normal((channels, 2, 3, 3)) / 4).astype(np.float32), name)
               for name in ("w1", "w2")]
    nodes = [helper.make_node("Conv", ["pixels", "w1"], ["c1"], group=channels // 2, pads=[1] * 4),
             helper.make_node("Relu", ["c1"], ["r1"]),
             helper.make_node("Conv", ["r1", "w2"], ["c2"], group=channels // 2, pads=[1] * 4),
             helper.make_node("Add", ["c2", "mask"], ["sum"]),
             helper.make_node("GlobalAveragePool", ["c2"], ["mean"])]
    shape = ["batch", channels, height, height]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("mask", "pixels")]
    outputs = [helper.make_tensor_value_info("sum", TensorProto.FLOAT, shape),
               helper.make_tensor_value_info("mean", TensorProto.FLOAT, ["batch", channels, 1, 1])]
    graph = helper.make_graph(nodes, "grouped", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8, producer_name="a test",
                              producer_version="3", doc_string="for a test", model_version=4)
    helper.set_model_props(model, {"author": "somebody", "licence": "MIT"})
    onnx.save(model, path, save_as_external_data=external, location="weights.data" if external else None,
              size_threshold=0)


def outputs_of(path, inputs):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def dims_of(value):
    return [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]


class Optimize(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "in.onnx"
        self.out = self.folder / "out.onnx"
        grouped_model(self.model)
        self.sizes = ("--dim", "batch=1", "--dim", "h=14")

    def braid(self, *arguments, code=0):
        done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        return done

    def optimize(self, *more, model=None, code=0):
        return self.braid("optimize", model or self.model, *self.sizes, *QUICK, "-o", self.out, *more, code=code)

    def same_numbers(self, batch, height):
        draw = np.random.default_rng(2)
        inputs = {name: draw.standard_normal((batch, 32, height, height)).astype(np.float32)
                  for name in ("pixels", "mask")}
        for expected, got in zip(outputs_of(self.model, inputs), outputs_of(self.out, inputs), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


class Written(Optimize):
    def test_is_a_model_that_any_runtime_loads(self):
        told = json.loads(self.optimize("--json").stdout)
        onnx.checker.check_model(onnx.load(self.out), full_check=True)
        self.same_numbers(1, 14)
        self.assertGreater(told["ratio"], 1)

    def test_keeps_the_face_of_the_model(self):
        self.optimize("-q")
        given, made = onnx.load(self.model), onnx.load(self.out)
        for kind in ("input", "output"):
            for a, b in zip(getattr(given.graph, kind), getattr(made.graph, kind), strict=True):
                self.assertEqual(a.name, b.name)
                self.assertEqual(a.type.tensor_type.elem_type, b.type.tensor_type.elem_type)
        self.assertEqual(made.opset_import[0].version, 15)
        self.assertEqual((made.producer_name, made.producer_version), ("a test", "3"))
        self.assertEqual((made.doc_string, made.model_version), ("for a test", 4))
        about = {pair.key: pair.value for pair in made.metadata_props}
        self.assertEqual((about["author"], about["licence"]), ("somebody", "MIT"))
        self.assertEqual(about["braid.device"], "sim:v100")
        self.assertIn("merge-groups x", about["braid.rules"])
        self.assertIn("braid.version", about)

    def test_keeps_symbols_that_hold_for_every_size(self):
        self.optimize("-q")
        given, made = onnx.load(self.model), onnx.load(self.out)
        for a, b in zip([*given.graph.input, *given.graph.output], [*made.graph.input, *made.graph.output], strict=True):
            self.assertEqual(dims_of(a), dims_of(b))
        self.same_numbers(3, 9)

    def test_has_fixed_sizes_where_a_shape_was_folded_and_says_so(self):
        nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Reshape", ["x", "flat"], ["f"]),
                 helper.make_node("Relu", ["f"], ["r"]), helper.make_node("Reshape", ["r", "s"], ["y"])]
        value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]) for name in "xy"]
        graph = helper.make_graph(nodes, "g", value[:1], value[1:], [numpy_helper.from_array(np.array([-1]), "flat")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.model)
        done = self.braid("optimize", self.model, "--dim", "n=2", *QUICK, "-o", self.out)
        self.assertIn("the written model has fixed sizes: ", done.stdout)
        self.assertEqual(dims_of(onnx.load(self.out).graph.input[0]), [2, 3])
        done = self.braid("optimize", self.model, "--dim", "n=2", *QUICK, "-o", self.out, "--force", "--json")
        self.assertIn("note: the written model has fixed sizes: ", done.stderr)

    def test_comes_with_a_plan_that_fits_it(self):
        plan = self.folder / "plan.json"
        self.optimize("-q", "--save-plan", plan)
        self.braid("plan", self.out, *self.sizes, "--device", "sim:v100", "--load-plan", plan)


class Report(Optimize):
    def test_json_has_these_keys(self):
        told = json.loads(self.optimize("--json", "-").stdout)
        self.assertEqual(list(told), KEYS)
        self.assertAlmostEqual(told["ratio"], told["before_ms"] / told["after_ms"], places=9)
        self.assertEqual(len(told["ratio_band"]), 2)
        self.assertIn(told["stop_reason"], ("budget", "candidates", "converged", "cancelled", "no-gain"))
        for rule in told["rules"]:
            self.assertEqual(list(rule), ["name", "count"])
        for key in KEYS[-3:]:
            self.assertEqual(list(told[key]), ["before", "after"])

    def test_text_says_what_is_simulated(self):
        text = self.optimize().stdout
        self.assertIn("sim:v100, simulated", text)
        self.assertIn("time, ms (simulated)", text)
        self.assertRegex(text, r"ratio +\d+\.\d+ times as fast \(10th to 90th percentile: .*, simulated\)")
        self.assertRegex(text, r"merge-groups +\d")

    def test_says_that_the_input_came_back(self):
        model = self.folder / "relu.onnx"
        value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xy"]
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", value[:1], value[1:])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
        report = self.folder / "report.json"
        text = self.braid("optimize", model, *QUICK, "-o", self.out, "--json", report).stdout
        self.assertIn("the input came back: ", text)
        told = json.loads(report.read_text())
        self.assertEqual(told["ratio"], 1)
        self.assertEqual(told["rules"], [])

    def test_is_the_same_every_time(self):
        def run():
            told = json.loads(self.optimize("--json", "--force").stdout)
            told.pop("seconds")
            return told, self.out.read_bytes()

        self.assertEqual(run(), run())

    def test_the_british_spelling_is_the_same_command(self):
        told = json.loads(self.braid("optimise", self.model, *self.sizes, *QUICK, "-o", self.out, "--json").stdout)
        self.assertEqual(list(told), KEYS)

    def test_rules_are_left_out_on_request(self):
        self.assertIn("there is no rule 'magic'", self.optimize("--disable-rule", "magic", code=USAGE).stderr)
        told = json.loads(self.optimize("--json", "--disable-rule", "merge-groups").stdout)
        self.assertNotIn("merge-groups", [rule["name"] for rule in told["rules"]])


class Overwriting(Optimize):
    def test_the_model_stays_whatever_the_options(self):
        link = self.folder / "link.onnx"
        link.symlink_to(self.model)
        before = self.model.read_bytes()
        for output in (self.model, link, self.folder / "." / "in.onnx"):
            for force in ((), ("--force",)):
                self.braid("optimize", self.model, *self.sizes, *QUICK, "-o", output, *force, code=USAGE)
        for flag in ("--save-plan", "--save-moves", "--json"):
            self.optimize(f"{flag}={self.model}", "--force", code=USAGE)
        self.assertEqual(self.model.read_bytes(), before)

    def test_so_do_its_weights(self):
        folder = self.folder / "large"
        folder.mkdir()
        grouped_model(folder / "in.onnx", external=True)
        shutil.move(folder / "weights.data", folder / "out.onnx.data")
        model = onnx.load(folder / "in.onnx", load_external_data=False)
        for tensor in model.graph.initializer:
            for entry in tensor.external_data:
                if entry.key == "location":
                    entry.value = "out.onnx.data"
        (folder / "in.onnx").write_bytes(model.SerializeToString())
        done = self.braid("optimize", folder / "in.onnx", *self.sizes, *QUICK, "-o", folder / "out.onnx", "--force",
                          code=USAGE)
        self.assertIn("belongs to the model", done.stderr)

    def test_other_models_need_force(self):
        grouped_model(self.out)
        self.assertIn("--force", self.optimize(code=USAGE).stderr)
        self.optimize("--force")

    def test_an_output_is_needed_before_anything_is_done(self):
        done = self.braid("optimize", self.folder / "absent.onnx", code=USAGE)
        self.assertIn("-o FILE.onnx", done.stderr)


class Moves(Optimize):
    def setUp(self):
        super().setUp()
        self.moves = self.folder / "moves.json"
        self.optimize("-q", "--save-moves", self.moves)

    def test_are_the_start_of_the_next_search(self):
        first = self.out.read_bytes()
        again = json.loads(self.optimize("--force", "--resume", self.moves, "--json").stdout)
        self.assertGreater(again["ratio"], 1)
        self.assertNotEqual(first, b"")
        self.same_numbers(1, 14)

    def test_hold_no_graph_and_no_weights(self):
        kept = json.loads(self.moves.read_text())
        self.assertEqual(list(kept), ["braid_moves", "graph", "device", "rounds"])
        for rounds in kept["rounds"]:
            for move in rounds:
                self.assertEqual(list(move), ["rule", "anchor", "nodes", "values", "parameters"])

    def test_of_another_model_are_refused(self):
        other = self.folder / "other.onnx"
        grouped_model(other, channels=16)
        done = self.optimize("--force", "--resume", self.moves, model=other, code=MODEL)
        self.assertIn("another model", done.stderr)
        self.assertIn("moves.json", done.stderr)

    def test_that_match_nothing_are_refused(self):
        kept = json.loads(self.moves.read_text())
        kept["rounds"][0][0]["anchor"] = "nothing"
        self.moves.write_text(json.dumps(kept))
        self.assertIn("matches nothing", self.optimize("--force", "--resume", self.moves, code=MODEL).stderr)
        for text in ("", "{}", "[]", '{"braid_moves": 1}', "\0"):
            self.moves.write_text(text)
            self.optimize("--force", "--resume", self.moves, code=MODEL)

    def test_are_shown_with_their_rules(self):
        common = (self.model, *self.sizes, "--device", "sim:v100")
        text = self.braid("inspect", *common, "--optimised", "--resume", self.moves).stdout
        self.assertRegex(text, r"Conv\(.*# (merge-groups|cut-convolution)")
        told = json.loads(self.braid("inspect", *common, "--optimized", "--resume", self.moves, "--text", "--json").stdout)
        self.assertEqual(told["text"], text)
        self.braid("inspect", *common, "--canonicalise", "--resume", self.moves, code=USAGE)


class Rules(Optimize):
    def test_are_listed_with_what_was_gained_by_them(self):
        before = {row["name"]: row for row in json.loads(self.braid("rules", "--json").stdout)["rules"]}
        self.assertEqual(before["merge-groups"]["fired"], 0)
        told = json.loads(self.optimize("--json").stdout)
        after = {row["name"]: row for row in json.loads(self.braid("rules", "--json").stdout)["rules"]}
        for rule in told["rules"]:
            self.assertEqual(after[rule["name"]]["fired"], rule["count"])
            self.assertEqual(after[rule["name"]]["gained"], 1)
        self.assertIn("merge-groups", self.braid("rules").stdout)

    def test_are_proved(self):
        text = self.braid("rules", "--verify").stdout
        self.assertNotIn("DIFFERS", text)
        for row in json.loads(self.braid("rules", "--verify", "--json").stdout)["rules"]:
            self.assertTrue(row["equal"], row)
            self.assertGreater(row["matches"], 0)


def siblings_model(path, pixels=4):
    """Many small convolutions of one input, which are faster as one on any machine."""
    draw = np.random.default_rng(1)
    count, channels = 60, 16
    weights = [numpy_helper.from_array((draw.standard_normal((channels, channels, 1, 1)) / 4).astype(np.float32), f"w{i}")
               for i in range(count)]
    nodes = [helper.make_node("Conv", ["x", f"w{i}"], [f"c{i}"]) for i in range(count)]
    nodes.append(helper.make_node("Concat", [f"c{i}" for i in range(count)], ["y"], axis=1))
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size, pixels, pixels])
             for name, size in (("x", channels), ("y", channels * count))]
    graph = helper.make_graph(nodes, "siblings", value[:1], value[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def children_of(process):
    """The processes that it started."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended in the meantime
            continue
        if parent == process.pid:
            found.append(int(status.parent.name))
    return found


class FreshProcess(Optimize):
    def setUp(self):
        super().setUp()
        siblings_model(self.model)
        self.moves, self.plan = self.folder / "moves.json", self.folder / "plan.json"

    def words(self, *more):
        return ("optimize", self.model, "-o", self.out, "--force", "--max-candidates", 20, "--plan-steps", 20,
                "--save-moves", self.moves, "--save-plan", self.plan, *more)

    def nodes(self, model):
        return len(onnx.load(model).graph.node)

    def test_times_the_result_again_with_the_same_options(self):
        report = self.folder / "report.json"
        # Another batch, or another number of lanes, would not fit the Plans.
        for sizes in (("--dim", "n=2"), ("--batch", 2), ("--shapes", "x:2x16x4x4")):
            text = self.braid(*self.words(*sizes, "--threads", 1, "--no-profile-cache", "--seed", 3, "--json", report)).stdout
            self.assertRegex(text, r"kept .*; timed again in a fresh process, it was \d+\.\d+ times as fast in 200 runs by "
                                   r"turns, \[\d+\.\d+, \d+\.\d+\] with 95 % confidence\.\n")
            told = json.loads(report.read_text())
            self.assertIn(f"timed again in a fresh process, it was {told['ratio']:.3f} times", text)
            self.assertAlmostEqual(told["ratio"], told["before_ms"] / told["after_ms"], places=9)
            self.assertEqual(list(told), KEYS)
        self.assertLess(self.nodes(self.out), self.nodes(self.model))
        self.braid("compare", self.model, self.out, "--dim", "n=3")
        self.braid("plan", self.out, "--dim", "n=2", "--threads", 1, "--load-plan", self.plan)

    def test_is_not_started_for_who_believes_the_cost_or_simulates(self):
        for flags in (("--no-verify",), ("--device", "sim:v100")):
            self.assertNotIn("fresh process", self.braid(*self.words("--dim", "n=1", *flags)).stdout)

    def test_that_fails_brings_the_input_back(self):
        done = subprocess.run([BRAID, *map(str, self.words("--dim", "n=1"))], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "TMPDIR": "/proc", "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the input came back: a fresh process could not time it again: cannot make a folder in '/proc'", done.stdout)
        self.assertEqual(self.nodes(self.out), self.nodes(self.model))
        self.assertEqual(json.loads(self.moves.read_text())["rounds"], [])
        self.braid("plan", self.out, "--dim", "n=1", "--load-plan", self.plan)

    def test_is_left_out_once_the_user_interrupts(self):
        siblings_model(self.model, pixels=24)
        running = subprocess.Popen([BRAID, *map(str, self.words("--dim", "n=1", "--no-profile-cache"))], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        children = []
        while not children and running.poll() is None:
            children = children_of(running)
        running.send_signal(signal.SIGINT)
        out, error = running.communicate(timeout=240)
        self.assertEqual(running.returncode, CANCELLED, (out, error))
        self.assertIn("note     not timed again in a fresh process: interrupted", out)
        self.assertLess(self.nodes(self.out), self.nodes(self.model))
        for child in children:
            self.assertFalse(pathlib.Path(f"/proc/{child}").exists())


class CtrlC(Optimize):
    def test_gives_the_best_so_far(self):
        running = subprocess.Popen([BRAID, "optimize", "zoo:googlenet", "--device", "sim:v100", "--time-budget", "300",
                                    "--plan-steps", "10", "-o", self.out, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(8)
        running.send_signal(signal.SIGINT)
        out, error = running.communicate(timeout=240)
        self.assertEqual(running.returncode, CANCELLED, error)
        self.assertEqual(json.loads(out)["stop_reason"], "cancelled")
        onnx.checker.check_model(onnx.load(self.out))


if __name__ == "__main__":
    unittest.main()
