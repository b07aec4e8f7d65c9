"""PyTorch's two exporters, each with an open batch dimension."""
import logging
import warnings

import torch

# The exporters take a dimension of one to be fixed.
EXAMPLE_BATCH = 2


def export_torchscript(network, inputs, opset, path):
    axes = {name: {0: "batch"} for name in [*inputs, *network.outputs]}
    torch.onnx.export(
        network.module,
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=network.outputs,
        opset_version=opset,
        dynamic_axes=axes,
        dynamo=False,
    )


def export_dynamo(network, inputs, opset, path):
    batch = torch.export.Dim("batch", min=1, max=64)
    shapes = tuple({0: batch} for _ in inputs)
    if len(inputs) > 1:  # *tensors is one argument
        shapes = (shapes,)
    torch.onnx.export(
        network.module,
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=network.outputs,
        opset_version=opset,
        dynamic_shapes=shapes,
        dynamo=True,
        verbose=False,
    )


EXPORT = {"torchscript": export_torchscript, "dynamo": export_dynamo}


def export(exporter, network, opset, path):
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    EXPORT[exporter](network, network.draw_inputs(EXAMPLE_BATCH), opset, path)
