"""Edits: lines of a small file that every Plan obeys, and what is said of lines that cannot hold.

BRAID_CLI names the binary. Run by ctest; `python edits_test.py` works too.
"""
import json
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

import onnx
from onnx import TensorProto, helper

from command import BRAID, braid


def schedulers():
    """The names that the tool itself lists."""
    done = subprocess.run([BRAID, "plan", "zoo:squeezenet", "--scheduler", "none"], capture_output=True, text=True)
    return re.search(r"choose one of (.*)", done.stderr)[1].split(", ")


def fan():
    """y = sum of Softmax(Exp(x)), Tan(Exp(x)), Atan(Exp(x)): three branches; Exp has the name `root`."""
    node = helper.make_node
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node("Exp", ["x"], ["a"], name="root"), node("Softmax", ["a"], ["b"], name="left"),
         node("Tan", ["a"], ["c"], name="the middle"), node("Atan", ["a"], ["d"], name="right"),
         node("Sum", ["b", "c", "d"], ["y"], name="sum")],
        "g", [value("x", TensorProto.FLOAT, [64, 64])], [value("y", TensorProto.FLOAT, [64, 64])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Edits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.model = self.path / "m.onnx"
        onnx.save(fan(), self.model)

    def tearDown(self):
        self.folder.cleanup()

    def edits(self, text):
        path = self.path / "edits.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def planned(self, text, scheduler="sequential"):
        saved = self.path / "plan.json"
        braid("plan", "-q", self.model, "--threads", 2, "--no-profile-cache", "--scheduler", scheduler,
              "--edits", self.edits(text), "-o", saved)
        return json.loads(saved.read_text())

    def refused(self, text, *words, code=3):
        done = braid("plan", self.model, "--threads", 2, "--edits", self.edits(text), check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_every_scheduler_obeys(self):
        text = 'pin left stream 1\npin "the middle" stream 0\nbefore right "the middle"\n'
        for scheduler in schedulers():
            with self.subTest(scheduler=scheduler):
                streams = [[step["node"] for step in stream] for stream in self.planned(text, scheduler)["streams"]]
                self.assertIn("b", streams[1])
                self.assertNotIn("b", streams[0])
                self.assertEqual(streams[0].count("c"), 1)

    def test_the_numbers_stay_and_every_command_takes_edits(self):
        edits = self.edits("never-parallel * *\npin right stream 1")
        common = (self.model, "--threads", 2, "--no-profile-cache", "--seed", 5)
        braid("run", "-q", *common, "--save-outputs", self.path / "plain.npz")
        for scheduler in schedulers():
            braid("run", "-q", *common, "--scheduler", scheduler, "--edits", edits, "--save-outputs",
                  self.path / "edited.npz")
            self.assertEqual((self.path / "edited.npz").read_bytes(), (self.path / "plain.npz").read_bytes())
        braid("trace", "-q", *common, "--edits", edits, "-o", self.path / "t.json")
        braid("bench", "-q", *common, "--edits", edits, "--iterations", 2, "--schedulers", "sequential,braid")

    def test_a_loaded_plan_obeys_too(self):
        plan = self.path / "loaded.json"
        braid("plan", "-q", self.model, "--threads", 2, "--no-profile-cache", "-o", plan)
        saved = self.path / "again.json"
        braid("plan", "-q", self.model, "--threads", 2, "--load-plan", plan, "--edits",
              self.edits("pin root stream 1"), "-o", saved)
        streams = json.loads(saved.read_text())["streams"]
        self.assertEqual([step["node"] for step in streams[1]].count("a"), 1)
        braid("run", "-q", self.model, "--threads", 2, "--load-plan", saved)

    def test_a_step_may_be_moved_by_hand_in_the_saved_plan(self):
        saved = self.path / "plan.json"
        braid("plan", "-q", self.model, "--threads", 2, "--no-profile-cache", "--scheduler", "opara", "-o", saved)
        plan = json.loads(saved.read_text())
        where = {step["node"]: stream for stream in plan["streams"] for step in stream}
        moved = next(step for step in where["c"] if step["node"] == "c")
        where["c"].remove(moved)
        other = next(stream for stream in plan["streams"] if stream is not where["c"])

        def load(at):
            other.insert(at, moved)
            saved.write_text(json.dumps(plan))
            other.pop(at)
            return braid("run", "-q", self.model, "--threads", 2, "--no-profile-cache", "--load-plan", saved, check=False)

        done = load(len(other) - 1 if other[-1]["node"] == "y" else len(other))
        if done.returncode != 0:  # its bytes, or the order, no longer fit: the message says what to do
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, "must wait for|placed elsewhere")
        moved.pop("waits", None)
        done = load(0)
        self.assertEqual(done.returncode, 3, "c stands before what it reads, or waits for nobody")
        self.assertRegex(done.stderr, "must wait for|cycle|comes after")

    def test_lines_that_cannot_hold_are_refused_with_the_reason(self):
        self.refused("\n\nbefore sum left", "edits line 3", "'left'", "→ 'sum'", "turn it round")
        self.refused("before left right\nbefore right left", "line 1", "line 2")
        self.refused("pin left stream 7", "no stream 7", "has 2")
        self.refused("pin left stream 0\npin l* stream 1", "keep one of them")
        self.refused("pin lefft stream 0", "no node 'lefft'", "is it 'left'?", "edits line 1")
        self.refused("pin no*where stream 0", "no node of the graph matches")
        self.refused("pine left stream 0", "is it `pin`?")
        self.refused("before left left", "both sides")
        self.refused("#" * (1 << 20) + "#", "more than 1048576", code=6)

    def test_any_bytes_are_obeyed_or_refused(self):
        draw = random.Random(7)
        words = [b"pin", b"before", b"never-parallel", b"left", b"right", b"*", b'"', b"stream", b"0", b"\n", b" ", b"\xff"]
        for _ in range(30):
            text = b"".join(draw.choice(words) + draw.choice([b"", b" "]) for _ in range(draw.randrange(40)))
            done = braid("plan", "-q", self.model, "--threads", 2, "--edits", self.edits(text), check=False)
            self.assertIn(done.returncode, (0, 3), (text, done.stderr))


if __name__ == "__main__":
    unittest.main()
