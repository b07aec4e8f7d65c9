"""What the stand-ins for onnxruntime and openvino beside this file do: they answer 2·x to every x, unless the
environment variable FAKE_<NAME> says otherwise: wrong, not-a-number, cannot-load, crash, exit, hang-import, hang-run,
other-shape, half. FAKE_LOG names a file that gets a line of JSON for each that loads a model."""
import json
import os
import time

import numpy as np


class FakeRuntime:
    def __init__(self, name):
        self.name = name
        self.behaviour = os.environ.get(f"FAKE_{name.upper()}", "")
        self.runs = 0
        if self.behaviour == "hang-import":
            self.log({})
            time.sleep(1000)

    def log(self, facts):
        if "FAKE_LOG" in os.environ:
            with open(os.environ["FAKE_LOG"], "a") as log:
                print(json.dumps({"name": self.name, "pid": os.getpid(), **facts}), file=log)

    def load(self, model, **facts):
        if self.behaviour == "cannot-load":
            raise RuntimeError(f"no kernel for Mul(99)\n  in {model}" + " and so on" * 100)
        self.log({"model": str(model), "cores": sorted(os.sched_getaffinity(0)), **facts})

    def run(self, inputs):
        """The outputs for arrays by name."""
        self.runs += 1
        if self.behaviour == "hang-run":
            time.sleep(1000)
        if self.runs == 6 and self.behaviour == "crash":
            os.abort()
        if self.runs == 6 and self.behaviour == "exit":
            print("this is the end", file=__import__("sys").stderr)
            os._exit(3)
        y = 2 * inputs["x"]
        if self.behaviour == "wrong":
            y.flat[0] += 0.5
        if self.behaviour == "not-a-number":
            y.flat[1] = np.nan
        if self.behaviour == "half":
            y = y.astype(np.float16)
        return [np.squeeze(y) if self.behaviour == "other-shape" else y]
