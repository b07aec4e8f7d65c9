"""./run builds all that `cmake --install` installs, as README promises."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

installed = set(re.findall(r"install\(TARGETS (\w+)", (ROOT / "cmake/BraidInstall.cmake").read_text()))
built = set(re.search(r"^targets=\(([\w ]+)\)", (ROOT / "run").read_text(), re.M)[1].split())
if not installed or installed - built:
    sys.exit(f"./run builds {sorted(built)}, but what is installed is {sorted(installed)}")
print("./run builds what is installed")
