"""Ratios, intervals, geometric means and compared outputs of bench/peers."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"))
import contest
import figures
import report


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


class Outputs(unittest.TestCase):
    def compare(self, **peers):
        """What the table says of peers' outputs beside Braid's, which are [1, 2] and [10, 20]."""
        class Saved:
            def __init__(self, name, arrays):
                self.name, self.arrays = name, [np.array(array, np.float32) for array in arrays]

            def save_outputs(self, path):
                np.savez(path, **{str(i): array for i, array in enumerate(self.arrays)})

        contenders = [Saved(name, arrays) for name, arrays in {"braid": [[1, 2], [10, 20]], **peers}.items()]
        with tempfile.TemporaryDirectory() as folder:
            return report.outputs_text(contest.compare_outputs(contenders, pathlib.Path(folder)))

    def test_agreeing_outputs_need_no_name(self):
        self.assertEqual(self.compare(onnxruntime=[[1, 2], [10, 20]]), "agrees 0.0e+00")

    def test_the_peer_that_differs_is_named_with_its_output(self):
        self.assertEqual(self.compare(onnxruntime=[[1, 2], [10, 20]], openvino=[[1, 2], [15, 20]]),
                         "openvino DIFFERS 2.5e-01 in output 1")

    def test_another_shape_differs(self):
        self.assertEqual(self.compare(openvino=[[1, 2, 3], [10, 20]]), "openvino DIFFERS inf in output 0")


if __name__ == "__main__":
    unittest.main()
