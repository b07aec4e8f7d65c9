"""The benchmark models: their files are valid, their sizes are as expected, and every value that
Braid computes is ONNX Runtime's, before and after canonicalisation.

BRAID_CLI names the binary. Run by ctest; `python zoo_test.py ZooTest.test_googlenet` works too.
"""
import json
import os
import unittest

import onnx
from values import Reference, ValuesTest, braid, random_inputs

# Millions of parameters, thousands of millions of multiply-adds, operators, depth, width. How many
# operators BERT has depends on who writes it; the last three of GoogLeNet, SqueezeNet, DeepFM and T5
# are our own counts and only guard against change.
EXPECTED = {
    "inception-v3": (23.835, 5.713, 312, 158, 6),
    "resnet-50": (25.557, 4.089, 174, 166, 2),
    "resnext-50": (25.029, 4.230, 174, 166, 2),
    "nasnet-a-large": (88.753, 23.783, 1236, 327, 16),
    "nasnet-a-mobile": (5.290, 0.564, 906, 249, 13),
    "bert-base": (109.482, 11.174, None, None, 3),
    "rnntc-sru": (62.915, 0.063, 220, 44, 60),
    "googlenet": (6.625, 1.498, 195, 78, 4),
    "squeezenet-1.1": (1.235, 0.349, 64, 48, 2),
    "deepfm": (0.579, 0.000, 89, 12, 66),
    "t5-small-encoder": (35.331, 2.517, 186, 157, 5),
}
# Models with all kinds of operators, for instruction sets below the machine's; `./test --full` has all models there.
FEW = ("squeezenet-1.1", "googlenet", "resnext-50", "nasnet-a-mobile", "deepfm")
QUICK = "BRAID_MAX_ISA" in os.environ and "BRAID_FULL" not in os.environ
UNCOUNTED = {"Constant", "Identity", "Reshape", "Flatten", "Pad", "Slice"}


class ZooTest(ValuesTest):
    def write(self, name, batch=1, size=0):
        path = self.path / "model.onnx"
        braid("zoo", name, "-o", path, "--batch", batch, "--size", size)
        onnx.checker.check_model(str(path), full_check=True)
        return path

    def check_size(self, name, path):
        parameters, macs, operators, depth, width = EXPECTED[name]
        found = json.loads(braid("inspect", path, "--json"))
        self.assertEqual(round(found["parameters"] / 1e6, 3), parameters)
        self.assertEqual(round(found["macs"] / 1e9, 3), macs)
        self.assertEqual(found["width"], width)
        if operators is not None:
            self.assertEqual((found["operators"], found["depth"]), (operators, depth))
        nodes = onnx.load(path, load_external_data=False).graph.node
        counted = sum(node.op_type not in UNCOUNTED for node in nodes)
        self.assertEqual(found["operators"], counted)

    def check(self, name, batch=1, size=0):
        path = self.write(name, batch, size)
        if (batch, size) == (1, 0):
            self.check_size(name, path)
        reference = Reference(path)
        inputs = random_inputs(reference.session, 0)
        self.check_reaction(reference, inputs)
        self.check_values(reference, path, inputs)

    def test_every_model_is_tested(self):
        listed = [row["name"] for row in json.loads(braid("zoo", "--json"))["models"]]
        self.assertEqual(listed, list(EXPECTED))

    @unittest.skipIf(QUICK, "only with --full")
    def test_inception_v3_at_224(self):
        self.check("inception-v3", size=224)

    def test_nasnet_a_mobile_at_97(self):
        self.check("nasnet-a-mobile", size=97)

    def test_batch_3_squeezenet(self):
        self.check("squeezenet-1.1", batch=3)

    def test_batch_2_deepfm(self):
        self.check("deepfm", batch=2)

    @unittest.skipIf(QUICK, "only with --full")
    def test_batch_2_t5_small_encoder(self):
        self.check("t5-small-encoder", batch=2)

    @unittest.skipIf(QUICK, "only with --full")
    def test_batch_3_nasnet_a_mobile(self):
        self.check("nasnet-a-mobile", batch=3)


def add_model_test(name):
    method = "test_" + name.replace("-", "_").replace(".", "_")
    test = unittest.skipIf(QUICK and name not in FEW, "only with --full")(lambda self: self.check(name))
    setattr(ZooTest, method, test)


for model_name in EXPECTED:
    add_model_test(model_name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
