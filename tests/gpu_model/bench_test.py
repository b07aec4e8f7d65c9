"""bench_gpu_model and bench_opara: what they print is there, is said to be simulated, and hangs together.

The arguments are the two programs.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCHEDULE = pathlib.Path(__file__).resolve().parents[1] / "cli" / "ios_schedule.json"
GPU_MODEL, OPARA = sys.argv[1:3]


def run(*arguments):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=600)


class GpuModel(unittest.TestCase):
    def document(self, *arguments):
        done = run(GPU_MODEL, *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_rows_have_bands_and_errors(self):
        told = self.document("--only", "ios/squeezenet")
        self.assertTrue(told["simulated"])
        self.assertEqual(len(told["rows"]), 3)
        for row in told["rows"]:
            self.assertAlmostEqual(row["error"], row["simulated"] / row["published"] - 1)
            self.assertEqual(row["inside_band"], row["band"]["p10"] <= row["published"] <= row["band"]["p90"])
        everything = told["summary"]["errors"][0]
        errors = [abs(row["error"]) for row in told["rows"]]
        self.assertEqual(everything["rows_of"], "all")
        self.assertAlmostEqual(everything["mean_absolute"], sum(errors) / len(errors))
        self.assertAlmostEqual(everything["worst"], max(errors))

    def test_searched_stages_beat_level_by_level(self):
        rows = {row["schedule"]: row for row in self.document("--only", "ios/squeezenet")["rows"]}
        self.assertLess(rows["ios"]["simulated"], rows["greedy"]["simulated"])

    def test_a_schedule_file_that_is_missing_is_named(self):
        told = self.document("--only", "both-of-k80")
        self.assertIn("'k80-batch-1' was not given", told["rows"][0]["skipped"])
        self.assertEqual(told["summary"]["skipped"], 1)
        given = self.document("--only", "both-of-k80", f"k80-batch-1={SCHEDULE}")
        self.assertIn("simulated", given["rows"][0])


class OparaTable(unittest.TestCase):
    def test_is_written_as_markdown_and_json(self):
        with tempfile.TemporaryDirectory() as folder:
            tables, figures = pathlib.Path(folder, "t.md"), pathlib.Path(folder, "f.json")
            done = run(OPARA, "--networks", "googlenet", "--markdown", tables, "--json", figures)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(tables.read_text(), done.stdout)
            told = json.loads(figures.read_text())
        self.assertIn("simulated", done.stdout)
        entries = {entry["scheduler"]: entry for entry in told["contests"][0]["entries"]}
        self.assertEqual(entries["opara:published"]["streams"], 28)  # as both of Opara's papers print
        self.assertEqual(entries["nimble"]["streams"], 4)
        self.assertEqual(entries["opara:published"]["published"]["sequential_over_it"], 1.687)
        self.assertEqual(entries["sequential"]["sequential_over_it"]["nominal"], 1)

    def test_refuses_networks_that_opara_was_not_measured_on(self):
        done = run(OPARA, "--networks", "resnet-50")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Opara was not measured on 'resnet-50', but on googlenet", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
