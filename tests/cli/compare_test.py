"""`braid compare`: what is equal, and what is told of outputs that are not. BRAID_CLI names the binary."""
import json
import pathlib
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command import braid

TYPES = {np.float16: TensorProto.FLOAT16, np.float32: TensorProto.FLOAT, np.float64: TensorProto.DOUBLE,
         np.int64: TensorProto.INT64}


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def scaled(self, factor, name, element=np.float32, shape=(2, 3)):
        """y = x · factor"""
        graph = helper.make_graph(
            [helper.make_node("Mul", ["x", "factor"], ["y"])], "g",
            [helper.make_tensor_value_info("x", TYPES[element], shape)],
            [helper.make_tensor_value_info("y", TYPES[element], shape)],
            [numpy_helper.from_array(np.array(factor, element), "factor")])
        file = self.path / f"{name}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)
        return file

    def recorded(self, y):
        np.savez(self.path / "y.npz", y=y)
        return self.path / "y.npz"

    def given(self, x):
        np.savez(self.path / "x.npz", x=x)
        return "--load-inputs", self.path / "x.npz"

    def compare(self, *arguments, code=0):
        done = braid("compare", *arguments, "--json", check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)

        def no_constant(name):
            self.fail(f"{name} in JSON")

        return json.loads(done.stdout, parse_constant=no_constant), done.stderr

    def text(self, *arguments):
        return braid("compare", *arguments, check=False).stdout


class Tolerance(Compare):
    def test_small_outputs_are_not_equal_because_they_are_small(self):
        model = self.scaled(1e-6, "small")
        recorded = self.path / "other.npz"
        braid("run", model, "--seed", 1, "--save-outputs", recorded)
        found, _ = self.compare(model, recorded, "--seed", 2, code=5)
        self.assertGreater(found["outputs"][0]["max_rel"], 0.1)
        self.assertTrue(self.compare(model, recorded, "--seed", 1)[0]["equal"])

    def test_follows_the_type(self):
        for element, equal, different in ((np.float32, 5e-5, 5e-4), (np.float64, 5e-5, 5e-4),
                                          (np.float16, 2e-3, 8e-3)):
            x = np.array([[1, .5, .25], [0, -.5, -1]], element)
            model = self.scaled(1, "m", element)
            self.compare(model, self.recorded((x * (1 + equal)).astype(element)), *self.given(x))
            self.compare(model, self.recorded((x * (1 + different)).astype(element)), *self.given(x), code=5)

    def test_integers_are_exact_unless_an_absolute_tolerance_is_given(self):
        x = np.array([[10**6, 2, 3], [4, 5, 6]])
        model, recorded, given = self.scaled(1, "m", np.int64), self.recorded(x + np.eye(2, 3, dtype=int)), self.given(x)
        self.compare(model, recorded, *given, code=5)
        self.compare(model, recorded, *given, "--rtol", 1, code=5)
        self.compare(model, recorded, *given, "--atol", 1)

    def test_zeros_are_expected_to_be_zeros(self):
        x = np.zeros((2, 3), np.float32)
        model, given = self.scaled(1, "m"), self.given(x)
        self.compare(model, self.recorded(x), *given)
        found, _ = self.compare(self.scaled(1, "m"), self.recorded(x), *self.given(x + np.float32(1e-7)), code=5)
        self.assertIsNone(found["outputs"][0]["max_rel"])

    def test_one_above_the_largest_element_is_told(self):
        x = np.full((2, 3), 1e-6, np.float32)
        arguments = (self.scaled(1, "m"), self.recorded(x * 2), *self.given(x))
        found, notes = self.compare(*arguments, "--atol", 1e-5)
        self.assertIn("--atol 1e-05 is not below the largest element of the output 'y', 2e-06", notes)
        self.assertIn("--atol", found["notes"][0])
        self.assertEqual(found["atol"], 1e-5)
        self.assertIsNone(found["rtol"])
        self.assertEqual(self.compare(*arguments, "--atol", 1.5e-6)[0]["notes"], [])


class Types(Compare):
    def test_models_of_two_types_get_the_same_inputs(self):
        single, half = self.scaled(1.5, "single"), self.scaled(1.5, "half", np.float16)
        for pair in ((single, half), (half, single)):
            found, notes = self.compare(*pair, "--seed", 7)
            self.assertIn("input 'x' is f", notes)
            self.assertIn("output 'y' is f", notes)
            self.assertRegex(found["outputs"][0]["types"], "f(32|16), expected f(32|16)")
            self.assertFalse(found["outputs"][0]["identical"])
        self.compare(single, self.scaled(1.6, "other", np.float16), code=5)

    def test_what_was_computed_in_half_precision_counts_as_such(self):
        nodes = [helper.make_node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16), helper.make_node("Mul", ["h", "f"], ["m"]),
                 helper.make_node("Cast", ["m"], ["y"], to=TensorProto.FLOAT)]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 3))],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 3))],
                                  [numpy_helper.from_array(np.array(1.7, np.float16), "f")])
        inside = self.path / "inside.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), inside)
        single = self.scaled(1.7, "single")
        for pair in ((single, inside), (inside, single)):
            found, notes = self.compare(*pair)
            self.assertGreater(found["outputs"][0]["max_rel"], 1e-4)
            self.assertIn("some operators compute in f16", notes)

    def test_given_inputs_are_converted(self):
        x = np.array([[.1, .2, .3], [4, 5, 6]])
        single, half = self.scaled(1.5, "single"), self.scaled(1.5, "half", np.float16)
        _, notes = self.compare(single, half, *self.given(x))
        self.assertIn("input 'x' was given as f64 and is converted to f32", notes)
        self.compare(half, self.recorded(x * 1.5), *self.given(x.astype(np.float16)))

    def test_whole_numbers_beside_real_ones(self):
        x = np.array([[1, 2, 3], [4, 5, 6]])
        self.compare(self.scaled(2, "whole", np.int64), self.scaled(2, "real"), *self.given(x))

    def test_other_shapes_differ(self):
        done = braid("compare", self.scaled(1, "a"), self.scaled(1, "b", shape=(3, 2)), check=False)
        self.assertEqual(done.returncode, 5)
        self.assertIn("the shape is [2,3], expected [3,2]", done.stderr)


class Mismatch(Compare):
    def test_is_described(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        y = x.copy()
        y[0, 2], y[1, 1] = 2.5, 8
        arguments = (self.scaled(1, "m"), self.recorded(y), *self.given(x))
        self.assertIn("y: 2 of 6 elements differ by more than 0.0008; the first is [0,2]: 2, expected 2.5; the worst is "
                      "[1,1]: 4, expected 8\n", self.text(*arguments))
        output = self.compare(*arguments, code=5)[0]["outputs"][0]
        self.assertEqual((output["elements"], output["differing"], output["max_abs"], output["max_rel"]), (6, 2, 4, .5))
        self.assertEqual(output["first"], {"index": [0, 2], "got": 2, "expected": 2.5})
        self.assertEqual(output["worst"], {"index": [1, 1], "got": 4, "expected": 8})

    def test_nan_and_infinities_are_counted_on_each_side(self):
        x = np.array([[np.nan, 1, 2], [np.inf, -np.inf, 5]], np.float32)
        y = np.array([[np.nan, np.nan, 2], [np.inf, np.inf, 5]], np.float32)
        arguments = (self.scaled(1, "m"), self.recorded(y), *self.given(x))
        self.assertIn("NaN: 1, expected 2; infinite: 2, expected 2", self.text(*arguments))
        output = self.compare(*arguments, code=5)[0]["outputs"][0]
        self.assertEqual((output["differing"], output["max_abs"]), (2, 0))
        self.assertEqual((output["nan"], output["infinite"]), ({"got": 1, "expected": 2}, {"got": 2, "expected": 2}))
        self.assertEqual(output["first"], {"index": [0, 1], "got": 1, "expected": None})
        self.compare(self.scaled(1, "m"), self.recorded(x), *self.given(x))

    def test_large_whole_numbers_are_told_as_they_are(self):
        x = np.full((2, 3), 2**60 + 1)
        y = x.copy()
        y[1, 2] += 1
        output = self.compare(self.scaled(1, "m", np.int64), self.recorded(y), *self.given(x), code=5)[0]["outputs"][0]
        self.assertEqual(output["worst"], {"index": [1, 2], "got": 2**60 + 1, "expected": 2**60 + 2})


class Seed(Compare):
    def test_is_told_where_it_was_used(self):
        x = np.ones((2, 3), np.float32)
        model = self.scaled(1, "m")
        self.assertIn("equal within what is allowed (seed 3)\n", self.text(model, model, "--seed", 3))
        self.assertEqual(self.compare(model, model)[0]["seed"], 0)
        for other in (model, self.recorded(x)):
            self.assertNotIn("seed", self.text(model, other, *self.given(x)))
            self.assertNotIn("seed", self.compare(model, other, *self.given(x))[0])


if __name__ == "__main__":
    unittest.main()
