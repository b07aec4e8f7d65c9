"""Weights that tell: a network fresh from its constructor gives nearly the same output for every
input, and has zeros and ones where a mistake would not show."""
import math

import torch

# Inputs whose statistics are taken.
CALIBRATION_BATCH = 8
# Two inputs' outputs differ by more than this part of the largest output.
LEAST_REACTION = 0.1
# Added to what batch normalisations give. Where half of a Relu's inputs are negative, each layer
# multiplies rounding errors by 1.2, and deep networks drown in them.
BIAS = 0.5


def disturb_constants(module):
    """Draws matrices of zeros anew; adds noise to vectors whose elements are all alike."""
    for name, parameter in module.named_parameters():
        if name.endswith("layer_scale"):
            torch.nn.init.ones_(parameter)
        if parameter.unique().numel() > 1:
            continue
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=1 / math.sqrt(parameter.shape[1]))
        else:
            parameter += 0.1 * torch.randn_like(parameter)


def standardise(layer, _, output):
    """Makes what a convolution or linear layer gives have mean 0 and variance 1 in each channel."""
    channel = output.dim() - 1 if isinstance(layer, torch.nn.Linear) else 1
    others = [axis for axis in range(output.dim()) if axis != channel]
    mean, deviation = output.mean(others, keepdim=True), output.std(others, keepdim=True)
    layer.weight /= deviation.view([-1] + [1] * (layer.weight.dim() - 1))
    if layer.bias is None:
        return output / deviation
    layer.bias.copy_((layer.bias - mean.flatten()) / deviation.flatten())
    return (output - mean) / deviation


def calibrate(module, inputs):
    """Takes the statistics of a batch, into batch normalisations and the linear layers that follow
    them, or else into convolutions."""
    norms = [part for part in module.modules() if isinstance(part, torch.nn.BatchNorm2d)]
    kind = torch.nn.Linear if norms else (torch.nn.Conv2d, torch.nn.Conv1d)
    layers = [part for part in module.modules() if isinstance(part, kind)]
    hooks = [layer.register_forward_hook(standardise) for layer in layers]
    for norm in norms:
        norm.bias += BIAS
        norm.momentum = 1.0
        norm.train()
    module(*inputs.values())
    module.eval()
    for hook in hooks:
        hook.remove()


def reaction(network):
    """How far two inputs' outputs are apart, as a part of the largest: the least of all outputs."""

    def run():
        result = network.module(*network.draw_inputs(1).values())
        return result if isinstance(result, tuple) else (result,)

    return min(
        float((first - second).abs().max() / first.abs().max()) for first, second in zip(run(), run())
    )


@torch.no_grad()
def make_telling(network):
    """Returns how far two inputs' outputs are apart, as a part of the largest."""
    module = network.module.eval()
    disturb_constants(module)
    calibrate(module, network.draw_inputs(CALIBRATION_BATCH))
    return reaction(network)
