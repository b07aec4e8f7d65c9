"""Input files and inputs that do not belong to the model."""
import io
import struct
import unittest
import zipfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from hostile import BAD, QUOTA, UNSUPPORTED, USAGE, HostileTest, braid, floats, model


def npy(header, data=b""):
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


class InputsTest(HostileTest):
    def setUp(self):
        super().setUp()
        self.model = self.save(model([helper.make_node("Relu", ["x"], ["y"])], [floats("x", [2, 2])],
                                     [floats("y", [2, 2])]))

    def refuse_input(self, name, content, code=BAD, *words):
        path = self.path / name
        path.write_bytes(content)
        done = braid("run", "-q", self.model, "--load-inputs", f"x:{path}" if name.endswith(".npy") else path)
        message = self.check_clean(done, code if isinstance(code, tuple) else (code,))
        for word in words:
            self.assertIn(word, message)

    def test_arrays_that_lie(self):
        good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n"
        data = bytes(16)
        for what, content in {
            "empty": b"", "magic only": b"\x93NUMPY", "no header": b"\x93NUMPY\x01\x00",
            "header past the end": b"\x93NUMPY\x01\x00\xff\xff{}",
            "huge header": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}",
            "too few elements": npy(good, data[:15]),
            "no shape": npy("{'descr': '<f4', 'fortran_order': False}", data),
            "negative": npy(good.replace("(2, 2)", "(-2, -2)"), data),
            "overflow": npy(good.replace("(2, 2)", "(4294967296, 4294967296)"), data),
            "wrapped": npy(good.replace("(2, 2)", f"({2**62}, 4)"), data),
            "objects": npy(good.replace("<f4", "|O"), data), "unknown type": npy(good.replace("<f4", "<q9"), data),
            "code": npy("__import__('os').system('true')", data), "not closed": npy("{'descr': '<f4'", data),
            "deep": npy("(" * 50_000, data), "text": b"1 2 3\n",
        }.items():
            with self.subTest(what=what):
                self.refuse_input("x.npy", content, (BAD, UNSUPPORTED, QUOTA), "x.npy")

    def test_archives_that_lie(self):
        memory = io.BytesIO()
        np.savez(memory, x=np.zeros((2, 2), np.float32))
        whole = memory.getvalue()
        for part in range(32):
            with self.subTest(part=part):
                self.refuse_input("x.npz", whole[: len(whole) * part // 32], BAD, "x.npz")
        for at in range(0, len(whole), 3):
            path = self.path / "flip.npz"
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1:])
            with self.subTest(at=at):
                self.check_clean(braid("run", "-q", self.model, "--load-inputs", path), (0, BAD, QUOTA))

    def test_a_bomb(self):
        """A gigabyte of zeros in a megabyte."""
        with zipfile.ZipFile(self.path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("x.npy", "w", force_zip64=True) as out:
                out.write(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (268435456,), }\n"))
                for _ in range(1024):
                    out.write(bytes(2**20))
        done = braid("run", "-q", self.model, "--load-inputs", self.path / "bomb.npz")
        self.check_clean(done, (BAD, QUOTA))

    def test_archives_inflate_within_the_quota(self):
        np.savez_compressed(self.path / "x.npz", x=np.zeros((512, 512), np.float32))
        done = braid("run", "-q", self.model, "--load-inputs", self.path / "x.npz", "--quota", "memory_bytes=1M")
        message = self.check_clean(done, (QUOTA,))
        self.assertIn("memory_bytes", message)
        self.assertIn("x.npy", message)

    def test_many_small_bombs(self):
        """Each member is within bounds, all together are not."""
        with zipfile.ZipFile(self.path / "bombs.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            for i in range(64):
                archive.writestr(f"x{i}.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (131072,), }\n",
                                                  bytes(2**19)))
        done = braid("run", "-q", self.model, "--load-inputs", self.path / "bombs.npz", "--quota", "memory_bytes=16M")
        self.assertIn("memory_bytes", self.check_clean(done, (QUOTA,)))

    def test_tensors_that_lie(self):
        tensor = numpy_helper.from_array(np.zeros((2, 2), np.float32), "x")
        tensor.dims[0] = 2**40
        self.refuse_input("x.pb", tensor.SerializeToString(), (BAD, QUOTA), "x.pb")
        self.refuse_input("x.pb", b"\xff" * 100, BAD, "x.pb")
        tensor = numpy_helper.from_array(np.zeros((2, 2), np.float32), "x")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="/etc/passwd")
        tensor.ClearField("raw_data")
        self.refuse_input("x.pb", tensor.SerializeToString(), (BAD, UNSUPPORTED), "x.pb")

    def test_inputs_that_do_not_fit(self):
        for array, words in ((np.zeros((2, 3), np.float32), ("f32[2,3]", "f32[2,2]")),
                             (np.zeros((2, 2), np.float64), ("f64", "f32")), (np.zeros(4, np.int8), ("i8",))):
            np.save(self.path / "x.npy", array)
            with self.subTest(type=str(array.dtype), shape=array.shape):
                self.refuse_input("x.npy", (self.path / "x.npy").read_bytes(), BAD, "'x'", *words)
        np.savez(self.path / "z.npz", z=np.zeros((2, 2), np.float32))
        self.refuse_input("z.npz", (self.path / "z.npz").read_bytes(), BAD, "'z'")

    def test_outputs_that_cannot_be_written(self):
        for target in (self.path / "no" / "such" / "y.npz", "/dev/full"):
            self.check_clean(braid("run", "-q", self.model, "--save-outputs", target), (USAGE,))


if __name__ == "__main__":
    unittest.main()
