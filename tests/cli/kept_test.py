"""Why a Plan is kept, as every command tells it that makes one.

BRAID_CLI names the binary.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

from command import BRAID

MODEL = "zoo:squeezenet-1.1"
SMALL = ("--threads", "2")
SCHEDULER = {command: ("--scheduler", "nimble") for command in ("plan", "run", "explain", "trace")} | {
    command: ("--schedulers", "nimble") for command in ("bench", "report")}


class Kept(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name)
        cls.cache = cls.path / "cache.db"
        cls.first = json.loads(cls.braid("run", "--profile", "--json").stdout)

    @classmethod
    def braid(cls, command, *arguments):
        done = subprocess.run([BRAID, command, MODEL, *SMALL, *SCHEDULER[command], "--profile-cache", cls.cache, *map(str, arguments)],
                              capture_output=True, text=True, timeout=300,
                              env={**os.environ, "XDG_CACHE_HOME": str(cls.path / "xdg")})
        if done.returncode != 0:
            raise AssertionError(f"braid {command} {arguments}:\n{done.stderr}")
        return done

    def sql(self, text, *values):
        with sqlite3.connect(self.cache) as database:
            return database.execute(text, values).fetchall()

    def kept_of(self, found):
        self.assertIn("earlier contest", found["kept"])
        self.assertIn("--remeasure settles it again", found["kept"])
        settled = found["settled"]
        self.assertTrue(settled["earlier"])
        self.assertEqual(settled["at"], self.sql("SELECT max(found_at) FROM plans")[0][0])
        for contest in settled["contests"]:
            self.assertGreater(contest["runs"], 0)
            self.assertTrue(contest["ratio_low"] <= contest["ratio_high"], contest)
        return settled

    def test_who_holds_a_contest_tells_it(self):
        self.assertIn("--remeasure settles it again", self.first["kept"])
        self.assertFalse(self.first["settled"]["earlier"])
        self.assertGreater(len(self.first["settled"]["contests"]), 0)

    def test_all_commands_tell_the_same(self):
        plan = json.loads(self.braid("plan", "--json").stdout)
        self.kept_of(plan)
        for command in ("run", "explain"):
            found = json.loads(self.braid(command, "--json").stdout)
            self.assertEqual((found["kept"], found["settled"]), (plan["kept"], plan["settled"]), command)
        for command in ("plan", "run", "explain"):
            self.assertIn(plan["kept"], self.braid(command).stdout, command)
        trace = self.path / "trace.json"
        self.assertIn(plan["kept"], self.braid("trace", "-o", trace).stdout)
        self.assertEqual(json.loads(trace.read_text())["otherData"]["kept"], plan["kept"])
        row = json.loads(self.braid("bench", "--iterations", 2, "--json").stdout)["results"][0]
        self.assertEqual((row["kept"], row["settled"]), (plan["kept"], plan["settled"]))
        self.assertIn(plan["kept"], self.braid("bench", "--iterations", 2).stdout)
        report = json.loads(self.braid("report", "--iterations", 2, "--json", "-").stdout)
        self.assertEqual(report["models"][0]["runs"][0]["kept"], plan["kept"])

    def test_a_busy_hour_is_told(self):
        before = self.sql("SELECT conditions, subject, how FROM contests")
        self.addCleanup(lambda: [self.sql("UPDATE contests SET how = ? WHERE conditions = ? AND subject = ?", how, *key)
                                 for *key, how in before])
        for conditions, subject, how in before:
            contests = json.loads(how)
            for contest in contests:
                contest["others_share"] = 0.43
            self.sql("UPDATE contests SET how = ? WHERE conditions = ? AND subject = ?", json.dumps(contests), conditions,
                     subject)
        found = json.loads(self.braid("plan", "--json").stdout)
        self.assertTrue(self.kept_of(found)["busy"])
        self.assertIn("the machine was busy: others had 43 %", found["kept"])

    def test_a_plan_of_an_older_braid_has_its_day_only(self):
        self.sql("CREATE TABLE aside AS SELECT * FROM contests")
        self.sql("DROP TABLE contests")
        try:
            found = json.loads(self.braid("plan", "--json").stdout)
        finally:
            self.sql("CREATE TABLE contests(conditions INTEGER NOT NULL, subject TEXT NOT NULL, how TEXT NOT NULL, "
                     "held_at INTEGER NOT NULL, PRIMARY KEY(conditions, subject)) WITHOUT ROWID")
            self.sql("INSERT INTO contests SELECT * FROM aside")
            self.sql("DROP TABLE aside")
        self.assertIsNone(found["settled"]["contests"])
        self.assertIn("an older Braid kept neither", found["kept"])
        self.assertRegex(found["kept"], r"on \d{4}-\d\d-\d\d \d\d:\d\d UTC")

    def test_every_command_that_makes_a_plan_can_settle_it_again(self):
        for command in ("plan", "run", "explain", "trace", "bench", "report", "optimize", "compare"):
            help_text = subprocess.run([BRAID, command, "--help"], capture_output=True, text=True, check=True).stdout
            self.assertIn("--remeasure", help_text, command)

    def test_remeasure_settles_it_again(self):
        self.sql("UPDATE plans SET found_at = 1763474592")
        self.sql("UPDATE samples SET measured_at = 1763474592")
        found = json.loads(self.braid("plan", "--remeasure", "--json").stdout)
        self.assertFalse(found["settled"]["earlier"])
        self.assertGreater(found["settled"]["at"], 1763474592)
        self.assertEqual(found["predicted_from"], "measured")
        for kind in ("calibration:%", "contest:%", "Conv(%"):
            self.assertGreater(self.sql("SELECT count(*) FROM samples WHERE measured_at > 1763474592 AND signature LIKE ?",
                                        kind)[0][0], 0, kind)
        self.kept_of(json.loads(self.braid("plan", "--json").stdout))


if __name__ == "__main__":
    unittest.main()
