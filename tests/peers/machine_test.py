"""What bench/peers says of the machine, and how it holds contenders to an instruction set."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"))
import limits
import machine
import models

AVX512 = ["avx512f", "avx512bw", "avx512dq", "avx512vl"]


class Machine(unittest.TestCase):
    def test_best_instruction_set(self):
        self.assertEqual(machine.best_instruction_set([]), "baseline")
        self.assertEqual(machine.best_instruction_set(["avx2"]), "baseline")
        self.assertEqual(machine.best_instruction_set(["avx2", "fma"]), "avx2")
        self.assertEqual(machine.best_instruction_set(["avx2", "fma", "avx512f"]), "avx2")
        self.assertEqual(machine.best_instruction_set(["avx2", "fma", *AVX512]), "avx512")

    def test_caches_that_hold_data(self):
        with tempfile.TemporaryDirectory() as folder:
            for index, facts in enumerate([("1", "Data", "48K", "3"), ("1", "Instruction", "32K", "3"),
                                           ("2", "Unified", "2048K", "3"), ("3", "Unified", "32M", "0-3,8")]):
                at = pathlib.Path(folder) / "cpu3" / "cache" / f"index{index}"
                at.mkdir(parents=True)
                for name, value in zip(["level", "type", "size", "shared_cpu_list"], facts):
                    (at / name).write_text(value + "\n")
            caches = machine.data_caches(3, pathlib.Path(folder))
        self.assertEqual(machine.text({"processor": "CPU", "instruction_set": "avx2", "caches": caches}),
                         "CPU, avx2, L1 48 KiB, L2 2 MiB, L3 32 MiB for 5 cores")

    def test_a_system_that_tells_no_caches(self):
        self.assertEqual(machine.data_caches(0, pathlib.Path("/nowhere")), [])


class Limits(unittest.TestCase):
    def test_only_one_peer_can_be_held(self):
        names = ["braid", "onnxruntime", "openvino"]
        kept, left_out = limits.without_unlimited(names, "avx2", "avx512")
        self.assertEqual((kept, list(left_out)), (["braid", "openvino"], ["onnxruntime"]))
        for isa in ("avx512", None):
            self.assertEqual(limits.without_unlimited(names, isa, "avx512"), (names, {}))

    def test_primitives_beyond_the_limit(self):
        primitives = {"brgconv_avx2_f32": 3, "jit_avx512_f32": 1, "gemm_mlas_f32": 1, "jit_sse42_f32": 1}
        self.assertEqual(limits.too_much(primitives, "avx2"), ["jit_avx512_f32"])
        self.assertEqual(limits.too_much(primitives, "baseline"), ["brgconv_avx2_f32", "jit_avx512_f32"])


class Batches(unittest.TestCase):
    def test_models_of_the_zoo_are_written_for_the_batch(self):
        options = ["--batch", "4", "--seed", "1"]
        self.assertEqual(models.batch_of(options), "4")
        self.assertEqual(models.how_inputs_are_made("googlenet", True, options), ["--seed", "1"])
        self.assertEqual(models.how_inputs_are_made("mine", False, options), options)


if __name__ == "__main__":
    unittest.main()
