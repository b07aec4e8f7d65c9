"""The convolutions of a model, out of `braid inspect --text`."""
import re
import subprocess

from ask_cudnn.heuristics import Conv

VALUE = re.compile(r"^(\S+): f32\[([\d,]+)\]")
CONV = re.compile(r" = Conv\((\S+?), \S+: f32\[([\d,]+)\]")


def numbers(text):
    return tuple(int(number) for number in text.split(","))


def attribute(line, name, default):
    found = re.search(rf" {name}=\[?([\d,]+)\]?", line)
    return numbers(found.group(1)) if found else default


def conv_of(line, shapes):
    """The convolution of a line; None if it is another operator or not one over images."""
    found = CONV.search(line)
    if found is None:
        return None
    image, filters = shapes.get(found.group(1)), numbers(found.group(2))
    if image is None or len(image) != 4:
        return None
    return Conv(
        image,
        filters,
        attribute(line, "pads", (0, 0, 0, 0)),
        attribute(line, "strides", (1, 1)),
        attribute(line, "dilations", (1, 1)),
        attribute(line, "group", (1,))[0],
    )


def convs_of(braid, model, dims=()):
    """The distinct convolutions of a canonicalised model."""
    binding = [argument for dim in dims for argument in ("--dim", dim)]
    command = [braid, "inspect", model, "--canonicalise", "--text", "--quiet", *binding]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    shapes, found = {}, set()
    for line in text.splitlines():
        value = VALUE.match(line)
        if value:
            shapes[value.group(1)] = numbers(value.group(2))
        conv = conv_of(line, shapes)
        if conv:
            found.add(conv)
    return found


def zoo_names(braid):
    text = subprocess.run([braid, "zoo"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in text.splitlines()[1:] if line]
