"""Ratios, intervals and geometric means of bench/peers."""
import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"))
import figures


def noisy(seed, scale, count=200):
    """Times with a floor and a long tail, as a shared machine gives."""
    return scale * (1 + np.random.default_rng(seed).exponential(0.3, count))


class Figures(unittest.TestCase):
    def test_ratio_is_other_over_ours(self):
        one = figures.ratio(noisy(1, 3.0), noisy(2, 2.0))
        self.assertAlmostEqual(one.value, 1.5, delta=0.1)
        self.assertTrue(one.low < 1.5 < one.high)
        self.assertLess(one.high - one.low, 0.3)

    def test_a_constant_factor_has_no_interval(self):
        ours = noisy(3, 1.0)
        one = figures.ratio(ours * 1.25, ours)
        for value in (one.value, one.low, one.high):
            self.assertAlmostEqual(value, 1.25, places=9)

    def test_few_rounds_give_a_wide_interval(self):
        few = figures.ratio(noisy(1, 1.0, 8), noisy(2, 1.0, 8))
        many = figures.ratio(noisy(1, 1.0, 800), noisy(2, 1.0, 800))
        self.assertGreater(few.high - few.low, 3 * (many.high - many.low))

    def test_drift_that_both_feel_cancels(self):
        drift = np.repeat([1.0, 4.0], 100)
        one = figures.ratio(noisy(1, 1.1) * drift, noisy(2, 1.0) * drift)
        self.assertTrue(0.95 < one.value < 1.25)
        self.assertLess(one.high - one.low, 0.3)

    def test_same_seed_same_interval(self):
        a, b = noisy(1, 1.0), noisy(2, 1.0)
        self.assertEqual(figures.ratio(a, b).as_json(), figures.ratio(a, b).as_json())

    def test_geometric_mean(self):
        ours = noisy(1, 1.0)
        mean = figures.geometric_mean([figures.ratio(ours * 2, ours), figures.ratio(ours * 8, ours)])
        self.assertAlmostEqual(mean.value, 4)
        self.assertAlmostEqual(mean.low, 4)

    def test_summary_in_milliseconds(self):
        made = figures.summary(np.arange(101) / 1000)
        self.assertEqual(list(made), ["min_ms", "p20_ms", "median_ms", "p99_ms"])
        for name, value in (("min_ms", 0), ("p20_ms", 20), ("median_ms", 50), ("p99_ms", 99)):
            self.assertAlmostEqual(made[name], value)


if __name__ == "__main__":
    unittest.main()
