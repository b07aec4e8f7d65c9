"""The models of the comparison: the zoo, exports of PyTorch networks, and any ONNX file; with inputs for each."""
import dataclasses
import json
import pathlib
import subprocess

import numpy as np
import onnx

EXPORTS = ["mobilenet-v3", "densenet-121", "efficientnet-b0", "vit-b-16", "gpt2"]
EXPORTER, OPSET = "torchscript", 17
# What open dimensions become.
SEQUENCE = 64


@dataclasses.dataclass
class Model:
    name: str
    file: pathlib.Path
    inputs_file: pathlib.Path
    symbols: dict  # sizes of the open dimensions, by name


def zoo_names(braid):
    listed = subprocess.run([braid, "zoo", "--json"], check=True, capture_output=True).stdout
    return [row["name"] for row in json.loads(listed)["models"]]


def write_zoo(braid, name, file):
    part = file.with_name(f"{file.stem}.part.onnx")
    subprocess.run([braid, "zoo", name, "-o", part, "-q", "--force"], check=True)
    part.rename(file)


def write_exports(root, names, folder):
    subprocess.run([root / "tools" / "export-models", folder, "--models", ",".join(names),
                    "--exporters", EXPORTER, "--opsets", str(OPSET)], check=True)


def random_array(name, element, shape, generator):
    dtype = onnx.helper.tensor_dtype_to_np_dtype(element)
    if np.issubdtype(dtype, np.floating):
        return generator.uniform(-1, 1, shape).astype(dtype)
    # Token ids take any small number; masks and kinds only 0 and 1.
    most = 100 if "ids" in name and "type" not in name else 2
    return np.ones(shape, dtype) if "mask" in name else generator.integers(0, most, shape).astype(dtype)


def bound_shape(value, symbols):
    """The first dimension of an input, if open, is the batch of one; others are positions in a sequence."""
    shape = []
    for at, dim in enumerate(value.type.tensor_type.shape.dim):
        size = dim.dim_value if dim.HasField("dim_value") else 1 if at == 0 else SEQUENCE
        if dim.dim_param:
            size = symbols.setdefault(dim.dim_param, size)
        shape.append(size)
    return shape


def with_inputs(name, file, folder):
    graph = onnx.load(file, load_external_data=False).graph
    constants = {initializer.name for initializer in graph.initializer}
    generator = np.random.default_rng(0)
    symbols, inputs = {}, {}
    for value in graph.input:
        if value.name not in constants:
            shape = bound_shape(value, symbols)
            inputs[value.name] = random_array(value.name, value.type.tensor_type.elem_type, shape, generator)
    inputs_file = folder / f"{name}.inputs.npz"
    np.savez(inputs_file, **inputs)
    return Model(name, file, inputs_file, symbols)


def find(names, braid, root, folder):
    """The models of these names, written on first use and kept in `folder`; a name may be a file."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: folder / f"{name}.onnx" for name in zoo_names(braid)}
    files.update({name: folder / f"{name}-{EXPORTER}-{OPSET}.onnx" for name in EXPORTS})
    for name in names:
        if name not in files and not pathlib.Path(name).is_file():
            raise SystemExit(f"peers: no model or file '{name}'; there are: {', '.join(files)}")
    missing = [name for name in names if name in files and not files[name].exists()]
    for name in missing:
        if name not in EXPORTS:
            write_zoo(braid, name, files[name])
    exports = [name for name in missing if name in EXPORTS]
    if exports:
        write_exports(root, exports, folder)
    chosen = [(pathlib.Path(name).stem, pathlib.Path(name)) if name not in files else (name, files[name])
              for name in names]
    return [with_inputs(name, file, folder) for name, file in chosen]
