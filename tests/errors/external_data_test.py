"""Weights in other files: only inside the model's folder, never by a link, never past the end."""
import os
import pathlib
import unittest

import numpy as np
from onnx import StringStringEntryProto, TensorProto, helper

from hostile import BAD, HostileTest, braid, constant, floats, model

WEIGHTS = np.arange(1, 5, dtype=np.float32)


def external(location=None, entries=None, **more):
    """x + w with the weight elsewhere."""
    made = model([helper.make_node("Add", ["x", "w"], ["y"])], [floats("x", [4])], [floats("y", [4])],
                 [constant("w", WEIGHTS)])
    weight = made.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    pairs = list((entries or {}).items()) if not isinstance(entries, list) else entries
    if location is not None:
        pairs.insert(0, ("location", location))
    for key, value in [*pairs, *more.items()]:
        weight.external_data.append(StringStringEntryProto(key=key, value=str(value)))
    return made


class ExternalDataTest(HostileTest):
    def setUp(self):
        super().setUp()
        self.inside = self.path / "model"
        self.inside.mkdir()
        (self.inside / "w.bin").write_bytes(WEIGHTS.tobytes())
        (self.path / "secret.bin").write_bytes(WEIGHTS.tobytes())
        (self.inside / "sub").mkdir()
        (self.inside / "sub" / "w.bin").write_bytes(WEIGHTS.tobytes())

    def save(self, proto, name="model/m.onnx"):
        return super().save(proto, name)

    def test_a_file_beside_the_model(self):
        self.accepted(external("w.bin"))
        self.accepted(external("sub/w.bin"))
        self.accepted(external("./w.bin"))

    def test_paths_that_leave_the_folder(self):
        for location in ("../secret.bin", "sub/../../secret.bin", str(self.path / "secret.bin"), "/etc/passwd",
                         "~/w.bin", "", ".", "..", "sub", "C:\\w.bin", "%2e%2e/secret.bin", "..\\secret.bin",
                         "w.bin\0.png", "/proc/self/environ", "sub/..//..//secret.bin"):
            with self.subTest(location=location):
                self.refused(external(location), BAD, "'w'")
        self.refused(external(), BAD, "'w'")

    def test_links(self):
        (self.inside / "link.bin").symlink_to("../secret.bin")
        (self.inside / "inner.bin").symlink_to("w.bin")
        (self.inside / "folder").symlink_to("..")
        os.link(self.path / "secret.bin", self.inside / "hard.bin")
        for location in ("link.bin", "inner.bin", "folder/secret.bin", "hard.bin"):
            with self.subTest(location=location):
                self.refused(external(location), BAD, "'w'", "--external-data-root")

    def test_files_of_other_kinds(self):
        os.mkfifo(self.inside / "fifo")
        self.refused(external("fifo"), BAD, "'w'")
        try:
            os.mknod(self.inside / "zero", 0o666 | 0o020000, os.makedev(1, 5))
        except PermissionError:
            return
        self.refused(external("zero"), BAD, "'w'")

    def test_a_cache_of_links_works_with_its_root(self):
        """As Hugging Face lays it out: snapshots/REV/FILE -> ../../blobs/HASH."""
        cache = self.path / "cache"
        (cache / "blobs").mkdir(parents=True)
        (cache / "snapshots" / "rev").mkdir(parents=True)
        (cache / "blobs" / "aa").write_bytes(external("w.bin").SerializeToString())
        (cache / "blobs" / "bb").write_bytes(WEIGHTS.tobytes())
        for name, blob in (("m.onnx", "aa"), ("w.bin", "bb")):
            (cache / "snapshots" / "rev" / name).symlink_to(f"../../blobs/{blob}")
        path = cache / "snapshots" / "rev" / "m.onnx"
        self.refused(path, BAD, "--external-data-root")
        self.accepted(path, "--external-data-root", cache)
        (cache / "snapshots" / "rev" / "w.bin").unlink()
        (cache / "snapshots" / "rev" / "w.bin").symlink_to(self.path / "secret.bin")
        self.refused(path, BAD, "'w'", command=("run", "-q", "--external-data-root", cache))

    def test_ranges(self):
        for offset, length in ((-1, 16), (0, -1), (8, 16), (0, 17), (0, 15), (2**63 - 1, 16), (2**64, 16),
                               (0, 2**50), (2**62, 2**62), ("zero", 16), ("", 16), ("1e3", 16), (0, " 16 x")):
            with self.subTest(offset=offset, length=length):
                self.refused(external("w.bin", offset=offset, length=length), BAD, "'w'")
        self.accepted(external("w.bin", offset=0, length=16))

    def test_unaligned_and_overlapping_ranges_are_fine(self):
        (self.inside / "odd.bin").write_bytes(b"z" + WEIGHTS.tobytes())
        self.accepted(external("odd.bin", offset=1, length=16))

    def test_keys(self):
        self.refused(external(entries=[("location", "w.bin"), ("location", "sub/w.bin")]), BAD, "'w'")
        for key in ("__class__", "unknown"):
            self.accepted(external("w.bin", entries={key: "1"}))

    def test_tensors_in_attributes_obey_too(self):
        made = external("../secret.bin")
        weight = made.graph.initializer[0]
        node = helper.make_node("Constant", [], ["w"])
        node.attribute.append(helper.make_attribute("value", weight))
        del made.graph.initializer[:]
        made.graph.node.insert(0, node)
        self.refused(made, BAD)

    def test_a_missing_file_is_named(self):
        self.refused(external("gone.bin"), BAD, "gone.bin", "'w'")


if __name__ == "__main__":
    unittest.main()
