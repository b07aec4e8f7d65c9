"""Models that Braid does not run: `inspect` lists everything that stands in the way beside the rest of the model, other
commands say how much there is.

BRAID_CLI names the binary.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnx.inliner
from onnx import TensorProto, helper, numpy_helper

from command import braid

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNSUPPORTED = 4


def value(name, shape=(4,), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def body():
    """Of a Loop, with an operator of its own that is not supported."""
    return helper.make_graph(
        [helper.make_node("Det", ["m"], ["d"], name="inside"), helper.make_node("Identity", ["c"], ["c_out"])], "body",
        [value("i", [], TensorProto.INT64), value("c", [], TensorProto.BOOL), value("m", [2, 2])],
        [value("c_out", [], TensorProto.BOOL), value("m", [2, 2]), value("d", [])])


def everything():
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale"], ["q"], name="first_q"),
        helper.make_node("DequantizeLinear", ["q", "scale"], ["a"]),
        helper.make_node("QuantizeLinear", ["a", "scale"], ["q2"]),
        helper.make_node("NonZero", ["a"], ["places"], name="where"),
        helper.make_node("FusedGemm", ["a", "a"], ["g"], name="fused", domain="com.microsoft"),
        helper.make_node("Conv2D", ["a"], ["c"], name="odd"),
        helper.make_node("Relu", ["a"], ["r"]),
        helper.make_node("Swish", ["x"], ["s"], name="young"),
        helper.make_node("Loop", ["", "", "x"], ["l"], body=body()),
        helper.make_node("BatchNormalization", ["x2", "b", "b", "b", "b"], ["t", "t1", "t2"], name="trains",
                         training_mode=1),
    ]
    graph = helper.make_graph(
        nodes, "all", [value("x"), value("x2", [1, 4, 2]), value("words", [3], TensorProto.STRING)], [value("r"), value("t", [1, 4, 2])],
        [numpy_helper.from_array(np.float32(0.5), "scale"), numpy_helper.from_array(np.ones(4, np.float32), "b")])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17),
                                                                 helper.make_opsetid("com.microsoft", 1)])


class Unsupported(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def save(self, model):
        onnx.save(model, self.path / "m.onnx")
        return self.path / "m.onnx"

    def inspect(self, *arguments):
        done = braid("inspect", *arguments, check=False)
        self.assertEqual(done.returncode, UNSUPPORTED, done.stdout + done.stderr)
        return done

    def rows(self, model):
        found = json.loads(self.inspect(self.save(model), "--json").stdout)
        return {(row["domain"], row["what"]): row for row in found["unsupported"]}

    def test_all_are_listed_with_how_often_and_where(self):
        rows = self.rows(everything())
        self.assertEqual({key: row["count"] for key, row in rows.items()}, {
            ("", "STRING"): 1, ("ai.onnx", "QuantizeLinear"): 2, ("ai.onnx", "DequantizeLinear"): 1,
            ("ai.onnx", "NonZero"): 1, ("com.microsoft", "FusedGemm"): 1, ("ai.onnx", "Conv2D"): 1,
            ("ai.onnx", "Swish"): 1, ("ai.onnx", "Loop"): 1, ("ai.onnx", "Det"): 1, ("ai.onnx", "BatchNormalization"): 1})
        self.assertEqual(rows["ai.onnx", "QuantizeLinear"]["first"], "first_q")
        self.assertEqual(rows["ai.onnx", "Det"]["first"], "inside")

    def test_each_says_why_and_what_helps(self):
        rows = self.rows(everything())
        for key, why, helps in ((("ai.onnx", "QuantizeLinear"), "quantised", "before it was quantised"),
                                (("ai.onnx", "NonZero"), "depends on elements", "extract_model"),
                                (("com.microsoft", "FusedGemm"), "ONNX Runtime's own", "before ONNX Runtime"),
                                (("ai.onnx", "Conv2D"), "ONNX has no operator of this name", ""),
                                (("ai.onnx", "Swish"), "from opset 24 on", "opset 24"),
                                (("ai.onnx", "Loop"), "loops", "unrolls")):
            self.assertIn(why, rows[key]["reason"])
            self.assertIn(helps, rows[key]["advice"])
        self.assertEqual(rows["ai.onnx", "BatchNormalization"]["kind"], "use")

    def test_what_helps_does(self):
        op = "CausalConvWithState"
        graph = helper.make_graph([helper.make_node(op, ["x", "w"], ["y", "state"])], "g",
                                  [value("x", [2, 4, 8]), value("w", [4, 1, 4])], [value("y", [2, 4, 8])])
        model = helper.make_model(graph, ir_version=13, opset_imports=[helper.make_opsetid("", 27)])
        advice = self.rows(model)["ai.onnx", op]["advice"]
        self.assertIn(f'onnx.inliner.inline_selected_functions(model, [("", "{op}")], inline_schema_functions=True)', advice)
        braid("run", self.save(onnx.inliner.inline_selected_functions(model, [("", op)], inline_schema_functions=True)))

    def test_the_rest_of_the_model_is_told(self):
        found = json.loads(self.inspect(self.save(everything()), "--json").stdout)
        self.assertEqual((found["opset"], found["nodes"], found["parameters"]), (17, 10, 5))
        self.assertEqual([v["type"] for v in found["inputs"]], ["f32", "f32", "STRING"])
        text = self.inspect(self.path / "m.onnx").stdout
        for part in ("opset       17", "STRING[3]", "QuantizeLinear", "What helps:", "not supported  "):
            self.assertIn(part, text)

    def test_other_commands_say_how_much_more_there_is(self):
        file = self.save(everything())
        for command in ("run", "bench", "plan", "explain", "profile"):
            done = braid(command, file, check=False)
            self.assertEqual(done.returncode, UNSUPPORTED, command)
            self.assertIn("and 9 more things are not supported; `braid inspect` lists them", done.stderr, command)

    def test_open_dimensions_hide_nothing(self):
        model = everything()
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
        self.assertIn(("ai.onnx", "Conv2D"), self.rows(model))
        self.assertIn("open", json.loads(self.inspect(self.path / "m.onnx", "--json").stdout))

    def test_another_opset_is_told_beside_the_operators(self):
        model = everything()
        model.opset_import[0].version = 99
        rows = self.rows(model)
        self.assertIn("convert_version", rows["", "opset 99"]["advice"])
        self.assertIn(("ai.onnx", "NonZero"), rows)

    def test_an_if_is_refused_only_if_its_condition_is_not_known(self):
        def branch(name, op):
            return helper.make_graph([helper.make_node(op, ["x"], [name])], name, [], [value(name)])
        node = helper.make_node("If", ["c"], ["y"], then_branch=branch("t", "Relu"), else_branch=branch("e", "NonZero"))
        graph = helper.make_graph([node], "g", [value("x"), value("c", [], TensorProto.BOOL)], [value("y")])
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
        self.assertEqual(set(self.rows(model)), {("ai.onnx", "If"), ("ai.onnx", "NonZero")})
        graph.initializer.append(numpy_helper.from_array(np.array(True), "c"))
        del graph.input[1]
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
        braid("inspect", self.save(model))

    def test_the_table_of_onnx_operators_is_the_package_s(self):
        made = subprocess.run([sys.executable, ROOT / "tools/onnx-operators"], check=True, capture_output=True,
                              text=True).stdout
        self.assertEqual(made, (ROOT / "src/onnx/standard_operators.cpp").read_text(),
                         "make it again with tools/onnx-operators")


if __name__ == "__main__":
    unittest.main()
