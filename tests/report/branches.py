"""A small model that runs on several streams."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ATTACK = "</script><script>document.title='owned';alert(1)</script><img src=x onerror=alert(2)>\u2028\"'`${1}\\"


def branches(path):
    """Four branches of convolutions, one of whose nodes is named by an enemy."""
    random = np.random.default_rng(1)
    nodes, ends, weights = [], [], []
    for branch in range(4):
        before = "x"
        for depth in range(branch + 1):
            weight = f"w_{branch}_{depth}"
            weights.append(numpy_helper.from_array(random.random((8, 8, 3, 3), dtype=np.float32), weight))
            name = ATTACK if (branch, depth) == (1, 0) else f"branch_{branch}/conv_{depth}"
            after = f"v_{branch}_{depth}"
            nodes.append(helper.make_node("Conv", [before, weight], [after], name=name, pads=[1, 1, 1, 1]))
            before = after
        ends.append(before)
    nodes.append(helper.make_node("Concat", ends, ["joined"], name="join", axis=1))
    nodes.append(helper.make_node("Sigmoid", ["joined"], ["y"], name="sigmoid"))
    graph = helper.make_graph(nodes, "branches", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 8, 32, 32])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32, 32, 32])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def grouped(path):
    """A row of convolutions in groups, which GPUs run faster without groups."""
    random = np.random.default_rng(2)
    weights = [numpy_helper.from_array(random.random((32, 2, 3, 3), dtype=np.float32), f"w_{i}") for i in range(3)]
    names = ["x", "v_0", "v_1", "y"]
    nodes = [helper.make_node("Conv", [names[i], f"w_{i}"], [names[i + 1]], name=f"conv_{i}", group=16, pads=[1, 1, 1, 1])
             for i in range(3)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 32, 14, 14]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "grouped", ends[:1], ends[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def save(nodes, shape, path):
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def row(path):
    """An operator that no rule knows anything about."""
    save([helper.make_node("Softmax", ["x"], ["y"])], [64, 64], path)


def wide_names(path):
    """A row of operators whose names are long, and wide in every font."""
    names = ["W" * 40, "M@" * 30, "/model/blocks.11/ATTENTION/QUERY_KEY_VALUE/MatMul", "層" * 40, "%" * 20, "m" * 24, "i" * 60]
    values = ["x", *(f"v{i}" for i in range(len(names) - 1)), "y"]
    save([helper.make_node("Softmax", [values[i]], [values[i + 1]], name=name) for i, name in enumerate(names)], [8, 8], path)
