"""Machines at the command line: what decides a choice is told as JSON, and BRAID_MACHINE chooses as another machine would.

BRAID_CLI names the binary.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BRAID = os.environ["BRAID_CLI"]
NAMES = ("baseline", "avx2", "avx512")
VARIABLES = ("BRAID_MACHINE", "BRAID_MAX_ISA", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "XDG_CACHE_HOME")
MODEL = "zoo:squeezenet-1.1"


class MachineTest(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.document = json.loads(self.braid("--version", "--json").stdout)

    def braid(self, *arguments, code=0, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env={**environment, **{name: str(value) for name, value in variables.items()}})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def describe(self, **changes):
        """A file that describes this machine but for some changes."""
        document = dict(self.document, machine={**self.document["machine"], **changes})
        file = self.folder / "machine.json"
        file.write_text(json.dumps(document))
        return file

    def test_version_tells_the_machine(self):
        self.assertEqual(self.document["format"], "braid-machine")
        self.assertIn(self.document["cpu"], self.braid("--version").stdout)
        self.assertIn(self.document["machine"]["processor"], self.document["cpu"])
        for key in ("first_level_bytes", "first_level_ways", "second_level_bytes", "large_page_bytes", "cores", "lanes"):
            self.assertGreater(self.document["machine"][key], 0)

    def test_a_file_stands_beside_the_text_and_is_not_overwritten(self):
        file = self.folder / "told.json"
        for arguments in (("--version", "--json", file), ("--json", file, "--version", "--force")):
            self.assertTrue(self.braid(*arguments).stdout.startswith("braid "))
            self.assertEqual(json.loads(file.read_text()), self.document)
        (self.folder / "model.onnx").write_text("a model")
        self.braid("--version", "--json=" + str(self.folder / "model.onnx"), code=2)

    def test_json_alone_says_where_it_stands(self):
        self.assertIn("--version", self.braid("--json", code=2).stderr)

    def test_what_is_described_is_what_is_chosen_as(self):
        file = self.describe(processor="Another", isa="baseline", second_level_bytes=1 << 18, cores=8, lanes=8)
        there = json.loads(self.braid("--version", "--json", BRAID_MACHINE=file).stdout)
        self.assertEqual(there["machine"], json.loads(file.read_text())["machine"])
        self.assertIn("Another", there["cpu"])
        self.assertIn("lanes 8", there["cpu"])
        self.assertIn("described", there["cpu"])
        self.assertIn(self.document["machine"]["processor"], there["cpu"])
        run = json.loads(self.braid("run", MODEL, "--json", BRAID_MACHINE=file).stdout)
        self.assertEqual(run["machine"], there["cpu"])
        # The second generation is the first.
        file.write_text(json.dumps(there))
        self.assertEqual(json.loads(self.braid("--version", "--json", BRAID_MACHINE=file).stdout), there)

    def test_limits_lower_what_is_described(self):
        best = self.document["machine"]["isa"]
        for name in NAMES[:NAMES.index(best) + 1]:
            told = self.braid("--version", "--json", BRAID_MACHINE=self.describe(), BRAID_MAX_ISA=name).stdout
            self.assertEqual(json.loads(told)["machine"]["isa"], name)
            run = json.loads(self.braid("run", MODEL, "--json", "--isa", name, BRAID_MACHINE=self.describe()).stdout)
            self.assertIn(f", {name}", run["machine"])
        if best != NAMES[0]:
            lower = self.describe(isa=NAMES[0])
            done = self.braid("run", MODEL, "--isa", best, BRAID_MACHINE=lower, code=2)
            self.assertIn("the machine that BRAID_MACHINE describes has no " + best, done.stderr)

    def test_what_the_processor_lacks_is_refused(self):
        if self.document["machine"]["isa"] == NAMES[-1]:
            self.skipTest("this processor has all instruction sets")
        done = self.braid("--version", BRAID_MACHINE=self.describe(isa=NAMES[-1]), code=2)
        self.assertIn("this processor has no more than " + self.document["machine"]["isa"], done.stderr)

    def test_what_was_measured_stays_with_its_machine(self):
        cache = self.folder / "measured.db"
        profile = ("profile", MODEL, "--profile-cache", cache, "--threads", 1, "--json", "-", "-q")
        for variables in ({}, {"BRAID_MACHINE": self.describe(second_level_bytes=1 << 18)}):
            first, again = (json.loads(self.braid(*profile, **variables).stdout)["results"][0] for _ in range(2))
            self.assertGreater(first["measured"], 0, first.keys())
            self.assertEqual(again["measured"], 0)

    def test_faults_are_told(self):
        for changes, part in (({"second_level_bytes": 0}, "machine.second_level_bytes"), ({"lanes": 99}, "lanes"),
                              ({"isa": "avx3"}, "machine.isa"), ({"speed": 3}, "speed")):
            done = self.braid("--version", BRAID_MACHINE=self.describe(**changes), code=3)
            self.assertIn(part, done.stderr)
            self.assertIn("machine.json", done.stderr)
        (self.folder / "machine.json").write_text("{")
        self.braid("plan", MODEL, BRAID_MACHINE=self.folder / "machine.json", code=3)
        self.assertIn("missing.json", self.braid("--version", BRAID_MACHINE="missing.json", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
