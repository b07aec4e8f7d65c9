"""No two headers or sources define a type of the same name in the same namespace: a linker would take either, without a word."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNNAMED = re.compile(r"^namespace \{.*?^\}  // namespace\n", re.M | re.S)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
DEFINITION = re.compile(r"^(?:struct|class|enum class) (\w+)(?: :[^;{]*)? \{", re.M)


def definitions():
    """The files that define each type, by its name with its namespace."""
    found = collections.defaultdict(set)
    for top in ("src", "cli", "include"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                text = UNNAMED.sub("", path.read_text())
                for space in NAMESPACE.findall(text)[:1]:
                    for name in DEFINITION.findall(text):
                        found[f"{space}::{name}"].add(str(path.relative_to(ROOT)))
    return found


def main():
    twice = {name: files for name, files in definitions().items() if len(files) > 1}
    for name, files in twice.items():
        print(f"{name} is defined in {' and in '.join(sorted(files))}")
    if not twice:
        print("every type is defined once")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
