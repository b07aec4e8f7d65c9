"""What is exported: networks, exporters and opsets. Needs no PyTorch."""

WITHOUT_TRAINING_HEAD = {"aux_logits": False, "init_weights": False}

# Name: builder in networks.py and its arguments.
NETWORKS = {
    "inception-v3": ("vision", "inception_v3", 299, WITHOUT_TRAINING_HEAD),
    "googlenet": ("vision", "googlenet", 224, WITHOUT_TRAINING_HEAD),
    "resnet-50": ("vision", "resnet50"),
    "resnext-50": ("vision", "resnext50_32x4d"),
    "densenet-121": ("vision", "densenet121"),
    "mobilenet-v3": ("vision", "mobilenet_v3_large"),
    "squeezenet": ("vision", "squeezenet1_1"),
    "efficientnet-b0": ("vision", "efficientnet_b0"),
    "convnext-tiny": ("vision", "convnext_tiny"),
    "vit-b-16": ("vision", "vit_b_16"),
    "swin-t": ("vision", "swin_t"),
    "nasnet-large": ("timm", "nasnetalarge", 331),
    "bert": ("bert", 128),
    "gpt2": ("gpt2", 64),
    "t5-encoder": ("t5-encoder", 64),
    "u-net": ("task", "u-net"),
    "enlarger": ("task", "enlarger"),
    "painter": ("task", "painter"),
    "vocoder": ("task", "vocoder"),
    "reader": ("task", "reader"),
    "detector": ("task", "detector"),
}

OPSETS = {"torchscript": [11, 17, 23], "dynamo": [18, 23, 26]}

# Any network of these, as LIBRARY:NAME or LIBRARY:NAME@SIZE, where the size is that of images, or the
# length of texts and sounds. A configuration of transformers takes other numbers than its own, too:
# transformers:llama+hidden_size=512+num_hidden_layers=6@64.
LIBRARIES = ["timm", "vision", "transformers"]
USUAL_SIZE = 224


def is_of_library(name):
    return name.split(":")[0] in LIBRARIES and len(name.split(":")) == 2


def builder_of(name):
    """The builder in networks.py and its arguments."""
    if not is_of_library(name):
        return NETWORKS[name]
    library, network = name.split(":")
    network, _, size = network.partition("@")
    if library != "transformers":
        return library, network, int(size or USUAL_SIZE)
    kind, *options = network.split("+")
    numbers = {key: int(number) for key, _, number in (option.partition("=") for option in options)}
    return library, kind, numbers, int(size) if size else None


def file_stem(name):
    """Of a configuration only its name and size."""
    network, _, size = name.split(":")[-1].partition("@")
    return "-".join([network.split("+")[0], *filter(None, [size])]).replace("_", "-")
