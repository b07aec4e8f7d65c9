"""Files that are not models, or models that lie about themselves."""
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest
import zipfile

import numpy as np
from onnx import helper

from hostile import BAD, BRAID, QUOTA, UNSUPPORTED, HostileTest, braid, floats, model, one_node, relu_chain


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


class FilesTest(HostileTest):
    def test_files_that_are_no_models(self):
        for name, content in {
            "empty": b"", "one-byte": b"\x08", "text": b"hello\n", "elf": pathlib.Path(BRAID).read_bytes()[:4096],
            "gzip": b"\x1f\x8b\x08" + bytes(64), "pickle": b"\x80\x04\x95\x10" + bytes(32),
        }.items():
            with self.subTest(file=name):
                self.refused(self.save(content, name + ".onnx"), BAD, name)
        with zipfile.ZipFile(self.path / "zip.onnx", "w") as archive:
            archive.writestr("a", "b")
        self.refused(self.path / "zip.onnx", BAD, "zip.onnx")

    def test_paths_that_are_no_files(self):
        self.refused(self.path, BAD, str(self.path))
        os.mkfifo(self.path / "fifo.onnx")
        self.refused(self.path / "fifo.onnx", BAD, "fifo.onnx")
        self.refused(pathlib.Path("/dev/zero"), BAD, "/dev/zero")
        self.refused(pathlib.Path("/dev/null"), BAD, "/dev/null")
        self.refused(self.path / "missing" / "m.onnx", BAD, "missing")

    def test_a_model_cut_anywhere(self):
        whole = one_node("Conv", [[1, 3, 8, 8], np.ones((4, 3, 3, 3), np.float32)]).SerializeToString()
        for part in range(64):
            with self.subTest(part=part):
                self.answered(self.save(whole[: len(whole) * part // 64]), command=("inspect", "-q"))

    def test_a_model_with_any_byte_changed(self):
        whole = one_node("Gemm", [[2, 3], np.ones((3, 2), np.float32), np.ones(2, np.float32)]).SerializeToString()
        draw = random.Random(1)
        for _ in range(200):
            at, flip = draw.randrange(len(whole)), 1 << draw.randrange(8)
            with self.subTest(at=at, flip=flip):
                self.answered(self.save(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1:]))

    def test_deep_messages_and_groups(self):
        graph = b""
        for _ in range(10_000):  # a graph in an attribute of a node of a graph ...
            graph = field(1, field(5, field(6, graph)))
        self.refused(field(7, graph), (BAD, QUOTA))
        self.refused(field(7, b"\x7b" * 10_000 + b"\x7c" * 10_000), (BAD, QUOTA))
        self.refused(varint(99 << 3 | 3) * 10_000, (BAD, QUOTA))

    def test_lengths_beyond_the_file(self):
        for length in (2**31 - 1, 2**31, 2**63, 2**64 - 1):
            with self.subTest(length=length):
                self.refused(varint(7 << 3 | 2) + varint(length) + b"abc", BAD)

    def test_varints_that_are_too_long(self):
        self.refused(b"\x08" + b"\xff" * 10 + b"\x01", BAD)
        self.refused(b"\x08" + b"\x80" * 20 + b"\x01", BAD)

    def test_ten_million_empty_nodes(self):
        self.refused(field(7, b"\x0a\x00" * 10_000_000), QUOTA, "nodes")

    def test_versions_nobody_wrote(self):
        for opset, code in ((0, BAD), (-1, BAD), (6, UNSUPPORTED), (9999, UNSUPPORTED), (2**62, UNSUPPORTED)):
            with self.subTest(opset=opset):
                self.refused(one_node("Relu", [[1]], opset=opset), code, "opset")
        made = relu_chain()
        made.ir_version = 99
        self.refused(made, UNSUPPORTED, "IR version")
        made = relu_chain()
        del made.opset_import[:]
        self.refused(made, BAD, "opset")
        made = relu_chain()
        made.ClearField("graph")
        self.refused(made, BAD, "graph")
        whole = relu_chain().SerializeToString()
        self.refused(whole + whole, BAD, "graph")

    def test_names_cannot_forge_output(self):
        for name in ("a\nbraid: all is well", "\x1b]0;owned\x07", "\x1b[2J", "nul\0byte", "\x9b31m", "‮gpj.exe"):
            with self.subTest(name=ascii(name)):
                good = model([helper.make_node("Relu", [name], ["y" + name], name=name)], [floats(name, [1])],
                             [floats("y" + name, [1])])
                bad = model([helper.make_node("Frobnicate", [name], ["y"], name=name, domain=name)],
                            [floats(name, [1])], [floats("y", [1])])
                for proto, code in ((good, 0), (bad, UNSUPPORTED)):
                    path = self.save(proto)
                    for command in (["inspect", "-q"], ["inspect", "-q", "--text"], ["inspect", "-q", "--json"],
                                    ["run", "-q"]):
                        done = braid(*command, path)
                        self.check_clean(done, (code, BAD))
                        for text in (done.stdout, done.stderr):
                            self.assertNotIn(b"\nbraid: all is well", text)
                            self.assertNotIn("‮".encode(), text)

    def test_bytes_that_are_no_text(self):
        whole = relu_chain().SerializeToString().replace(b"first", b"fi\xff\xfet")
        self.answered(self.save(whole), command=("inspect", "-q", "--json"))

    def test_names_of_a_megabyte(self):
        name = "n" * 2**20
        self.refused(model([helper.make_node("Relu", ["x"], [name])], [floats("x", [1])], [floats(name, [1])]),
                     QUOTA, "name")
        message = self.refused(
            model([helper.make_node("Relu", ["x" * 60_000], ["y"])], [floats("x", [1])], [floats("y", [1])]), BAD)
        self.assertLess(len(message), 4000)

    def test_a_file_that_shrinks_while_it_is_read(self):
        weights = np.ones((1024, 4096), np.float32)
        path = self.save(one_node("MatMul", [[1, 1024], weights]))
        process = subprocess.Popen([BRAID, "run", str(path), "-q", "--iterations", "1000000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5)
        os.truncate(path, 1000)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=30)
        # Whether the cut pages are needed again depends on what was packed.
        self.assertIn(process.returncode, (BAD, 130), message)
        self.assertTrue(message.startswith(b"braid: "), message)


if __name__ == "__main__":
    unittest.main()
