"""The loop of a peer's process: the same commands as braid_worker.cpp, one per line of standard input.

A peer is a module with `version`, and `load(model, inputs, setting)` that gives an object
with `run()`, `outputs()` and `caller()`, the last a function for one of several threads.
"""
import importlib
import json
import os
import sys
import threading
import time

import numpy as np


def run_callers(peer, count, seconds):
    """Inferences that this many threads finish, each calling again until the time is up."""
    callers = [peer.caller() for _ in range(count)]
    done = [0] * count
    start = time.perf_counter()

    def work(index):
        while time.perf_counter() - start < seconds:
            callers[index]()
            done[index] += 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"inferences": sum(done), "seconds": time.perf_counter() - start}


def timed_run(peer):
    start, cpu_start = time.perf_counter(), time.process_time()
    peer.run()
    return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu_start}


def obey(peer, line):
    command, _, rest = line.strip().partition(" ")
    if command == "run":
        return timed_run(peer)
    if command == "outputs":
        np.savez(rest, **{str(i): array for i, array in enumerate(peer.outputs())})
        return {"file": rest}
    if command == "callers":
        count, seconds = rest.split()
        return run_callers(peer, int(count), float(seconds))
    raise ValueError(f"unknown command {command!r}")


def main():
    name, model, inputs_file, setting = sys.argv[1:]
    # Runtimes may print to standard output; the answers go where it went.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value):
        print(json.dumps(value), file=answers, flush=True)

    inputs = dict(np.load(inputs_file))
    answer({"python": sys.version.split()[0]})
    sys.stdin.readline()
    module = importlib.import_module(name)
    answer({"version": module.version})
    sys.stdin.readline()
    start = time.perf_counter()
    peer = module.load(model, inputs, json.loads(setting))
    peer.run()
    answer({"seconds": time.perf_counter() - start})
    for line in sys.stdin:
        answer(obey(peer, line))


if __name__ == "__main__":
    main()
