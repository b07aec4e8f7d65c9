"""Graphs that no exporter writes: cycles, clashes, recursion, and sizes that invite blow-up."""
import json
import unittest

import numpy as np
from onnx import TensorProto, helper

from hostile import (BAD, QUOTA, UNSUPPORTED, HostileTest, braid, constant, floats, model, one_node)


def relu(given, made, name=""):
    return helper.make_node("Relu", [given], [made], name=name)


def add(a, b, made):
    return helper.make_node("Add", [a, b], [made])


def graph_of(nodes, outputs=("y",), inputs=("x",), initializers=()):
    return model(nodes, [floats(name, [4]) for name in inputs], [floats(name, [4]) for name in outputs],
                 initializers)


class GraphTest(HostileTest):
    def test_cycles(self):
        for length in (1, 2, 10_000):
            with self.subTest(length=length):
                nodes = [relu(f"v{i}", f"v{(i + 1) % length}", f"n{i}") for i in range(length)]
                self.refused(graph_of([*nodes, relu("v0", "y")]), BAD, "cycle")

    def test_any_order_of_nodes(self):
        self.accepted(graph_of([relu("b", "y"), relu("a", "b"), relu("x", "a")]))

    def test_clashing_names(self):
        self.refused(graph_of([relu("x", "y", "one"), relu("x", "y", "two")]), BAD, "'y'")
        self.refused(graph_of([relu("x", "x"), relu("x", "y")]), BAD, "'x'")
        ones = constant("w", np.ones(4, np.float32))
        self.refused(graph_of([relu("x", "w"), relu("w", "y")], initializers=[ones]), BAD, "'w'")
        self.refused(graph_of([relu("x", "y")], initializers=[ones, ones]), BAD, "'w'")
        self.refused(graph_of([relu("x", "y")], inputs=("x", "x")), BAD, "'x'")

    def test_values_from_nowhere(self):
        self.refused(graph_of([relu("ghost", "y", "reader")]), BAD, "'ghost'", "reader")
        self.refused(graph_of([relu("x", "y")], outputs=("y", "ghost")), BAD, "'ghost'")

    def test_empty_names(self):
        self.refused(graph_of([helper.make_node("Add", ["", "x"], ["y"], name="culprit")]), BAD, "culprit")
        self.accepted(graph_of([helper.make_node("Clip", ["x", "", ""], ["y"])]))
        self.accepted(graph_of([helper.make_node("Relu", ["x"], [""], name="n")], outputs=("x",)))

    def test_equal_and_missing_node_names(self):
        self.accepted(graph_of([relu("x", "a", "same"), relu("a", "b", "same"), relu("b", "y")]))

    def test_no_nodes_and_repeated_outputs(self):
        self.accepted(graph_of([], outputs=("x",)))
        self.accepted(graph_of([relu("x", "y")], outputs=("y", "y")))
        self.accepted(graph_of([relu("x", "y"), relu("x", "z")], outputs=("y", "x", "z")))

    def test_a_chain_of_100_000_nodes(self):
        count = 100_000
        nodes = [relu(f"v{i}", f"v{i + 1}") for i in range(count)]
        made = graph_of(nodes, outputs=(f"v{count}",), inputs=("v0",))
        found = json.loads(braid("inspect", "-q", "--json", self.save(made)).stdout)
        self.assertEqual((found["depth"], found["width"]), (count, 1))
        self.accepted(made)

    def test_a_fan_of_100_000_nodes(self):
        made = graph_of([relu("x", f"v{i}") for i in range(100_000)], outputs=("v7",))
        found = json.loads(braid("inspect", "-q", "--json", self.save(made)).stdout)
        self.assertEqual(found["width"], 100_000)
        self.accepted(made)

    def test_a_ladder_with_2_to_the_20_paths(self):
        made = graph_of([node for i in range(20) for node in (
            relu(f"v{i}", f"a{i}"), relu(f"v{i}", f"b{i}"), add(f"a{i}", f"b{i}", f"v{i + 1}"))],
            outputs=("v20",), inputs=("v0",))
        self.accepted(made)
        self.accepted(made, command=("inspect", "-q", "--canonicalise"))

    def test_values_that_double(self):
        """x + x, again and again: a path count of 2^10000, and folding must not follow it."""
        nodes = [add(f"v{i}", f"v{i}", f"v{i + 1}") for i in range(10_000)]
        self.accepted(graph_of(nodes, outputs=("v10000",), inputs=("v0",)))

    def function(self, name, calls):
        return helper.make_function("own", name, ["a"], ["b"], [helper.make_node(calls, ["a"], ["b"], domain="own")],
                                    [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)])

    def calling(self, functions):
        made = graph_of([helper.make_node("f", ["x"], ["y"], domain="own", name="caller")])
        made.opset_import.append(helper.make_opsetid("own", 1))
        made.functions.extend(functions)
        return made

    def test_functions_that_call_themselves(self):
        self.refused(self.calling([self.function("f", "f")]), (BAD, QUOTA), "f")
        self.refused(self.calling([self.function("f", "g"), self.function("g", "f")]), (BAD, QUOTA), "f")
        branch = helper.make_graph([helper.make_node("f", ["a"], ["r"], domain="own")], "branch", [],
                                   [floats("r", [4])])
        recursive = helper.make_function(
            "own", "f", ["a"], ["b"],
            [helper.make_node("Constant", [], ["c"], value=helper.make_tensor("c", TensorProto.BOOL, [], [True])),
             helper.make_node("If", ["c"], ["b"], then_branch=branch, else_branch=branch)],
            [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)])
        self.refused(self.calling([recursive]), (BAD, QUOTA), "f")

    def test_functions_that_multiply(self):
        """Thirty functions, each of which calls the next twice: 2^30 nodes once inlined."""
        functions = []
        for i in range(30):
            last = i == 29
            made = [helper.make_node("Relu" if last else f"f{i + 1}", ["a"], ["t"], domain="" if last else "own"),
                    helper.make_node("Relu" if last else f"f{i + 1}", ["t"], ["b"], domain="" if last else "own")]
            functions.append(helper.make_function(
                "own", f"f{i}" if i else "f", ["a"], ["b"], made,
                [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]))
        self.refused(self.calling(functions), QUOTA)

    def test_control_flow_is_refused_by_name(self):
        body = helper.make_graph([relu("s", "t")], "body",
                                 [helper.make_tensor_value_info("i", TensorProto.INT64, []),
                                  helper.make_tensor_value_info("c", TensorProto.BOOL, []), floats("s", [4])],
                                 [helper.make_tensor_value_info("c", TensorProto.BOOL, []), floats("t", [4])])
        for trips in (2**63 - 1, -1, 0):
            loop = helper.make_node("Loop", ["trips", "go", "x"], ["y"], name="culprit", body=body)
            self.refused(graph_of([loop], initializers=[constant("trips", np.int64(trips)),
                                                        constant("go", np.bool_(True))]), UNSUPPORTED, "culprit")

    def test_branches_that_do_not_fit(self):
        then = helper.make_graph([relu("x", "r")], "then", [], [floats("r", [4])])
        empty = helper.make_graph([], "none", [], [])
        node = helper.make_node("If", ["c"], ["y"], name="culprit", then_branch=empty, else_branch=then)
        self.refused(graph_of([node], initializers=[constant("c", np.bool_(True))]), BAD, "culprit")
        shadow = helper.make_graph([relu("x", "x"), relu("x", "r")], "shadow", [], [floats("r", [4])])
        node = helper.make_node("If", ["c"], ["y"], name="culprit", then_branch=shadow, else_branch=then)
        self.refused(graph_of([node], initializers=[constant("c", np.bool_(True))]), BAD, "culprit")

    def test_unknown_operators_and_attributes(self):
        self.refused(one_node("Frobnicate", [[1]]), UNSUPPORTED, "Frobnicate", "culprit")
        self.refused(one_node("Relu", [[1]], domain="some.where"), UNSUPPORTED, "some.where")
        self.refused(one_node("Scatter", [[2], np.zeros(1, np.int64), [1]], opset=17), (BAD, UNSUPPORTED), "culprit")
        conv = [[1, 1, 4, 4], np.ones((1, 1, 3, 3), np.float32)]
        self.refused(one_node("Conv", conv, strides="two"), BAD, "strides")
        self.refused(one_node("Conv", conv, strides=1.5), BAD, "strides")
        self.refused(one_node("Conv", conv, no_such=1), BAD, "no_such")
        self.refused(one_node("Cast", [[1]]), BAD, "to", "culprit")
        made = one_node("LeakyRelu", [[1]], alpha=0.5)
        made.graph.node[0].attribute.append(helper.make_attribute("alpha", 0.25))
        self.refused(made, BAD, "alpha")
        made = one_node("LeakyRelu", [[1]], alpha=0.5)
        made.graph.node[0].attribute[0].ref_attr_name = "outside"
        self.refused(made, BAD, "alpha")


if __name__ == "__main__":
    unittest.main()
