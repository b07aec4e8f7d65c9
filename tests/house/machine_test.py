"""Nobody asks the processor but one place, src/device/cpu/machine/: what decides a choice is described there (machine.h), so that
tests and BRAID_MACHINE can choose as another machine would."""

import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("src", "cli", "include", "python", "serve", "bench")
# How a program asks for instruction sets, caches, cores and pages.
QUESTIONS = re.compile(r"""
    __builtin_cpu_(?:supports|is|init) | \b__?(?:get_)?cpuid\w* | \b_may_i_use_cpu_feature | \b_?xgetbv | "cpuid
  | _SC_(?:LEVEL\d\w*|NPROCESSORS_\w+ | PAGE_?SIZE) | \bgetpagesize\b | \bgetauxval\b | \bget_nprocs\w*
  | \bhardware_concurrency\b | \bhardware_(?:con|de)structive_interference_size\b | \bomp_get_(?:num_procs|place_num_procs)\b
  | \b(?:sched|pthread)_getaffinity\w* | \bsched_getcpu\b | \bgetcpu\b
  | /proc/cpuinfo | devices/system/(?:cpu|node) | kernel/mm/(?:transparent_)?huge
  | \bdnnl_get_(?:effective_)?cpu_isa | \bget_effective_cpu_isa\b
  """, re.X)
# Files that may, and why.
MAY_ASK = {
    "src/device/cpu/machine/processor.cpp": "the one place",
    "src/device/cpu/machine/cores.cpp": "the one place: cores, and what control groups leave of them",
    "src/device/cpu/onednn/onednn.cpp": "tells for what oneDNN compiles its kernels",
    "src/base/memory.cpp": "how much memory there is, which is what is refused and not what is chosen",
    "cli/peer_contest.cpp": "takes cores from its own process, so that peers have as many",
    "bench/shared/document.cpp": "tells on what a benchmark ran",
}


def questions(root):
    """path -> the lines that ask, as (number, what) ."""
    found = {}
    for top in TOPS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".cpp", ".h", ".cu") or file.stem.endswith("_test"):
                continue
            lines = file.read_text().splitlines()
            asked = [(i, match[0]) for i, line in enumerate(lines, 1) for match in QUESTIONS.finditer(line.split("//")[0])]
            if asked:
                found[str(file.relative_to(root))] = asked
    return found


def faults(root, may_ask):
    found = questions(root)
    for path, asked in found.items():
        if path not in may_ask:
            for line, what in asked:
                yield (f"{path}:{line} asks the processor by '{what}'; read machine() of device/cpu/machine/machine.h, "
                       "or let a DeviceSpec tell it")
    for path in may_ask:
        if path not in found:
            yield f"{path} asks nothing any more; take it out of MAY_ASK in {pathlib.Path(__file__).name}"


PLANTED = ("if (__builtin_cpu_supports(\"avx2\")) return;", "auto size = sysconf(_SC_LEVEL2_CACHE_SIZE);",
           "const int lanes = std::thread::hardware_concurrency();", "std::ifstream info(\"/proc/cpuinfo\");",
           "sched_getaffinity(0, sizeof set, &set);", "std::ifstream(\"/sys/devices/system/cpu/online\");",
           "__get_cpuid(7, &a, &b, &c, &d);", "__cpuidex(info, 4, 0);", "asm volatile(\"cpuid\" : \"=a\"(a));",
           "const long cores = sysconf(_SC_NPROCESSORS_ONLN);")


def self_test():
    """A planted source that asks is found; comments, and sources that do not, are not."""
    with tempfile.TemporaryDirectory() as folder:
        planted = pathlib.Path(folder) / "src" / "ops" / "planted_cpu.cpp"
        planted.parent.mkdir(parents=True)
        for text in PLANTED:
            planted.write_text(f"int x;\n{text}\n")
            if not any(fault.startswith("src/ops/planted_cpu.cpp:2 ") for fault in faults(pathlib.Path(folder), {})):
                yield f"a planted source that asks the processor is not found: {text}"
        planted.write_text("// as sysconf(_SC_LEVEL2_CACHE_SIZE) tells\nauto size = machine().second_level_bytes;\n")
        yield from (f"found where nobody asks: {fault}" for fault in faults(pathlib.Path(folder), {}))


if __name__ == "__main__":
    problems = [*self_test(), *faults(ROOT, MAY_ASK)]
    print("\n".join(problems) or "the processor is asked in one place")
    sys.exit(bool(problems))
