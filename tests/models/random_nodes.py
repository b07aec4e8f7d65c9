"""The nodes that random models are grown of: a function per family, which draws one node, and a table of weights."""
import numpy as np
from onnx import TensorProto, helper

import random_movement as move
from random_movement import axes_of, axis_of, ints, of_rank, ranked

F = np.float32


# Elementwise

SMOOTH = ["Abs", "Neg", "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "Erf", "Sin", "Cos", "Atan", "HardSwish",
          "HardSigmoid", "LeakyRelu", "Elu", "Selu", "Celu", "Exp", "Mish", "ThresholdedRelu", "Identity", "Asinh"]


def unary(model):
    op = model.choose(SMOOTH)
    value = model.find(lambda v: op not in ("ThresholdedRelu",) or v.exact)
    attributes = {}
    if op in ("LeakyRelu", "Elu", "ThresholdedRelu", "Celu") and model.chance(0.7):
        attributes["alpha"] = model.choose([0.1, 0.5, 1.0, 1.5])
    if value:
        model.add(op, [value], exact=op in ("Abs", "Neg", "Relu", "Identity"), **attributes)


def positive(model):
    op = model.choose(["Log", "Sqrt", "Reciprocal"])
    value = model.find(lambda v: v.array.size and v.array.min() > 0.1)
    if value:
        model.add(op, [value])


def stepwise(model):
    """An operator for which a last bit makes a whole difference: only on what is exact."""
    op = model.choose(["Floor", "Ceil", "Round", "Sign", "IsNaN", "IsInf", "Hardmax"])
    value = model.find(lambda v: v.exact and (v.array.ndim > 0 or op != "Hardmax"))
    if value:
        model.add(op, [value], exact=True)


def gelu(model):
    value = model.find()
    if value and model.opset >= 20:
        model.add("Gelu", [value], approximate=model.choose(["none", "tanh"]))


def partner(model, value):
    """Something whose shape broadcasts with the value's, of the same type."""
    shape = list(value.array.shape)
    fitting = model.find(lambda v: v.array.dtype == value.array.dtype and broadcasts(v.array.shape, shape),
                         value.array.dtype.kind)
    if fitting and model.chance(0.6):
        return fitting
    drop = model.integer(0, len(shape))
    shape = [1 if model.chance(0.3) else d for d in shape[drop:]]
    if model.chance(0.1):
        shape = [model.integer(1, 3)] + [1] * (value.array.ndim - len(shape)) + shape
    return model.constant(model.elements(shape, value.array.dtype), shared=model.chance(0.4))


def broadcasts(a, b):
    return all(x == y or x == 1 or y == 1 for x, y in zip(reversed(a), reversed(b)))


def binary(model):
    a = model.find(kinds="f" if model.chance(0.8) else "iu")
    if a is None:
        return
    b = partner(model, a)
    op = model.choose(["Add", "Sub", "Mul", "Add", "Mul", "Max", "Min", "Div"])
    if op == "Div" and (not b.array.size or np.abs(b.array).min() < 0.2):
        op = "Add"
    if model.chance(0.4):
        a, b = (b, a) if op != "Div" else (a, b)
    model.add(op, [a, b], exact=op in ("Max", "Min"))


def power(model):
    value = model.find(lambda v: v.array.size and v.array.min() > 0.1)
    if value:
        model.add("Pow", [value, model.constant(np.array(model.choose([2, 0.5, -1, 3]), value.array.dtype))])


def remainder(model):
    value = model.find(kinds="iu")
    if value:
        by = model.constant(np.array(model.choose([2, 3, 5]), value.array.dtype))
        model.add(model.choose(["Mod", "Div"]), [value, by])


def slope(model):
    value = model.find(ranked)
    if value:
        shape = [1 if model.chance(0.5) else d for d in value.array.shape[1:]]
        model.add("PRelu", [value, model.constant(model.elements(shape, value.array.dtype))])


def compare(model):
    a = model.find(lambda v: v.exact, "fi")
    if a is None:
        return
    b = partner(model, a)
    if b.exact:
        model.add(model.choose(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"]), [a, b])


def logic(model):
    a = model.find(kinds="b")
    if a is None:
        return
    op = model.choose(["And", "Or", "Xor", "Not"])
    model.add(op, [a] if op == "Not" else [a, partner(model, a)])


def bits(model):
    a = model.find(kinds="iu")
    if a and model.opset >= 18:
        op = model.choose(["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"])
        model.add(op, [a] if op == "BitwiseNot" else [a, partner(model, a)])


def where(model):
    a = model.find(kinds="fib")
    if a is None:
        return
    b = partner(model, a)
    condition = model.find(lambda v: broadcasts(v.array.shape, a.array.shape), "b")
    if condition is None:
        condition = model.constant(model.elements(a.array.shape, bool))
    model.add("Where", [condition, a, b], exact=True)


def clip(model):
    value = model.find(kinds="fi")
    if value:
        low, high = (model.constant(np.array(x, value.array.dtype)) if model.chance(0.7) else None for x in (-1, 1))
        model.add("Clip", [value, low, high], exact=True)


def cast(model):
    value = model.find(lambda v: v.exact, "fiub") if model.chance(0.5) else model.find()
    if value is None:
        return
    if value.exact:
        to = model.choose(["FLOAT", "DOUBLE", "INT64", "INT32", "INT8", "UINT8", "BOOL"])
    else:
        to = model.choose(["FLOAT", "DOUBLE"])
    if to == "UINT8" and value.array.size and value.array.min() <= -1:
        to = "INT32"
    model.add("Cast", [value], exact=True, to=getattr(TensorProto, to))


def variadic(model):
    a = model.find()
    if a:
        op = model.choose(["Sum", "Mean", "Max", "Min"])
        model.add(op, [a] + [partner(model, a) for _ in range(model.integer(0, 2))], exact=op in ("Max", "Min"))


# Windows

def window(model, size, dilated=True):
    """Where a window goes. ONNX Runtime ignores dilations when it pads pools to the same size."""
    attributes, spatial = {}, len(size)
    if model.chance(0.5):
        attributes["strides"] = [model.integer(1, 2) for _ in range(spatial)]
    if dilated and model.chance(0.3):
        attributes["dilations"] = [model.integer(1, 2) for _ in range(spatial)]
    if model.chance(0.2):
        same = [] if "dilations" in attributes else ["SAME_UPPER", "SAME_LOWER"]
        attributes["auto_pad"] = model.choose([*same, "VALID"])
    elif model.chance(0.6):
        attributes["pads"] = [model.integer(0, max(k - 1, 0)) for k in size * 2]
    return attributes


def window_fits(value, size, attributes):
    """Braid refuses windows that are larger than the padded input; ONNX Runtime gives a shape of its own making."""
    if value.array.size == 0:
        return False  # ONNX Runtime never comes back from a Conv without channels.
    if attributes.get("auto_pad", "").startswith("SAME"):
        return True
    spatial = value.array.shape[2:]
    pads = attributes.get("pads", [0] * 2 * len(size))
    dilations = attributes.get("dilations", [1] * len(size))
    return all((k - 1) * d + 1 <= n + p + q for k, d, n, p, q in
               zip(size, dilations, spatial, pads, pads[len(size):]))


def conv(model):
    value = model.find(of_rank(3, 4, 5))
    if value is None:
        return
    channels, spatial = value.array.shape[1], value.array.ndim - 2
    group = model.choose([g for g in (1, 1, 1, 2, 4, channels) if g and channels % g == 0])
    out = group * model.integer(1, 4 if group > 2 else 8)
    size = [model.integer(1, 3) for _ in range(spatial)]
    weight = model.operand((out, channels // group, *size), value.array.dtype)
    arguments = [value, weight]
    if model.chance(0.5):
        arguments.append(model.operand((out,), value.array.dtype))
    attributes = window(model, size)
    if not window_fits(value, size, attributes):
        return
    made = model.add("Conv", arguments, group=group, **attributes)
    if made and model.chance(0.6):
        follow_conv(model, made[0])


def follow_conv(model, value):
    """What stands after convolutions: normalisation, activation, a residual."""
    if model.chance(0.5):
        normalised = batch_norm_on(model, value)
        value = normalised[0] if normalised else value
    if model.chance(0.4):
        other = model.find(lambda v: v.array.shape == value.array.shape and v.array.dtype == value.array.dtype)
        added = model.add("Add", [value, other] if model.chance(0.5) else [other, value])
        value = added[0] if added else value
    if model.chance(0.6):
        model.add(model.choose(["Relu", "Sigmoid", "HardSwish", "LeakyRelu", "Tanh"]), [value])


def conv_transpose(model):
    value = model.find(of_rank(3, 4))
    if value is None:
        return
    channels, spatial = value.array.shape[1], value.array.ndim - 2
    group = model.choose([g for g in (1, 1, 2, channels) if g and channels % g == 0])
    size = [model.integer(1, 3) for _ in range(spatial)]
    per_group = model.integer(1, 3)
    arguments = [value, model.operand((channels, per_group, *size), value.array.dtype)]
    if model.chance(0.5):
        arguments.append(model.operand((per_group * group,), value.array.dtype))
    attributes = {}
    if model.chance(0.5):
        attributes["strides"] = [model.integer(1, 3) for _ in range(spatial)]
        if model.chance(0.4):
            attributes["output_padding"] = [model.integer(0, s - 1) for s in attributes["strides"]]
    if model.chance(0.4):
        attributes["pads"] = [model.integer(0, max(k - 1, 0)) for k in size * 2]
    model.add("ConvTranspose", arguments, group=group, **attributes)


def pool(model):
    value = model.find(of_rank(3, 4, 5))
    if value is None:
        return
    spatial = value.array.ndim - 2
    op = model.choose(["MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool"])
    if op.startswith("Global"):
        model.add(op, [value], exact=op == "GlobalMaxPool")
        return
    size = [model.integer(1, 3) for _ in range(spatial)]
    attributes = window(model, size, op == "MaxPool" or (op == "AveragePool" and model.opset >= 19))
    if "pads" not in attributes and "auto_pad" not in attributes and op != "LpPool" and model.chance(0.5):
        attributes["ceil_mode"] = 1
    if op == "AveragePool" and model.chance(0.5):
        attributes["count_include_pad"] = 1
    if window_fits(value, size, attributes):
        model.add(op, [value], exact=op == "MaxPool", kernel_shape=size, **attributes)


# Normalisation

def batch_norm_on(model, value):
    channels = value.array.shape[1]
    parts = [model.constant(model.elements((channels,), value.array.dtype)) for _ in range(3)]
    variance = model.constant(model.random.uniform(0.3, 2, channels).astype(value.array.dtype))
    return model.add("BatchNormalization", [value, *parts, variance],
                     **({"epsilon": model.choose([1e-3, 0.1])} if model.chance(0.4) else {}))


def norm(model):
    value = model.find(of_rank(2, 3, 4))
    if value is None:
        return
    op = model.choose(["BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization", "LRN",
                       "LpNormalization", "MeanVarianceNormalization"])
    shape, dtype = value.array.shape, value.array.dtype
    if op == "BatchNormalization":
        batch_norm_on(model, value)
    elif op == "InstanceNormalization" and len(shape) > 2:
        model.add(op, [value, *(model.operand((shape[1],), dtype) for _ in range(2))], epsilon=0.01)
    elif op == "LayerNormalization":
        axis = axis_of(model, len(shape))
        rest = shape[axis:]
        arguments = [value, model.operand(rest, dtype)]
        if model.chance(0.6):
            arguments.append(model.operand(rest, dtype))
        model.add(op, arguments, axis=axis, epsilon=0.01)
    elif op == "GroupNormalization" and model.opset >= 21 and len(shape) > 2:
        groups = model.choose([g for g in (1, 2, shape[1]) if g and shape[1] % g == 0])
        model.add(op, [value, *(model.operand((shape[1],), dtype) for _ in range(2))], num_groups=groups, epsilon=0.01)
    elif op == "LRN" and len(shape) == 4:
        model.add(op, [value], size=model.choose([1, 3, 5]))
    elif op == "LpNormalization" and np.abs(value.array).min(initial=1) > 0.1:
        model.add(op, [value], axis=axis_of(model, len(shape)), p=model.choose([1, 2]))


def softmax(model):
    value = model.find(ranked)
    if value:
        model.add(model.choose(["Softmax", "Softmax", "LogSoftmax"]), [value], axis=axis_of(model, value.array.ndim))


# Products

def matmul(model):
    a = model.find(ranked, "f" if model.chance(0.85) else "i")
    if a is None:
        return
    inner = a.array.shape[-1]
    batch = a.array.shape[:-2] if model.chance(0.4) else ()
    if batch and model.chance(0.3):
        batch = tuple(1 if model.chance(0.5) else d for d in batch)
    shape = (*batch, inner, model.integer(1, 8)) if batch or model.chance(0.9) else (inner,)
    made = model.add("MatMul", [a, model.operand(shape, a.array.dtype)])
    if made and model.chance(0.5) and made[0].array.ndim:
        bias = model.constant(model.elements(made[0].array.shape[-1:], a.array.dtype))
        made = model.add("Add", [made[0], bias] if model.chance(0.5) else [bias, made[0]])
        if made and model.chance(0.5):
            model.add(model.choose(["Relu", "Tanh", "Sigmoid"]), [made[0]])


def gemm(model):
    # If there is nothing to sum up, ONNX Runtime forgets beta.
    a = model.find(lambda v: v.array.ndim == 2 and v.array.size)
    if a is None:
        return
    attributes = {k: 1 for k in ("transA", "transB") if model.chance(0.4)}
    rows, inner = a.array.shape[::-1] if "transA" in attributes else a.array.shape
    out = model.integer(1, 8)
    arguments = [a, model.operand((out, inner) if "transB" in attributes else (inner, out), a.array.dtype)]
    if model.chance(0.7):
        arguments.append(model.operand(model.choose([(out,), (1, out), (rows, out), (rows, 1), ()]), a.array.dtype))
    for name in ("alpha", "beta"):
        if model.chance(0.3):
            attributes[name] = model.choose([0.5, 2.0, -1.0])
    model.add("Gemm", arguments, **attributes)


def einsum(model):
    a = model.find(of_rank(2, 3))
    if a is None:
        return
    shape = a.array.shape
    equation, other = model.choose([
        ("bij,bjk->bik", (shape[0], shape[-1], 3)), ("bij,bkj->bik", (shape[0], 4, shape[-1])), ("bij->bji", None),
        ("bij->b", None), ("bij,j->bi", (shape[-1],)),
    ] if len(shape) == 3 else [
        ("ij,jk->ik", (shape[1], 3)), ("ij->ji", None), ("ij,ij->i", shape), ("ij->", None), ("ij,k->ijk", (2,)),
        ("ij,kj", (3, shape[1])),
    ])
    model.add("Einsum", [a] + ([model.operand(other, a.array.dtype)] if other else []), equation=equation)


# Reductions

def reduce(model):
    # ONNX Runtime keeps reduced axes of length 0.
    value = model.find(lambda v: v.array.size, "f" if model.chance(0.85) else "i")
    if value is None:
        return
    op = model.choose(["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSumExp"])
    if op == "LogSumExp" and value.array.dtype.kind == "i":
        op = "SumSquare"
    axes = axes_of(model, value.array.ndim)
    attributes = {"keepdims": model.integer(0, 1)}
    arguments = [value]
    if op == "Sum" or model.opset >= 18:
        if axes or model.chance(0.5):
            arguments.append(model.constant(ints(*axes)))
        if model.chance(0.3):
            attributes["noop_with_empty_axes"] = 1
    elif axes:
        attributes["axes"] = axes
    model.add("Reduce" + op, arguments, exact=op in ("Max", "Min"), **attributes)


def arg(model):
    value = model.find(lambda v: v.exact and v.array.ndim and v.array.size, "fi")
    if value:
        model.add(model.choose(["ArgMax", "ArgMin"]), [value], axis=axis_of(model, value.array.ndim),
                  keepdims=model.integer(0, 1), select_last_index=model.integer(0, 1))


def top_k(model):
    value = model.find(lambda v: v.exact and v.array.ndim and v.array.size, "fi")
    if value:
        axis = axis_of(model, value.array.ndim)
        model.add("TopK", [value, model.constant(ints(model.integer(1, value.array.shape[axis])))], outputs=2,
                  exact=True, axis=axis, largest=model.integer(0, 1))


def cumulate(model):
    value = model.find(ranked, "fi")
    if value:
        model.add("CumSum", [value, model.constant(np.array(axis_of(model, value.array.ndim)))],
                  exclusive=model.integer(0, 1), reverse=model.integer(0, 1))


# Sequences and branches

def recurrent(model):
    # Without elements ONNX Runtime ends the process.
    value = model.find(lambda v: v.array.ndim == 3 and v.array.dtype == F and v.array.size)
    if value is None:
        return
    steps, batch, width = value.array.shape
    op, gates = model.choose([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    direction = model.choose(["forward", "reverse", "bidirectional"])
    ways, hidden = 2 if direction == "bidirectional" else 1, model.integer(1, 4)
    arguments = [value, model.operand((ways, gates * hidden, width), F), model.operand((ways, gates * hidden, hidden), F)]
    if model.chance(0.5):
        arguments.append(model.operand((ways, 2 * gates * hidden), F))
        if model.chance(0.5):
            lengths = model.random.integers(1, steps + 1, batch).astype(np.int32)
            arguments.append(model.constant(lengths))
    attributes = {"linear_before_reset": 1} if op == "GRU" and model.chance(0.5) else {}
    model.add(op, arguments, outputs=2, hidden_size=hidden, direction=direction, **attributes)


def branch(model):
    """An If whose condition is a constant; the branches read values from outside."""
    value = model.find()
    if value is None:
        return
    graphs = []
    for op in ("Relu", "Neg"):
        name = model.fresh("b")
        made = helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.array.dtype), None)
        graphs.append(helper.make_graph([helper.make_node(op, [value.name], [name])], "branch", [], [made]))
    taken = model.chance(0.5)
    condition = model.constant(np.array(taken))
    node = helper.make_node("If", [condition.name], [model.fresh("v")], then_branch=graphs[0], else_branch=graphs[1])
    made = type(value)(node.output[0], np.maximum(value.array, 0) if taken else -value.array, value.exact, value.live)
    model.nodes.append((node, [made]))
    model.values.append(made)


TABLE = [
    (unary, 8), (positive, 2), (stepwise, 2), (gelu, 1), (binary, 10), (power, 1), (remainder, 1), (slope, 1),
    (compare, 2), (logic, 2), (bits, 1), (where, 2), (clip, 2), (cast, 3), (variadic, 2), (conv, 7),
    (conv_transpose, 2), (pool, 4), (norm, 5), (softmax, 2), (matmul, 6), (gemm, 3), (einsum, 1), (reduce, 5),
    (arg, 1), (top_k, 1), (cumulate, 1), (move.reshape, 5), (move.rearrange, 6), (move.slice_, 3), (move.split, 3),
    (move.concat, 5), (move.gather, 3), (move.scatter, 2), (move.repeat, 2), (move.pad, 2), (move.blocks, 1),
    (move.resize, 2), (move.triangle, 1), (move.one_hot, 1), (move.shape_of, 1), (move.filled, 1), (move.drop, 1),
    (recurrent, 1), (branch, 1),
]
WEIGHTS = np.array([weight for _, weight in TABLE], float)
WEIGHTS /= WEIGHTS.sum()
