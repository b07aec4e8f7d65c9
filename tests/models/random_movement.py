"""Nodes that move elements, choose some or make new ones, and what all draws share."""
import numpy as np
from onnx import TensorProto, helper


def ints(*numbers):
    return np.array(numbers, np.int64)


def axes_of(model, rank, least=0):
    count = model.integer(least, rank)
    axes = [int(a) for a in model.random.permutation(rank)[:count]]
    return [a - rank if model.chance(0.3) else a for a in axes]


def axis_of(model, rank):
    return model.integer(-rank, rank - 1)


def of_rank(*ranks):
    return lambda value: value.array.ndim in ranks


def ranked(value):
    return value.array.ndim > 0


def factors(model, count):
    """A shape with this many elements."""
    shape = []
    while count > 1 and len(shape) < 4:
        divisors = [d for d in range(2, count + 1) if count % d == 0]
        shape.append(model.choose(divisors))
        count //= shape[-1]
    shape += [count] if count > 1 else []
    for _ in range(model.integer(0, 1)):
        shape.insert(model.integer(0, len(shape)), 1)
    return shape


def reshape(model):
    value = model.find(lambda v: v.array.size, "fiub")
    if value is None:
        return
    target = factors(model, value.array.size)
    if target and model.chance(0.4):
        target[model.integer(0, len(target) - 1)] = -1
    if model.chance(0.25) and len(target):
        # As exporters write it: pieces of a shape, joined.
        shape = model.add("Shape", [value])
        if shape and shape[0].array.size:
            zero = model.add("Gather", [shape[0], model.constant(ints(0))])
            if zero:
                joined = model.add("Concat", [zero[0], model.constant(ints(-1))], axis=0)
                if joined:
                    model.add("Reshape", [value, joined[0]], exact=True)
        return
    model.add("Reshape", [value, model.constant(ints(*target))], exact=True)


def rearrange(model):
    value = model.find(ranked, "fiub")
    if value is None:
        return
    rank = value.array.ndim
    op = model.choose(["Transpose", "Flatten", "Squeeze", "Unsqueeze", "Transpose"])
    if op == "Transpose":
        perm = [int(p) for p in model.random.permutation(rank)]
        model.add(op, [value], exact=True, **({"perm": perm} if model.chance(0.9) else {}))
    elif op == "Flatten":
        model.add(op, [value], exact=True, axis=model.integer(-rank, rank))
    elif op == "Squeeze":
        ones = [a for a in range(rank) if value.array.shape[a] == 1]
        model.add(op, [value] + ([model.constant(ints(*ones[:1]))] if ones and model.chance(0.7) else []), exact=True)
    else:
        model.add(op, [value, model.constant(ints(model.integer(-rank - 1, rank)))], exact=True)


def slice_(model):
    value = model.find(ranked, "fiub")
    if value is None:
        return
    axes = axes_of(model, value.array.ndim, 1)
    starts, ends, steps = [], [], []
    for axis in axes:
        size = value.array.shape[axis]
        step = model.choose([1, 1, 1, 2, -1, -2])
        low, high = sorted((model.integer(0, size), model.integer(0, size)))
        low, high = (low, min(high + 1, size)) if low == high else (low, high)
        starts.append(high - 1 if step < 0 else low - size if model.chance(0.3) else low)
        ends.append((low - 1 if low > 0 else -2**31) if step < 0 else model.choose([high, 2**31]) if high == size else high)
        steps.append(step)
    arguments = [value, *(model.constant(ints(*row)) for row in (starts, ends, axes))]
    if any(step != 1 for step in steps):
        arguments.append(model.constant(ints(*steps)))
    model.add("Slice", arguments, exact=True)


def split(model):
    value = model.find(lambda v: v.array.ndim and max(v.array.shape) > 1, "fi")
    if value is None:
        return
    axis = int(np.argmax(value.array.shape))
    first = model.integer(1, value.array.shape[axis] - 1)
    sizes = [first, value.array.shape[axis] - first]
    made = model.add("Split", [value, model.constant(ints(*sizes))], outputs=2, exact=True, axis=axis)
    if made and model.chance(0.3):
        model.add("Concat", made, exact=True, axis=axis)


def concat(model):
    a = model.find(ranked, "fib")
    if a is None:
        return
    axis = axis_of(model, a.array.ndim)
    at = axis % a.array.ndim

    def fits(value):
        other = value.array.shape
        return (value.array.dtype == a.array.dtype and len(other) == a.array.ndim and
                all(x == y for i, (x, y) in enumerate(zip(other, a.array.shape)) if i != at))
    parts = [model.find(fits, a.array.dtype.kind) for _ in range(model.integer(1, 3))]
    if model.chance(0.3):
        shape = list(a.array.shape)
        shape[at] = model.integer(1, 3)
        parts.append(model.constant(model.elements(shape, a.array.dtype)))
    model.add("Concat", parts, exact=True, axis=axis)


def indices_below(model, size, shape):
    numbers = model.random.integers(-size, size, shape)
    return numbers.astype(model.choose([np.int64, np.int32]))


def gather(model):
    value = model.find(lambda v: v.array.ndim and v.array.size, "fiub")
    if value is None:
        return
    axis = axis_of(model, value.array.ndim)
    size = value.array.shape[axis]
    if model.chance(0.5):
        shape = model.shape(model.integer(0, 2))
        model.add("Gather", [value, model.constant(indices_below(model, size, shape))], exact=True, axis=axis)
    elif model.chance(0.5):
        shape = [model.integer(1, d) for d in value.array.shape]
        model.add("GatherElements", [value, model.constant(indices_below(model, size, shape))], exact=True, axis=axis)
    else:
        depth = model.integer(1, value.array.ndim)
        rows = np.stack([model.random.integers(-d, d, 3) for d in value.array.shape[:depth]], -1)
        model.add("GatherND", [value, model.constant(rows.astype(np.int64))], exact=True)


def scatter(model):
    value = model.find(lambda v: v.array.ndim and v.array.size, "fi")
    if value is None:
        return
    shape, dtype = value.array.shape, value.array.dtype
    if model.chance(0.5):
        row = model.constant(ints(model.integer(-shape[0], shape[0] - 1)).reshape(1, 1))
        model.add("ScatterND", [value, row, model.operand((1, *shape[1:]), dtype)], exact=True)
    else:
        axis = axis_of(model, len(shape))
        part = [1 if i == axis % len(shape) else model.integer(1, d) for i, d in enumerate(shape)]
        where_to = model.constant(indices_below(model, shape[axis], part))
        model.add("ScatterElements", [value, where_to, model.operand(part, dtype)], exact=True, axis=axis)


def repeat(model):
    value = model.find(kinds="fib")
    if value is None:
        return
    shape = value.array.shape
    if model.chance(0.5):
        model.add("Tile", [value, model.constant(ints(*(model.integer(1, 2) for _ in shape)))], exact=True)
    else:
        target = [model.integer(1, 3) if d == 1 else model.choose([d, 1]) for d in shape]
        if model.chance(0.3):
            target.insert(0, 2)
        model.add("Expand", [value, model.constant(ints(*target))], exact=True)


def pad(model):
    value = model.find(ranked, "fi")
    if value is None:
        return
    mode = model.choose(["constant", "constant", "edge", "reflect"])
    rank = value.array.ndim
    pads = [model.integer(0, min(2, d - 1 if mode == "reflect" else 2)) for d in value.array.shape * 2]
    if mode == "constant" and model.chance(0.3):
        pads[model.integer(0, 2 * rank - 1)] = -1 if min(value.array.shape) > 1 else 0
    arguments = [value, model.constant(ints(*pads))]
    if mode == "constant" and model.chance(0.5):
        arguments.append(model.constant(np.array(3, value.array.dtype)))
    model.add("Pad", arguments, exact=True, mode=mode)


def blocks(model):
    value = model.find(of_rank(4))
    if value is None:
        return
    n, c, h, w = value.array.shape
    if c % 4 == 0 and model.chance(0.5):
        model.add("DepthToSpace", [value], exact=True, blocksize=2, mode=model.choose(["DCR", "CRD"]))
    elif h % 2 == 0 and w % 2 == 0:
        model.add("SpaceToDepth", [value], exact=True, blocksize=2)


def resize(model):
    value = model.find(lambda v: v.array.ndim in (3, 4) and v.array.size)
    if value is None:
        return
    spatial = value.array.shape[2:]
    mode = model.choose(["nearest", "linear", "cubic"] if value.array.ndim == 4 else ["nearest", "linear"])
    transform = model.choose(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    attributes = {"mode": mode, "coordinate_transformation_mode": transform}
    if mode == "nearest":
        # Elsewhere a last bit of a coordinate decides which neighbour is nearest.
        attributes.update(coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    sizes = [d * model.choose([1, 2]) for d in spatial] if mode == "nearest" else [model.integer(1, 2 * d) for d in spatial]
    if model.chance(0.5):
        arguments = [value, None, None, model.constant(ints(*value.array.shape[:2], *sizes))]
    else:
        # Where a size is no whole number, ONNX Runtime aligns the corners of the rounded one, ONNX of the other.
        choice = [2.0] if mode == "nearest" else [1.0, 2.0] if transform == "align_corners" else [0.5, 1.0, 1.5, 2.0]
        scales = [1.0, 1.0] + [model.choose(choice) for _ in spatial]
        arguments = [value, None, model.constant(np.array(scales, np.float32))]
    model.add("Resize", arguments, exact=mode == "nearest", **attributes)


def triangle(model):
    value = model.find(lambda v: v.array.ndim >= 2, "fi")
    if value:
        model.add("Trilu", [value, model.constant(np.array(model.integer(-2, 2)))], exact=True, upper=model.integer(0, 1))


def one_hot(model):
    value = model.find(lambda v: v.array.ndim < 3, "i")
    if value:
        model.add("OneHot", [value, model.constant(np.array(5)), model.constant(np.array([0, 1], np.float32))], exact=True)


def shape_of(model):
    value = model.find(kinds="fib")
    if value is None:
        return
    made = model.add(model.choose(["Shape", "Size"]), [value])
    if made and model.chance(0.5):
        model.add("Cast", made, exact=True, to=TensorProto.FLOAT)


def filled(model):
    made = model.add("ConstantOfShape", [model.constant(ints(*model.shape(2)))], exact=True,
                     value=helper.make_tensor("v", TensorProto.FLOAT, [1], [0.5]))
    if made:
        made[0].live = False


def drop(model):
    value = model.find()
    if value:
        model.add("Dropout", [value], exact=True)
