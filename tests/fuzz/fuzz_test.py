"""Runs one fuzz target.

usage: fuzz_test.py EXECUTABLE

Replays what is kept in regressions/, then inputs made from the seeds: some thousand in a plain build; with libFuzzer
(BRAID_LIBFUZZER is set), as many as go into BRAID_FUZZ_MINUTES, keeping those that reach new code in build/fuzz-corpus/.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Runs in a plain build: about ten seconds each where everything is sanitised.
RUNS = {"load_fuzzer": 3000, "run_fuzzer": 600, "plan_fuzzer": 3000, "text_fuzzer": 10000, "tensor_files_fuzzer": 3000,
        "edits_fuzzer": 5000, "moves_fuzzer": 10000, "machine_fuzzer": 5000}
MOST_SEED_BYTES = 4096
RANDOM_MODELS = 60


def write_models(folder):
    """ONNX's node tests as far as they are small, and random models of several nodes."""
    sys.path.append(str(ROOT / "tests/models"))
    from random_models import grow, serialise

    with tempfile.TemporaryDirectory() as cases:
        subprocess.run([sys.executable, ROOT / "tools/onnx-node-tests", cases], check=True, stdout=subprocess.DEVNULL)
        for path in pathlib.Path(cases).glob("*/model.onnx"):
            if path.stat().st_size <= MOST_SEED_BYTES:
                (folder / path.parent.name).write_bytes(path.read_bytes())
    for seed in range(RANDOM_MODELS):
        model = grow(seed)
        made = serialise(model.nodes, model.inputs, model.outputs(), model.constants, model.opset).SerializeToString()
        if len(made) <= 4 * MOST_SEED_BYTES:
            (folder / f"random_{seed}").write_bytes(made)


def replay(target, kept, seeds):
    return [target, "--runs", str(RUNS[target.name]), "--seed", "1", *kept, seeds]


def fuzz(target, kept, seeds):
    minutes = float(os.environ.get("BRAID_FUZZ_MINUTES", "1"))
    corpus = ROOT / "build/fuzz-corpus" / target.name
    corpus.mkdir(parents=True, exist_ok=True)
    subprocess.run([target], check=True, env={**os.environ, "BRAID_FUZZ_WRITE_SEEDS": str(seeds)})
    dictionary = HERE / "dictionaries" / f"{target.name}.dict"
    return [target, f"-max_total_time={round(60 * minutes)}", "-rss_limit_mb=2048", "-timeout=10", "-max_len=16384",
            "-print_final_stats=1", f"-artifact_prefix={corpus.parent}/{target.name}-",
            *([f"-dict={dictionary}"] if dictionary.exists() else []), corpus, seeds, *{path.parent for path in kept}]


def main():
    target = pathlib.Path(sys.argv[1]).resolve()
    kept = sorted(path for path in (HERE / "regressions" / target.name).glob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as folder:
        seeds = pathlib.Path(folder)
        if target.name in ("load_fuzzer", "run_fuzzer"):
            write_models(seeds)
        command = (fuzz if "BRAID_LIBFUZZER" in os.environ else replay)(target, kept, seeds)
        return subprocess.run(command, cwd=ROOT / "build").returncode


if __name__ == "__main__":
    sys.exit(main())
