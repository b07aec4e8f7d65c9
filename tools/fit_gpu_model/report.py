"""The tables that a fit prints: errors on the rows that were kept out of it."""

import numpy as np

GROUPS = {"element by element": lambda r: r["family"] == "elementwise",
          "softmax": lambda r: r["operator"] == "softmax",
          "layer normalisation": lambda r: r["operator"] == "ln",
          "matrix product": lambda r: r["operator"] == "linear",
          "batched matrix product": lambda r: r["operator"] == "bmm",
          "convolution, implicit matrix product": lambda r: r["family"].startswith("conv_"),
          "Winograd, one kernel": lambda r: r["family"] == "winograd_fused",
          "Winograd, in steps": lambda r: r["family"] == "winograd_in_steps",
          "convolution, all ways": lambda r: r["operator"] == "conv"}


class Report:
    def __init__(self):
        self.families = []
        self.choices = []

    def family(self, gpu, measured, operator, name, family, wrong, overhead_us):
        self.families.append({"gpu": gpu.spec["name"], "data": measured["data"], "operator": operator, "family": name,
                              "wrong": wrong, "overhead_us": float(overhead_us),
                              **{key: family[key] for key in ("efficiency", "saturation_warps", "refill_us")}})

    def choice(self, gpu, operator, wrong, fastest, agreement, left_out):
        self.choices.append({"gpu": gpu.spec["name"], "operator": operator, "wrong": wrong, "fastest": fastest,
                             "agreement": agreement, "left_out": left_out})

    def given(self, gpu, pick):
        """Errors of the rows that `pick` takes, their kernels given by name and grid."""
        rows = [row["wrong"] for row in self.families if row["gpu"] == gpu and pick(row)]
        return np.concatenate(rows) if rows else None

    def print(self, seed):
        print(f"seed {seed}; errors on the quarter that was kept out of the fit\n")
        print(f"{'gpu':6}{'operator':10}{'family':26}{'rows':>6}{'mean %':>8}{'median %':>9}{'bias %':>8}"
              f"{'efficiency':>12}{'saturation':>12}{'refill us':>10}{'overhead us':>12}")
        for row in self.families:
            wrong = row["wrong"]
            print(f"{row['gpu']:6}{row['operator']:10}{row['family']:26}{len(wrong):6}{100 * np.abs(wrong).mean():8.1f}"
                  f"{100 * np.median(np.abs(wrong)):9.1f}{100 * wrong.mean():8.1f}{row['efficiency']:12.3f}"
                  f"{row['saturation_warps']:12}{row['refill_us']:10}{row['overhead_us']:12.1f}")
        print("\nname and grid given: mean error and bias over held-out rows")
        for gpu in dict.fromkeys(row["gpu"] for row in self.families):
            for label, pick in GROUPS.items():
                if (wrong := self.given(gpu, pick)) is not None:
                    print(f"{gpu:6}{label:40}{100 * np.abs(wrong).mean():6.1f} %{100 * wrong.mean():+7.1f} %  of {len(wrong)} rows")
        print("\nfrom shapes alone: mean error, bias, error ÷ that with name and grid given; agreement on the way; the fastest instead")
        for row in self.choices:
            given = self.given(row["gpu"], lambda r: r["operator"] == row["operator"])
            wrong, fastest = row["wrong"], row["fastest"]
            print(f"{row['gpu']:6}{row['operator']:8}{100 * np.abs(wrong).mean():6.1f} %{100 * wrong.mean():+7.1f} %"
                  f"{np.abs(wrong).mean() / np.abs(given).mean():7.2f}{100 * row['agreement']:6.0f} %"
                  f"   fastest: {100 * np.abs(fastest).mean():.1f} %, bias {100 * fastest.mean():+.1f} %"
                  f"   ({row['left_out']} rows left out by name)")
