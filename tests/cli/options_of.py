"""The table of a command's options, as its --help shows it. BRAID_CLI names the binary."""
import os
import re
import subprocess

BRAID = os.environ["BRAID_CLI"]
LABEL = re.compile(r"^ {2}(?:(-\w), | {4})(--[\w-]+)(?: (\S.*?))?(?: {2,}(\S.*))?$")


class Option:
    """An entry: `  -f, --dim NAME=SIZE...  Bind symbolic dimensions; needs --x or --y; also --z`."""

    def __init__(self, letter, name, type, text):
        self.long = name
        self.text = text
        self.is_list = bool(type) and type.endswith("...")
        self.type = (type or "").removesuffix("...")
        also = re.search(r"; also (--[^;]*)$", text)
        self.names = [name] + ([letter] if letter else []) + (also[1].split(", ") if also else [])
        self.needs = next((found.split(" or ") for found in re.findall(r"; needs ([^;]*)", text)), [])
        self.excludes = re.findall(r"; not with ([^;]*)", text)
        self.writes = self.type in ("FILE", "[FILE]") and bool(
            re.search(r"\b([Ww]rite|The page|The ONNX file to|The file to)\b", text)) and name != "--resume"


def help_of(command):
    return subprocess.run([BRAID, command, "--help"], capture_output=True, text=True, check=True).stdout


def options_of(command):
    entries = []
    for line in help_of(command).split("\nExamples:\n")[0].splitlines():
        if found := LABEL.match(line):
            entries.append([found[1], found[2], found[3], found[4] or ""])
        elif entries and line.startswith(" " * 30):
            entries[-1][3] = f"{entries[-1][3]} {line.strip()}".strip()
    return [Option(*entry) for entry in entries if entry[1] != "--help"]
