"""Which kernels cuDNN would choose for a convolution on a GPU that is described, not present."""
import ctypes
import dataclasses
import json

from ask_cudnn.backend import MOST_CONFIGS, MOST_KNOBS, Failure

FLOAT, CROSS_CORRELATION = "DATA_FLOAT", "CROSS_CORRELATION"

# What a spec file does not say and cuDNN wants to know: bytes of memory, clocks in kHz.
CARDS = {
    "v100": (16945512448, 1530000, 877000),
    "t4": (15843721216, 1590000, 5001000),
    "rtx2080s": (8366784512, 1815000, 7751000),
    "rtx2080ti": (11554717696, 1545000, 7000000),
    "rtx3090": (25438126080, 1695000, 9751000),
    "a100": (42949672960, 1410000, 1215000),
    "h100": (85028765696, 1980000, 2619000),
}


@dataclasses.dataclass(frozen=True, order=True)
class Conv:
    """A two-dimensional float32 convolution, channels first."""

    image: tuple  # batch, channels, height, width
    filters: tuple  # out channels, channels of a group, height, width
    pads: tuple  # top, left, bottom, right
    strides: tuple
    dilations: tuple
    groups: int

    def output(self):
        size = [
            (self.image[2 + axis] + self.pads[axis] + self.pads[axis + 2]
             - self.dilations[axis] * (self.filters[2 + axis] - 1) - 1) // self.strides[axis] + 1
            for axis in (0, 1)
        ]
        return (self.image[0], self.filters[0], *size)


@dataclasses.dataclass
class Config:
    """One of cuDNN's answers."""

    engine: int
    knobs: dict
    notes: set
    workspace: int


def device_properties(spec):
    """A GPU of ours in the words of cuDNN."""
    memory, clock, memory_clock = CARDS[spec["name"]]
    major, minor = spec["compute_capability"]
    sm = spec["sm"]
    return {
        "deviceVer": major * 100 + minor * 10,
        "driverVer": 13000,
        "cudaDeviceId": 0,
        "totalGlobalMem": memory,
        "maxGridSize": [2147483647, 65535, 65535],
        "maxBlockSize": [1024, 1024, 64],
        "regsPerBlock": 65536,
        "multiProcessorCount": spec["sms"],
        "warpSize": 32,
        "maxSharedMemoryPerBlock": 49152,
        "maxSharedMemoryPerBlockOptin": sm["shared_bytes_per_block"],
        "reservedSharedMemoryPerBlock": sm["shared_bytes_reserved"],
        "maxRegistersPerSM": sm["registers"],
        "maxCtasPerSM": sm["blocks"],
        "maxThreadsPerBlock": 1024,
        "maxThreadsPerSM": sm["threads"],
        "pciDeviceId": 0,
        "isTccDriver": 0,
        "supportCoopLaunch": 1,
        "smClockRateKHz": clock,
        "memClockRateKHz": memory_clock,
        "l2CacheSize": spec["l2_bytes"],
        "deviceName": spec["title"],
    }


class Heuristics:
    """Asks a cuDNN about a GPU."""

    def __init__(self, cudnn, spec):
        self.cudnn = cudnn
        self.made = []
        self.device = self.make("DEVICEPROP")
        text = json.dumps(device_properties(spec)).encode()
        cudnn.set(self.device, "DEVICEPROP_JSON_REPRESENTATION", "CHAR", text)
        cudnn.finalize(self.device)
        self.made = []

    def configs(self, conv):
        """cuDNN's answers, best first. Throws Failure if it has none."""
        try:
            return self.ask(conv)
        finally:
            self.cudnn.destroy(self.made)
            self.made = []

    def make(self, kind):
        self.made.append(self.cudnn.make(kind))
        return self.made[-1]

    def tensor(self, number, dims):
        made = self.make("TENSOR")
        strides = [dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1]
        self.cudnn.set(made, "TENSOR_DATA_TYPE", "DATA_TYPE", [getattr(self.cudnn, FLOAT)])
        self.cudnn.set(made, "TENSOR_DIMENSIONS", "INT64", dims)
        self.cudnn.set(made, "TENSOR_STRIDES", "INT64", strides)
        self.cudnn.set(made, "TENSOR_UNIQUE_ID", "INT64", [number])
        self.cudnn.set(made, "TENSOR_BYTE_ALIGNMENT", "INT64", [16])
        return self.cudnn.finalize(made)

    def graph(self, conv):
        cudnn = self.cudnn
        window = self.make("CONVOLUTION")
        cudnn.set(window, "CONVOLUTION_SPATIAL_DIMS", "INT64", [2])
        cudnn.set(window, "CONVOLUTION_COMP_TYPE", "DATA_TYPE", [getattr(cudnn, FLOAT)])
        mode = [getattr(cudnn, CROSS_CORRELATION)]
        cudnn.set(window, "CONVOLUTION_CONV_MODE", "CONVOLUTION_MODE", mode)
        cudnn.set(window, "CONVOLUTION_PRE_PADDINGS", "INT64", conv.pads[:2])
        cudnn.set(window, "CONVOLUTION_POST_PADDINGS", "INT64", conv.pads[2:])
        cudnn.set(window, "CONVOLUTION_DILATIONS", "INT64", conv.dilations)
        cudnn.set(window, "CONVOLUTION_FILTER_STRIDES", "INT64", conv.strides)
        cudnn.finalize(window)
        operation = self.make("OPERATION_CONVOLUTION_FORWARD")
        prefix = "OPERATION_CONVOLUTION_FORWARD_"
        parts = {
            "X": self.tensor(1, conv.image),
            "W": self.tensor(2, conv.filters),
            "Y": self.tensor(3, conv.output()),
            "CONV_DESC": window,
        }
        for name, part in parts.items():
            cudnn.set(operation, prefix + name, "BACKEND_DESCRIPTOR", [part])
        cudnn.set(operation, prefix + "ALPHA", "FLOAT", [1.0])
        cudnn.set(operation, prefix + "BETA", "FLOAT", [0.0])
        cudnn.finalize(operation)
        graph = self.make("OPERATIONGRAPH")
        cudnn.set(graph, "OPERATIONGRAPH_OPS", "BACKEND_DESCRIPTOR", [operation])
        return cudnn.finalize(graph)

    def ask(self, conv):
        cudnn = self.cudnn
        heuristics = self.make("ENGINEHEUR")
        operations = [self.graph(conv)]
        cudnn.set(heuristics, "ENGINEHEUR_OPERATION_GRAPH", "BACKEND_DESCRIPTOR", operations)
        cudnn.set(heuristics, "ENGINEHEUR_MODE", "HEUR_MODE", [cudnn.HEUR_MODE_A])
        cudnn.set(heuristics, "ENGINEHEUR_DEVICEPROP", "BACKEND_DESCRIPTOR", [self.device])
        cudnn.finalize(heuristics)
        found = self.array("ENGINECFG", MOST_CONFIGS)
        count = cudnn.get(heuristics, "ENGINEHEUR_RESULTS", "BACKEND_DESCRIPTOR", found)
        if count == 0:
            raise Failure("no engine")
        return [self.read(ctypes.c_void_p(found[i])) for i in range(count)]

    def array(self, kind, size):
        return (ctypes.c_void_p * size)(*(self.make(kind).value for _ in range(size)))

    def read(self, config):
        cudnn = self.cudnn
        engine = self.array("ENGINE", 1)
        cudnn.get(config, "ENGINECFG_ENGINE", "BACKEND_DESCRIPTOR", engine)
        number = (ctypes.c_int64 * 1)()
        cudnn.get(ctypes.c_void_p(engine[0]), "ENGINE_GLOBAL_INDEX", "INT64", number)
        workspace = (ctypes.c_int64 * 1)()
        cudnn.get(config, "ENGINECFG_WORKSPACE_SIZE", "INT64", workspace)
        notes = (ctypes.c_int * 32)()
        count = cudnn.get(
            ctypes.c_void_p(engine[0]), "ENGINE_NUMERICAL_NOTE", "NUMERICAL_NOTE", notes
        )
        return Config(number[0], self.knobs(config), set(notes[:count]), workspace[0])

    def knobs(self, config):
        choices = self.array("KNOB_CHOICE", MOST_KNOBS)
        count = self.cudnn.get(config, "ENGINECFG_KNOB_CHOICES", "BACKEND_DESCRIPTOR", choices)
        knobs = {}
        for choice in choices[:count]:
            kind, value = (ctypes.c_int * 1)(), (ctypes.c_int64 * 1)()
            self.cudnn.get(
                ctypes.c_void_p(choice), "KNOB_CHOICE_KNOB_TYPE", "KNOB_TYPE", kind
            )
            self.cudnn.get(ctypes.c_void_p(choice), "KNOB_CHOICE_KNOB_VALUE", "INT64", value)
            knobs[kind[0]] = value[0]
        return knobs
