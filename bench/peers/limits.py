"""Peers that are held to a lower instruction set than the processor has, as stand-ins for an older processor."""
import machine

# The only peer that can be held, the variables that its two halves obey, and how they call the instruction sets.
LIMITED_PEER = "openvino"
LIMIT_VARIABLES = ["ONEDNN_MAX_CPU_ISA", "OV_CPU_MAX_ISA"]
PEER_NAMES = {"baseline": "SSE41", "avx2": "AVX2"}
# What names of the peer's primitives hold if they use more.
TOO_MUCH = {"baseline": ["avx"], "avx2": ["avx512", "amx"]}


def is_limit(isa, best):
    return bool(isa) and machine.INSTRUCTION_SETS.index(isa) < machine.INSTRUCTION_SETS.index(best)


def environment(name, isa):
    """The variables that hold a contender to an instruction set."""
    if name == "braid":
        return {"BRAID_MAX_ISA": isa}
    return {variable: PEER_NAMES[isa] for variable in LIMIT_VARIABLES}


def too_much(primitives, isa):
    """The primitives, by name, that use more than the instruction set."""
    return sorted(name for name in primitives if any(word in name for word in TOO_MUCH[isa]))


def without_unlimited(contenders, isa, best):
    """The contenders that can be compared, and for the others why not."""
    if not is_limit(isa, best):
        return contenders, {}
    reason = f"it cannot be held to {isa} on a processor that has {best}"
    left_out = {name: reason for name in contenders if name not in ("braid", LIMITED_PEER)}
    return [name for name in contenders if name not in left_out], left_out
