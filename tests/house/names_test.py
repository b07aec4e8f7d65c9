"""No two headers or sources define a type of the same name in the same namespace: a linker would take either, without a word.

Types and constants of unnamed namespaces differ within a folder, whose sources are compiled together (BRAID_JOIN)."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNNAMED = re.compile(r"^namespace \{.*?^\}  // namespace\n", re.M | re.S)
CONSTANT = re.compile(r"^(?:template <[^\n]*>\n)?constexpr\b[^\n(={]*?\b(k[A-Z]\w+)\b", re.M)
ALONE = re.compile(r"/kernels/|_(?:cpu|cuda|sim)\.cpp$")
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


def joined_folder(path):
    while path.parent != ROOT and not (path / "CMakeLists.txt").exists():
        path = path.parent
    return path


def unnamed_definitions():
    """The sources that define each type or constant in an unnamed namespace, by its name with the folder; tests apart."""
    found = collections.defaultdict(set)
    for top in ("src", "cli"):
        for path in sorted((ROOT / top).rglob("*.cpp")):
            if ALONE.search(str(path)) and not path.name.endswith("_test.cpp"):
                continue
            folder = joined_folder(path.parent).relative_to(ROOT)
            kind = " (tests)" if path.name.endswith("_test.cpp") else ""
            for body in UNNAMED.findall(path.read_text()):
                for name in DEFINITION.findall(body) + CONSTANT.findall(body):
                    found[f"{folder}{kind}: {name}"].add(str(path.relative_to(ROOT)))
    return found


def main():
    twice = {name: files for name, files in (definitions() | unnamed_definitions()).items() if len(files) > 1}
    for name, files in twice.items():
        print(f"{name} is defined in {' and in '.join(sorted(files))}")
    if not twice:
        print("every type is defined once")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
