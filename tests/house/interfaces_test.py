"""docs/architecture.md counts the virtual interfaces, and names all that there are: classes with pure virtual functions."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = "no one two three four five six seven eight nine ten eleven twelve".split()
CLASS = re.compile(r"^(?:class|struct) (\w+)[^;{]*\{\n(.*?)^\};", re.M | re.S)


def interfaces():
    found = set()
    for path in sorted((ROOT / "src").rglob("*.h")):
        for name, body in CLASS.findall(path.read_text()):
            if re.search(r"^ *virtual\b[^;]*= 0;", body, re.M):
                found.add(name)
    return found


def main():
    page = (ROOT / "docs" / "architecture.md").read_text()
    count, text = re.search(r"There are (\w+) virtual interfaces(.*?)The rest is data", page, re.S).groups()
    told = set(re.findall(r"`(\w+)`", text))
    there = interfaces()
    wrong = [f"{name} is an interface, and the page leaves it out" for name in sorted(there - told)]
    wrong += [f"the page names {name}, which is none" for name in sorted(told - there)]
    if count not in COUNTS or COUNTS.index(count) != len(there):
        wrong.append(f"the page counts {count}; there are {len(there)}: {', '.join(sorted(there))}")
    glossary = re.findall(r"^\| (\*[^|]+?) \|", page[page.index("## Words"):], re.M)
    wrong += [f"{word} stands twice in the glossary" for word in sorted(set(glossary)) if glossary.count(word) > 1]
    print("\n".join(wrong) or f"{len(there)} interfaces, as the page says, and each word once")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
