"""`--device sim:*` and `replay-ios`: what is printed is said to be simulated, and what cannot be done is said kindly.

BRAID_CLI names the binary.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BRAID = os.environ["BRAID_CLI"]
SPECS = pathlib.Path(__file__).resolve().parents[2] / "src" / "sim" / "gpus"
SCHEDULE = pathlib.Path(__file__).resolve().parent / "ios_schedule.json"
MODEL = "zoo:squeezenet-1.1"


def braid(*arguments):
    return subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300)


class Simulated(unittest.TestCase):
    def said(self, *arguments):
        done = braid(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("simulated", done.stdout)
        return done.stdout

    def refused(self, code, text, *arguments):
        done = braid(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)

    def test_bench_has_bands_and_ties(self):
        done = braid("bench", MODEL, "--device", "sim:a100", "--schedulers", "sequential,sequential", "--json", "-", "-q")
        first, second = json.loads(done.stdout)["results"]
        self.assertLess(first["p10_ms"], first["median_ms"])
        self.assertLess(first["median_ms"], first["p90_ms"])
        self.assertEqual(first["nominal_ms"], second["nominal_ms"])
        self.assertEqual(second["verdict"], "tie")
        text = self.said("bench", MODEL, "--device", "sim:a100", "--schedulers", "sequential,sequential", "-q")
        self.assertIn("1.000 [1.000, 1.000] tie", text)

    def test_plan_and_trace_say_so(self):
        self.said("plan", MODEL, "--device", "sim:rtx2080s")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            self.said("trace", MODEL, "--device", "sim:rtx2080s", "-o", path)
            self.assertIn("simulated", path.read_text())

    def test_one_plan_has_one_time_everywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.json"
            common = [MODEL, "--device", "sim:a100"]
            told = {"plan": json.loads(self.said("plan", *common, "--scheduler", "nimble", "-o", path, "--json"))}
            load = [*common, "--load-plan", path]
            told["explain"] = json.loads(self.said("explain", *load, "--json"))
            for command in told.values():
                self.assertEqual(command["predicted_from"], "simulated")
            self.assertEqual(told["plan"]["predicted_us"], told["explain"]["predicted_us"])
            self.assertEqual(told["plan"]["band_us"], told["explain"]["band_us"])
            bench = json.loads(self.said("bench", *load, "--schedulers", "sequential", "--json", "-q"))["results"][1]
            self.assertEqual(bench["nominal_ms"], told["plan"]["predicted_us"] / 1e3)
            self.assertAlmostEqual(bench["median_ms"], told["plan"]["band_us"]["median"] / 1e3, 12)
            text = self.said("plan", *load)
            self.assertIn(f"{bench['nominal_ms']:.3f} ms nominal; median {bench['median_ms']:.3f} [", text)

    def test_a_budget_takes_the_plan_that_the_trade_off_shows(self):
        common = ["zoo:googlenet", "--device", "sim:t4", "--plan-steps", 20]
        rows = json.loads(self.said("explain", *common, "--pareto", "--json"))["pareto"]
        for row in rows:
            within = json.loads(self.said("plan", *common, "--mem-budget", row["arena_bytes"], "--json"))
            self.assertEqual(within["predicted_us"], row["predicted_us"])
            self.assertEqual(within["band_us"], row["band_us"])

    def test_a_profile_says_that_nothing_was_measured(self):
        text = braid("profile", MODEL, "--device", "sim:a100", "--top", 1).stdout
        self.assertRegex(text, r"\n[1-9]\d* operators and parts, all modelled and none measured\nmodelled for sim:a100, a model of NVIDIA")
        self.assertNotIn("measured on", text)
        found = json.loads(braid("profile", MODEL, "--device", "sim:a100", "--json", "-").stdout)["results"][0]
        self.assertEqual((found["measured"], found["from_cache"]), (0, 0))
        self.assertEqual(found["signatures"], len(found["operators"]))
        self.assertTrue(found["conditions"].startswith("sim:a100, a model of"))

    def test_what_would_change_nothing_is_refused_or_told(self):
        self.refused(2, "+tf32 needs TF32 tensor cores", "plan", MODEL, "--device", "sim:v100+tf32")
        for option in (("--threads", 2), ("--pin", "on"), ("--isa", "avx2")):
            done = braid("plan", MODEL, "--device", "sim:a100", "-q", *option)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("threads, pinning and instruction set are for the device cpu", done.stderr)
        self.refused(2, "leave out --load-costs", "plan", MODEL, "--device", "sim:a100", "--load-costs", "costs.json")

    def test_words_say_whose_kernels_they_are(self):
        def nodes(device):
            done = braid("inspect", "zoo:googlenet", "--lowered", "--device", device, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["operator_counts"]
        self.assertNotIn("Relu", nodes("sim:a100+framework"))
        self.assertGreater(nodes("sim:a100+eager")["Relu"], 50)
        text = braid("inspect", "zoo:googlenet", "--lowered", "--device", "sim:a100").stdout
        self.assertEqual(len(re.findall(r"= Concat\(.*<view>", text)), 9)
        text = braid("inspect", MODEL, "--canonicalise", "--device", "sim:a100+eager").stdout
        self.assertRegex(text, r"\nleft out for this device +because\n")
        self.assertIn("fold-batch-norm", text)
        self.refused(2, "+framework and +eager each say how a model becomes kernels; take one of them", "plan", MODEL,
                     "--device", "sim:a100+framework+eager")
        self.refused(2, "--device needs --canonicalise", "inspect", MODEL, "--device", "sim:a100")

    def test_a_plan_is_for_one_word(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.json"
            self.said("plan", MODEL, "--device", "sim:a100+eager", "--scheduler", "opara", "-o", path)
            self.said("explain", MODEL, "--device", "sim:a100+eager", "--load-plan", path)
            self.refused(3, "was made for the device 'sim:a100+eager', this is 'sim:a100'", "plan", MODEL, "--device",
                         "sim:a100", "--load-plan", path)

    def test_a_plan_for_a_spec_file_is_taken_however_its_path_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            spec = pathlib.Path(folder) / "mine.json"
            spec.write_bytes((SPECS / "a100.json").read_bytes())
            run = lambda *arguments: subprocess.run([BRAID, "plan", MODEL, "-q", "--scheduler", "sequential", *arguments],
                                                    cwd=folder, capture_output=True, text=True, timeout=60)
            load = lambda device: subprocess.run([BRAID, "plan", MODEL, "-q", "--device", device, "--load-plan", "p.json"],
                                                 cwd=folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(run("--device", "sim:./mine.json", "-o", "p.json").returncode, 0)
            for device in ("sim:mine.json", "sim:./mine.json", f"sim:{spec}", "sim:../" + pathlib.Path(folder).name + "/mine.json"):
                self.assertEqual(load(device).returncode, 0, load(device).stderr)
            self.assertIn("was made for the device 'sim:./mine.json', this is 'sim:mine.json+eager'",
                          load("sim:mine.json+eager").stderr)
            for device in ("sim:./mine.json+eager+foo", "sim:mine.json+foo", f"sim:{spec}+foo+eager"):
                self.assertIn("has nothing called 'foo'", run("--device", device).stderr)

    def test_a_plan_is_judged_again_for_another_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.json"
            here = json.loads(self.said("plan", MODEL, "--device", "sim:a100", "--scheduler", "opara", "-o", path, "--json"))
            again = [MODEL, "--load-plan", path, "--json"]
            self.refused(3, "was made for the device 'sim:a100', this is 'sim:t4'", "plan", *again, "--device", "sim:t4")
            there = json.loads(self.said("plan", *again, "--device", "sim:t4", "--rejudge"))
            self.assertEqual((there["device"], there["scheduler"]), ("sim:t4", "opara"))
            self.assertEqual([row["steps"] for row in there["streams"]], [row["steps"] for row in here["streams"]])
            self.assertNotEqual(there["predicted_us"], here["predicted_us"])
            same = json.loads(self.said("plan", *again, "--device", "sim:a100", "--rejudge"))
            self.assertEqual(same["predicted_us"], here["predicted_us"])
            self.refused(2, "--rejudge is for simulated devices", "plan", *again, "--device", "cpu", "--rejudge")
            self.refused(2, "--rejudge needs --load-plan", "plan", MODEL, "--device", "sim:t4", "--rejudge")

    def test_a_variant_of_a_scheduler_is_told_as_such(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.json"
            how = [MODEL, "--device", "sim:a100", "--scheduler", "opara:published"]
            self.assertIn("opara:published", self.said("plan", *how, "-o", path))
            self.assertEqual(json.loads(path.read_text())["scheduler"], "opara:published")
            self.assertEqual(json.loads(self.said("explain", *how, "--json"))["scheduler"], "opara:published")
        rows = json.loads(braid("bench", MODEL, "--device", "sim:a100", "--schedulers", "all,opara:published", "--plan-steps", 20,
                                "--json", "-", "-q").stdout)["results"]
        self.assertEqual([row["scheduler"] for row in rows][-2:], ["braid", "opara:published"])
        for command in ("plan", "bench", "report"):
            self.assertIn("opara:published", re.sub(r"\s+", "", braid(command, "--help").stdout))

    def test_plan_steps_give_the_same_plan_again(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for steps in (40, 40, 400):
                path = pathlib.Path(folder) / "plan.json"
                self.said("plan", "zoo:googlenet", "--device", "sim:a100", "--scheduler", "braid", "--plan-steps", steps, "-o", path)
                texts.append(path.read_text())
            self.assertTrue(texts[0] == texts[1], "the same steps gave another Plan")
            self.assertFalse(texts[0] == texts[2], "more steps found nothing")
        self.refused(2, "--plan-steps", "plan", MODEL, "--plan-steps", "-1")

    def test_plan_says_why_the_search_ended(self):
        plan = ("plan", "zoo:googlenet", "--device", "sim:a100", "--scheduler")
        self.assertIn("search     40 changes tried; ended by their number", self.said(*plan, "braid", "--plan-steps", 40))
        self.assertIn("ended by the clock", self.said(*plan, "braid", "--plan-seconds", 0.05))
        told = json.loads(self.said(*plan, "braid", "--plan-steps", 40, "--json"))
        self.assertEqual(told["search"], {"steps": 40, "stopped_by": "steps"})
        self.assertIsNone(json.loads(braid(*plan, "opara", "--json").stdout)["search"])

    def test_own_spec_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.json"
            spec = json.loads((SPECS / "a100.json").read_text())
            spec["cudnn"] = "no-such"
            path.write_text(json.dumps(spec))
            self.refused(3, "names answers of cuDNN for 'no-such'; there are some for: a100,", "plan", MODEL, "--device",
                         f"sim:{path}")
            del spec["cudnn"]
            path.write_text(json.dumps(spec))
            self.said("plan", MODEL, "--device", f"sim:{path}")

    def predicted_us(self, spec):
        """What is predicted on a GPU of that spec, and what is said on standard error."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.json"
            path.write_text(json.dumps(spec))
            done = braid("plan", MODEL, "--device", f"sim:{path}", "--json", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["predicted_us"], done.stderr

    def test_more_sms_are_not_slower(self):
        a100 = json.loads((SPECS / "a100.json").read_text())
        whole, said = self.predicted_us(a100)
        self.assertEqual(said, "")
        half, said = self.predicted_us(a100 | {"sms": 54})
        self.assertIn("sms is 54, and fp32_tflops is that of 108 SMs (full_sms): the device has 9.75 TFLOP/s", said)
        twice, _ = self.predicted_us(a100 | {"sms": 216})
        self.assertLess(twice, whole)
        self.assertLess(whole, half)

    def test_a_spec_without_full_sms_is_told_what_its_sms_are(self):
        a100 = json.loads((SPECS / "a100.json").read_text())
        del a100["full_sms"]
        _, said = self.predicted_us(a100)
        self.assertEqual(said, "")
        _, said = self.predicted_us(a100 | {"sms": 216})
        self.assertIn('each SM has 0.50 times the arithmetic. Add "full_sms": 108', said)

    def test_stating_the_models_own_interference_changes_little(self):
        how = ("explain", "zoo:googlenet", "--scheduler", "opara", "--json", "-q", "--device")
        before = json.loads(self.said(*how, "sim:a100"))
        a100 = json.loads((SPECS / "a100.json").read_text())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.json"
            for factor, delta in ((1, 0.03), (2, None)):
                rows = [row | {key: min(10, factor * row[key]) for key in ("slowdown_first", "slowdown_second")}
                        for row in before["interference"]]
                path.write_text(json.dumps(a100 | {"interference": rows}))
                after = json.loads(self.said(*how, f"sim:{path}"))
                if delta:
                    self.assertAlmostEqual(after["predicted_us"], before["predicted_us"], delta=delta * before["predicted_us"])
                else:
                    self.assertGreater(after["predicted_us"], before["predicted_us"])

    def test_refusals(self):
        self.refused(2, "there is no simulated GPU 'k80'; there are: a100, h100", "plan", MODEL, "--device", "sim:k80")
        self.refused(4, "sim:a100 is simulated: it tells times, not numbers", "run", MODEL, "--device", "sim:a100")

    def test_schedules_of_ios_are_replayed(self):
        text = self.said("replay-ios", SCHEDULE)
        self.assertIn("small: 4 operators in 3 stages, batch 1, simulated on sim:v100", text)
        told = json.loads(self.said("replay-ios", SCHEDULE, "--device", "sim:a100", "--json"))
        self.assertLess(told["one_by_one"]["nominal_ms"], told["as_scheduled"]["nominal_ms"])
        larger = json.loads(self.said("replay-ios", SCHEDULE, "--device", "sim:a100", "--batch", "64", "--json"))
        self.assertEqual(larger["batch"], 64)
        self.assertLess(told["as_scheduled"]["nominal_ms"], larger["as_scheduled"]["nominal_ms"])
        self.refused(2, "simulated GPUs only", "replay-ios", SCHEDULE, "--device", "cpu")


if __name__ == "__main__":
    unittest.main()
