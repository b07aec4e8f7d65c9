"""`explain`, and Plans within a memory budget.

BRAID_CLI names the binary. Run by ctest; `python explain_test.py` works too.
"""
import json
import pathlib
import tempfile
import unittest

import onnx
from onnx import TensorProto, helper

from command import braid

SPECS = pathlib.Path(__file__).resolve().parents[2] / "src" / "sim" / "gpus"
COMMON = ("--no-profile-cache", "--threads", 2)


def branches(count=6, size=65536):
    """`count` branches of two operators, left_i and right_i, whose products are the output."""
    nodes = []
    for i in range(count):
        # Branches of one kind would be merged into one.
        nodes += [helper.make_node("LeakyRelu", ["x"], [f"e{i}"], name=f"left_{i}", alpha=0.1 + 0.1 * i),
                  helper.make_node("Tan", [f"e{i}"], [f"n{i}"], name=f"right_{i}")]
    total = "n0"
    for i in range(1, count):
        nodes.append(helper.make_node("Mul", [total, f"n{i}"], [f"s{i}"], name=f"join_{i}"))
        total = f"s{i}"
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [size])],
                              [value(total, TensorProto.FLOAT, [size])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.model = self.path / "m.onnx"
        onnx.save(branches(), self.model)

    def tearDown(self):
        self.folder.cleanup()

    def explained(self, *arguments):
        return json.loads(braid("explain", "-q", self.model, *COMMON, "--json", *arguments).stdout)

    def test_json_has_bounds_path_pairs_and_advice(self):
        found = self.explained("--scheduler", "sequential", "--top", 3)
        self.assertFalse(found["simulated"])
        self.assertLessEqual(found["bounds_us"]["critical_path"], found["predicted_us"] * 1.001)
        self.assertLessEqual(found["bounds_us"]["work"], found["predicted_us"] * 1.001)
        path = sum(row["time_us"] for row in found["critical_path"])
        self.assertAlmostEqual(path, found["bounds_us"]["critical_path"], places=3)
        counts = found["survey"]["pairs"]
        operators = found["survey"]["operators"]
        self.assertEqual(sum(counts.values()), operators * (operators - 1) // 2)
        self.assertGreater(counts["dependency"], 0)
        self.assertLessEqual(len(found["pairs"]), 3)
        self.assertTrue(found["advice"])

    def test_tells_what_rewriting_could_give(self):
        how = ("explain", "zoo:squeezenet", "--device", "sim:a100", "--plan-steps", 50, "-q", *COMMON)
        found = json.loads(braid(*how, "--json").stdout)["rewriting"]
        self.assertEqual(found["held_by"], "critical-path")
        self.assertTrue(0.5 < found["share"] <= 1, found)
        self.assertTrue(0 < len(found["rules"]) <= 10)
        costs = [row["bounds_us"]["critical_path"] + row["sum_us"] for row in found["rules"]]
        self.assertEqual(costs, sorted(costs))
        for row in found["rules"]:
            for bound in row["moves"]:
                key = bound.replace("-", "_")
                self.assertLess(row["bounds_us"][key], found["bounds_us"][key])
        text = braid(*how).stdout
        self.assertIn("what rewriting could give", text)
        self.assertIn(found["rules"][0]["rule"], text)
        self.assertNotIn("rewriting", self.explained("--pair", "left_0", "left_1"))

    def test_plan_and_explain_tell_the_same_of_one_plan(self):
        for device in ("cpu", "sim:a100"):
            saved = self.path / "plan.json"
            how = ("--device", device, *COMMON, "--json", "-q")
            planned = json.loads(braid("plan", "zoo:googlenet", *how, "--scheduler", "opara", "-o", saved).stdout)
            explained = json.loads(braid("explain", "zoo:googlenet", *how, "--load-plan", saved).stdout)
            for key in ("bounds_us", "predicted_us", "arena_bytes"):
                self.assertEqual(planned[key], explained[key], f"{key} on {device}")

    def test_no_plan_of_the_zoo_beats_the_bounds(self):
        models = [line.split()[0] for line in braid("zoo").stdout.splitlines()[1:]]
        for model in models:
            for device in ("cpu", "sim:a100"):
                for scheduler in ("sequential", "wavefront", "nimble", "opara"):
                    found = json.loads(braid("plan", f"zoo:{model}", "--device", device, *COMMON, "--json", "-q",
                                             "--scheduler", scheduler).stdout)
                    self.assertLessEqual(max(found["bounds_us"].values()), found["predicted_us"] * (1 + 1e-9),
                                         f"{model} on {device} under {scheduler}")

    def test_a_pair_is_explained_by_the_names_of_the_model(self):
        found = self.explained("--pair", "left_0", "right_0")["pairs"]
        self.assertEqual([pair["reason"] for pair in found], ["dependency"])
        self.assertEqual([step["node"] for step in found[0]["path"]], ["left_0", "right_0"])
        text = braid("explain", "-q", self.model, *COMMON, "--pair", "left_0", "join_5").stdout
        self.assertIn("the shortest path", text)
        several = self.explained("--pair", "left_0", "right_*")["pairs"]
        self.assertEqual(len(several), 6)

    def test_names_that_mean_nothing_are_refused(self):
        for pair, code, word in ((("left_0", "rihgt_0"), 3, "is it 'right_0'"), (("left_0", "left_0"), 2, "twice")):
            done = braid("explain", self.model, *COMMON, "--pair", *pair, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stderr)

    def test_edits_are_a_reason(self):
        edits = self.path / "edits.txt"
        edits.write_text("never-parallel left_* left_*\n")
        for scheduler in ("sequential", "opara", "braid"):
            found = self.explained("--edits", edits, "--scheduler", scheduler, "--pair", "left_0", "left_1")["pairs"][0]
            self.assertEqual((found["reason"], found["overlap_us"]), ("edit", 0))

    def test_a_simulated_gpu_says_so(self):
        done = braid("explain", "-q", "zoo:squeezenet-1.1", "--device", "sim:a100", "--scheduler", "opara").stdout
        for word in ("simulated", "critical path", "what would help"):
            self.assertIn(word, done)
        found = json.loads(braid("explain", "-q", "zoo:squeezenet-1.1", "--device", "sim:t4", "--json").stdout)
        self.assertTrue(found["simulated"])
        self.assertLess(found["band_us"]["p10"], found["band_us"]["p90"])

    def test_interference_is_cited_with_its_source(self):
        spec = json.loads((SPECS / "a100.json").read_text())
        spec["interference"] = [{"first": "compute", "second": "memory", "slowdown_first": 1.25, "slowdown_second": 1.5,
                                 "source": "measured on a test"}]
        mine = self.path / "mine.json"
        mine.write_text(json.dumps(spec))
        for device, source, cited in (("sim:a100", "model", "from the model"),
                                      (f"sim:{mine}", "measured on a test", "measured on a test")):
            how = ("explain", "-q", "zoo:googlenet", "--device", device, "--scheduler", "opara")
            found = json.loads(braid(*how, "--json").stdout)
            rows = {(row["first"], row["second"]): row for row in found["interference"]}
            self.assertEqual(list(rows), [("compute", "compute"), ("compute", "memory"), ("memory", "memory")])
            self.assertEqual(rows["compute", "memory"]["source"], source)
            self.assertEqual(rows["memory", "memory"]["source"], "model")
            self.assertTrue(found["overlapping"])
            for pair in found["pairs"] + found["overlapping"]:
                self.assertIn(pair["side_by_side"]["first"], ("compute", "memory"))
                self.assertGreater(pair["side_by_side"]["slowdown_second"], 0.999)
            text = braid(*how).stdout
            self.assertIn("interference: how many times as long", text)
            self.assertIn("times as long, ", text)
            self.assertIn(cited, text)
        self.assertAlmostEqual(rows["compute", "memory"]["slowdown_first"], 1.25, delta=0.0125)
        self.assertAlmostEqual(rows["compute", "memory"]["slowdown_second"], 1.5, delta=0.015)
        self.assertNotIn("interference", self.explained())

    def test_stated_interference_leaves_bounds_that_hold(self):
        spec = json.loads((SPECS / "a100.json").read_text())
        spec["interference"] = [{"first": first, "second": second, "slowdown_first": 1.3, "slowdown_second": 1.3,
                                 "source": "measured on a test"}
                                for first, second in (("compute", "compute"), ("compute", "memory"), ("memory", "memory"))]
        mine = self.path / "mine.json"
        mine.write_text(json.dumps(spec))
        for model in ("googlenet", "rnntc-sru"):
            for scheduler in ("wavefront", "opara"):
                found = json.loads(braid("plan", f"zoo:{model}", "--device", f"sim:{mine}", "--json", "-q",
                                         "--scheduler", scheduler).stdout)
                self.assertLessEqual(max(found["bounds_us"].values()), found["predicted_us"] * (1 + 1e-9),
                                     f"{model} under {scheduler}")

    def test_a_wrong_interference_is_refused_with_its_place(self):
        spec = json.loads((SPECS / "a100.json").read_text())
        spec["interference"] = [{"first": "compute", "second": "memory", "slowdown_first": 0.5, "slowdown_second": 1.5,
                                 "source": "measured on a test"}]
        mine = self.path / "mine.json"
        mine.write_text(json.dumps(spec))
        done = braid("plan", "zoo:squeezenet-1.1", "--device", f"sim:{mine}", check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("interference[0].slowdown_first: expected a number from 1 to 10, got 0.5", done.stderr)

    def test_a_loaded_plan_can_be_explained(self):
        plan = self.path / "plan.json"
        braid("plan", "-q", self.model, *COMMON, "--scheduler", "wavefront", "-o", plan)
        self.assertEqual(self.explained("--load-plan", plan)["scheduler"], "wavefront")

    # --- memory -------------------------------------------------------------------------------

    def test_less_memory_takes_longer(self):
        rows = self.explained("--pareto")["pareto"]
        self.assertEqual([row["arena_bytes"] for row in rows], sorted(row["arena_bytes"] for row in rows))
        self.assertEqual([row["predicted_us"] for row in rows],
                         sorted((row["predicted_us"] for row in rows), reverse=True))
        text = braid("explain", "-q", self.model, *COMMON, "--pareto").stdout
        self.assertIn("arena MB", text)
        self.assertIn("--mem-budget", text)

    def test_a_plan_stays_within_its_budget_and_gives_the_same_numbers(self):
        braid("run", "-q", self.model, *COMMON, "--save-outputs", self.path / "plain.npz")
        rows = self.explained("--pareto", "--scheduler", "opara")["pareto"]
        for row in rows:
            budget = row["arena_bytes"]
            plan = json.loads(braid("plan", "-q", self.model, *COMMON, "--scheduler", "opara", "--mem-budget", budget,
                                    "--json").stdout)
            self.assertLessEqual(plan["arena_bytes"], budget)
            for command in (("run",), ("run", "--poison", 3)):
                braid(*command, "-q", self.model, *COMMON, "--scheduler", "opara", "--mem-budget", budget,
                      "--save-outputs", self.path / "small.npz")
                self.assertEqual((self.path / "small.npz").read_bytes(), (self.path / "plain.npz").read_bytes())

    def test_what_does_not_fit_says_how_much_would(self):
        done = braid("plan", self.model, *COMMON, "--mem-budget", "1KiB", check=False)
        self.assertEqual(done.returncode, 6, done.stderr)
        least = int(done.stderr.split("the least takes ")[1].split()[0])
        braid("plan", "-q", self.model, *COMMON, "--mem-budget", least)
        plan = self.path / "plan.json"
        braid("plan", "-q", self.model, *COMMON, "-o", plan)
        done = braid("run", self.model, *COMMON, "--load-plan", plan, "--mem-budget", 64, check=False)
        self.assertEqual(done.returncode, 6, done.stderr)
        for size in ("0", "-1", "12q", "", "nan", "1e30"):
            done = braid("plan", self.model, *COMMON, "--mem-budget", size, check=False)
            self.assertEqual(done.returncode if size else 0, 2 if size else 0, (size, done.stderr))


if __name__ == "__main__":
    unittest.main()
