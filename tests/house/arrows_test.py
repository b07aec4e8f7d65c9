"""What folders include, what they declare (DEPENDS, TEST_DEPENDS) and what docs/architecture.md draws are the same."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Headers of the public face that have a source, and where it is.
PUBLIC = {"error.h": "base", "tensor.h": "tensor", "session.h": "pipeline"}
INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<braid/([^>]+)>)', re.M)


@functools.cache
def devices():
    """Their names, as the top CMakeLists.txt finds them."""
    return sorted(file.parent.name for file in ROOT.glob("src/device/*/CMakeLists.txt"))


def folders():
    """Module by folder, in the order of the top CMakeLists.txt: src/device/cpu is device_cpu."""
    listed = re.search(r"set\(BRAID_FOLDERS([^)]*)\)", (ROOT / "CMakeLists.txt").read_text())
    names = listed[1].replace("${device_folders}", " ".join(f"src/device/{name}" for name in devices())).split()
    return {folder: folder.removeprefix("src/").replace("/", "_") for folder in names}


def module_of(path, modules):
    """The module of a file, as a path from the root; None if it is in no module."""
    kernel = re.fullmatch(r"src/ops/\w+_(\w+)\.(cpp|h)", path)
    if kernel and kernel[1] in devices():
        return f"device_{kernel[1]}"  # compiled there
    folder = pathlib.PurePath(path).parent
    while str(folder) not in modules and folder.parts:
        folder = folder.parent
    return modules.get(str(folder))


def is_test(file):
    return file.parent.name == "testing" or file.stem.endswith("_test")


def declared(folder):
    """DEPENDS and TEST_DEPENDS of a folder."""
    text = re.sub(r"#.*", "", (ROOT / folder / "CMakeLists.txt").read_text())
    if "braid_module(" not in text:
        return re.findall(r"\bbraid::(\w+)", text), []
    text = text.replace("${devices}", " ".join(f"device_{name}" for name in devices()))
    words = re.search(r"braid_module\(([^)]*)\)", text)[1].split()
    lists, keyword = {}, ""
    for word in words:
        if re.fullmatch(r"[A-Z_]+", word):
            keyword = word
        else:
            lists.setdefault(keyword, []).append(word)
    return lists.get("DEPENDS", []), lists.get("TEST_DEPENDS", [])


def included(modules):
    """What the sources and what the tests of each module include: module -> module -> a file that does."""
    uses = {m: {} for m in modules.values()}
    test_uses = {m: {} for m in modules.values()}
    for top in ("src", "cli"):
        for file in sorted((ROOT / top).rglob("*")):
            if file.suffix not in (".cpp", ".h"):
                continue
            path = str(file.relative_to(ROOT))
            user = module_of(path, modules)
            for inner, public in INCLUDE.findall(file.read_text()):
                at_root = inner.startswith("cli/")
                used = PUBLIC.get(public) or module_of(inner if at_root else f"src/{inner}", modules)
                if used and used != user:
                    (test_uses if is_test(file) else uses)[user].setdefault(used, path)
    return uses, test_uses


def faults():
    modules = folders()
    order = list(modules.values())
    uses, test_uses = included(modules)
    drawn = re.search(r"## Arrows\n.*?```\n(.*?)```", (ROOT / "docs/architecture.md").read_text(), re.S)[1]
    truth = ""
    for folder, module in modules.items():
        depends, test_depends = declared(folder)
        for used, path in uses[module].items():
            if used not in depends:
                yield f"{path} includes {used}; {module} does not have it in DEPENDS"
        for used, path in test_uses[module].items():
            if used not in depends + test_depends:
                yield f"{path} includes {used}; {module} has it neither in DEPENDS nor in TEST_DEPENDS"
        for used in depends:
            if used not in uses[module]:
                yield f"{module} has {used} in DEPENDS; only tests include it, or nothing does"
            # So there is no cycle.
            if used not in order[: order.index(module)]:
                yield f"{module} uses {used}, which does not stand before it in the top CMakeLists.txt"
        for used in test_depends:
            if used not in test_uses[module] or used in depends:
                yield f"{module} has {used} in TEST_DEPENDS; no test includes it, or it is in DEPENDS, too"
        truth += f"{module:11} {' '.join(m for m in order if m in depends)}".rstrip() + "\n"
    if drawn != truth:
        yield f"the arrows of docs/architecture.md should be:\n{truth}"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "includes, DEPENDS and docs/architecture.md agree")
    sys.exit(bool(found))
