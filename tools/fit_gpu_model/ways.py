"""What a shape may launch: the ways of src/sim/kernels_gemm.cpp and src/sim/conv_ways.cpp, and which of them a measured row
went.

A way is a function (gpu, family, shapes) -> microseconds, where `family` stands in for the one that the way is named after, so
that a fit can try constants."""

import re

import numpy as np

from .measured import column
from .model import compute_us, memory_us

TILES = {"128x128": (128, 128), "128x64": (128, 64), "64x64": (64, 64), "32x128": (32, 128), "128x32": (128, 32),
         "64x32_sliced1x4": (64, 32), "32x32_sliced1x4": (32, 32), "128x32_sliced1x4": (128, 32)}
# Into how many slices cuBLAS cuts the depth of a product, and the depth that a slice keeps at least.
SLICES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 20, 26, 32, 40, 52, 64)
LEAST_SLICE = 128
# Below, cuDNN hardly ever takes Winograd in steps, on any GPU; and its tiles of four images only for whole ones.
LEAST_BATCH_IN_STEPS = 10


class Products:
    """`batch` products [rows, depth] x [depth, columns]; in the files the depth is column N, the result is M x K."""

    def __init__(self, rows, batched):
        batch, self.rows, self.depth, self.columns = (column(rows, name) for name in "BMNK")
        self.prefix = "bgemm_" if batched else "sgemm_"
        self.batch = batch if batched else np.ones_like(batch)
        if not batched:
            self.rows = batch * self.rows
        self.latency = column(rows, "Latency") * 1e3
        found = [re.search(r"sgemm_(\d+x\d+(?:_sliced1x4)?)_(?:nn|tn|nt)", row["Kernel Name"]) for row in rows]
        self.names = np.array([self.prefix + match[1] if match else "" for match in found])
        self.slices = np.ones_like(batch) if batched else column(rows, "Grid z")
        # Some cut products add their slices up in a second kernel.
        self.reduced = np.array(["splitkreduce" in row["Kernels"].lower() for row in rows])

    def us(self, gpu, family, name, slices=None, where=slice(None)):
        """The time in tiles of that name; without `slices` cut as the row was."""
        wide, high = TILES[name.removeprefix(self.prefix)]
        batch, rows, depth, columns = (x[where] for x in (self.batch, self.rows, self.depth, self.columns))
        after_us = 0.0
        if slices is None:
            slices = self.slices[where]
            results = rows * columns
            reduce_us = memory_us(gpu, gpu.families["split_k_reduce"], np.ceil(results / 256), 4.0 * results * (slices + 1))
            after_us = np.where(self.reduced[where], gpu.spec["costs"]["edge_us"] + reduce_us, 0.0)
        blocks = batch * np.ceil(columns / wide) * np.ceil(rows / high) * slices
        moved = 4.0 * batch * (rows * depth + depth * columns + rows * columns)
        return compute_us(gpu, family, blocks, 2.0 * wide * high * np.ceil(depth / slices), moved) + after_us

    def candidates(self, gpu, names):
        """(way, the weights that count for it, times) of every tile, whole and cut."""
        for name in names:
            yield name, [name], self.us(gpu, gpu.families[name], name, 1)
            if self.prefix == "bgemm_":
                continue
            for slices in SLICES[1:]:
                allowed = self.depth >= LEAST_SLICE * slices
                yield name, [name, "cut"], np.where(allowed, self.us(gpu, gpu.families[name], name, slices), np.inf)


class Convolutions:
    """3x3, stride 1, padding 1: all that was measured."""

    TILES = {"conv_128x128": (128, 128), "conv_128x64": (128, 64), "conv_128x32": (128, 32), "conv_32x32": (32, 32)}
    # Images, rows and columns of pixels that a block of Winograd in one kernel makes, in 32 channels.
    FUSED = {"winograd_fused": (1, 8, 16), "winograd_fused_442": (4, 8, 4)}
    NAMES = (*TILES, *FUSED, "winograd_in_steps")

    def __init__(self, rows):
        names = ("B", "Input_Channel", "Output_Channel", "Input_Size")
        self.batch, self.cin, self.cout, self.size = (column(rows, name) for name in names)
        self.latency = column(rows, "Latency") * 1e3
        self.names = np.array([self._way(row) for row in rows])
        products = [re.search(r"sgemm_(\d+x\d+)_nn", row["Kernel Name"]) for row in rows]
        self.products = np.array(["bgemm_" + match[1] if match else "" for match in products])
        self.pixels = self.batch * self.size**2
        self.unique = 4.0 * (self.pixels * (self.cin + self.cout) + 9 * self.cin * self.cout)

    @staticmethod
    def _way(row):
        """Empty for what is left out by name: FFT (gcgemm), explicit and precomputed matrix products, sliced tiles with
        channels last."""
        name = row["Kernel Name"]
        if "winogradforwarddata4x4" in row["Kernels"].lower():
            return "winograd_in_steps"
        if "winograd_128x128" in name:
            return "winograd_fused_442" if "tile442t" in name else "winograd_fused"
        if re.search(r"implicit_convolve_sgemm<float, float, \d+, 5, 5,", name):
            return "conv_32x32"
        found = re.search(r"scudnn_128x(32|64|128)_", name)
        return f"conv_128x{found[1]}" if found and "nhwc" not in name else ""

    def us(self, gpu, family, name, where=slice(None)):
        if name == "winograd_in_steps":
            return self.in_steps_us(gpu, family, self.product_us(gpu), where)
        if name in self.FUSED:
            return self._fused_us(gpu, family, self.FUSED[name], where)
        wide, high = self.TILES[name]
        blocks = (np.ceil(self.pixels / wide) * np.ceil(self.cout / high))[where]
        offsets_us = 0.0 if name == "conv_32x32" else gpu.families["conv_offsets"]["fill_us"] + gpu.spec["costs"]["edge_us"]
        return offsets_us + compute_us(gpu, family, blocks, 2.0 * wide * high * 9 * self.cin[where], self.unique[where])

    def _fused_us(self, gpu, family, tile, where):
        cin, cout = self.cin[where], self.cout[where]
        images, high, wide = tile
        blocks = (np.ceil(self.batch / images) * np.ceil(self.cout / 32) * np.ceil(self.size / high)
                  * np.ceil(self.size / wide))[where]
        filters_us = memory_us(gpu, gpu.families["winograd_tiles"], np.ceil(cin * cout / 256), 100.0 * cin * cout)
        moved = 4.0 * (self.pixels[where] * (cin + cout) + 16 * cin * cout)
        return filters_us + gpu.spec["costs"]["edge_us"] + compute_us(gpu, family, blocks, 2.0 * 16 * 32 * 32 * cin, moved)

    def product_us(self, gpu, name=None):
        """Winograd's 36 products, in the row's own tiles or in those of that name."""
        tiles = self.batch * np.ceil(self.size / 4) ** 2
        moved = 4.0 * 36 * (tiles * (self.cin + self.cout) + self.cin * self.cout)
        result = np.full(len(tiles), np.nan)
        for tile in [name] if name else sorted(set(self.products) - {""}):
            where = slice(None) if name else self.products == tile
            wide, high = TILES[tile.removeprefix("bgemm_")]
            blocks = (36 * np.ceil(self.cout / wide) * np.ceil(tiles / high))[where]
            result[where] = compute_us(gpu, gpu.families[tile], blocks, 2.0 * wide * high * self.cin[where], moved[where])
        return result

    def in_steps_us(self, gpu, family, product_us, where=slice(None)):
        """Transforms of input and filter, the products, the transform of the result; `family` is that of the transforms."""
        tiles = self.batch * np.ceil(self.size / 4) ** 2
        total = (product_us + 3 * gpu.spec["costs"]["edge_us"])[where]
        for items, moved in ((tiles * self.cin, self.pixels * self.cin + 36 * tiles * self.cin),
                             (self.cin * self.cout, 45 * self.cin * self.cout),
                             (tiles * self.cout, self.pixels * self.cout + 36 * tiles * self.cout)):
            total = total + memory_us(gpu, family, np.ceil(items[where] / 256), 4.0 * moved[where])
        return total

    def candidates(self, gpu, names, product_weights):
        """(way, the weights that count for it, times) from shapes alone; Winograd's products as batched ones are chosen."""
        for name in names:
            if name != "winograd_in_steps":
                allowed = self.batch % 4 == 0 if name == "winograd_fused_442" else np.full(len(self.batch), True)
                yield name, [name], np.where(allowed, self.us(gpu, gpu.families[name], name), np.inf)
                continue
            times = np.stack([self.product_us(gpu, tile) for tile in product_weights], 1)
            chosen = (times * np.array(list(product_weights.values()))).argmin(1)
            product_us = times[np.arange(len(times)), chosen]
            in_steps_us = self.in_steps_us(gpu, gpu.families["winograd_input"], product_us)
            yield name, [name], np.where(self.batch >= LEAST_BATCH_IN_STEPS, in_steps_us, np.inf)


class Vectors:
    """Element by element, or row by row: memory only."""

    def __init__(self, operator, rows):
        batch, width = column(rows, "B"), column(rows, "H")
        self.moved = {"add": 12.0, "mul": 12.0}.get(operator, 8.0) * batch * width
        self.blocks = column(rows, "Grid x") * column(rows, "Grid y") * column(rows, "Grid z")
        self.latency = column(rows, "Latency") * 1e3
        named = {"softmax": np.where(width <= 1024, "softmax", "softmax_block"), "ln": np.full(len(rows), "layer_norm")}
        self.names = named.get(operator, np.full(len(rows), "elementwise"))

    def us(self, gpu, family, name, where=slice(None)):
        return memory_us(gpu, family, self.blocks[where], self.moved[where])
