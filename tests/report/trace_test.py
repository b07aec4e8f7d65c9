"""Traces: the rules of Chrome's JSON, and what Perfetto itself makes of them.

BRAID_CLI names the binary. Run by ctest; `python trace_test.py` works too.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from branches import branches
from perfetto import Perfetto
from trace_rules import check

BRAID = os.environ["BRAID_CLI"]
SIMULATED = ("--device", "sim:a100", "--scheduler", "nimble")
ON_CPU = ("--threads", 2, "--scheduler", "nimble", "--no-profile-cache")


def braid(*arguments):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"braid {arguments} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


class Traced(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name)
        cls.model = cls.path / "branches.onnx"
        branches(cls.model)

    def trace(self, model, *options):
        """The events of a trace that keeps the rules, by phase, and the text of the file."""
        file = self.path / "trace.json"
        braid("trace", model, *options, "-q", "-o", file)
        text = file.read_text()
        return check(json.loads(text)["traceEvents"]), text


class TraceTest(Traced):
    def test_every_model_and_device_keeps_the_rules(self):
        searched = ("--scheduler", "braid", "--plan-steps", 20)
        for model in ("zoo:squeezenet-1.1", "zoo:rnntc-sru"):
            for options in (SIMULATED, ("--device", "sim:v100", *searched), ON_CPU, ("--threads", 2, "--no-profile-cache", *searched)):
                with self.subTest(model=model, options=options):
                    phases, _ = self.trace(model, *options)
                    self.assertGreater(len(phases["X"]), 20)

    def test_processes_and_rows_have_names(self):
        for options, process, row in ((SIMULATED, "Braid branches.onnx on sim:a100 (simulated)", "stream"),
                                      (ON_CPU, "Braid branches.onnx on cpu", "lane")):
            phases, text = self.trace(self.model, *options)
            names = [(event["name"], event["args"]["name"]) for event in phases["M"] if event["name"].endswith("_name")]
            self.assertEqual(names[0], ("process_name", process))
            self.assertGreater(len(names), 2)
            self.assertEqual(names[1:], [("thread_name", f"{row} {number}") for number in range(len(names) - 1)])
            self.assertEqual(json.loads(text)["otherData"]["scheduler"], "nimble")
            self.assertNotIn(str(self.path), text)

    def test_slices_tell_what_ran(self):
        for options, time in ((SIMULATED, "simulated"), (ON_CPU, "measured")):
            phases, _ = self.trace(self.model, *options)
            slices = [event for event in phases["X"] if event["cat"] != "wait"]
            args = next(event for event in slices if event["name"].startswith("branch_3/conv_0"))["args"]
            node = args["node"]
            self.assertEqual((node["name"], node["operator"]), ("branch_3/conv_0", "Conv"))
            self.assertRegex(node["inputs"][1], r"f32\[8,8,3,3\].* constant$")
            self.assertRegex(node["outputs"][0], r"f32\[1,8,32,32\]")
            self.assertEqual(node["flops"], 2 * 8 * 8 * 9 * 32 * 32)
            self.assertEqual(node["bytes_written"], 4 * 8 * 32 * 32)
            self.assertTrue(node["implementation"])
            self.assertEqual((args["time"], args["expected_from"]), (time, "model"))
            self.assertGreater(args["expected_us"], 0)

    def test_measured_costs_are_told_from_modelled_ones(self):
        costs = self.path / "costs.json"
        braid("profile", self.model, "--threads", 2, "--no-profile-cache", "--save-costs", costs)
        phases, _ = self.trace(self.model, *ON_CPU, "--load-costs", costs)
        self.assertIn("measurement", {event["args"].get("expected_from") for event in phases["X"]})

    def test_a_run_writes_the_same_kind_of_trace(self):
        file = self.path / "run.json"
        braid("run", self.model, *ON_CPU, "--iterations", 2, "--trace", file, "-q")
        self.assertTrue(check(json.loads(file.read_text())["traceEvents"])["s"])

    def test_the_command_says_how_long_it_took_and_where_to_look(self):
        file = self.path / "trace.json"
        said = braid("trace", self.model, *SIMULATED, "-o", file)
        phases = check(json.loads(file.read_text())["traceEvents"])
        end_us = max(event["ts"] + event["dur"] for event in phases["X"])
        self.assertIn(f"{len(phases['X'])} events in {end_us / 1000:.2f} ms (simulated)", said)
        self.assertIn("https://ui.perfetto.dev", said)

    def test_the_same_simulation_is_the_same_file(self):
        _, first = self.trace(self.model, *SIMULATED)
        _, second = self.trace(self.model, *SIMULATED)
        self.assertEqual(first, second)


class PerfettoTest(Traced):
    """What Perfetto says that it has read."""

    def opened(self, text):
        perfetto = self.enterContext(Perfetto(text.encode()))
        self.assertEqual(perfetto.complaints(), [])
        return perfetto

    def check_opened(self, phases, text):
        """All slices, arrows and rows have arrived, and arrows lead from an end to a begin."""
        perfetto = self.opened(text)
        slices = perfetto.rows("select thread.tid, slice.name, slice.ts, slice.dur from slice "
                               "join thread_track on thread_track.id = slice.track_id join thread using (utid) "
                               "order by slice.ts, thread.tid")
        wanted = sorted(([event["tid"], event["name"], round(event["ts"] * 1000), round(event["dur"] * 1000)]
                         for event in phases["X"]), key=lambda row: (row[2], row[0]))
        self.assertEqual(slices, wanted)
        arrows = perfetto.rows("select count(*), sum(a.ts + a.dur <= b.ts + 1 and a.track_id != b.track_id) from flow "
                               "join slice a on a.id = slice_out join slice b on b.id = slice_in")
        self.assertEqual(arrows, [[len(phases["s"])] * 2])
        return perfetto

    def test_a_simulated_gpu(self):
        plan = self.path / "plan.json"
        phases, text = self.trace(self.model, *SIMULATED, "--save-plan", plan)
        steps = [step for stream in json.loads(plan.read_text())["streams"] for step in stream]
        self.assertEqual(len(phases["s"]), sum(len(step.get("waits", ())) for step in steps))
        perfetto = self.check_opened(phases, text)
        rows = perfetto.rows("select process.name, thread.name, thread.is_main_thread from thread "
                             "join process using (upid) where thread.name is not null order by tid")
        streams = len({event["tid"] for event in phases["X"]})
        self.assertGreater(streams, 1)
        self.assertEqual(rows, [["Braid branches.onnx on sim:a100 (simulated)", f"stream {number}", 0]
                                for number in range(streams)])
        counters = {name for name, in perfetto.rows("select distinct name from counter_track")}
        self.assertEqual(counters, {"SMs with work share", "threads of SMs share", "memory bandwidth share", "arena bytes"})

    def test_lanes_of_the_cpu(self):
        phases, text = self.trace(self.model, *ON_CPU)
        perfetto = self.check_opened(phases, text)
        args = dict(perfetto.rows("select key, display_value from args join slice using (arg_set_id) "
                                  "where slice.name like 'branch_3/conv_2%'"))
        self.assertEqual(args["args.node.operator"], "Conv")
        self.assertIn("f32[1,8,32,32]", args["args.node.outputs[0]"])
        self.assertEqual(args["args.time"], "measured")

    def test_a_network_of_the_zoo(self):
        for options in (SIMULATED, ON_CPU):
            with self.subTest(options=options):
                self.check_opened(*self.trace("zoo:nasnet-a-mobile", *options))

    def test_joined_traces_stay_apart(self):
        texts = [self.trace(self.model, *options)[1] for options in (SIMULATED, ON_CPU, ON_CPU)]
        joined = ",\n".join("\n".join(text.split("\n")[1:-2]) for text in texts)
        perfetto = self.opened(f"[{joined}]")
        events = json.loads(f"[{joined}]")
        check(sorted(events, key=lambda event: event.get("ts", -1)))
        count = lambda phase: sum(event["ph"] == phase for event in events)
        self.assertEqual(perfetto.rows("select count(*) from slice"), [[count("X")]])
        self.assertEqual(perfetto.rows("select count(*) from flow"), [[count("s")]])
        self.assertEqual(perfetto.rows("select count(*) from process where name like 'Braid %'"), [[3]])
        names = sum(event["name"] == "thread_name" for event in events)
        self.assertEqual(perfetto.rows("select count(*) from thread where name is not null"), [[names]])


if __name__ == "__main__":
    unittest.main()
