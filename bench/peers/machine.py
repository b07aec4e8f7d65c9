"""The machine that a comparison runs on: its processor, the best instruction set that Braid has kernels for, its caches."""
import pathlib
import platform

INSTRUCTION_SETS = ["baseline", "avx2", "avx512"]
# What the processor must have for each, besides what the one before it needs; as in src/device/cpu/machine/isa.cpp.
NEEDED_FLAGS = {"avx2": {"fma", "avx2"}, "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}}
CPU_FOLDER = pathlib.Path("/sys/devices/system/cpu")


def cpu_facts(file="/proc/cpuinfo"):
    """What the system says of the first core, by name."""
    facts = {}
    with open(file) as lines:
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                break
            facts[name.strip()] = value.strip()
    return facts


def best_instruction_set(flags):
    best = INSTRUCTION_SETS[0]
    for name, needed in NEEDED_FLAGS.items():
        if not needed <= set(flags):
            break
        best = name
    return best


def count_of_list(text):
    """How many numbers a list of the system names: '0-3,8' names five."""
    ranges = [[int(end) for end in part.split("-")] for part in text.strip().split(",")]
    return sum(ends[-1] - ends[0] + 1 for ends in ranges)


def bytes_of(text):
    """Of a size as the system writes it: 48K."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    text = text.strip()
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def data_caches(core, folder=CPU_FOLDER):
    """The caches that hold data of a core, from the nearest on; none where the system does not tell."""
    caches = []
    for index in sorted((folder / f"cpu{core}" / "cache").glob("index*")):
        read = lambda name: (index / name).read_text().strip()
        if read("type") != "Instruction":
            caches.append({"level": int(read("level")), "bytes": bytes_of(read("size")),
                           "cores": count_of_list(read("shared_cpu_list"))})
    return caches


def describe(core):
    facts = cpu_facts()
    return {"processor": facts.get("model name", platform.machine()),
            "instruction_set": best_instruction_set(facts.get("flags", "").split()),
            "caches": data_caches(core)}


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 and size % (1 << 20) == 0 else f"{size >> 10} KiB"


def text(machine):
    caches = [f"L{one['level']} {size_text(one['bytes'])}" + (f" for {one['cores']} cores" if one["cores"] > 1 else "")
              for one in machine["caches"]]
    return ", ".join([machine["processor"], machine["instruction_set"], *caches])
