"""Ratios of 20th percentiles with bootstrap intervals, and geometric means over models.

Times are rows of equal length, one per contender, in which column r was measured in round r. Rounds are drawn
together for both contenders, so what slows a round down slows both.
"""
import dataclasses

import numpy as np

PERCENTILE = 20
REPLICATES = 2000


@dataclasses.dataclass
class Ratio:
    """Other ÷ ours: above 1 ours is faster. `replicates` are what the interval was taken from."""

    value: float
    low: float
    high: float
    replicates: np.ndarray

    def as_json(self):
        return {"ratio": self.value, "low": self.low, "high": self.high}


def _ratio(value, replicates):
    low, high = np.percentile(replicates, [2.5, 97.5])
    return Ratio(float(value), float(low), float(high), replicates)


def ratio(other, ours, seed=0):
    other, ours = np.asarray(other), np.asarray(ours)
    rounds = np.random.default_rng(seed).integers(0, len(ours), (REPLICATES, len(ours)))
    replicates = (np.percentile(other[rounds], PERCENTILE, axis=1) /
                  np.percentile(ours[rounds], PERCENTILE, axis=1))
    return _ratio(np.percentile(other, PERCENTILE) / np.percentile(ours, PERCENTILE), replicates)


def geometric_mean(ratios):
    logs = [np.log(one.replicates) for one in ratios]
    value = np.exp(np.mean([np.log(one.value) for one in ratios]))
    return _ratio(value, np.exp(np.mean(logs, axis=0)))


def summary(times):
    times_ms = np.asarray(times) * 1e3
    names = {"min_ms": 0, "p20_ms": PERCENTILE, "median_ms": 50, "p99_ms": 99}
    return {name: float(np.percentile(times_ms, at)) for name, at in names.items()}
