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
}

OPSETS = {"torchscript": [11, 17, 23], "dynamo": [18, 23, 26]}

# Any network of these, as LIBRARY:NAME or LIBRARY:NAME@SIZE.
LIBRARIES = ["timm", "vision"]
USUAL_SIZE = 224


def is_of_library(name):
    return name.split(":")[0] in LIBRARIES and len(name.split(":")) == 2


def builder_of(name):
    """The builder in networks.py and its arguments."""
    if not is_of_library(name):
        return NETWORKS[name]
    library, network = name.split(":")
    network, _, size = network.partition("@")
    return library, network, int(size or USUAL_SIZE)


def file_stem(name):
    return name.split(":")[-1].replace("@", "-").replace("_", "-")
