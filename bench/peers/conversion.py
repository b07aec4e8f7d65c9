"""ONNX files in the forms of runtimes that read no ONNX: MNN's, and ncnn's by way of pnnx. Both get fixed shapes."""
import importlib.util
import pathlib
import subprocess
import sys

import numpy as np
import onnx

LONGEST_S = 600
SHAPE_TYPES = {"float32": "f32", "int64": "i64", "int32": "i32"}


class ConversionError(Exception):
    pass


def last_words(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no message"


def convert(command, made, folder):
    """Runs a converter that makes the files `made`; the exit code of some says nothing."""
    try:
        done = subprocess.run(list(map(str, command)), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=LONGEST_S)
    except subprocess.TimeoutExpired as error:
        raise ConversionError(f"it does not convert within {LONGEST_S} s") from error
    if done.returncode != 0 or not all(file.exists() for file in made):
        raise ConversionError(f"it does not convert: {last_words(done.stdout)}")


def with_fixed_shapes(model, folder):
    """The model's file if all of its inputs have sizes; or else one in which they have those of the inputs."""
    loaded = onnx.load(model.file, load_external_data=False)
    inputs, is_open = np.load(model.inputs_file), False
    for value in loaded.graph.input:
        dims = value.type.tensor_type.shape.dim
        if value.name in inputs and any(not dim.HasField("dim_value") for dim in dims):
            is_open = True
            for dim, size in zip(dims, inputs[value.name].shape):
                dim.dim_value = size
    if not is_open:
        return model.file
    loaded = onnx.load(model.file)
    for value in loaded.graph.input:
        if value.name in inputs:
            for dim, size in zip(value.type.tensor_type.shape.dim, inputs[value.name].shape):
                dim.dim_value = size
    # What the file says of other values may still hold names.
    del loaded.graph.value_info[:]
    file = folder / "fixed.onnx"
    onnx.save(loaded, file)
    return file


def input_names(file, inputs):
    graph = onnx.load(file, load_external_data=False).graph
    return [value.name for value in graph.input if value.name in inputs], [value.name for value in graph.output]


def to_mnn(model, folder):
    file = folder / "model.mnn"
    convert([pathlib.Path(sys.executable).with_name("mnnconvert"), "-f", "ONNX", "--modelFile",
             with_fixed_shapes(model, folder).resolve(), "--MNNModel", file, "--bizCode", "none"], [file], folder)
    inputs, outputs = input_names(model.file, np.load(model.inputs_file))
    return {"model": str(file), "inputs": inputs, "outputs": outputs}


def pnnx():
    """Its program; the module around it would import PyTorch."""
    return pathlib.Path(importlib.util.find_spec("pnnx").submodule_search_locations[0]) / "pnnx"


def to_ncnn(model, folder):
    inputs = np.load(model.inputs_file)
    names, _ = input_names(model.file, inputs)
    shapes = []
    for name in names:
        if str(inputs[name].dtype) not in SHAPE_TYPES:
            raise ConversionError(f"it takes no {inputs[name].dtype}, as the input '{name}' has")
        shapes.append(str(list(inputs[name].shape)).replace(" ", "") + SHAPE_TYPES[str(inputs[name].dtype)])
    source = folder / "model.onnx"
    source.symlink_to(with_fixed_shapes(model, folder).resolve())
    made = [folder / "model.ncnn.param", folder / "model.ncnn.bin", folder / "model_ncnn.py"]
    convert([pnnx(), source, "fp16=0", "inputshape=" + ",".join(shapes)], made, folder)
    return {"model": str(made[0]), "weights": str(made[1]), "example": str(made[2]), "inputs": names}


CONVERTERS = {"mnn": to_mnn, "ncnn": to_ncnn}


def converted(name, model, folder):
    """What the peer of that name needs to load the model; raises ConversionError with the reason."""
    folder.mkdir()
    return CONVERTERS[name](model, folder)
