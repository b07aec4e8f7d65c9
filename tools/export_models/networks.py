"""The networks that are exported, with random weights."""
import dataclasses

import timm
import torch
import torchvision
import transformers

from export_models.matrix import builder_of
from export_models.tasks import TASKS


@dataclasses.dataclass
class Network:
    module: torch.nn.Module
    draw_inputs: callable  # batch -> {name: tensor}, of torch's random numbers
    outputs: list


def image_network(module, size):
    return Network(module, lambda batch: {"image": torch.randn(batch, 3, size, size)}, ["scores"])


class Segments(torch.nn.Module):
    """A network of torchvision that labels pixels: of its outputs by name, the labels."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return self.model(image)["out"]


def vision(name, size=224, options={}):
    if name in torchvision.models.list_models(torchvision.models.segmentation):
        model = torchvision.models.get_model(name, weights=None, weights_backbone=None, **options)
        return image_network(Segments(model), size)
    return image_network(torchvision.models.get_model(name, weights=None, **options), size)


class Text(torch.nn.Module):
    """A network of transformers that takes its inputs by place and returns the named outputs as a tuple."""

    def __init__(self, model, inputs, outputs):
        super().__init__()
        self.model, self.inputs, self.outputs = model, inputs, outputs

    def forward(self, *tensors):
        result = self.model(**dict(zip(self.inputs, tensors)), return_dict=True)
        return tuple(result[name] for name in self.outputs)


def text_network(model, length, outputs, inputs=("input_ids", "attention_mask")):
    def draw_inputs(batch):
        shape = (batch, length)
        drawn = {
            "input_ids": torch.randint(model.config.vocab_size, shape),
            "attention_mask": (torch.rand(shape) < 0.9).long(),
            "token_type_ids": torch.randint(2, shape),
        }
        # A causal row must see something.
        drawn["attention_mask"][:, 0] = 1
        return {name: drawn[name] for name in inputs}

    return Network(Text(model, inputs, outputs), draw_inputs, list(outputs))


def bert(length):
    model = transformers.BertModel(transformers.BertConfig())
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    return text_network(model, length, ["last_hidden_state", "pooler_output"], inputs)


def gpt2(length):
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False))
    return text_network(model, length, ["logits"])


def t5_encoder(length):
    # The dynamo exporter fails on T5's fused attention.
    config = transformers.T5Config(attn_implementation="eager")
    model = transformers.T5EncoderModel(config)
    return text_network(model, length, ["last_hidden_state"])


def task_network(name):
    kind, read, shape = TASKS[name]
    return Network(kind(), lambda batch: {read: torch.randn(batch, *shape)}, ["found"])


# What networks of transformers read: its usual size, and how to draw it for a batch.
USUAL_SIZES = {"pixel_values": 224, "input_ids": 64, "input_values": 16000, "input_features": 3000}
DRAW = {
    "pixel_values": lambda config, batch, size: torch.randn(batch, 3, size, size),
    "input_ids": lambda config, batch, size: torch.randint(config.vocab_size, (batch, size)),
    "input_values": lambda config, batch, size: torch.randn(batch, size),
    "input_features": lambda config, batch, size: torch.randn(batch, config.num_mel_bins, size),
}


def of_transformers(kind, numbers, size):
    """The network without a head; its first output."""
    config = transformers.AutoConfig.for_model(kind, **numbers)
    if hasattr(config, "use_cache"):
        config.use_cache = False
    model = transformers.AutoModel.from_config(config).eval()
    if model.config.is_encoder_decoder and hasattr(model, "encoder"):
        model = model.encoder
    name = model.main_input_name
    size = size or USUAL_SIZES[name]

    def draw_inputs(batch):
        return {name: DRAW[name](config, batch, size)}

    with torch.no_grad():
        result = model(**draw_inputs(1), return_dict=True)
    output = next(key for key, value in result.items() if isinstance(value, torch.Tensor))
    return Network(Text(model, [name], [output]), draw_inputs, [output])


def build(name):
    kind, *arguments = builder_of(name)
    return BUILDERS[kind](*arguments)


BUILDERS = {
    "vision": vision,
    "timm": lambda name, size: image_network(timm.create_model(name, pretrained=False), size),
    "transformers": of_transformers,
    "task": task_network,
    "bert": bert,
    "gpt2": gpt2,
    "t5-encoder": t5_encoder,
}
