"""Plans from outside: made for something else, damaged, edited into races, or hostile. Every one is refused."""
import copy
import json
import random
import unittest

from onnx import helper

from hostile import BAD, QUOTA, HostileTest, braid, floats, model

MOST = 2**63 - 1


def diamond(size=64):
    """a = Exp(x); y = Tan(a) + Atan(a)"""
    node = helper.make_node
    return model([node("Exp", ["x"], ["a"]), node("Tan", ["a"], ["b"]), node("Atan", ["a"], ["c"]),
                  node("Add", ["b", "c"], ["y"])], [floats("x", [size])], [floats("y", [size])])


class Plans(HostileTest):
    def setUp(self):
        super().setUp()
        self.model = self.save(diamond())
        self.plan = self.two_streams()

    def planned(self, path):
        done = braid("plan", "-q", path, "--threads", 1, "--no-canonicalise", "-o", self.path / "made.json")
        self.check_clean(done, (0,))
        return json.loads((self.path / "made.json").read_text())

    def two_streams(self):
        """The Plan of the diamond with c beside b, each in bytes of its own."""
        plan = self.planned(self.model)
        names = [step["node"] for stream in plan["streams"] for step in stream]
        self.assertEqual(names, ["a", "b", "c", "y"])
        a, b, c, y = (step for stream in plan["streams"] for step in stream)
        plan["streams"] = [[a, b, {**y, "waits": ["c"]}], [{**c, "waits": ["a"]}]]
        plan["values"] = {name: {"offset": 256 * at} for at, name in enumerate("abc")}
        plan["arena_bytes"] = 768
        return plan

    def with_plan(self, plan, command=("run", "-q")):
        path = self.path / "plan.json"
        if isinstance(plan, bytes):
            path.write_bytes(plan)
        else:
            path.write_text(plan if isinstance(plan, str) else json.dumps(plan))
        return braid(*command, self.model, "--no-canonicalise", "--threads", 2, "--load-plan", path)

    def refused_plan(self, plan, *words, codes=(BAD,)):
        message = self.check_clean(self.with_plan(plan), codes)
        for word in words:
            self.assertIn(word, message)
        return message

    def edited(self, edit):
        plan = copy.deepcopy(self.plan)
        edit(plan)
        return plan

    def refuse_edits(self, *edits, codes=(BAD,)):
        for number, edit in enumerate(edits):
            with self.subTest(number=number):
                self.refused_plan(self.edited(edit), codes=codes)

    # --- what is right ------------------------------------------------------------------------

    def test_the_plan_that_is_edited_below_is_accepted(self):
        for command in (("run", "-q"), ("plan", "-q"), ("bench", "-q", "--iterations", 2),
                        ("trace", "-q", "-o", self.path / "trace.json")):
            self.check_clean(self.with_plan(self.plan, command), (0,))

    def test_a_saved_plan_comes_back_as_it_was(self):
        self.with_plan(self.plan, ("plan", "-q", "-o", self.path / "again.json"))
        self.assertEqual(json.loads((self.path / "again.json").read_text()), self.plan)

    # --- made for something else --------------------------------------------------------------

    def test_another_model(self):
        self.model = self.save(diamond(size=128), "other.onnx")
        self.refused_plan(self.plan, "f32[64]", "f32[128]")
        del self.plan["inputs"]
        self.refused_plan(self.plan, "another graph")

    def test_another_device_version_or_format(self):
        self.refused_plan({**self.plan, "device": "cuda:0"}, "cuda:0", "cpu")
        self.refused_plan({**self.plan, "version": 99}, "version")
        self.refused_plan({**self.plan, "format": "engine"})
        self.refused_plan({**self.plan, "graph": "0" * 32})
        self.refused_plan({**self.plan, "graph": "no digits"})

    def test_more_streams_than_the_device_has(self):
        self.refused_plan(self.edited(lambda plan: plan["streams"].append([])), "3 streams", "--threads")
        self.refused_plan(self.edited(lambda plan: plan["streams"].extend([[]] * 100_000)), codes=(BAD, QUOTA))

    # --- races --------------------------------------------------------------------------------

    def test_a_missing_wait_is_a_race(self):
        self.refused_plan(self.edited(lambda plan: plan["streams"][1][0].pop("waits")), "'c'", "'a'")
        self.refused_plan(self.edited(lambda plan: plan["streams"][0][2].pop("waits")), "'y'", "'c'")

    def test_live_values_that_share_bytes_are_a_race(self):
        self.refused_plan(self.edited(lambda plan: plan["values"]["c"].update(offset=256)), "'c'")
        self.refused_plan(self.edited(lambda plan: plan["values"]["c"].update(offset=0)), "'a'")
        self.refused_plan(self.edited(lambda plan: plan["values"]["b"].update(offset=64)))

    def test_waits_that_never_end(self):
        def cycle(plan):
            plan["streams"][1][0]["waits"] = ["y"]
        self.refuse_edits(cycle, lambda plan: plan["streams"][0][0].update(waits=["a"]),
                          lambda plan: plan["streams"][0][0].update(waits=["c"]),
                          lambda plan: plan["streams"][0].reverse())

    # --- names and numbers that are wrong -----------------------------------------------------

    def test_nodes_that_are_unknown_missing_or_there_twice(self):
        self.refuse_edits(
            lambda plan: plan["streams"][0].append({"node": "b"}),
            lambda plan: plan["streams"][0].pop(1),
            lambda plan: plan["streams"][0][1].update(node="z"),
            lambda plan: plan["streams"][0][1].update(node="#99999"),
            lambda plan: plan["streams"][0][1].update(node="#-1"),
            lambda plan: plan["streams"][0][1].update(node=7),
            lambda plan: plan["streams"][0][1].update(node=""),
            lambda plan: plan["streams"][0][1].update(node="x"),
            lambda plan: plan["streams"][1][0].update(waits=["nobody"]),
            lambda plan: plan["streams"][1][0].update(waits=[{"node": "a", "part": 3}]),
            lambda plan: plan["streams"][1][0].update(waits=[{"node": "a", "part": -1}]),
            lambda plan: plan["streams"][1][0].update(waits="a"),
            lambda plan: plan.update(streams=[]),
            lambda plan: plan.update(streams={}),
            lambda plan: plan["streams"].__setitem__(0, {"node": "a"}))

    def test_parts_that_no_cut_gives(self):
        def cut(**facts):
            return lambda plan: plan["streams"][0][1].update(facts)
        whole = {"part": 0, "parts": 2, "axis": 0, "grain": 1}
        self.refuse_edits(cut(**whole), cut(**{**whole, "parts": 2**31 - 1}), cut(**{**whole, "parts": MOST}),
                          cut(**{**whole, "axis": 99}), cut(**{**whole, "grain": 0}), cut(**{**whole, "part": -1}),
                          cut(parts=0), cut(part=1), cut(scratch=0), cut(scratch=-64), cut(scratch=MOST),
                          codes=(BAD, QUOTA))

    def test_offsets_outside_the_arena(self):
        def at(offset):
            return lambda plan: plan["values"]["b"].update(offset=offset)
        self.refuse_edits(at(-1), at(-64), at(768), at(704), at(1), at(2**62), at(MOST), at(2**64), at(1e300), at("0"),
                          at(None), at(0.5))
        self.refuse_edits(lambda plan: plan.update(arena_bytes=0), lambda plan: plan.update(arena_bytes=-1),
                          lambda plan: plan.update(arena_bytes="768"))
        self.refuse_edits(lambda plan: plan.update(arena_bytes=2**62), lambda plan: plan.update(arena_bytes=MOST),
                          codes=(BAD, QUOTA))

    def test_strides_that_leave_the_arena(self):
        def strides(*steps):
            return lambda plan: plan["values"]["b"].update(strides=list(steps))
        self.refuse_edits(strides(0), strides(-4), strides(4, 4), strides(MOST), strides(2**62), strides(3))

    def test_values_that_do_not_live_in_the_arena(self):
        self.refuse_edits(lambda plan: plan["values"].pop("b"), lambda plan: plan["values"].update(x={"offset": 0}),
                          lambda plan: plan["values"].update(y={"offset": 0}),
                          lambda plan: plan["values"].update(z={"offset": 0}),
                          lambda plan: plan.update(values=[]))

    # --- no plan at all -----------------------------------------------------------------------

    def test_text_that_is_no_plan(self):
        text = json.dumps(self.plan)
        for hostile in (b"", b"null", b"[]", b"{}", b"\x00" * 100, b"\xff\xfe" + text.encode("utf-16-le"),
                        b"[" * 1_000_000, b'{"a":' * 100_000, text.encode() + b"x", text.replace("{", "{,", 1).encode(),
                        text.replace('"version"', '"version": 1, "version"', 1).encode()):
            with self.subTest(hostile=hostile[:20]):
                self.refused_plan(hostile, codes=(BAD, QUOTA))

    def test_a_plan_cut_short(self):
        text = json.dumps(self.plan)
        for end in range(0, len(text) - 1, 23):
            self.refused_plan(text[:end])

    def test_unknown_and_missing_keys(self):
        self.refused_plan({**self.plan, "wish": 1}, "wish")
        for key in ("format", "version", "graph", "device", "streams", "values", "arena_bytes"):
            self.refused_plan({name: value for name, value in self.plan.items() if name != key}, key)

    def test_damaged_bytes_never_do_more_than_be_refused(self):
        text = bytearray(json.dumps(self.plan), "ascii")
        damage = random.Random(1)
        for _ in range(60):
            damaged = bytearray(text)
            for _ in range(damage.randint(1, 3)):
                damaged[damage.randrange(len(damaged))] = damage.randrange(256)
            self.check_clean(self.with_plan(bytes(damaged)), (0, BAD, QUOTA))

    def test_names_in_a_plan_cannot_forge_terminal_output(self):
        for key in ("scheduler", "device"):
            done = self.with_plan({**self.plan, key: "\x1b[31m\nbraid: done"}, ("plan",))
            self.check_clean(done, (0, BAD))
            self.assertNotIn(b"\nbraid: done", done.stdout)

    def test_files_that_cannot_be_read(self):
        for path in (self.path / "missing.json", self.path, "/dev/zero"):
            done = braid("run", "-q", self.model, "--load-plan", path)
            self.check_clean(done, (BAD,))


if __name__ == "__main__":
    unittest.main()
