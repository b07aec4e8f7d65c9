"""Measured float32 kernels, as the data set published with NeuSight has them: a file OPERATOR.GPU.csv.gz each."""

import csv
import gzip

import numpy as np

# What was measured, the spec that it stands for, and where the two differ.
MEASURED = [
    {"data": "v100-pcie", "spec": "v100", "fp32_tflops": 14.13, "dram_gb_per_s": 898},
    {"data": "a100-pcie", "spec": "a100", "fp32_tflops": 19.5, "dram_gb_per_s": 1555},
    {"data": "a100-80g-pcie", "spec": "a100", "fp32_tflops": 19.5, "dram_gb_per_s": 1935},
    {"data": "t4", "spec": "t4", "fp32_tflops": 8.1, "dram_gb_per_s": 320},
]


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


class Data:
    """The files of a folder, and which of their rows are kept out of every fit."""

    def __init__(self, folder, seed):
        self.folder = folder
        self.seed = seed

    def rows(self, operator, gpu):
        """Rows that say something about kernels: near the smallest latencies one only sees how long the framework takes
        to launch."""
        rows = self._all(operator, gpu)
        if not rows:
            return []
        latency = column(rows, "Latency")
        return [row for row, us in zip(rows, latency) if us > 2 * np.percentile(latency, 1)]

    def floor_us(self, operator, gpu):
        """The shortest latency: the framework's launch and hardly any kernel."""
        return column(self._all(operator, gpu), "Latency").min() * 1e3

    def split(self, count, what):
        """A random quarter is held out: the masks of the others and of the quarter."""
        random = np.random.default_rng([self.seed, sum(map(ord, what))])
        held_out = np.zeros(count, dtype=bool)
        held_out[random.permutation(count)[: count // 4]] = True
        return ~held_out, held_out

    def _all(self, operator, gpu):
        path = self.folder / f"{operator}.{gpu}.csv.gz"
        if not path.exists():
            return []
        with gzip.open(path, "rt", newline="") as file:
            return list(csv.DictReader(file))
