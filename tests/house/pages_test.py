"""What pages and headings name is there: the benchmarks of ./run bench-tool, the files of how-to pages, and where rules are defined."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def benchmarks():
    return {folder.name for folder in (ROOT / "bench").iterdir()
            if folder.name != "shared" and list(folder.glob("*.cpp"))}


def faults_of_benchmarks():
    done = subprocess.run([ROOT / "run", "bench-tool", "none-of-these"], capture_output=True, text=True, timeout=60)
    offered = set(done.stderr.strip().rpartition(": ")[2].split())
    if done.returncode != 2 or offered != benchmarks():
        yield f"./run bench-tool offers {sorted(offered)}; there are {sorted(benchmarks())}"
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text()
        for name in re.findall(r"run bench-tool (\w+)", text):
            if name != "NAME" and name not in benchmarks():
                yield f"{page.name} names the benchmark {name}, which is not there"
        if "--target bench_" in text or "build/release/bench/bench_" in text:
            yield f"{page.name} names a benchmark that ./run does not build; say ./run bench-tool NAME"


def faults_of_paths():
    for page in sorted((ROOT / "docs").glob("adding-*.md")):
        for path in re.findall(r"`((?:src|cli|tests|docs|bench|include)/[\w/.-]+\.\w+)`", page.read_text()):
            if not (ROOT / path).exists():
                yield f"{page.name} names {path}, which is not there"


def faults_of_rules():
    folder = ROOT / "src" / "rewrite" / "rules"
    file = None
    for line in (folder / "rules.h").read_text().splitlines():
        heading = re.fullmatch(r"// .*\((\w+\.cpp)\)\.", line)
        declared = re.fullmatch(r"SearchedRule (\w+)\(\);", line)
        if heading:
            file = folder / heading[1]
        elif declared and not (file and file.exists() and re.search(rf"^SearchedRule {declared[1]}\(\) {{", file.read_text(), re.M)):
            yield f"rules.h has {declared[1]} under {file.name if file else 'no file'}, which does not define it"
        elif line == "":
            file = None


def main():
    wrong = [*faults_of_benchmarks(), *faults_of_paths(), *faults_of_rules()]
    print("\n".join(wrong) or "all that the pages name is there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
