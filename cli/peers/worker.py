"""The process of a peer, another runtime: obeys one command per line of standard input, idle it waits there.

    worker.py PEER

    import                the peer's library: answers with its version
    inputs FILE.npz       the inputs of all inferences, by name
    load SETTING          JSON with model, threads, callers and symbols (sizes of open dimensions, by name); answers
                          once, and with the seconds from file to first answer
    run                   one inference; answers with its seconds, passed and of CPU time
    outputs FILE.npz      writes the outputs of the last inference as 0, 1, …
    primitives            answers with the names of the peer's kernels and how many operators use each, if it can tell
    callers N SECONDS     N threads that call again and again; answers with inferences, seconds and the times of each

An answer is a line of JSON; one with `error` says what went wrong, and `missing` names a module that is not there.
A peer is a file PEER_peer.py with `version`, and `load(inputs, setting)` that gives an object with `run()`, `outputs()`
and `caller()`, the last a function for one of several threads, and maybe `primitives()`. `braid bench --against` and bench/peers/run start it.
"""
import importlib
import json
import os
import sys
import threading
import time


def run_callers(peer, count, seconds):
    """Inferences that this many threads finish, each calling again until the time is up."""
    callers = [peer.caller() for _ in range(count)]
    times = [[] for _ in range(count)]
    start = time.perf_counter()

    def work(index):
        begin = start
        while begin - start < seconds:
            callers[index]()
            end = time.perf_counter()
            times[index].append(end - begin)
            begin = end

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.perf_counter() - start
    return {"inferences": sum(map(len, times)), "seconds": passed, "times": sum(times, [])}


class Worker:
    def __init__(self, peer_name):
        self.peer_name = peer_name

    def obey(self, command, rest):
        return getattr(self, f"do_{command}")(rest)

    def do_import(self, _):
        self.module = importlib.import_module(f"{self.peer_name}_peer")
        return {"version": str(self.module.version)}

    def do_inputs(self, file):
        import numpy
        self.inputs = dict(numpy.load(file))
        return {"inputs": list(self.inputs)}

    def do_load(self, setting):
        start = time.perf_counter()
        self.peer = self.module.load(self.inputs, json.loads(setting))
        self.peer.run()
        return {"seconds": time.perf_counter() - start}

    def do_run(self, _):
        start, cpu_start = time.perf_counter(), time.process_time()
        self.peer.run()
        return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu_start}

    def do_outputs(self, file):
        import numpy
        numpy.savez(file, **{str(i): array for i, array in enumerate(self.peer.outputs())})
        return {"file": file}

    def do_primitives(self, _):
        return {"primitives": self.peer.primitives()}

    def do_callers(self, rest):
        count, seconds = rest.split()
        return run_callers(self.peer, int(count), float(seconds))


def main():
    # Runtimes may print to standard output; the answers go where it went.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(sys.argv[1])

    def answer(value):
        print(json.dumps(value), file=answers, flush=True)

    answer({"python": f"{sys.executable} ({sys.version.split()[0]})"})
    for line in sys.stdin:
        command, _, rest = line.rstrip("\n").partition(" ")
        try:
            answer(worker.obey(command, rest))
        except ModuleNotFoundError as error:
            answer({"error": str(error), "missing": error.name})
        except Exception as error:
            answer({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
