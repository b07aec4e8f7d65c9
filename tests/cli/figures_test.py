"""What `explain` and `optimize` tell of a model: every figure has one meaning, and none contradicts another.

BRAID_CLI names the binary. Run by ctest; `python figures_test.py` works too.
"""
import json
import pathlib
import re
import tempfile
import unittest

import onnx
from onnx import TensorProto, helper

from command import braid

MODELS = ("zoo:squeezenet-1.1", "zoo:googlenet", "zoo:deepfm")
DEVICES = (("cpu", "--threads", 2), ("sim:a100",), ("sim:rtx2080s",))
SCHEDULERS = ("sequential", "opara", "braid")
SEARCH = ("--plan-steps", 50)
LITTLE = 1 + 1e-9


def beside(value):
    """`value` as a margin for sums of rounded figures."""
    return 1e-6 * max(1, value)


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def explained(self, model, device, *more):
        """Its JSON and its text, of one command."""
        file = self.path / "found.json"
        text = braid("explain", "-q", model, "--device", *device, "--no-profile-cache", "--json", file, "--force", *more).stdout
        return json.loads(file.read_text()), text

    def optimised(self, model, device, *more):
        file = self.path / "optimised.json"
        text = braid("optimize", model, "--device", *device, "--no-profile-cache", "--max-candidates", 3, "-o",
                     self.path / "optimised.onnx", "--json", file, "--force", *more).stdout
        return json.loads(file.read_text()), text

    def branches(self):
        """Four operators beside one another, left_0 to left_3, and their sum."""
        value = helper.make_tensor_value_info
        nodes = [helper.make_node("LeakyRelu", ["x"], [f"e{i}"], name=f"left_{i}", alpha=0.1 + 0.1 * i) for i in range(4)]
        nodes.append(helper.make_node("Sum", [f"e{i}" for i in range(4)], ["y"], name="join"))
        graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [1 << 20])],
                                  [value("y", TensorProto.FLOAT, [1 << 20])])
        model = self.path / "branches.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
        return model

    # --- explain ------------------------------------------------------------------------------

    def check_bounds(self, found):
        predicted = found["predicted_us"]
        bounds = found["bounds_us"]
        greatest = max(bounds.values())
        self.assertLessEqual(greatest, predicted * LITTLE)
        self.assertAlmostEqual(sum(row["time_us"] for row in found["critical_path"]), bounds["critical_path"],
                               delta=beside(predicted))
        self.assertAlmostEqual(found["headroom_us"], max(0, predicted - found["start_us"] - greatest), delta=beside(predicted))
        rewriting = found["rewriting"]
        self.assertEqual(rewriting["bounds_us"], bounds)
        self.assertEqual(bounds[rewriting["held_by"].replace("-", "_")], greatest)
        self.assertAlmostEqual(rewriting["share"], greatest / predicted, places=9)

    def check_pairs(self, found):
        for pair in found["pairs"] + found.get("overlapping", []):
            self.assertTrue(0 <= pair["might_save_us"] <= found["headroom_us"] * LITTLE, pair)
        for pair in found["pairs"]:
            self.assertNotIn(pair["reason"], ("overlap", "timing", "sync", "bound"))
        if found["survey"]["pairs"]["bound"] > 0:
            self.assertEqual(found["pairs"], [])

    def check_text(self, found, text):
        predicted = found["predicted_us"]
        names = {"critical path": "critical_path", "work over capacity": "work", "memory bandwidth": "bandwidth"}
        for words, key in names.items():
            share = f"{100 * found['bounds_us'][key] / predicted:.0f} %"
            row = next(line for line in text.splitlines() if re.match(rf"{words} +\d", line))
            self.assertIn(f" {share} ", row)
            for line in text.splitlines():
                # Wherever a share of this bound is told, it is the same.
                told = re.search(rf"{words}\b[^.]*?(\d+ %) of the predicted time", line, re.I)
                if told:
                    self.assertEqual(told[1], share, line)
        headroom = f"{found['headroom_us']:.1f} us ({100 * found['headroom_us'] / predicted:.0f} %)"
        for sentence in found["advice"]:
            self.assertIn(sentence, text)
            self.assertNotRegex(sentence, r"\b(below|above)\b")
            for most in re.findall(r"(?:save at most|save up to) (\S+ us \(\d+ %\))", sentence):
                self.assertEqual(most, headroom)
        told = [sentence for sentence in found["advice"] if headroom in sentence]
        self.assertTrue(told, found["advice"])

    def check_advice(self, found, scheduler):
        advice = " ".join(found["advice"])
        decided = found["headroom_us"] <= 0.2 * found["predicted_us"]
        self.assertEqual("a better Plan might save" in advice, not decided, advice)
        self.assertEqual("--scheduler braid" in advice, not decided and scheduler != "braid", advice)

    def test_explain_does_not_contradict_itself(self):
        for model in MODELS:
            for device in DEVICES:
                for scheduler in SCHEDULERS:
                    with self.subTest(model=model, device=device[0], scheduler=scheduler):
                        found, text = self.explained(model, device, "--scheduler", scheduler, *SEARCH)
                        self.check_bounds(found)
                        self.check_pairs(found)
                        self.check_text(found, text)
                        self.check_advice(found, scheduler)

    def test_who_took_the_plan_of_another_still_asked_for_a_search(self):
        plan = self.path / "plan.json"
        how = ("--device", "sim:a100", "--no-profile-cache")
        braid("plan", "-q", "zoo:googlenet", *how, "--scheduler", "sequential", "-o", plan)
        found, _ = self.explained("zoo:googlenet", ("sim:a100",), "--load-plan", plan)
        self.check_advice(found, found["scheduler"])
        self.assertIn("--scheduler braid", " ".join(found["advice"]))

    def test_edits_are_blamed_only_where_they_cost_something(self):
        model = self.branches()
        edits = self.path / "edits.txt"
        edits.write_text("never-parallel left_* left_*\n")
        for device in DEVICES:
            found, text = self.explained(model, device, "--edits", edits, *SEARCH)
            blamed = [pair for pair in found["pairs"] if pair["reason"] == "edit"]
            sentences = [sentence for sentence in found["advice"] if sentence.startswith("Edits keep")]
            self.assertEqual(len(sentences), 1 if blamed else 0, (device, found["advice"]))
            self.check_bounds(found)
            self.check_pairs(found)
            self.check_text(found, text)

    # --- optimize -----------------------------------------------------------------------------

    def check_optimised(self, found):
        for side in ("before", "after"):
            self.assertLessEqual(found["critical_path_us"][side], found["predicted_us"][side] * LITTLE)
            self.assertLessEqual(found["critical_path_us"][side], found["sum_us"][side] * LITTLE)

    def test_optimize_tells_what_explain_tells(self):
        for model in MODELS[:2]:
            for device in DEVICES:
                with self.subTest(model=model, device=device[0]):
                    how = ("--scheduler", "sequential")
                    explained, explained_text = self.explained(model, device, *how)
                    # What is not verified is not measured either, so the costs are the same.
                    optimised, text = self.optimised(model, device, "--no-verify", *how)
                    self.check_optimised(optimised)
                    before = {key: optimised[key]["before"] for key in ("predicted_us", "critical_path_us", "sum_us")}
                    self.assertEqual(before, {"predicted_us": explained["predicted_us"],
                                              "critical_path_us": explained["bounds_us"]["critical_path"],
                                              "sum_us": explained["rewriting"]["sum_us"]})
                    meaning = re.search(r"^critical path +\S+ +\d+ % +(.*)$", explained_text, re.M)[1]
                    self.assertRegex(text, rf"critical path, us .* lower bound: {re.escape(meaning)}\n")

    def test_measured_operators_keep_the_bound_below_the_time(self):
        found, text = self.optimised(self.branches(), ("cpu", "--threads", 2))
        self.check_optimised(found)
        self.assertRegex(text, r"time, ms +.*(as predicted, not measured|20th percentile of runs)")


if __name__ == "__main__":
    unittest.main()
