"""cuDNN's backend interface, as much of it as its heuristics need, without a GPU."""
import ctypes
import pathlib
import re

LIBRARIES = ("graph", "ops", "engines_precompiled", "engines_runtime_compiled", "heuristic", "cnn")
MOST_CONFIGS = 64
MOST_KNOBS = 48


def enumerators(header):
    """The values of all C enumerators of a header."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text).replace("CUDNN_DEPRECATED_ENUM", "")
    values = {}
    for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", text, flags=re.S):
        following = 0
        for item in filter(None, (part.strip() for part in body.split(","))):
            name, _, value = (part.strip() for part in item.partition("="))
            if not re.fullmatch(r"\w+", name):
                continue
            if value:
                following = values[value] if value in values else int(value, 0)
            values[name] = following
            following += 1
    return values


class Failure(Exception):
    """cuDNN said no; the text is its reason."""


class Cudnn:
    """A loaded cuDNN. `folder` holds its include/ and lib/."""

    def __init__(self, folder):
        self.values = enumerators((pathlib.Path(folder) / "include" / "cudnn_graph.h").read_text())
        for library in LIBRARIES:
            path = pathlib.Path(folder) / "lib" / f"libcudnn_{library}.so.9"
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(pathlib.Path(folder) / "lib" / "libcudnn.so.9"))
        self.library.cudnnGetVersion.restype = ctypes.c_size_t

    def __getattr__(self, name):
        return self.values["CUDNN_" + name]

    def version(self):
        number = self.library.cudnnGetVersion()
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def check(self, status):
        if status != 0:
            text = ctypes.create_string_buffer(1024)
            self.library.cudnnGetLastErrorString(text, ctypes.c_size_t(len(text)))
            raise Failure(f"status {status}: {text.value.decode(errors='replace')}")

    def make(self, kind):
        made = ctypes.c_void_p()
        self.check(
            self.library.cudnnBackendCreateDescriptor(
                self.values[f"CUDNN_BACKEND_{kind}_DESCRIPTOR"], ctypes.byref(made)
            )
        )
        return made

    def set(self, descriptor, attribute, kind, values):
        """Sets an attribute; `kind` tells the C type of the values."""
        if kind == "CHAR":
            array = ctypes.create_string_buffer(values, len(values))
        else:
            c_type = {
                "INT64": ctypes.c_int64,
                "FLOAT": ctypes.c_float,
                "BACKEND_DESCRIPTOR": ctypes.c_void_p,
            }.get(kind, ctypes.c_int)
            array = (c_type * len(values))(*values)
        self.check(
            self.library.cudnnBackendSetAttribute(
                descriptor,
                self.values["CUDNN_ATTR_" + attribute],
                self.values["CUDNN_TYPE_" + kind],
                ctypes.c_int64(len(values)),
                array,
            )
        )

    def finalize(self, descriptor):
        self.check(self.library.cudnnBackendFinalize(descriptor))
        return descriptor

    def get(self, descriptor, attribute, kind, array):
        """Fills the array; returns how many values there are."""
        count = ctypes.c_int64()
        self.check(
            self.library.cudnnBackendGetAttribute(
                descriptor,
                self.values["CUDNN_ATTR_" + attribute],
                self.values["CUDNN_TYPE_" + kind],
                ctypes.c_int64(len(array)),
                ctypes.byref(count),
                array,
            )
        )
        return min(count.value, len(array))

    def destroy(self, descriptors):
        for descriptor in descriptors:
            self.library.cudnnBackendDestroyDescriptor(descriptor)
