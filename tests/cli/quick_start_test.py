"""docs/quick-start.md holds: every command runs as it is printed, in order, and prints what is shown, up to numbers.

Blocks `sh` are run by one shell that begins in the clone, with an empty home; `text` is what the block before prints,
where a line, or its end, may be left out or stand as "…"; other blocks become the file that their first line names.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "quick-start.md"
MARK = "== block "


def blocks():
    return re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def script():
    """The page as a shell script that tells which block it is at."""
    lines = ["set -euo pipefail"]
    for number, (kind, text) in enumerate(blocks()):
        lines.append(f"echo; echo {shlex.quote(MARK + str(number))}")
        if kind == "sh":
            lines.append(text)
        elif kind != "text":
            name, _, body = text.partition("\n")
            file = shlex.quote(name.split()[-1])
            lines.append(f"mkdir -p $(dirname {file}) && printf %s {shlex.quote(body)} > {file}")
    return "\n".join(lines)


def shape(line):
    """A line without its numbers and widths."""
    line = re.sub(r"(?<=\s)-(?=\s)", "#", line)  # a percentile that too few runs resolve
    return " ".join(re.sub(r"-?\d[\d.,]*(e[+-]?\d+)?", "#", line).split())


def numbers(line):
    """Those that are measures, not counts."""
    return [float(number) for number in re.findall(r"-?\d+\.\d+", line)]


def is_near(shown, printed):
    """What is simulated comes out alike on every machine, but for searches that end by the clock."""
    pairs = list(zip(numbers(shown), numbers(printed), strict=True))
    if shown.split()[1:2] == ["sequential"]:
        return all(a == b for a, b in pairs)
    return all(abs(a - b) <= 0.15 * abs(b) for a, b in pairs)


def printed_by_block(output):
    """What each block printed, by its number."""
    parts = re.split(rf"^{MARK}(\d+)\n", output, flags=re.M)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2])}


class QuickStart(unittest.TestCase):
    def run_page(self, home):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("BRAID_PYTHON", "XDG_CACHE_HOME", "CMAKE_PREFIX_PATH")}
        # As in an active environment that has the packages: pip finds them there and installs nothing.
        environment |= {"HOME": str(home), "PATH": f"{pathlib.Path(sys.prefix) / 'bin'}:{os.environ['PATH']}",
                        "PIP_DRY_RUN": "1", "PIP_NO_INDEX": "1"}
        return subprocess.run(["bash", "-c", script()], cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=800)

    def check_shown(self, shown, printed, simulated=False):
        for line in shown.splitlines():
            line = line.rstrip().removesuffix("…")
            if line.strip():
                # The end of a line may depend on the numbers: a tie, too, is told.
                like = [one for one in printed.splitlines() if shape(one).startswith(shape(line))]
                if simulated:
                    like = [one for one in like if len(numbers(one)) == len(numbers(line)) and is_near(line, one)]
                self.assertTrue(like, f"{line}\nis shown, but what is printed is\n{printed}")

    def test_every_command_runs_and_prints_what_is_shown(self):
        if pathlib.Path(os.environ["BRAID_CLI"]).resolve() != ROOT / "build" / "release" / "cli" / "braid":
            self.skipTest("the page is about build/release, and another build is tested")
        with tempfile.TemporaryDirectory() as home:
            done = self.run_page(home)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        printed = printed_by_block(done.stdout)
        for number, (kind, text) in enumerate(blocks()):
            if kind == "text":
                self.check_shown(text, printed[number - 1], "sim:" in blocks()[number - 1][1])

    def test_shown_lines_that_are_not_printed_are_found(self):
        self.check_shown("heat  1.5 ms\n…\n", "x\nheat 20.25 ms: a tie\n")
        with self.assertRaisesRegex(AssertionError, "cold"):
            self.check_shown("cold  1.5 ms\n", "heat 20.25 ms\n")

    def test_simulated_figures_are_those_of_the_model(self):
        self.check_shown("m  braid  1.50  3\n", "m  braid  1.40  7\n", simulated=True)
        self.check_shown("m  sequential  1.50\n", "m  sequential  1.50\n", simulated=True)
        for shown, printed in (("m  braid  1.50\n", "m  braid  1.20\n"), ("m  sequential  1.50\n", "m  sequential  1.51\n")):
            with self.assertRaises(AssertionError):
                self.check_shown(shown, printed, simulated=True)

    def test_the_page_has_commands_for_each_of_its_users(self):
        parts = re.split(r"^## ", PAGE.read_text(), flags=re.M)
        self.assertEqual(len(parts), 4)
        for part in parts:
            self.assertIn("```sh\n", part)


if __name__ == "__main__":
    unittest.main()
