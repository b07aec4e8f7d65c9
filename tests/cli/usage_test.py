"""Wrong command lines: a message that says what was meant, and the exit code of wrong usage."""

import json
import os
import subprocess
import tempfile
import unittest

import onnx
from onnx import TensorProto, helper

BRAID = os.environ["BRAID_CLI"]


def complaint(*arguments):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != 2:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stderr.splitlines()[0].removeprefix("braid: usage error: ")


class Usage(unittest.TestCase):
    def test_misspelt_names_are_recognised(self):
        self.assertEqual(complaint("bnech", "m.onnx"), "there is no command 'bnech'; did you mean bench?")
        self.assertEqual(complaint("--versoin"), "there is no option '--versoin'; did you mean --version?")
        self.assertEqual(complaint("run", "m.onnx", "--thread", 2),
                         "run has no option '--thread'; did you mean --threads?")
        self.assertEqual(complaint("run", "m.onnx", "--thread=2"),
                         "run has no option '--thread'; did you mean --threads?")
        self.assertEqual(complaint("bench", "m.onnx", "--scheduler", "braid"),
                         "bench has no option '--scheduler'; did you mean --schedulers?")
        self.assertEqual(complaint("run", "m.onnx", "--zzzzzzzz"), "run has no option '--zzzzzzzz'")

    def test_values(self):
        self.assertEqual(complaint("run", "m.onnx", "--threads", "two"),
                         "--threads: expected a whole number from 0 to 4096, got 'two'")
        self.assertEqual(complaint("run", "m.onnx", "--threads", "1.5"),
                         "--threads: expected a whole number from 0 to 4096, got '1.5'")
        self.assertEqual(complaint("run", "m.onnx", "--threads", 99999),
                         "--threads: expected a whole number from 0 to 4096, got '99999'")
        self.assertEqual(complaint("run", "m.onnx", "--threads"), "--threads needs a value: a whole number")
        self.assertEqual(complaint("run", "m.onnx", "--threads", 1, "--threads", 2),
                         "--threads takes one value and was given 2 times")

    def test_arguments(self):
        self.assertEqual(complaint("run"), "run needs a model: an ONNX file, or zoo:NAME")
        self.assertEqual(complaint("run", "m.onnx", "other"), "run does not expect the argument 'other'")

    def test_several_dimensions_after_one_flag(self):
        message = complaint("inspect", "zoo:squeezenet", "--quota", "nodes=5000", "values=5000")
        self.assertIn("'values'", message)
        self.assertIn("--batch", complaint("inspect", "zoo:squeezenet", "--dim", "n=1"))


class OpenDimensions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = f"{folder.name}/m.onnx"
        x = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "height", "?"])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph([helper.make_node("Relu", ["image"], ["y"])], "g", [x], [y])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), self.model)

    def inspect(self, *arguments):
        done = subprocess.run([BRAID, "inspect", self.model, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_inspect_lists_inputs_and_what_would_bind_them(self):
        text = self.inspect()
        self.assertIn("image  f32[batch,3,height,?]", text)
        self.assertIn("--shapes image:1x3x224x224", text)
        told = json.loads(self.inspect("--json"))
        self.assertEqual(told["inputs"][0]["shape"], ["batch", 3, "height", "?"])
        self.assertEqual(told["operator_counts"], {"Relu": 1})
        self.assertIn("--shapes", told["open"])

    def test_a_hint_can_be_typed_as_it_stands(self):
        hint = json.loads(self.inspect("--json"))["open"].split("--shapes ")[1]
        self.assertEqual(json.loads(self.inspect("--json", "--shapes", hint))["inputs"][0]["shape"], [1, 3, 224, 224])

    def test_what_needs_sizes_says_so(self):
        self.assertIn("--shapes image:1x3x224x224", complaint("inspect", self.model, "--text"))
        self.assertIn("no input has a dimension 'side'", complaint("inspect", self.model, "--dim", "side=3"))

    def test_batch(self):
        self.assertIn("f32[2,3,height,?]", self.inspect("--batch", "2"))

    def test_a_contradiction_blames_what_was_typed(self):
        message = complaint("run", self.model, "--shapes", "image:1x3x8x8", "--batch", 2)
        self.assertEqual(message, "the batch of 2 contradicts the shape [1,3,8,8] given for input 'image'")
        message = complaint("run", self.model, "--dim", "batch=3", "--batch", 2)
        self.assertEqual(message, "dimension 'batch' is bound to two sizes: 3 by name (batch=3), 2 by the batch of 2")

    def test_one_flag_binds_several(self):
        self.assertIn("f32[2,3,9,?]", self.inspect("--dim", "batch=2", "height=9"))


class NothingIsIgnored(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.plan = f"{folder.name}/plan.json"
        self.braid("plan", "zoo:squeezenet", "-q", "-o", self.plan)

    def braid(self, *arguments, code=0):
        done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        return done.stderr

    def test_a_scheduler_beside_a_loaded_plan(self):
        self.assertIn("--load-plan and --scheduler exclude each other",
                      complaint("run", "zoo:squeezenet", "--load-plan", self.plan, "--scheduler", "nimble"))

    def test_more_threads_than_cores(self):
        self.assertIn("99 threads share the", self.braid("plan", "zoo:squeezenet", "-q", "--threads", 99))
        self.assertEqual(self.braid("plan", "zoo:squeezenet", "-q", "--threads", 1), "")

    def test_a_plan_for_something_else_says_what_differs(self):
        refused = lambda *arguments: self.braid("plan", *arguments, "--load-plan", self.plan, code=3)
        for arguments, difference in [
            (["zoo:squeezenet", "--batch", 2], "the input 'image' as f32[1,3,224,224], here it is f32[2,3,224,224]"),
            (["zoo:squeezenet", "--device", "sim:a100"], "for the device 'cpu', this is 'sim:a100'"),
            (["zoo:squeezenet", "--disable", "fuse-activation"], "--disable"),
        ]:
            message = refused(*arguments)
            self.assertIn(difference, message)
            self.assertIn(self.plan, message)


if __name__ == "__main__":
    unittest.main()
