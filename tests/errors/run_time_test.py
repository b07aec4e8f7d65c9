"""Machines that give less than a Plan was made for: fewer cores, less memory, a user who stops."""
import os
import resource
import signal
import subprocess
import time
import unittest

import numpy as np

from hostile import BRAID, QUOTA, SECONDS, HostileTest, constant, floats, model, one_node, relu_chain
from onnx import helper

CANCELLED = 130
SANITISED = "BRAID_SANITISED" in os.environ


def large():
    """A chain of products, each of which takes its time."""
    weight = constant("w", np.full((768, 768), 1e-3, np.float32))
    nodes = [helper.make_node("MatMul", [f"v{i}", "w"], [f"v{i + 1}"]) for i in range(40)]
    return model(nodes, [floats("v0", [768, 768])], [floats("v40", [768, 768])], [weight])


class RunTimeTest(HostileTest):
    def run_limited(self, path, *arguments, setup=None, seconds=SECONDS):
        return subprocess.run([BRAID, "run", "-q", *map(str, arguments), path], capture_output=True, timeout=seconds,
                              preexec_fn=setup)

    def test_more_threads_than_cores(self):
        path = self.save(relu_chain())
        for threads in (1, 2, 7, 64):
            self.check_clean(self.run_limited(path, "--threads", threads), (0,))

    def test_an_affinity_of_one_core(self):
        path = self.save(relu_chain())
        last = max(os.sched_getaffinity(0))
        for threads in (0, 1, 4):
            done = self.run_limited(path, "--threads", threads, setup=lambda: os.sched_setaffinity(0, {last}))
            self.check_clean(done, (0,))

    @unittest.skipIf(SANITISED, "a sanitizer reserves more")
    def test_memory_that_ends(self):
        """Whatever is refused first, the answer is a message and an exit code."""
        path = self.save(one_node("Expand", [[1], np.array([2**28])]))
        for megabytes in (256, 512, 1024):
            limit = megabytes << 20
            done = self.run_limited(path, "--quota", "memory_bytes=1T", setup=lambda limit=limit: resource.setrlimit(
                resource.RLIMIT_DATA, (limit, limit)))
            self.check_clean(done, (QUOTA,))

    def test_an_interrupt(self):
        path = self.save(large())
        for delay in (0.02, 0.1, 0.4):
            running = subprocess.Popen([BRAID, "run", "-q", "--iterations", "100000", path], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            time.sleep(delay)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=SECONDS)
            # Before the handler is there, the signal itself ends the process.
            self.assertIn(running.returncode, (CANCELLED, -signal.SIGINT), err)
            self.assertEqual(out, b"")


if __name__ == "__main__":
    unittest.main()
