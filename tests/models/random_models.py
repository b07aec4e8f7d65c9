"""Random models that are valid, with what ONNX Runtime makes of them.

A model is grown node by node. Each node is run at once by ONNX Runtime, alone, so its outputs' types and elements are
known when the next one is drawn, and a node that ONNX Runtime does not take, or whose numbers would make every later
comparison meaningless, is left out. A model depends on its seed only.
"""
import dataclasses

import numpy as np
import onnxruntime
from onnx import helper, numpy_helper

from random_nodes import TABLE, WEIGHTS

MOST_ELEMENTS = 4096
MOST_MAGNITUDE = 1e3
SPECIAL_SHARE = 0.01


@dataclasses.dataclass
class Value:
    name: str
    array: np.ndarray
    # Whether every right implementation gives these very bits: only such values may be rounded or compared.
    exact: bool = True
    # Made from an input of the model, so that nothing can fold it.
    live: bool = True


def session_options():
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # As Braid does.
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    return options


OPTIONS = session_options()


def type_of(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def info_of(name, array):
    return helper.make_tensor_value_info(name, type_of(array), array.shape)


def model_of(nodes, inputs, outputs, initializers, opset):
    graph = helper.make_graph(nodes, "random", inputs, outputs, initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 9
    return made


def run_nodes(nodes, arguments, opset):
    """All outputs of the nodes for arguments {name: array}. Raises if ONNX Runtime does not take them."""
    made = model_of(nodes, [info_of(name, array) for name, array in arguments.items()],
                    [helper.make_empty_tensor_value_info(name) for node in nodes for name in node.output], [], opset)
    session = onnxruntime.InferenceSession(made.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"])
    return session.run(None, arguments)


def is_tame(array):
    if array.size > MOST_ELEMENTS or array.dtype == object:
        return False
    if array.dtype.kind != "f":
        return True
    return bool(np.isfinite(array).all() and (np.abs(array) <= MOST_MAGNITUDE).all())


class Model:
    """What has been grown so far. Nodes of table rows (random_nodes.py) are drawn through it."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.opset = int(self.random.choice([17, 18, 20, 21]))
        self.values, self.nodes, self.inputs, self.constants = [], [], [], []
        self.made = 0

    # Draws

    def integer(self, low, high):
        """A whole number from low to high, both included."""
        return int(self.random.integers(low, max(low, high) + 1))

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def choose(self, row):
        return row[self.integer(0, len(row) - 1)]

    def shape(self, rank=None):
        rank = self.integer(0, 4) if rank is None else rank
        return tuple(int(self.random.choice([1, 2, 3, 4, 5, 8, 16 if rank < 4 else 6])) for _ in range(rank))

    def elements(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.random.random(shape) < 0.5
        if dtype.kind == "f":
            low, high = self.choose([(-1, 1), (-2, 2), (0.2, 2)])
            return self.random.uniform(low, high, shape).astype(dtype)
        return self.random.integers(0 if dtype.kind == "u" else -5, 6, shape).astype(dtype)

    def find(self, accept=lambda value: True, kinds="f"):
        """A value of one of these kinds of types ("f" floats, "i" signed, "u" unsigned, "b" truth), or None."""
        fitting = [v for v in self.values if v.array.dtype.kind in kinds and accept(v)]
        if not fitting:
            return None
        # Later values more often, so that graphs grow deep as well as wide.
        at = max(self.integer(0, len(fitting) - 1), self.integer(0, len(fitting) - 1))
        return fitting[at]

    # Growth

    def fresh(self, stem):
        self.made += 1
        return f"{stem}{self.made}"

    def add_input(self, shape, dtype):
        value = Value(self.fresh("x"), np.asarray(self.elements(shape, dtype)))
        self.inputs.append(value)
        self.values.append(value)
        return value

    def constant(self, array, shared=False):
        """An initialiser, or now and then a Constant node. If shared, other nodes may read it too."""
        array = np.asarray(array)
        value = Value(self.fresh("c"), array, live=False)
        if self.chance(0.15):
            self.nodes.append((helper.make_node("Constant", [], [value.name],
                                                value=numpy_helper.from_array(array, value.name)), [value]))
        else:
            self.constants.append(value)
        if shared:
            self.values.append(value)
        return value

    def operand(self, shape, dtype):
        """Something of this type: a value that is there, or a constant."""
        found = self.find(lambda v: v.array.shape == tuple(shape) and v.array.dtype == dtype, np.dtype(dtype).kind)
        if found is not None and self.chance(0.6):
            return found
        return self.constant(self.elements(shape, dtype), shared=self.chance(0.5))

    def add(self, op, arguments, outputs=1, exact=None, **attributes):
        """A node, unless ONNX Runtime refuses it or its numbers run away. Returns its outputs or None.

        `exact` says whether exact arguments give exact results; integers always do."""
        names = [argument.name if argument is not None else "" for argument in arguments]
        node = helper.make_node(op, names, [self.fresh("v") for _ in range(outputs)], **attributes)
        if self.chance(0.7):
            node.name = self.fresh("n")
        given = [argument for argument in arguments if argument is not None]
        try:
            results = run_nodes([node], {value.name: value.array for value in given}, self.opset)
        except Exception:
            return None
        results = [np.asarray(result) for result in results]
        if not all(is_tame(result) for result in results):
            return None
        pure = all(value.exact for value in given)
        live = any(value.live for value in given)
        made = [Value(name, array, pure and (array.dtype.kind != "f" or bool(exact)), live)
                for name, array in zip(node.output, results)]
        self.nodes.append((node, made))
        self.values.extend(made)
        return made

    # The result

    def outputs(self):
        """The values that nothing reads, but for some (dead branches), and some that others read."""
        read = {name for node, _ in self.nodes for name in node.input}
        made = [value for _, values in self.nodes for value in values if value.live]
        unread = [value for value in made if value.name not in read and self.chance(0.85)]
        extra = [value for value in made if value.name in read and self.chance(0.1)]
        return (unread + extra) or made[-1:]


def grow(seed):
    """The model of a seed: 2 to 24 nodes over 1 to 3 inputs."""
    model = Model(seed)
    types = [np.float32] * 6 + [np.float64, np.int64, np.int32, np.bool_]
    for i in range(model.integer(1, 3)):
        rank = model.choose([4, 4, 3, 2, 2, 1, 0, 5]) if i == 0 else None
        model.add_input(model.shape(rank), np.float32 if i == 0 else model.choose(types))
    wanted = model.integer(2, 24)
    for _ in range(4 * wanted):
        if len(model.nodes) >= wanted:
            break
        TABLE[int(model.random.choice(len(TABLE), p=WEIGHTS))][0](model)
    return model


def sprinkle(array, random):
    """NaN, infinities and denormals in some places of a float array."""
    if array.dtype.kind != "f" or array.size == 0:
        return array
    specials = np.array([np.nan, np.inf, -np.inf, 1e-40, -1e-40], array.dtype)
    count = max(1, int(array.size * SPECIAL_SHARE))
    array = array.copy()
    array.reshape(-1)[random.choice(array.size, count, replace=False)] = random.choice(specials, count)
    return array


def serialise(nodes, inputs, outputs, constants, opset):
    """The model as a message. Types of outputs are stated."""
    return model_of([node for node, _ in nodes], [info_of(v.name, v.array) for v in inputs],
                    [info_of(v.name, v.array) for v in outputs],
                    [numpy_helper.from_array(v.array, v.name) for v in constants], opset)


def write_case(folder, nodes, inputs, outputs, constants, opset):
    """Writes a case as ONNX lays out its tests: model.onnx and test_data_set_0/."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(serialise(nodes, inputs, outputs, constants, opset).SerializeToString())
    for stem, values in (("input", inputs), ("output", outputs)):
        for i, value in enumerate(values):
            (data / f"{stem}_{i}.pb").write_bytes(numpy_helper.from_array(value.array, value.name).SerializeToString())
