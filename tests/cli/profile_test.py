"""`braid profile` and the profile cache: what is measured once is known from then on, whatever happens to the file.

BRAID_CLI names the binary.
"""
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import unittest

BRAID = os.environ["BRAID_CLI"]
MODEL = "zoo:squeezenet-1.1"


class Profile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.cache = self.path / "cache.db"
        # Nothing here may touch the cache of the user who runs the test.
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.path / "xdg")}

    def tearDown(self):
        self.folder.cleanup()

    def braid(self, *arguments):
        done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def profile(self, *arguments):
        done = self.braid("profile", MODEL, "--threads", 1, "--json", "-", *arguments)
        return json.loads(done.stdout)["results"][0], done.stderr

    def test_the_second_time_everything_is_known(self):
        first, _ = self.profile("--profile-cache", self.cache)
        self.assertEqual(first["measured"], first["signatures"])
        self.assertEqual(first["failures"], [])
        self.assertAlmostEqual(sum(row["share_of_sum"] for row in first["operators"]), 1, places=6)
        second, _ = self.profile("--profile-cache", self.cache)
        self.assertEqual((second["measured"], second["from_cache"]), (0, first["signatures"]))
        self.assertEqual(second["operators"], first["operators"])
        text = self.braid("profile", MODEL, "--threads", 1, "--profile-cache", self.cache, "--top", 3).stdout
        self.assertIn("all from the profile cache", text)
        self.assertIn("more", text)
        again, _ = self.profile("--profile-cache", self.cache, "--remeasure")
        self.assertEqual((again["measured"], again["from_cache"]), (again["signatures"], 0))

    def test_the_cache_lies_in_the_users_cache_folder(self):
        self.profile()
        self.assertTrue((self.path / "xdg" / "braid" / "profiles.db").exists())

    def test_without_a_cache_nothing_is_kept(self):
        self.profile("--no-profile-cache")
        self.assertEqual(list(self.path.iterdir()), [])

    def test_run_reads_the_cache_and_measures_nothing(self):
        self.braid("run", MODEL, "--quiet")
        self.assertEqual(list(self.path.iterdir()), [])

    def test_run_measures_if_asked(self):
        self.braid("run", MODEL, "--quiet", "--threads", 1, "--profile", "--profile-cache", self.cache)
        found, _ = self.profile("--profile-cache", self.cache)
        self.assertEqual((found["measured"], found["from_cache"]), (0, found["signatures"]))

    def test_a_damaged_cache_is_warned_about_once_and_made_anew(self):
        self.profile("--profile-cache", self.cache)
        self.cache.write_bytes(self.cache.read_bytes()[:3000])
        found, warnings = self.profile("--profile-cache", self.cache)
        self.assertEqual(found["measured"], found["signatures"])
        self.assertEqual(warnings.count("warning"), 1, warnings)
        self.assertIn("set aside as 'cache.db.aside'", warnings)
        found, warnings = self.profile("--profile-cache", self.cache)
        self.assertEqual((found["measured"], warnings), (0, ""))

    def test_a_cache_that_can_only_be_read_is_warned_about_once(self):
        self.profile("--profile-cache", self.cache)
        self.cache.chmod(0o444)
        self.path.chmod(0o755)
        nobody = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}  # root can write whatever it is
        # The contest opens the cache again.
        command = [BRAID, "run", MODEL, "--quiet", "--threads", "2", "--scheduler", "nimble", "--profile", "--profile-cache",
                   self.cache]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=self.environment, **nobody)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("warning"), 1, done.stderr)
        self.assertIn("can only be read", done.stderr)

    def test_costs_can_be_saved_and_loaded(self):
        table = self.path / "costs.json"
        first, _ = self.profile("--no-profile-cache", "--save-costs", table)
        second, _ = self.profile("--no-profile-cache", "--load-costs", table)
        self.assertEqual(second["measured"], 0)
        saved = {row["signature"]: row["time_us"] for row in first["operators"]}
        for row in second["operators"]:
            self.assertEqual(row["time_us"], saved[row["signature"]])
        table.write_text(table.read_text().replace('"time_us":', '"time_us":-', 1))
        done = subprocess.run([BRAID, "profile", MODEL, "--load-costs", table], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("costs[0].time_us", done.stderr)

    def test_ctrl_c_keeps_what_was_measured(self):
        process = subprocess.Popen([BRAID, "profile", "zoo:inception-v3", "--threads", "1",
                                    "--profile-cache", str(self.cache)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        while not self.kept_operators():  # until the first operators are kept
            self.assertIsNone(process.poll(), "it ended by itself")
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, message)
        self.assertGreater(self.kept_operators(), 0)

    def kept_operators(self):
        """How many operators the cache has."""
        try:
            with sqlite3.connect(f"file:{self.cache}?mode=ro", uri=True, timeout=5) as database:
                return database.execute("SELECT count(*) FROM samples WHERE signature NOT LIKE 'calibration%'"
                                        ).fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    def test_predictions_say_whether_they_rest_on_measured_times(self):
        common = [MODEL, "--profile-cache", self.cache]
        origin = lambda: json.loads(self.braid("plan", *common, "--json").stdout)["predicted_from"]
        self.assertEqual(origin(), "modelled")
        self.assertIn("modelled: none of its", self.braid("plan", *common).stdout)
        self.assertIn("by assumed figures, none of this machine", self.braid("plan", *common).stdout)
        self.braid("profile", *common, "-q")
        self.assertEqual(origin(), "measured")
        self.assertIn("ms, measured: from the times of its", self.braid("plan", *common).stdout)

    def test_predictions_tell_the_scale_that_they_borrow_from_other_models(self):
        other = ["zoo:googlenet", "--profile-cache", self.cache]
        before = json.loads(self.braid("plan", *other, "--json").stdout)
        self.assertEqual((before["modelled"]["figures"], before["modelled"]["scale"], before["modelled"]["band_us"]),
                         ("assumed", 1, None))
        self.assertEqual((before["modelled"]["own_operators"], before["modelled"]["borrowed_operators"]), (0, 0))
        self.braid("profile", MODEL, "--profile-cache", self.cache, "-q")
        found = json.loads(self.braid("plan", *other, "--json").stdout)
        self.assertEqual(found["predicted_from"], "modelled")
        told = found["modelled"]
        self.assertEqual((told["figures"], told["share"], told["own_operators"]), ("measured", 1, 0))
        self.assertGreater(told["borrowed_operators"], 0)
        self.assertNotEqual(told["scale"], 1)
        self.assertTrue(told["band_us"]["p10"] <= found["predicted_us"] <= told["band_us"]["p90"], found)
        for command in ("plan", "explain"):
            self.assertRegex(self.braid(command, *other).stdout,
                             rf"by measured figures of this machine, scaled by {told['scale']:.2f} as measured operators were "
                             rf"off, 0 of this model and {told['borrowed_operators']} of others: \d+\.\d+ to \d+\.\d+ ms")
        self.assertEqual(json.loads(self.braid("explain", *other, "--json").stdout)["modelled"], told)
        self.assertIsNone(json.loads(self.braid("plan", MODEL, "--profile-cache", self.cache, "--json").stdout)["modelled"])


if __name__ == "__main__":
    unittest.main()
