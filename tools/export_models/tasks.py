"""Networks of other tasks than naming what an image shows, small and in the usual form of their kind."""
import torch
from torch import nn
from torch.nn import functional


def convolution(inputs, outputs, kernel=3, stride=1, activation=nn.ReLU):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        activation(),
    )


class UNet(nn.Module):
    """Labels the pixels of an image; goes up by transposed convolutions."""

    def __init__(self, channels=32, levels=5):
        super().__init__()
        widths = [channels << level for level in range(levels)]
        self.down = nn.ModuleList(
            nn.Sequential(convolution(before, width), convolution(width, width))
            for before, width in zip([3, *widths], widths)
        )
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(2 * width, width, 2, 2) for width in widths[:-1]
        )
        self.join = nn.ModuleList(
            nn.Sequential(convolution(2 * width, width), convolution(width, width))
            for width in widths[:-1]
        )
        self.labels = nn.Conv2d(channels, 2, 1)

    def forward(self, image):
        kept = [self.down[0](image)]
        for down in self.down[1:]:
            kept.append(down(functional.max_pool2d(kept[-1], 2)))
        x = kept.pop()
        for up, join in zip(reversed(self.up), reversed(self.join)):
            x = join(torch.cat([kept.pop(), up(x)], 1))
        return self.labels(x)


class Enlarger(nn.Module):
    """Makes an image four times as wide and high, by shuffles of pixels."""

    def __init__(self, channels=64, blocks=8):
        super().__init__()
        self.first = nn.Conv2d(3, channels, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(channels, channels, 3, padding=1),
                nn.PReLU(channels),
                nn.Conv2d(channels, channels, 3, padding=1),
            )
            for _ in range(blocks)
        )
        self.larger = nn.Sequential(
            nn.Conv2d(channels, 4 * channels, 3, padding=1),
            nn.PixelShuffle(2),
            nn.Conv2d(channels, 4 * channels, 3, padding=1),
            nn.PixelShuffle(2),
            nn.Conv2d(channels, 3, 3, padding=1),
        )

    def forward(self, image):
        first = self.first(image)
        x = first
        for block in self.blocks:
            x = x + block(x)
        return self.larger(x + first)


class Painter(nn.Module):
    """Makes an image of 64x64 pixels of noise."""

    def __init__(self, channels=64, noise=100):
        super().__init__()
        widths = [channels << level for level in (3, 2, 1, 0)]
        layers = []
        for before, width, stride, pad in zip([noise, *widths], widths, (1, 2, 2, 2), (0, 1, 1, 1)):
            layers += [
                nn.ConvTranspose2d(before, width, 4, stride, pad, bias=False),
                nn.BatchNorm2d(width),
                nn.ReLU(),
            ]
        self.layers = nn.Sequential(*layers, nn.ConvTranspose2d(channels, 3, 4, 2, 1), nn.Tanh())

    def forward(self, noise):
        return self.layers(noise)


class Vocoder(nn.Module):
    """Makes sound of a spectrogram of 80 bands, 256 samples of each of its steps."""

    STRIDES = (8, 8, 2, 2)

    def __init__(self, channels=256):
        super().__init__()
        widths = [channels >> level for level in range(len(self.STRIDES) + 1)]
        self.first = nn.Conv1d(80, channels, 7, padding=3)
        self.up = nn.ModuleList(
            nn.ConvTranspose1d(before, width, 2 * stride, stride, stride // 2)
            for before, width, stride in zip(widths, widths[1:], self.STRIDES)
        )
        self.blocks = nn.ModuleList(
            nn.ModuleList(
                nn.ModuleList(
                    nn.Conv1d(width, width, kernel, padding=wide * (kernel // 2), dilation=wide)
                    for wide in (1, 3, 5)
                )
                for kernel in (3, 7)
            )
            for width in widths[1:]
        )
        self.last = nn.Conv1d(widths[-1], 1, 7, padding=3)

    def forward(self, spectrogram):
        x = self.first(spectrogram)
        for up, branches in zip(self.up, self.blocks):
            x = up(functional.leaky_relu(x, 0.1))
            results = []
            for branch in branches:
                y = x
                for conv in branch:
                    y = y + conv(functional.leaky_relu(y, 0.1))
                results.append(y)
            x = sum(results) / len(results)
        return torch.tanh(self.last(functional.leaky_relu(x)))


class Reader(nn.Module):
    """Reads a line of text, 32 pixels high."""

    def __init__(self, letters=96):
        super().__init__()
        self.look = nn.Sequential(
            convolution(1, 64),
            nn.MaxPool2d(2),
            convolution(64, 128),
            nn.MaxPool2d(2),
            convolution(128, 256),
            convolution(256, 256),
            nn.MaxPool2d((2, 1)),
            convolution(256, 512),
            nn.MaxPool2d((2, 1)),
            nn.Conv2d(512, 512, 2),
            nn.ReLU(),
        )
        self.read = nn.LSTM(512, 256, 2, bidirectional=True)
        self.letters = nn.Linear(512, letters)

    def forward(self, image):
        steps = self.look(image).squeeze(2).permute(2, 0, 1)
        return self.letters(self.read(steps)[0])


class Partial(nn.Module):
    """Half of the channels go through some blocks, the other half past them."""

    def __init__(self, inputs, outputs, blocks=1, adds=True):
        super().__init__()
        half = outputs // 2
        self.through = convolution(inputs, half, 1, activation=nn.SiLU)
        self.past = convolution(inputs, half, 1, activation=nn.SiLU)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                convolution(half, half, 1, activation=nn.SiLU),
                convolution(half, half, 3, activation=nn.SiLU),
            )
            for _ in range(blocks)
        )
        self.join = convolution(2 * half, outputs, 1, activation=nn.SiLU)
        self.adds = adds

    def forward(self, x):
        y = self.through(x)
        for block in self.blocks:
            y = y + block(y) if self.adds else block(y)
        return self.join(torch.cat([y, self.past(x)], 1))


class Detector(nn.Module):
    """Finds 80 kinds of things, at three sizes."""

    CELLS = 3
    NUMBERS = 85

    def __init__(self, channels=32):
        super().__init__()
        widths = [channels << level for level in range(5)]
        half, whole, wide = widths[2], widths[3], widths[4]
        self.first = convolution(3, channels, 3, 2, nn.SiLU)
        self.down = nn.ModuleList(
            nn.Sequential(
                convolution(before, width, 3, 2, nn.SiLU), Partial(width, width, blocks)
            )
            for before, width, blocks in zip(widths, widths[1:], (1, 2, 3, 1))
        )
        self.narrow = convolution(wide, whole, 1, activation=nn.SiLU)
        self.pooled = convolution(2 * wide, wide, 1, activation=nn.SiLU)
        self.middle = convolution(wide, whole, 1, activation=nn.SiLU)
        self.join_middle = Partial(wide, whole, adds=False)
        self.small = convolution(whole, half, 1, activation=nn.SiLU)
        self.join_small = Partial(whole, half, adds=False)
        self.heads = nn.ModuleList(
            nn.Conv2d(width, self.CELLS * self.NUMBERS, 1) for width in (half, whole, wide)
        )

    def forward(self, image):
        x = self.first(image)
        levels = []
        for down in self.down:
            x = down(x)
            levels.append(x)
        pools = [self.narrow(x)]
        for _ in range(3):
            pools.append(functional.max_pool2d(pools[-1], 5, 1, 2))
        x = self.pooled(torch.cat(pools, 1))
        middle = self.middle(x)
        joined = self.join_middle(torch.cat([self.larger(middle), levels[2]], 1))
        small = self.join_small(torch.cat([self.larger(self.small(joined)), levels[1]], 1))
        return torch.cat([self.found(*pair) for pair in zip(self.heads, (small, joined, x))], 1)

    @staticmethod
    def larger(x):
        return functional.interpolate(x, scale_factor=2)

    def found(self, head, x):
        y = head(x)
        cells = y.view(y.shape[0], self.CELLS, self.NUMBERS, *y.shape[2:]).permute(0, 1, 3, 4, 2)
        return cells.sigmoid().reshape(y.shape[0], -1, self.NUMBERS)


# Name: module, the name of its input, and its shape but for the batch.
TASKS = {
    "u-net": (UNet, "image", (3, 256, 256)),
    "enlarger": (Enlarger, "image", (3, 96, 96)),
    "painter": (Painter, "noise", (100, 1, 1)),
    "vocoder": (Vocoder, "spectrogram", (80, 64)),
    "reader": (Reader, "image", (1, 32, 128)),
    "detector": (Detector, "image", (3, 320, 320)),
}
