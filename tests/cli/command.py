"""Runs the command line for the tests of this folder. BRAID_CLI names the binary."""
import os
import subprocess

BRAID = os.environ["BRAID_CLI"]


def braid(*arguments, check=True):
    """What it answers; with `check` it has to succeed."""
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if check and done.returncode != 0:
        raise AssertionError(f"braid {arguments} failed with {done.returncode}:\n{done.stderr}")
    return done
