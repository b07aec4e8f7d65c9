"""`braid bench`, `plan` and `trace`: what scripts rely on.

BRAID_CLI names the binary.
"""
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command import BRAID, braid


def branches(batch="batch"):
    """Four convolutions beside one another, and their sum."""
    weights = np.random.default_rng(0).standard_normal((4, 8, 8, 3, 3)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["x", f"w{i}"], [f"c{i}"], pads=[1] * 4) for i in range(4)]
    nodes.append(helper.make_node("Sum", [f"c{i}" for i in range(4)], ["y"]))
    shape = [batch, 8, 24, 24]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
                              [numpy_helper.from_array(weights[i], f"w{i}") for i in range(4)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.model = self.path / "branches.onnx"
        onnx.save(branches(), self.model)

    def refused(self, code, *arguments):
        done = braid(*arguments, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertTrue(done.stderr.startswith("braid: "), done.stderr)
        return done.stderr


class Bench(Case):
    def bench(self, *arguments):
        return json.loads(braid("bench", *arguments, "--json", "-").stdout)

    def test_json_has_a_row_per_model_and_scheduler(self):
        onnx.save(branches(1), self.path / "one.onnx")
        found = self.bench(self.model, self.path / "one.onnx", "--batch", 1, "--schedulers", "all", "--iterations", 5,
                           "--device", "cpu", "--threads", 2)
        rows = found["results"]
        schedulers = [row["scheduler"] for row in rows if row["model"] == str(self.model)]
        self.assertIn("sequential", schedulers)
        self.assertEqual(len(rows), 2 * len(schedulers))
        for row in rows:
            self.assertTrue(0 < row["min_ms"] <= row["p20_ms"] <= row["median_ms"], row)
            self.assertGreater(row["arena_bytes"], 0)
            self.assertEqual(row["iterations"], 5)
            self.assertTrue(row["ratio_low"] <= row["ratio_high"], row)
        self.assertEqual(rows[0]["ratio"], 1)

    def test_every_scheduler_but_the_first_is_faster_slower_or_a_tie(self):
        for device in ("cpu", "sim:a100"):
            file = self.path / f"{device[:3]}.json"
            text = braid("bench", self.model, "-b", 1, "--schedulers", "sequential,wavefront,opara", "--iterations", 12,
                         "--device", device, "--no-profile-cache", "--json", file).stdout
            rows = json.loads(file.read_text())["results"]
            self.assertNotIn("verdict", rows[0])
            for row in rows[1:]:
                self.assertIn(row["verdict"], ("faster", "slower", "tie"))
                if device == "cpu":
                    holds_one = row["ratio_low"] <= 1 <= row["ratio_high"]
                    self.assertEqual(row["verdict"], "tie" if holds_one else "faster" if row["ratio"] > 1 else "slower")
                line = next(line for line in text.splitlines() if f" {row['scheduler']} " in line)
                self.assertTrue(line.rstrip().endswith(row["verdict"]), line)

    def test_json_goes_to_a_file_and_the_table_to_standard_output(self):
        file = self.path / "out.json"
        text = braid("bench", self.model, "-b", 1, "--schedulers", "sequential", "--iterations", 3, "--json", file).stdout
        self.assertIn("sequential", text)
        self.assertIn("median", text)
        self.assertEqual(len(json.loads(file.read_text())["results"]), 1)

    def test_duration_ends_a_bench(self):
        rows = self.bench(self.model, "-b", 1, "--schedulers", "sequential", "--duration", 0.2)["results"]
        self.assertGreater(rows[0]["iterations"], 1)

    def test_several_callers_give_throughput(self):
        found = self.bench(self.model, "-b", 1, "--schedulers", "sequential", "--concurrency", 2, "--iterations", 2)
        self.assertEqual(found["concurrency"], 2)
        self.assertGreater(found["results"][0]["inferences_per_s"], 0)

    def test_percentiles_that_too_few_runs_cannot_tell_are_none(self):
        few, some = ("p90_ms", "p95_ms", "p99_ms", "p99_9_ms"), ("p95_ms", "p99_ms", "p99_9_ms")
        row = self.bench(self.model, "-b", 1, "--schedulers", "sequential", "--iterations", 9)["results"][0]
        self.assertEqual([row[name] for name in few], [None] * 4)
        row = self.bench(self.model, "-b", 1, "--schedulers", "sequential", "--iterations", 19)["results"][0]
        self.assertLessEqual(row["median_ms"], row["p90_ms"])
        self.assertEqual([row[name] for name in some], [None] * 3)
        row = self.bench(self.model, "-b", 1, "--schedulers", "sequential", "--iterations", 1000)["results"][0]
        values = [row[name] for name in ("median_ms", *few)]
        self.assertEqual(values, sorted(values))
        text = braid("bench", self.model, "-b", 1, "--schedulers", "sequential", "--iterations", 19).stdout
        self.assertRegex(text, r"model +scheduler +min ms +p20 +median +p90 +p95 +p99 +p99.9 ")
        self.assertIn("-: too few runs to tell: p95 takes 20, p99 takes 100, p99.9 takes 1,000", text)

    def test_requests_come_at_a_rate(self):
        found = self.bench(self.model, "-b", 1, "--threads", 2, "--rate", 400, "--iterations", 60, "--arrival-seed", 7)
        self.assertEqual((found["rate"], found["arrival_seed"], found["concurrency"]), (400, 7, found["threads"]))
        self.assertEqual([row["scheduler"] for row in found["results"]], ["braid"])
        row = found["results"][0]
        self.assertEqual((row["rate"], row["iterations"]), (400, 60))
        self.assertGreater(row["offered_per_s"], 0)
        self.assertGreater(row["served_per_s"], 0)
        self.assertIsInstance(row["overloaded"], bool)
        self.assertIsInstance(row["most_waiting"], int)
        self.assertIsInstance(row["given_up"], int)
        self.assertLessEqual(row["median_ms"], row["p95_ms"])

    def test_a_rate_beyond_what_can_be_served_is_an_overload(self):
        """No machine answers a million a second of these; what waits is told, and given up in the end."""
        text = braid("bench", self.model, "-b", 1, "--rate", 1e6, "--iterations", 2000, "--schedulers", "sequential",
                     "-c", 1, "--arrival-seed", 3).stdout
        self.assertRegex(text, r"model +scheduler +callers +offered/s +served/s +min ms")
        self.assertIn("Poisson process of seed 3", text)
        self.assertRegex(text, r"under sequential, \d+ threads?, 1 caller: offered \d+/s, served \d+/s: overloaded; "
                               r"up to \d+ waited")

    def test_threads_streams_callers_and_rates_are_swept_in_one_table(self):
        found = self.bench(self.model, "-b", 1, "--threads", "1,2", "--streams", "1,2", "--iterations", 2)
        rows = found["results"]
        self.assertEqual(len(rows), 4)
        self.assertEqual([row["streams_limit"] for row in rows], [1, 2, 1, 2])
        self.assertEqual([row["threads"] for row in rows], [1, 1, 2, 2])
        self.assertEqual(found["threads"], [1, 2])
        for row in rows:
            self.assertLessEqual(row["streams"], min(row["threads"], row["streams_limit"]))
        found = self.bench(self.model, "-b", 1, "--concurrency", "1,2", "--rate", "300,600", "--iterations", 10)
        self.assertEqual([(row["rate"], row["concurrency"]) for row in found["results"]],
                         [(300, 1), (300, 2), (600, 1), (600, 2)])
        text = braid("bench", self.model, "-b", 1, "--threads", "1,2", "-c", "1,2", "--iterations", 1).stdout
        self.assertRegex(text, r"model +scheduler +threads +callers +min ms .* inferences/s")
        rows = self.bench(self.model, "-b", 1, "-d", "sim:a100", "--streams", "1,4", "--plan-steps", 20)["results"]
        self.assertEqual([row["streams_limit"] for row in rows], [1, 4])
        self.assertEqual(rows[0]["streams"], 1)

    def test_loads_that_cannot_be(self):
        for words, message in ((["--rate", 0], "more than 0"), (["--rate", "fast"], "expected a number"),
                               (["--arrival-seed", 1], "--arrival-seed needs --rate"),
                               (["--rate", 5, "-d", "sim:a100"], "simulated"),
                               (["--rate", 5, "--against", "onnxruntime"], "--rate and --against"),
                               (["--threads", "1,2", "--against", "onnxruntime"], "one number of --threads"),
                               (["--threads", "1,2", "-d", "sim:a100"], "--streams limits"),
                               (["--streams", "2,2"], "--streams names 2 twice"),
                               (["--threads", "1,two"], "'two'")):
            with self.subTest(words):
                self.assertIn(message, self.refused(2, "bench", self.model, "-b", 1, *words))

    def test_batch_is_bound_or_refused(self):
        """--exact, since scratch memory of the fastest way may outweigh the values."""
        arena = [self.bench(self.model, "--batch", batch, "--schedulers", "sequential", "--exact", "--iterations",
                            1)["results"][0]["arena_bytes"] for batch in (1, 4)]
        self.assertGreater(arena[1], 2 * arena[0])
        onnx.save(branches(1), self.path / "fixed.onnx")
        self.assertIn("batch of 4", self.refused(2, "bench", self.path / "fixed.onnx", "--batch", 4))

    def test_a_loaded_plan_is_a_contender(self):
        plan = self.path / "plan.json"
        braid("plan", self.model, "-b", 1, "-o", plan)
        rows = self.bench(self.model, "-b", 1, "--schedulers", "sequential", "--load-plan", plan, "--iterations",
                          2)["results"]
        self.assertEqual([row["scheduler"] for row in rows], ["sequential", "loaded"])

    def test_a_loaded_plan_says_in_which_ways_operators_run(self):
        """Whichever way measuring prefers, one of these Plans has another."""
        costs, plan = self.path / "costs.json", self.path / "plan.json"
        braid("profile", self.model, "-b", 1, "--no-profile-cache", "--save-costs", costs, "--quiet")
        for way in ("winograd4", "winograd2"):
            with self.subTest(way):
                table = json.loads(costs.read_text())
                for row in table["costs"]:
                    if row["op"] == "Conv":
                        row["signature"] = re.sub("@[^ ]+", f"@{way}", row["signature"])
                changed = self.path / f"{way}.json"
                changed.write_text(json.dumps(table))
                braid("plan", self.model, "-b", 1, "--load-costs", changed, "-o", plan)
                self.assertIn(f'"by":"{way}"', plan.read_text())
                rows = self.bench(self.model, "-b", 1, "--schedulers", "sequential", "--load-plan", plan,
                                  "--iterations", 2)["results"]
                self.assertEqual([row["scheduler"] for row in rows], ["sequential", "loaded"])

    def test_optimised_graphs_are_contenders(self):
        rows = self.bench(self.model, "-b", 1, "--device", "sim:a100", "--schedulers", "sequential,braid", "--plan-steps",
                          50, "--optimise", "none,sum,mixed", "--optimise-seconds", 1)["results"]
        self.assertEqual([(row["scheduler"], row["optimise"]) for row in rows],
                         [(name, mode) for name in ("sequential", "braid") for mode in ("none", "sum", "mixed")])
        for row in rows:
            self.assertEqual("rules" in row, row["optimise"] != "none")
        self.assertTrue(rows[1]["rules"], "four convolutions of one value, and nothing was merged")
        self.assertGreater(rows[1]["ratio"], 1)

    def test_optimised_graphs_give_the_same_outputs_up_to_rounding(self):
        text = braid("bench", self.model, "-b", 1, "--schedulers", "braid", "--iterations", 2, "--optimize", "none,sum",
                     "--optimize-seconds", 1, "--no-profile-cache").stdout
        self.assertIn("braid + sum", text)
        self.assertRegex(text, "sum (rewrote .* by .* x|left .* as it was)")

    def test_wrong_usage_of_optimise(self):
        for words, message in (("fast", "none, sum, mixed"), ("", "nothing"), ("sum,sum", "twice")):
            self.assertIn(message, self.refused(2, "bench", self.model, "-b", 1, "--optimise", words))
        self.refused(2, "bench", self.model, "-b", 1, "--optimise", "sum", "--optimise-seconds", 0)
        edits = self.path / "edits.txt"
        edits.write_text("pin c0 stream 0\n")
        self.refused(2, "bench", self.model, "-b", 1, "--optimise", "mixed", "--edits", edits)

    def test_wrong_usage(self):
        self.assertIn("sequential", self.refused(2, "bench", self.model, "-b", 1, "--schedulers", "wishful"))
        self.refused(2, "bench")
        self.refused(2, "bench", self.model, "--iterations", "-1")

    def test_ctrl_c_prints_what_there_is(self):
        process = subprocess.Popen([BRAID, "bench", str(self.model), "-b", "1", "--duration", "600", "--json", "-"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, message)
        found = json.loads(out)
        self.assertTrue(found["stopped"])
        self.assertGreater(found["results"][0]["iterations"], 0)


class Plan(Case):
    def test_summary_and_file(self):
        file = self.path / "plan.json"
        text = braid("plan", self.model, "-b", 1, "--threads", 2, "-o", file).stdout
        for word in ("scheduler", "arena", "predicted", "waits"):
            self.assertIn(word, text)
        plan = json.loads(file.read_text())
        found = json.loads(braid("plan", self.model, "-b", 1, "--threads", 2, "--load-plan", file, "--json").stdout)
        self.assertEqual(found["total"]["steps"], sum(map(len, plan["streams"])))
        self.assertEqual(found["arena_bytes"], plan["arena_bytes"])
        self.assertEqual(found["graph"], plan["graph"])
        self.assertGreater(found["predicted_us"], 0)

    def test_steps_are_listed(self):
        text = braid("plan", self.model, "-b", 1, "--steps").stdout
        self.assertIn("stream 0\n", text)
        self.assertGreaterEqual(text.count(" us  "), 4)

    def test_a_plan_from_run_serves_trace_with_the_same_answer(self):
        file = self.path / "plan.json"
        with_dim = [self.model, "--dim", "batch=1"]
        braid("run", *with_dim, "--save-plan", file, "--save-outputs", self.path / "a.npz")
        braid("run", *with_dim, "--load-plan", file, "--save-outputs", self.path / "b.npz")
        np.testing.assert_array_equal(np.load(self.path / "a.npz")["y"], np.load(self.path / "b.npz")["y"])
        braid("trace", *with_dim, "--load-plan", file, "-o", self.path / "t.json")


    def test_a_plan_keeps_to_the_streams_it_may_use(self):
        found = json.loads(braid("plan", self.model, "-b", 1, "-d", "sim:a100", "--streams", 3, "--json").stdout)
        self.assertEqual(len(found["streams"]), 3)
        self.assertGreater(len(json.loads(braid("plan", self.model, "-b", 1, "-d", "sim:a100", "--json").stdout)["streams"]),
                           3)


class Trace(Case):
    def test_a_file_must_be_named(self):
        self.assertIn("-o", self.refused(2, "trace", self.model, "-b", 1))


if __name__ == "__main__":
    unittest.main()
