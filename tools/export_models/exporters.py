"""PyTorch's two exporters, each with an open batch dimension."""
import contextlib
import inspect
import logging
import os
import sys
import warnings

import onnx
import torch

# The exporters take a dimension of one to be fixed.
EXAMPLE_BATCH = 2


def export_with(network, inputs, opset, path, **how):
    torch.onnx.export(
        network.module,
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=network.outputs,
        opset_version=opset,
        **how,
    )


def export_torchscript(network, inputs, opset, path):
    axes = {name: {0: "batch"} for name in [*inputs, *network.outputs]}
    export_with(network, inputs, opset, path, dynamic_axes=axes, dynamo=False)


def export_dynamo(network, inputs, opset, path):
    batch = torch.export.Dim("batch", min=1, max=64)
    shapes = tuple({0: batch} for _ in inputs)
    parameters = inspect.signature(network.module.forward).parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        shapes = (shapes,)  # *tensors is one argument
    export_with(network, inputs, opset, path, dynamic_shapes=shapes, dynamo=True, verbose=False)


EXPORT = {"torchscript": export_torchscript, "dynamo": export_dynamo}


@contextlib.contextmanager
def silence():
    """Drops what is printed, from C++ too: the TorchScript exporter prints whole graphs."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def export(exporter, network, opset, path):
    """Writes the file and returns its number of nodes, or raises."""
    warnings.simplefilter("ignore")
    logging.disable()
    with silence():
        EXPORT[exporter](network, network.draw_inputs(EXAMPLE_BATCH), opset, path)
    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(path, load_external_data=False)
    written = {entry.domain: entry.version for entry in model.opset_import}[""]
    if written != opset:
        raise ValueError(f"the file has opset {written}")
    return len(model.graph.node)
