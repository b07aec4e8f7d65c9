"""`braid bench --against`: other runtimes beside Braid, and what happens when they are missing, wrong, or misbehave.

BRAID_CLI names the binary. ONNX Runtime is that of the Python which runs this; where it matters what a runtime does, a
stand-in (fake_runtimes/) is in its place.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BRAID = os.environ["BRAID_CLI"]
FAKES = pathlib.Path(__file__).resolve().parent / "fake_runtimes"


def doubled(shape):
    """y = 2·x."""
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "two"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.array([2], np.float32), "two")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def reshaped():
    """An input whose elements decide a shape."""
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "shape"], ["r"]), helper.make_node("Relu", ["r"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [6]),
         helper.make_tensor_value_info("shape", TensorProto.INT64, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def is_running(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.model = self.path / "doubled.onnx"
        onnx.save(doubled(["batch", 3, "height", 8]), self.model)
        self.log = self.path / "log"
        self.temporary = self.path / "temporary"
        self.temporary.mkdir()

    def environment(self, fakes):
        variables = {**os.environ, "TMPDIR": str(self.temporary), "BRAID_PYTHON": sys.executable}
        if fakes is not None:
            variables |= {"PYTHONPATH": str(FAKES), "PYTHONDONTWRITEBYTECODE": "1", "FAKE_LOG": str(self.log)}
            variables |= {f"FAKE_{name.upper()}": behaviour for name, behaviour in fakes.items()}
        return variables

    def command(self, arguments):
        return [BRAID, "bench", *map(str, arguments), "--iterations", "8", "--json", "-"]

    def start(self, *arguments, fakes):
        process = subprocess.Popen(self.command(arguments), env=self.environment(fakes), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def bench(self, *arguments, code=0, fakes=None):
        """What is printed, as (JSON or None, standard error)."""
        done = subprocess.run(self.command(arguments), env=self.environment(fakes), capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(list(self.temporary.glob("braid-*")), [])
        return json.loads(done.stdout) if done.stdout else None, done.stderr

    def fixed(self, *arguments, **how):
        return self.bench(self.model, "--shapes", "x:2x3x4x8", *arguments, **how)

    def logged(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def contenders(self, found):
        return [row.get("peer") or row["scheduler"] for row in found["results"]]

    def check_no_worker_is_left(self):
        self.assertTrue(self.logged())
        for entry in self.logged():
            self.assertTrue(wait_until(lambda: not is_running(entry["pid"])), f"{entry['name']} still runs")


class Real(Case):
    def test_onnx_runtime_is_a_row_of_the_same_run(self):
        found, _ = self.fixed("--against", "onnxruntime", "--threads", 1, "--seed", 3)
        self.assertEqual(self.contenders(found), ["braid", "onnxruntime"])
        ours, peer = found["results"]
        self.assertEqual((peer["iterations"], found["threads"], found["seed"]), (8, 1, 3))
        self.assertTrue(0 < peer["min_ms"] <= peer["p20_ms"] <= peer["median_ms"])
        self.assertIsNone(peer["p99_ms"], "8 runs cannot tell")
        self.assertLessEqual(peer["ratio_low"], peer["ratio_high"])
        self.assertIn(peer["verdict"], ["faster", "slower", "tie"])
        self.assertEqual((peer["outputs"]["verdict"], peer["outputs"]["output"]), ("agrees", "y"))
        self.assertRegex(peer["version"], r"^\d+\.\d+")
        self.assertEqual((found["failures"], found["differences"]), ([], []))
        self.assertGreater(ours["streams"], 0)

    def test_models_of_the_zoo_and_chosen_schedulers(self):
        found, _ = self.bench("zoo:squeezenet-1.1", "--against", "onnxruntime", "--schedulers", "sequential,opara",
                              "--python", sys.executable)
        self.assertEqual(self.contenders(found), ["sequential", "opara", "onnxruntime"])
        self.assertNotEqual(found["results"][2]["outputs"]["verdict"], "DIFFERS")

    def test_several_callers(self):
        found, _ = self.fixed("--against", "onnxruntime", "--concurrency", 2)
        self.assertTrue(all(row["inferences_per_s"] > 0 for row in found["results"]))

    def test_an_input_whose_elements_decide_shapes_is_given_to_all(self):
        onnx.save(reshaped(), self.model)
        np.savez(self.path / "in.npz", x=np.arange(6, dtype=np.float32), shape=np.array([2, 3]))
        found, _ = self.bench(self.model, "--load-inputs", self.path / "in.npz", "--against", "onnxruntime")
        self.assertEqual(found["results"][1]["outputs"]["verdict"], "agrees")

    def test_a_model_that_the_runtime_cannot_load_is_told_with_its_message(self):
        model = doubled([2, 3])
        model.ir_version = 14
        onnx.save(model, self.model)
        found, message = self.bench(self.model, "--against", "onnxruntime", code=4)
        self.assertEqual(self.contenders(found), ["braid"])
        self.assertIn("onnxruntime failed while loading the model", message)
        self.assertIn("IR version", found["failures"][0]["message"])

    def test_table_says_who_is_faster(self):
        for schedulers, ours in (("braid,sequential", "Braid"), ("sequential,braid", r"Braid \(sequential\)")):
            done = subprocess.run([BRAID, "bench", self.model, "--shapes", "x:2x3x4x8", "--against", "onnxruntime",
                                   "--schedulers", schedulers, "--iterations", "8"],
                                  env=self.environment(None), capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"doubled.onnx  onnxruntime \d+\.\d+\.\d+ .*agrees")
            self.assertRegex(done.stdout, ours + r" is \d+\.\d\d times as fast as onnxruntime \[")


class SameForAll(Case):
    def test_shapes_inputs_threads_and_cores(self):
        x = np.arange(2 * 3 * 5 * 8, dtype=np.float32).reshape(2, 3, 5, 8)
        np.savez(self.path / "in.npz", x=x)
        self.bench(self.model, "--load-inputs", self.path / "in.npz", "--threads", 1, "--against",
                   "onnxruntime,openvino", fakes={})
        ort, openvino = self.logged()
        self.assertEqual((ort["shapes"], openvino["shapes"]), ({"x": [2, 3, 5, 8]},) * 2)
        self.assertEqual(ort["symbols"], {"batch": 2, "height": 5})
        self.assertEqual(ort["sum"], float(x.sum()))
        for entry in (ort, openvino):
            self.assertEqual((entry["threads"], len(entry["cores"])), (1, 1))
        self.assertEqual(ort["cores"], openvino["cores"])

    def test_dim_and_batch(self):
        self.bench(self.model, "--dim", "height=7", "--batch", 3, "--against", "onnxruntime", fakes={})
        self.assertEqual(self.logged()[0]["shapes"], {"x": [3, 3, 7, 8]})

    def test_the_seed_decides_the_inputs(self):
        for seed in (1, 1, 2):
            self.fixed("--seed", seed, "--against", "onnxruntime", fakes={})
        sums = [entry["sum"] for entry in self.logged()]
        self.assertEqual(sums[0], sums[1])
        self.assertNotEqual(sums[0], sums[2])

    def test_open_dimensions_are_not_guessed(self):
        _, message = self.bench(self.model, "--against", "onnxruntime", fakes={}, code=2)
        self.assertIn("--dim", message)
        self.assertEqual(self.logged(), [])


class Differing(Case):
    def test_who_differs_from_whom_by_how_much_in_which_output(self):
        found, message = self.fixed("--against", "onnxruntime", fakes={"onnxruntime": "wrong"}, code=5)
        self.assertIn("onnxruntime differs from braid: by 0.5 in the output 'y', ", message)
        row = found["results"][1]
        self.assertEqual((row["outputs"]["verdict"], row["outputs"]["reference"]), ("DIFFERS", "braid"))
        self.assertAlmostEqual(found["differences"][0]["max_abs"], 0.5, places=5)
        self.assertIn("1 of 192 elements differ by more than 0.00", message)
        self.assertEqual((row["outputs"]["differing"], row["outputs"]["elements"]), (1, 192))
        first = row["outputs"]["first"]
        self.assertEqual(first["index"], [0, 0, 0, 0])
        self.assertAlmostEqual(first["got"] - first["expected"], 0.5, places=5)

    def test_nan_is_counted(self):
        found, message = self.fixed("--against", "onnxruntime", fakes={"onnxruntime": "not-a-number"}, code=5)
        self.assertIn("onnxruntime differs from braid: in the output 'y': 1 of 192 elements differ", message)
        self.assertIn("; NaN: 1, expected 0", message)
        self.assertEqual(found["differences"][0]["nan"], {"got": 1, "expected": 0})
        self.assertIsNone(found["differences"][0]["first"]["got"])

    def test_another_type_is_converted_and_has_its_own_tolerance(self):
        found, _ = self.fixed("--against", "onnxruntime", fakes={"onnxruntime": "half"})
        self.assertEqual((found["results"][1]["outputs"]["verdict"], found["results"][1]["outputs"]["types"]),
                         ("agrees", "f16, expected f32"))

    def test_the_seed_is_told_only_where_it_was_used(self):
        np.savez(self.path / "in.npz", x=np.ones((2, 3, 5, 8), np.float32))
        found, _ = self.bench(self.model, "--load-inputs", self.path / "in.npz", "--schedulers", "sequential", fakes={})
        self.assertNotIn("seed", found)

    def test_one_against_two_that_agree(self):
        found, message = self.fixed("--against", "onnxruntime,openvino", fakes={"openvino": "wrong"}, code=5)
        self.assertIn("openvino differs from braid and onnxruntime, which agree: by 0.5 in the output 'y'", message)
        self.assertEqual([row["outputs"]["verdict"] for row in found["results"][1:]], ["agrees", "DIFFERS"])

    def test_braid_is_named_if_it_stands_alone(self):
        _, message = self.fixed("--against", "onnxruntime,openvino", code=5,
                                fakes={"onnxruntime": "wrong", "openvino": "wrong"})
        self.assertIn("braid differs from onnxruntime and openvino, which agree", message)

    def test_another_shape(self):
        _, message = self.bench(self.model, "--shapes", "x:1x3x4x8", "--against", "onnxruntime", code=5,
                                fakes={"onnxruntime": "other-shape"})
        self.assertIn("'y' is f32[3,4,8] of onnxruntime, f32[1,3,4,8] of braid", message)


class Missing(Case):
    def python_without_packages(self):
        script = self.path / "bare-python"
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        script.chmod(0o755)
        return script

    def test_no_python(self):
        _, message = self.fixed("--against", "onnxruntime", "--python", "/no/such/python", code=4)
        self.assertIn("/no/such/python cannot be started: No such file or directory", message)
        self.assertIn("--python", message)

    def test_no_module(self):
        _, message = self.fixed("--against", "onnxruntime,openvino", "--python", self.python_without_packages(), code=4)
        for name in ("onnxruntime", "openvino"):
            self.assertIn(f"{name} is not importable by ", message)
            self.assertIn(f"-m pip install {name}`", message)

    def test_the_others_go_on(self):
        sys_path = self.path / "only_one"
        sys_path.mkdir()
        for name in ("onnxruntime.py", "fake_runtime.py"):
            (sys_path / name).write_text((FAKES / name).read_text())
        (sys_path / "openvino.py").write_text("raise ModuleNotFoundError(\"No module named 'openvino'\", name='openvino')")
        variables = self.environment({}) | {"PYTHONPATH": str(sys_path)}
        done = subprocess.run(self.command([self.model, "--shapes", "x:2x3x4x8", "--against", "openvino,onnxruntime"]),
                              env=variables, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(self.contenders(json.loads(done.stdout)), ["braid", "onnxruntime"])
        self.assertIn("openvino is not importable", done.stderr)

    def test_an_unknown_name(self):
        _, message = self.fixed("--against", "tensorrt", code=2)
        self.assertIn("onnxruntime, openvino", message)

    def test_simulated_devices_are_refused(self):
        _, message = self.fixed("--against", "onnxruntime", "--device", "sim:a100", code=2)
        self.assertIn("simulated", message)

    def test_nothing_needs_python_without_against(self):
        variables = {**os.environ, "PATH": "/nowhere", "BRAID_PYTHON": "/no/such/python"}
        done = subprocess.run([BRAID, "bench", self.model, "--shapes", "x:2x3x4x8", "--schedulers", "sequential",
                               "--iterations", "2"], env=variables, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


class Misbehaving(Case):
    def check_the_other_goes_on(self, behaviour, words, *arguments):
        found, message = self.fixed("--against", "onnxruntime,openvino", *arguments, fakes={"onnxruntime": behaviour},
                                    code=4)
        self.assertEqual(self.contenders(found), ["braid", "openvino"])
        self.assertIn(words, message)
        self.assertEqual([failure["peer"] for failure in found["failures"]], ["onnxruntime"])
        self.check_no_worker_is_left()
        return message

    def test_cannot_load(self):
        message = self.check_the_other_goes_on("cannot-load", "RuntimeError: no kernel for Mul(99)")
        self.assertLess(max(map(len, message.splitlines())), 600)

    def test_a_crash(self):
        self.check_the_other_goes_on("crash", "onnxruntime ended while running (signal 6 (Aborted))")

    def test_an_exit_with_last_words(self):
        self.check_the_other_goes_on("exit", "onnxruntime ended while running (exit code 3): this is the end")

    def test_a_hang(self):
        self.check_the_other_goes_on("hang-run", "did not answer within 2 s while loading the model and was stopped",
                                     "--peer-timeout", 2)

    def test_what_python_prints_when_it_starts_is_no_answer(self):
        (self.path / "sitecustomize.py").write_text("print('welcome')\nprint('[1, 2]')\n")
        variables = self.environment({}) | {"PYTHONPATH": f"{self.path}:{FAKES}"}
        done = subprocess.run(self.command([self.model, "--shapes", "x:2x3x4x8", "--against", "onnxruntime"]),
                              env=variables, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

    def start_hanging(self):
        process = self.start(self.model, "--shapes", "x:2x3x4x8", "--against", "onnxruntime",
                             fakes={"onnxruntime": "hang-import"})
        self.assertTrue(wait_until(self.logged), "the stand-in was not imported")
        return process

    def test_ctrl_c_ends_a_worker_that_hangs(self):
        process = self.start_hanging()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.check_no_worker_is_left()
        self.assertEqual(list(self.temporary.glob("braid-*")), [])

    def test_no_worker_outlives_braid(self):
        process = self.start_hanging()
        process.kill()
        process.communicate(timeout=60)
        self.check_no_worker_is_left()

    def test_ctrl_c_while_measuring_prints_what_there_is(self):
        process = subprocess.Popen([BRAID, "bench", self.model, "--shapes", "x:2x3x4x8", "--against", "onnxruntime",
                                    "--duration", "600", "--json", "-"], env=self.environment({}),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(wait_until(self.logged))
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, message)
        found = json.loads(out)
        self.assertTrue(found["stopped"])
        self.assertEqual(found["failures"], [])
        self.check_no_worker_is_left()

    def test_a_reader_that_goes_away(self):
        process = self.start(self.model, "--shapes", "x:2x3x4x8", "--against", "onnxruntime", fakes={})
        process.stdout.close()
        process.wait(timeout=120)
        self.check_no_worker_is_left()
        self.assertEqual(list(self.temporary.glob("braid-*")), [])


if __name__ == "__main__":
    unittest.main()
