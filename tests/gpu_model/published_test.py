"""bench/gpu_model/published.json: every figure can be simulated or says why not, and the docs count them right.

BRAID_CLI names the binary.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import unittest

BRAID = os.environ["BRAID_CLI"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "bench" / "gpu_model" / "published.json").read_text())
OWN_NETWORKS = {"ios:squeezenet", "ios:sample"}  # bench/gpu_model/ios_networks.cpp
STAGES = {"sequential", "greedy", "ios", "ios-file"}


def zoo():
    listed = subprocess.run([BRAID, "zoo", "--json"], capture_output=True, text=True, check=True).stdout
    return {model["name"] for model in json.loads(listed)["models"]}


def schedulers():
    text = (ROOT / "src" / "schedule" / "schedulers.cpp").read_text()
    return set(re.findall(r'\.name = "(\w+)"', text))


def figures():
    return sum(len(row["values"]) for row in PUBLISHED["outside"])


class Published(unittest.TestCase):
    def test_every_row_can_be_simulated(self):
        networks, names = zoo() | OWN_NETWORKS, schedulers()
        for row in PUBLISHED["rows"]:
            with self.subTest(row["id"]):
                network = row["network"].split("@")[0]
                self.assertIn(network, networks)
                self.assertTrue((ROOT / "src" / "sim" / "gpus" / f"{row['gpu']}.json").exists())
                self.assertIn(row["setup"].split("+")[0], PUBLISHED["setups"])
                known = STAGES if row["setup"] == "ios" else names
                for schedule in filter(None, [row["schedule"], row.get("over")]):
                    self.assertIn(schedule.split(":")[0], known)
                self.assertEqual(row["schedule"] == "ios-file", "file" in row)
                self.assertEqual(row["quantity"], "ratio" if "over" in row else "ms")
                self.assertEqual(row["used_for"] == "fit", "fits" in row)

    def test_ids_are_unique(self):
        counts = collections.Counter(row["id"] for row in PUBLISHED["rows"])
        self.assertEqual([name for name, count in counts.items() if count > 1], [])

    def test_the_a100_checks_what_the_2080_super_settles(self):
        for row in PUBLISHED["rows"]:
            if row.get("fits") in ("graph_queues", "graph_node_us"):
                self.assertEqual(row["gpu"], "rtx2080s", row["id"])

    def test_what_lies_outside_says_why(self):
        for row in PUBLISHED["outside"]:
            self.assertTrue(row["reason"] and row["values"], row)

    def test_the_docs_count_them(self):
        text = " ".join((ROOT / "docs" / "gpu-model.md").read_text().split())
        found = re.search(r"(\d+) published figures are simulated\b.*? (\d+) lie outside", text)
        self.assertTrue(found, "docs/gpu-model.md says how many figures there are")
        self.assertEqual((int(found[1]), int(found[2])), (len(PUBLISHED["rows"]), figures()))


if __name__ == "__main__":
    unittest.main()
