"""Random valid models: Braid's outputs are ONNX Runtime's.

usage: random_models_test.py [COUNT [FIRST_SEED]] [--special] [-- OPTION...]     BRAID_CLI names the binary
Options are those of `braid test-onnx`: -- --threads 3 --schedulers all

With --special, NaN, infinities and denormals are among the inputs. Models with an operator that is known to make something
else of those than ONNX Runtime (`braid operators --json`) are left out then.

A model that differs is made smaller as long as it differs, then printed, and written to --keep DIR if that is given.
"""
import argparse
import collections
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

from random_models import grow, run_nodes, serialise, sprinkle, write_case

BRAID = os.environ["BRAID_CLI"]
BATCH = 200
TOLERANCES = ["--atol", "2e-4", "--rtol", "2e-3"]
# More than this part of the models refused means that the suite tests too little.
MOST_UNSUPPORTED = 0.01
OPTIONS = []
# They differ from ONNX Runtime only where other inputs than the first, or other outputs, are special.
UNLIKE_IN_PARAMETERS = {"BatchNormalization", "Conv", "InstanceNormalization", "LayerNormalization"}


def test_cases(folder):
    """What Braid says of the cases in a folder: {name: (outcome, reason)}; None if it died."""
    done = subprocess.run([BRAID, "test-onnx", folder, "--json", "-q", *TOLERANCES, *OPTIONS], capture_output=True,
                          text=True, timeout=600)
    if done.returncode not in (0, 5):
        return None
    return {case["name"]: (case["outcome"], case["reason"]) for case in json.loads(done.stdout)["cases"]}


class Case:
    """A model with the elements of all its values."""

    def __init__(self, nodes, inputs, outputs, constants, opset):
        self.nodes, self.inputs, self.outputs, self.constants, self.opset = nodes, inputs, outputs, constants, opset

    @staticmethod
    def of_seed(seed, special=False):
        model = grow(seed)
        case = Case(model.nodes, model.inputs, model.outputs(), model.constants, model.opset).pruned()
        return case.sprinkled(seed) if special else case

    def known_to_differ(self):
        """Whether ONNX Runtime is known to make something else of special numbers."""
        constants = {value.name for value in self.constants}
        return any(node.op_type in unlike_runtime() and
                   not (node.op_type in UNLIKE_IN_PARAMETERS and constants.issuperset(node.input[1:]))
                   for node, _ in self.nodes)

    def sprinkled(self, seed):
        """The case with special numbers among its inputs, in place."""
        random = np.random.default_rng(seed)
        for value in self.inputs:
            value.array = sprinkle(value.array, random)
        known = {value.name: value.array for value in self.inputs + self.constants}
        made = [value for _, values in self.nodes for value in values]
        for value, array in zip(made, run_nodes([node for node, _ in self.nodes], known, self.opset)):
            value.array = np.asarray(array)
        return self

    def write(self, folder):
        write_case(folder, self.nodes, self.inputs, self.outputs, self.constants, self.opset)

    def pruned(self):
        """The case without constants and inputs that nothing names. Dead nodes stay."""
        read = {name for node, _ in self.nodes for name in node.input} | {v.name for v in self.outputs}
        read |= {name for node, _ in self.nodes for a in node.attribute if a.type == onnx.AttributeProto.GRAPH
                 for inner in a.g.node for name in inner.input}
        return Case(self.nodes, [v for v in self.inputs if v.name in read], self.outputs,
                    [v for v in self.constants if v.name in read], self.opset)

    def smaller(self):
        """Cases with one thing less, largest steps first."""
        if len(self.outputs) > 1:
            for output in self.outputs:
                yield Case(self.nodes, self.inputs, [output], self.constants, self.opset)
        for at in reversed(range(len(self.nodes))):
            made = self.nodes[at][1]
            rest = self.nodes[:at] + self.nodes[at + 1:]
            gone = {v.name for v in made}
            if not gone & {v.name for v in self.outputs}:
                if not gone & {name for other, _ in rest for name in all_inputs(other)}:
                    yield Case(rest, self.inputs, self.outputs, self.constants, self.opset)
                else:
                    yield Case(rest, self.inputs + made, self.outputs, self.constants, self.opset)
                    yield Case(rest, self.inputs, self.outputs, self.constants + made, self.opset)
        for constant in self.constants:
            others = [v for v in self.constants if v is not constant]
            yield Case(self.nodes, self.inputs + [constant], self.outputs, others, self.opset)


@functools.cache
def unlike_runtime():
    """The operators that make something else of special numbers than ONNX Runtime does."""
    told = subprocess.run([BRAID, "operators", "--json"], check=True, capture_output=True, text=True).stdout
    return {op["name"] for op in json.loads(told)["operators"] if op["special_numbers"]}


def all_inputs(node):
    for name in node.input:
        yield name
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from all_inputs(inner)


def fails(case):
    """Why it fails, or None."""
    with tempfile.TemporaryDirectory() as folder:
        case.write(pathlib.Path(folder) / "case")
        told = test_cases(folder)
        if told is None:
            return "braid died"
        outcome, reason = told["case"]
        return reason if outcome == "failed" else None


def shrink(case, tries=150):
    reason = fails(case)
    progress = reason is not None
    while progress and tries > 0:
        progress = False
        for smaller in case.smaller():
            tries -= 1
            found = fails(smaller.pruned())
            if found is not None:
                case, reason, progress = smaller.pruned(), found, True
                break
            if tries <= 0:
                break
    return case, reason


def show(seed, case, reason, keep):
    print(f"seed {seed}: {reason}")
    print(onnx.printer.to_text(serialise(case.nodes, case.inputs, case.outputs, case.constants, case.opset)))
    with np.printoptions(threshold=12, edgeitems=2, precision=9):
        for kind, values in (("input", case.inputs), ("constant", case.constants), ("output", case.outputs)):
            for value in values:
                print(f"{kind} {value.name} = {value.array}")
    if keep:
        case.write(keep / f"seed_{seed}")


def run_batch(seeds, special):
    """The outcome of every seed's model, but for those that are left out."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        cases = {seed: Case.of_seed(seed, special) for seed in seeds}
        if special:
            cases = {seed: case for seed, case in cases.items() if not case.known_to_differ()}
        for seed, case in cases.items():
            case.write(pathlib.Path(folder) / str(seed))
        told = test_cases(folder)
        for seed in cases:
            one = told if told is not None else test_cases(pathlib.Path(folder) / str(seed))
            outcomes[seed] = one[str(seed)] if one is not None else ("failed", "braid died")
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=150, metavar="COUNT")
    parser.add_argument("first", type=int, nargs="?", default=0, metavar="FIRST_SEED")
    parser.add_argument("--special", action="store_true", help="NaN, infinities and denormals among the inputs")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--shown", type=int, default=5, help="failures to make smaller and print")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:at])
    OPTIONS.extend(sys.argv[at + 1:])
    counts, unsupported, failed = collections.Counter(), collections.Counter(), []
    seeds = list(range(arguments.first, arguments.first + arguments.count))
    for at in range(0, len(seeds), BATCH):
        for seed, (outcome, reason) in run_batch(seeds[at:at + BATCH], arguments.special).items():
            counts[outcome] += 1
            if outcome == "unsupported":
                unsupported[reason] += 1
            if outcome == "failed":
                failed.append(seed)
                print(f"seed {seed}: {reason}", flush=True)
    for seed in failed[:arguments.shown]:
        show(seed, *shrink(Case.of_seed(seed, arguments.special)), arguments.keep)
    for reason, count in unsupported.most_common(10):
        print(f"unsupported in {count}: {reason}")
    print(f"seeds {seeds[0]} to {seeds[-1]}: {counts['passed']} passed, {counts['failed']} failed, "
          f"{counts['unsupported']} unsupported")
    return 1 if failed or counts["unsupported"] > MOST_UNSUPPORTED * len(seeds) else 0


if __name__ == "__main__":
    sys.exit(main())
