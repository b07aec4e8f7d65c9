"""The networks that are exported, with random weights."""
import dataclasses

import timm
import torch
import torchvision
import transformers

from export_models.matrix import builder_of


@dataclasses.dataclass
class Network:
    module: torch.nn.Module
    draw_inputs: callable  # batch -> {name: tensor}, of torch's random numbers
    outputs: list


def image_network(module, size):
    return Network(module, lambda batch: {"image": torch.randn(batch, 3, size, size)}, ["scores"])


def vision(name, size=224, options={}):
    return image_network(torchvision.models.get_model(name, weights=None, **options), size)


class Text(torch.nn.Module):
    """A transformer that takes its inputs by place and returns the named outputs as a tuple."""

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


def build(name):
    kind, *arguments = builder_of(name)
    return BUILDERS[kind](*arguments)


BUILDERS = {
    "vision": vision,
    "timm": lambda name, size: image_network(timm.create_model(name, pretrained=False), size),
    "bert": bert,
    "gpt2": gpt2,
    "t5-encoder": t5_encoder,
}
