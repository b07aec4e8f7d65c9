"""cuDNN's answers in the words of src/sim, and the files that keep them."""
import json

from ask_cudnn.backend import Failure

FORMAT, VERSION = "braid-cudnn-answers", 1

TILE_SIZE = 2  # the kind of knob

# Of the engines below knob TILE_SIZE counts so: the tiles that cuDNN accepts together with each way to handle edges are those
# of which libcudnn_engines_precompiled has kernels, scudnn_128x{128,64,32}_relu_{small,medium,large}_nn.
TILES = ("conv_128x128", "conv_128x64", "conv_128x32")
TILED = (30, 34, 42)
# scudnn_128x{64,32}_sliced1x{2,4}_nhwc: more threads to a tile, channels last.
SLICED = (31,)
# implicit_convolve_sgemm and precomputed_convolve_sgemm; their smaller tiles are 32 pixels by 32 channels.
IMPLICIT = (0, 1, 28)
SMALL_TILES = (3, 4)
WINOGRAD = (12,)


def size(dims):
    product = 4
    for dim in dims:
        product *= dim
    return product


def layout_changes(conv, workspace):
    """Which of input (x), weights (w) and output (y) have a copy in other layout in the workspace."""
    sizes = {"x": size(conv.image), "w": size(conv.filters), "y": size(conv.output())}
    fitting = [""]
    for letter in sizes:
        fitting += [word + letter for word in fitting]
    fitting = [word for word in fitting if sum(sizes[letter] for letter in word) <= workspace]
    return max(fitting, key=lambda word: (sum(sizes[letter] for letter in word), word))


def word(conv, config, tensor_core):
    """The kernels of an answer: a family of src/sim, then "+" and the tensors whose layout it changes. "" if unknown."""
    tile = config.knobs.get(TILE_SIZE, -1)
    family, changes = "", ""
    if tensor_core in config.notes:
        # Split sums lie in the workspace too; the copies come first.
        family, changes = "tf32", layout_changes(conv, config.workspace)
    elif config.engine in WINOGRAD:
        family = "winograd_in_steps"
    elif config.engine in IMPLICIT and (tile in SMALL_TILES or config.engine == 0):
        family = "conv_32x32"
    elif config.engine in TILED and 0 <= tile < len(TILES):
        family = TILES[tile]
    elif config.engine in SLICED and 1 <= tile < len(TILES):
        family, changes = TILES[tile] + "_sliced", layout_changes(conv, config.workspace)
    return f"{family}+{changes}" if changes else family


def answer(heuristics, conv):
    """The kernels that cuDNN offers, best first, each once, as far as we know them."""
    try:
        configs = heuristics.configs(conv)
    except Failure:
        return []
    tensor_core = heuristics.cudnn.NUMERICAL_NOTE_TENSOR_CORE
    words = (word(conv, config, tensor_core) for config in configs)
    return list(dict.fromkeys(filter(None, words)))


def joined(numbers, mark):
    return mark.join(map(str, numbers))


def key(conv):
    """The convolution as src/sim/conv_answers.h writes it."""
    return (
        f"{joined(conv.image, 'x')} {joined(conv.filters, 'x')} pads={joined(conv.pads, ',')} "
        f"strides={joined(conv.strides, ',')} dilations={joined(conv.dilations, ',')}"
    )


def load(path, version):
    """What is known already; nothing if another cuDNN said it."""
    if not path.exists():
        return {}
    known = json.loads(path.read_text())
    return known["convolutions"] if known["cudnn"] == version else {}


def save(path, gpu, version, answers):
    facts = {"format": FORMAT, "version": VERSION, "gpu": gpu, "cudnn": version}
    head = json.dumps(facts, indent=2)[:-2]
    rows = ",\n".join(f'    {json.dumps(k)}: {json.dumps(answers[k])}' for k in sorted(answers))
    path.write_text(f'{head},\n  "convolutions": {{\n{rows}\n  }}\n}}\n')
