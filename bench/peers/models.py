"""The models of the comparison: the zoo, exports of PyTorch networks, and any ONNX file; with inputs for each."""
import dataclasses
import json
import pathlib
import subprocess

import numpy as np

EXPORTS = ["mobilenet-v3", "densenet-121", "efficientnet-b0", "vit-b-16", "gpt2"]
EXPORTER, OPSET = "torchscript", 17
# Exports leave their batch open; of texts, any small number is a token and all of them count.
INPUTS_OF_EXPORTS = ["--batch", "1"]
INPUTS_OF_TEXTS = ["--val-range", "input_ids:[0,99]", "--val-range", "attention_mask:[1,1]"]


@dataclasses.dataclass
class Model:
    name: str
    file: pathlib.Path
    inputs_file: pathlib.Path
    symbols: dict  # sizes of the open dimensions, by name
    refused: str = ""  # why Braid cannot make inputs for it: then there is nothing to run


def zoo_names(braid):
    listed = subprocess.run([braid, "zoo", "--json"], check=True, capture_output=True).stdout
    return [row["name"] for row in json.loads(listed)["models"]]


def write_zoo(braid, name, batch, file):
    part = file.with_name(f"{file.stem}.part.onnx")
    subprocess.run([braid, "zoo", name, "--batch", str(batch), "-o", part, "-q", "--force"], check=True)
    part.rename(file)


def write_exports(root, names, folder):
    subprocess.run([root / "tools" / "export-models", folder, "--models", ",".join(names),
                    "--exporters", EXPORTER, "--opsets", str(OPSET)], check=True)


def batch_of(options):
    """What --batch says; models of the zoo are written for it, others leave it open."""
    return options[options.index("--batch") + 1] if "--batch" in options else "1"


def how_inputs_are_made(name, is_zoo, options):
    """What tells `braid run` about the inputs of a model: the user's own words, and what exports need."""
    if is_zoo and "--batch" in options:
        at = options.index("--batch")
        return options[:at] + options[at + 2:]
    if name not in EXPORTS:
        return options
    batch = [] if "--batch" in options else INPUTS_OF_EXPORTS
    return [*batch, *(INPUTS_OF_TEXTS if name == "gpt2" else []), *options]


def symbol_sizes(braid, file, inputs):
    """The sizes that the inputs give the dimensions which the model leaves open, by their names."""
    told = subprocess.run([braid, "inspect", file, "--json", "-q"], check=True, capture_output=True).stdout
    return {dim: size for value in json.loads(told)["inputs"] if value["name"] in inputs
            for dim, size in zip(value["shape"], inputs[value["name"]].shape) if isinstance(dim, str) and dim != "?"}


def with_inputs(name, file, is_zoo, braid, folder, options):
    """Braid makes the inputs, and refuses to if a dimension is open."""
    inputs_file = folder / f"{name}.inputs.npz"
    made = subprocess.run([braid, "run", file, "--scheduler", "sequential", "--save-inputs", inputs_file, "--force",
                           "--quiet", *how_inputs_are_made(name, is_zoo, options)], stderr=subprocess.PIPE, text=True)
    if made.returncode != 0:
        return Model(name, file, inputs_file, {}, refused=made.stderr.strip())
    return Model(name, file, inputs_file, symbol_sizes(braid, file, np.load(inputs_file)))


def find(names, braid, root, folder, options):
    """The models of these names, written on first use and kept in `folder`; a name may be a file. `options` are those of
    `braid run` that tell about inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    zoo, batch = zoo_names(braid), batch_of(options)
    files = {name: folder / (f"{name}.onnx" if batch == "1" else f"{name}-batch-{batch}.onnx") for name in zoo}
    files.update({name: folder / f"{name}-{EXPORTER}-{OPSET}.onnx" for name in EXPORTS})
    for name in names:
        if name not in files and not pathlib.Path(name).is_file():
            raise SystemExit(f"peers: no model or file '{name}'; there are: {', '.join(files)}")
    missing = [name for name in names if name in files and not files[name].exists()]
    for name in missing:
        if name not in EXPORTS:
            write_zoo(braid, name, batch, files[name])
    exports = [name for name in missing if name in EXPORTS]
    if exports:
        write_exports(root, exports, folder)
    chosen = [(pathlib.Path(name).stem, pathlib.Path(name)) if name not in files else (name, files[name])
              for name in names]
    return [with_inputs(name, file, name in zoo and file == files[name], braid, folder, options) for name, file in chosen]
