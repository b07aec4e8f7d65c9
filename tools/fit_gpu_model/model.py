"""The closed form of a kernel's time, as src/sim/kernel.cpp has it, for many grids at once."""

import numpy as np


def ceil_div(a, b):
    return -(-np.asarray(a, dtype=np.int64) // np.int64(b))


def round_up(amount, unit):
    return -(-amount // unit) * unit


class Gpu:
    """A spec file with the measured device's peaks."""

    def __init__(self, spec, measured):
        self.spec = spec
        self.families = spec["families"]
        self.sms = spec["sms"]
        self.flops_per_us = measured["fp32_tflops"] * 1e6
        self.paper_bytes_per_us = measured["dram_gb_per_s"] * 1e3

    @property
    def bytes_per_us(self):
        return self.paper_bytes_per_us * self.spec["dram_efficiency"]

    @property
    def l2_bytes_per_us(self):
        return self.spec["l2_gb_per_s"] * 1e3

    def occupancy(self, family):
        sm = self.spec["sm"]
        warps = -(-family["threads"] // 32)
        registers = round_up(family["registers"] * 32, sm["register_unit"]) * warps
        shared = round_up(family["shared_bytes"] + sm["shared_bytes_reserved"], sm["shared_unit"])
        fit = min(sm["blocks"], sm["threads"] // (warps * 32), sm["registers"] // registers)
        return max(1, min(fit, sm["shared_bytes"] // shared) if shared else fit)


def memory_us(gpu, family, blocks, moved):
    """A kernel that only moves `moved` bytes in all."""
    busy = np.minimum(blocks, gpu.sms)
    sm_rate = gpu.spec["sm_bandwidth_factor"] * gpu.bytes_per_us / gpu.sms
    slowest = np.maximum(np.maximum(moved / gpu.bytes_per_us, moved / gpu.l2_bytes_per_us), moved / (busy * sm_rate))
    return _waves_us(gpu, family, blocks) + slowest / family["efficiency"]


def compute_us(gpu, family, blocks, flops, moved):
    """A kernel whose blocks do `flops` each and move `moved` bytes in all."""
    resident = gpu.occupancy(family)
    on_one = ceil_div(blocks, gpu.sms)
    rest = on_one % resident
    peak = gpu.flops_per_us / gpu.sms * family["efficiency"]
    warps = -(-family["threads"] // 32)

    def rate(count):
        return peak * np.minimum(1.0, count * warps / family["saturation_warps"]) / flops

    arithmetic = (on_one - rest) / rate(resident) + np.where(rest > 0, rest / rate(np.maximum(rest, 1)), 0)
    memory = np.maximum(moved / gpu.bytes_per_us, moved / gpu.l2_bytes_per_us)
    return _waves_us(gpu, family, blocks) + np.maximum(arithmetic, memory) + (
        1 - gpu.spec["overlap"]) * np.minimum(arithmetic, memory)


def _waves_us(gpu, family, blocks):
    waves = ceil_div(ceil_div(blocks, gpu.sms), gpu.occupancy(family))
    return family["fill_us"] + family["refill_us"] * (waves - 1)
