"""Fits the constants of kernel families to rows whose kernel is known by name and grid."""

import numpy as np

# The rows fill the device, so they say little about an SM with one block. An SM has four schedulers, and one or two warps of
# unrolled code keep one busy: six warps are taken unless others fit clearly better.
SATURATIONS = (6, 4, 5, 7, 8)
REFILLS = (0, 0.5, 1, 2, 3, 4, 6, 8)
GAIN = 2e-3
LEAST_ROWS = 12
# No kernel is faster than the peak.
EFFICIENCIES = np.geomspace(0.15, 1.0, 39)
# What a bias costs beside the mean error, once it is larger than that: what is wrong in one direction adds up in a network.
BIAS = 1.0
LITTLE_BIAS = 0.012


def relative(prediction, latency):
    return (prediction - latency) / latency


def loss_of(wrong):
    return np.abs(wrong).mean() + BIAS * max(0.0, abs(wrong.mean()) - LITTLE_BIAS)


class Sample:
    """Rows of one family: what the model says of them with certain constants, and what was measured."""

    def __init__(self, rows, gpu, name, where):
        self.predict = lambda family: rows.us(gpu, family, name, where=where)
        self.latency = rows.latency[where]

    def wrong(self, family, overhead_us, rows):
        return relative(self.predict(family)[rows] + overhead_us, self.latency[rows])


def best_efficiency(family, sample, train, overhead_us):
    """(loss, efficiency) of the least loss, the other constants given."""
    grid = EFFICIENCIES
    best = (np.inf, family["efficiency"])
    for _ in range(2):
        for efficiency in grid:
            trial = dict(family, efficiency=float(efficiency))
            best = min(best, (loss_of(sample.wrong(trial, overhead_us, train)), float(efficiency)))
        grid = np.minimum(1.0, np.linspace(best[1] * 0.97, best[1] * 1.03, 13))
    return best


def fit_family(family, sample, train, overhead_us, memory_only):
    """Efficiency, saturation and refill by search over a grid; the overhead of the measurement is given."""
    best = (np.inf, family)
    for refill in REFILLS:
        for saturation in (family["saturation_warps"],) if memory_only else SATURATIONS:
            trial = dict(family, refill_us=refill, saturation_warps=saturation)
            loss, efficiency = best_efficiency(trial, sample, train, overhead_us)
            if loss < best[0] - GAIN:
                best = (loss, dict(trial, efficiency=round(efficiency, 3)))
    return best[1]


def fit_file(data, gpu, measured, operator, rows, names, memory_only, report, shared_overhead=True):
    """Fits all families of a file and returns, for each of its rows, the overhead of the measurement: what the framework adds.
    It is the same for all families of a file, unless each has its own: what a framework does around a convolution depends on
    how that is run."""
    floor_us = data.floor_us(operator, measured["data"])
    chosen = {}
    for name in names:
        where = rows.names == name
        if where.sum() >= LEAST_ROWS:
            split = data.split(int(where.sum()), f"{operator}.{measured['data']}.{name}")
            chosen[name] = (Sample(rows, gpu, name, where), *split)

    def total(overhead_us, of):
        return sum(best_efficiency(gpu.families[_of(name)], chosen[name][0], chosen[name][1], overhead_us)[0]
                   * chosen[name][1].sum() for name in of)

    overheads_us = {}
    for group in [list(chosen)] if shared_overhead else [[name] for name in chosen]:
        trials = np.linspace(0, (0.8 if shared_overhead else 4) * floor_us, 8 if shared_overhead else 25)
        best = min(trials, key=lambda overhead_us: total(overhead_us, group))
        overheads_us.update({name: float(best) for name in group})
    usual_us = float(np.mean(list(overheads_us.values()))) if overheads_us else 0.0
    for name, (sample, train, held_out) in chosen.items():
        family = fit_family(gpu.families[_of(name)], sample, train, overheads_us[name], memory_only(name))
        wrong = sample.wrong(family, overheads_us[name], held_out)
        report.family(gpu, measured, operator, name, family, wrong, overheads_us[name])
        for part in _parts(name):
            gpu.families[part].update({key: family[key] for key in ("efficiency", "saturation_warps", "refill_us")},
                                      error=round(float(np.abs(wrong).mean()), 3), fitted_on=measured["data"])
    return np.array([overheads_us.get(name, usual_us) for name in rows.names])


def _parts(name):
    """Winograd in steps has three transforms, which are fitted as one."""
    return ("winograd_input", "winograd_filter", "winograd_output") if name == "winograd_in_steps" else (name,)


def _of(name):
    return _parts(name)[0]


def fit_bandwidth(data, gpu, measured):
    """What copies reach of the peak on paper."""
    ratios = []
    for operator in ("add", "mul", "relu"):
        rows = data.rows(operator, measured["data"])
        if not rows:
            continue
        train, _ = data.split(len(rows), f"{operator}.{measured['data']}")
        moved = (8.0 if operator == "relu" else 12.0) * np.array([float(r["B"]) * float(r["H"]) for r in rows])
        latency = np.array([float(r["Latency"]) for r in rows]) * 1e3
        left = np.stack([moved / gpu.paper_bytes_per_us, np.ones(len(rows))], 1) / latency[:, None]
        ratios.append(1 / np.linalg.lstsq(left[train], np.ones(train.sum()), rcond=None)[0][0])
    if ratios:
        gpu.spec["dram_efficiency"] = round(float(np.mean(ratios)), 3)
