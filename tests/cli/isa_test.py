"""Instruction sets at the command line: which is in use is told, and can be limited.

BRAID_CLI names the binary.
"""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

BRAID = os.environ["BRAID_CLI"]
MODEL = "zoo:squeezenet-1.1"
NAMES = ("baseline", "avx2", "avx512")
VARIABLES = ("BRAID_MACHINE", "BRAID_MAX_ISA", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")


def braid(*arguments, check=True, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env={**environment, **variables})
    if check and done.returncode != 0:
        raise AssertionError(done.stderr)
    return done


def machine(*arguments, **variables):
    return json.loads(braid("run", MODEL, "--json", *arguments, **variables).stdout)["machine"]


def in_use(text):
    """The name behind the processor's."""
    return next(name for name in NAMES if f", {name};" in text or f", {name} (" in text)


BEST = in_use(braid("--version").stdout)
AVAILABLE = NAMES[:NAMES.index(BEST) + 1]


class IsaTest(unittest.TestCase):
    def test_version_and_verbose_tell_what_models_run_on(self):
        version = braid("--version").stdout
        self.assertTrue(version.startswith("braid "))
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            processor = next(line.split(": ", 1)[1].strip() for line in info if line.startswith("model name"))
        for text in (version, braid("run", MODEL, "-v", "--threads", 2).stderr):
            self.assertIn(processor, text)
            self.assertRegex(text, r"oneDNN \d+\.\d+\.\d+ for ")
            self.assertRegex(text, r"lanes \d+")
        self.assertEqual(braid("run", MODEL, "-q").stderr, "")

    def test_every_instruction_set_below_the_machines_can_be_asked_for(self):
        for name in AVAILABLE:
            self.assertEqual(in_use(machine("--isa", name)), name)
            self.assertEqual(in_use(machine(BRAID_MAX_ISA=name)), name)
        self.assertIn("limited", machine("--isa", "baseline"))
        self.assertNotIn("limited", machine("--isa", BEST))

    def test_an_option_wins_over_the_environment(self):
        self.assertEqual(in_use(machine("--isa", BEST, BRAID_MAX_ISA="baseline")), BEST)

    def test_a_limit_of_onednn_holds_for_all_kernels(self):
        self.assertEqual(in_use(machine(ONEDNN_MAX_CPU_ISA="SSE41")), "baseline")
        self.assertIn("SSE4.1", machine(ONEDNN_MAX_CPU_ISA="SSE41"))
        self.assertEqual(in_use(machine(ONEDNN_MAX_CPU_ISA="ALL")), BEST)

    def test_limits_change_the_last_bits_at_most(self):
        with tempfile.TemporaryDirectory() as folder:
            outputs = []
            for name in AVAILABLE:
                file = os.path.join(folder, name + ".npz")
                braid("run", MODEL, "--seed", 3, "--isa", name, "--save-outputs", file, "-q")
                with np.load(file) as archive:
                    outputs.append(archive[archive.files[0]])
            for other in outputs[1:]:
                np.testing.assert_allclose(other, outputs[0], atol=1e-5 * np.abs(outputs[0]).max())

    def test_unknown_names_are_refused(self):
        for done in (braid("run", MODEL, "--isa", "avx3", check=False),
                     braid("run", MODEL, check=False, BRAID_MAX_ISA="avx3"),
                     braid("--version", check=False, BRAID_MAX_ISA="avx3")):
            self.assertEqual(done.returncode, 2, done.stderr)
            for part in ("'avx3'", *NAMES):
                self.assertIn(part, done.stderr)

    @unittest.skipIf(BEST == NAMES[-1], "this processor has them all")
    def test_what_the_processor_lacks_is_refused(self):
        done = braid("run", MODEL, "--isa", NAMES[-1], check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"the best that it has is {BEST}", done.stderr)

    def test_a_profile_lists_refused_cuts(self):
        done = braid("profile", MODEL, "--isa", AVAILABLE[-1], "--no-profile-cache", "--json", "-", "-q")
        self.assertEqual(json.loads(done.stdout)["results"][0]["refused_cuts"], [])


if __name__ == "__main__":
    unittest.main()
