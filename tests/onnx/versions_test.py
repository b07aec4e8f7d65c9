"""Old and new forms of operators: Braid reads each as ONNX Runtime does, and writes it back in every opset it can."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
import onnx.checker
import onnx.reference
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
IR_OF_OPSET = {opset: ir for _, ir, opset, *_ in helper.VERSION_TABLE}


def random_input(shape, element, rng):
    if element == F:
        return rng.standard_normal(shape).astype(np.float32)
    return rng.integers(0, 2, shape).astype(helper.tensor_dtype_to_np_dtype(element))


def make_model(opset, nodes, inputs, outputs, constants):
    graph = helper.make_graph(
        nodes, "case",
        [helper.make_tensor_value_info(name, element, shape) for name, (element, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, element, None) for name, element in outputs.items()],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                             ir_version=max(4, IR_OF_OPSET[opset]))


class Case:
    def __init__(self, name, opset, op, shape=(2, 3, 4), attributes=None, constants=None, more_inputs=None,
                 outputs=None, element=F, input_names=None):
        self.name = f"{name}_opset{opset}"
        self.opset = opset
        constants = constants or {}
        inputs = {"x": (element, list(shape))}
        inputs.update(more_inputs or {})
        outputs = outputs or {"y": element}
        names = input_names or list(inputs) + list(constants)
        node = helper.make_node(op, names, list(outputs), name="node", **(attributes or {}))
        self.model = make_model(opset, [node], inputs, {k: v for k, v in outputs.items() if k}, constants)
        self.inputs = inputs


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


def cases():
    rows = []
    add = lambda *args, **more: rows.append(Case(*args, **more))
    for opset in (7, 11):
        for op in ("Softmax", "LogSoftmax", "Hardmax"):
            for axis in (0, 1, 2):
                add(f"{op}_axis{axis}", opset, op, attributes={"axis": axis})
            add(f"{op}_default", opset, op)
        add("Unsqueeze", opset, "Unsqueeze", attributes={"axes": [0, 2]})
        add("Squeeze", opset, "Squeeze", shape=(1, 3, 1), attributes={"axes": [0, 2]})
        add("Squeeze_all", opset, "Squeeze", shape=(1, 3, 1))
        add("Split", opset, "Split", attributes={"axis": 2, "split": [1, 3]}, outputs={"y": F, "z": F})
        add("Split_equal", opset, "Split", attributes={"axis": 2}, outputs={"y": F, "z": F})
        add("Dropout", opset, "Dropout", attributes={"ratio": 0.3})
        add("Gemm", opset, "Gemm", shape=(2, 3), constants={"b": np.ones((3, 4), np.float32), "c": f32(1, 2, 3, 4)})
        add("MaxPool", opset, "MaxPool", shape=(1, 2, 6, 6), attributes={"kernel_shape": [2, 2], "strides": [2, 2]})
        add("Flatten", opset, "Flatten", attributes={"axis": 2})
        add("BatchNormalization", opset, "BatchNormalization", shape=(2, 3, 4),
            constants={"s": f32(1, 2, 3), "b": f32(0, 1, 2), "m": f32(.1, .2, .3), "v": f32(1, 2, 3)})
        for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp"):
            add(f"{op}", opset, op, attributes={"axes": [1, 2], "keepdims": 0})
            add(f"{op}_all", opset, op)
        add("ArgMax", opset, "ArgMax", attributes={"axis": 1}, outputs={"y": I})
    for opset in (7, 10):
        add("Clip", opset, "Clip", attributes={"min": -0.5, "max": 0.5})
        add("Clip_min", opset, "Clip", attributes={"min": 0.0})
        add("Clip_none", opset, "Clip")
        for mode in ("constant", "reflect", "edge"):
            add(f"Pad_{mode}", opset, "Pad", attributes={"pads": [0, 1, 1, 0, 1, 2], "mode": mode, **({"value": 2.0} if mode == "constant" else {})})
    for opset in (7, 9):
        add("Slice", opset, "Slice", attributes={"starts": [1, -3], "ends": [3, 100], "axes": [1, 2]})
        add("TopK", opset, "TopK", attributes={"k": 2, "axis": 2}, outputs={"y": F, "z": I})
    add("BatchNormalization_spatial", 7, "BatchNormalization", shape=(2, 3, 4), attributes={"spatial": 1},
        constants={"s": f32(1, 2, 3), "b": f32(0, 1, 2), "m": f32(.1, .2, .3), "v": f32(1, 2, 3)})
    for mode in ("nearest", "linear"):
        add(f"Upsample_{mode}", 7, "Upsample", shape=(1, 1, 3, 4), attributes={"scales": [1., 1., 2., 1.5], "mode": mode})
        add(f"Upsample_{mode}", 9, "Upsample", shape=(1, 1, 3, 4), attributes={"mode": mode}, constants={"s": f32(1, 1, 2, 3)})
        add(f"Resize_{mode}", 10, "Resize", shape=(1, 1, 4, 4), attributes={"mode": mode}, constants={"s": f32(1, 1, 1.5, .5)})
        add(f"Resize_{mode}", 11, "Resize", shape=(1, 1, 4, 4), attributes={"mode": mode, "coordinate_transformation_mode": "asymmetric"},
            constants={"roi": f32(), "s": f32(1, 1, 2, 2)})
        add(f"Resize_{mode}_sizes", 11, "Resize", shape=(1, 1, 4, 4), attributes={"mode": mode},
            constants={"roi": f32(), "s": f32(), "sizes": i64(1, 1, 6, 8)})
        add(f"Resize_{mode}_sizes", 19, "Resize", shape=(1, 1, 4, 4), attributes={"mode": mode},
            constants={"sizes": i64(1, 1, 6, 8)}, input_names=["x", "", "", "sizes"])
    add("Slice", 10, "Slice", constants={"s": i64(3, -1), "e": i64(0, -100), "a": i64(1, 2), "t": i64(-1, -2)})
    add("Slice", 13, "Slice", constants={"s": i64(1), "e": i64(3), "a": i64(-2)})
    add("TopK", 11, "TopK", attributes={"axis": 1, "largest": 0}, constants={"k": i64(2)}, outputs={"y": F, "z": I})
    add("Clip", 13, "Clip", constants={"lo": np.float32(-.5), "hi": np.float32(.5)})
    add("Clip_max_only", 13, "Clip", constants={"hi": np.float32(.5)}, input_names=["x", "", "hi"])
    add("Pad", 13, "Pad", constants={"p": i64(0, 1, 1, 0, 1, 2), "v": np.float32(1)})
    add("Pad_axes", 18, "Pad", constants={"p": i64(1, 2, 0, 1), "v": np.float32(1), "a": i64(-1, 0)})
    for axis in (0, 1, 2, -1):
        for op in ("Softmax", "LogSoftmax", "Hardmax"):
            add(f"{op}_axis{axis}", 13, op, attributes={"axis": axis})
    add("Unsqueeze", 13, "Unsqueeze", constants={"a": i64(0, -1)})
    add("Squeeze", 13, "Squeeze", shape=(1, 3, 1), constants={"a": i64(-1)})
    add("Split", 13, "Split", attributes={"axis": 2}, constants={"s": i64(1, 3)}, outputs={"y": F, "z": F})
    add("Split_equal", 13, "Split", attributes={"axis": -1}, outputs={"y": F, "z": F})
    add("Split_uneven", 18, "Split", shape=(7,), attributes={"num_outputs": 3}, outputs={"y": F, "z": F, "w": F})
    add("ReduceSum", 13, "ReduceSum", constants={"a": i64(-1)})
    add("ReduceSum_noop", 13, "ReduceSum", attributes={"noop_with_empty_axes": 1})
    add("ReduceMean", 18, "ReduceMean", constants={"a": i64(0, 2)}, attributes={"keepdims": 0})
    add("ReduceMean_all", 18, "ReduceMean")
    add("Dropout", 13, "Dropout", constants={"r": np.float32(.2)})
    add("Gemm_no_bias", 13, "Gemm", shape=(2, 3), constants={"b": np.ones((3, 4), np.float32)})
    add("Concat", 13, "Concat", attributes={"axis": -1}, more_inputs={"x2": (F, [2, 3, 1])})
    add("Scatter", 9, "Scatter", attributes={"axis": 1}, constants={"i": np.zeros((2, 1, 4), np.int64), "u": np.ones((2, 1, 4), np.float32)})
    add("ScatterElements", 18, "ScatterElements", attributes={"axis": 1}, constants={"i": np.zeros((2, 1, 4), np.int64), "u": np.ones((2, 1, 4), np.float32)})
    add("GroupNormalization", 18, "GroupNormalization", shape=(2, 4, 3), attributes={"num_groups": 2}, constants={"s": f32(1, 2), "b": f32(3, 4)})
    add("GroupNormalization", 21, "GroupNormalization", shape=(2, 4, 3), attributes={"num_groups": 2}, constants={"s": f32(1, 2, 3, 4), "b": f32(3, 4, 5, 6)})
    add("GridSample", 16, "GridSample", shape=(1, 1, 4, 4), attributes={"mode": "bilinear"}, more_inputs={"grid": (F, [1, 2, 2, 2])})
    add("GridSample", 20, "GridSample", shape=(1, 1, 4, 4), attributes={"mode": "linear"}, more_inputs={"grid": (F, [1, 2, 2, 2])})
    add("DFT", 17, "DFT", shape=(1, 5, 1), attributes={"axis": 1})
    add("DFT", 20, "DFT", shape=(1, 5, 1))
    add("LayerNormalization", 17, "LayerNormalization", constants={"s": f32(1, 2, 3, 4)})
    add("AveragePool", 19, "AveragePool", shape=(1, 2, 6, 6), attributes={"kernel_shape": [2, 2], "dilations": [1, 1], "ceil_mode": 0})
    add("Cast", 13, "Cast", attributes={"to": I}, outputs={"y": I})
    add("Reshape", 14, "Reshape", attributes={"allowzero": 0}, constants={"s": i64(2, -1)})
    add("Transpose", 13, "Transpose", attributes={"perm": [2, 0, 1]})
    add("Shape", 15, "Shape", attributes={"start": 1}, outputs={"y": I})
    add("Gather", 13, "Gather", attributes={"axis": -1}, constants={"i": i64(0, -1)})
    return rows


class Driver:
    def __init__(self):
        self.process = subprocess.Popen([os.environ["ONNX_DRIVER"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise AssertionError(f"the driver died on {words}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def reference(model, inputs):
    try:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        names = [o.name for o in session.get_outputs()]
        return dict(zip(names, session.run(None, inputs)))
    except Exception:
        evaluator = onnx.reference.ReferenceEvaluator(model)
        return dict(zip(evaluator.output_names, evaluator.run(None, inputs)))


class Versions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()
        cls.folder.cleanup()

    def path(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def expect_equal(self, got, expected, what):
        for name, value in expected.items():
            self.assertEqual(got[name].dtype, value.dtype, what)
            np.testing.assert_allclose(got[name], value, rtol=1e-5, atol=1e-5, err_msg=f"{what}, output {name}")

    def test_reads_and_writes_every_form(self):
        rng = np.random.default_rng(1)
        unsupported = []
        for case in cases():
            with self.subTest(case.name):
                onnx.save(case.model, self.path("in.onnx"))
                inputs = {name: random_input(shape, element, rng) for name, (element, shape) in case.inputs.items()}
                expected = reference(case.model, inputs)
                np.savez(self.path("in.npz"), **inputs)
                answer = self.driver.ask("run", self.path("in.onnx"), self.path("in.npz"), self.path("out.npz"))
                if answer.startswith("error unsupported: operator"):
                    unsupported.append(case.name)
                    continue
                self.assertEqual(answer, "ok")
                self.expect_equal(np.load(self.path("out.npz")), expected, case.name)
                self.check_written(case, inputs, expected)
        if unsupported:
            print("operators not there yet:", ", ".join(unsupported))

    def check_written(self, case, inputs, expected):
        for opset in [0, *range(7, 29)]:
            with self.subTest(opset=opset):
                answer = self.driver.ask("convert", self.path("in.onnx"), self.path("out.onnx"), opset)
                may_fail = opset != 0 and opset != case.opset
                if answer.startswith("error unsupported") and "cannot be written in opset" in answer and may_fail:
                    continue
                self.assertEqual(answer, "ok")
                written = onnx.load(self.path("out.onnx"))
                onnx.checker.check_model(written, full_check=True)
                if opset != 0:
                    self.assertEqual(written.opset_import[0].version, opset)
                if opset in (0, 7, 9, 10, 11, 12, 13, 15, 17, 18, 21):
                    self.expect_equal(reference(written, inputs), expected, f"{case.name} written in opset {opset}")


if __name__ == "__main__":
    unittest.main()
