"""A contender as the driver sees it: a process that runs one inference per command."""
import json
import os
import pathlib
import subprocess
import sys
import threading

import limits

# The process of a peer is that of `braid bench --against`.
PEER_WORKER = pathlib.Path(__file__).resolve().parents[2] / "cli" / "peers" / "worker.py"
# Peers that only this comparison has are beside this file.
PEERS_HERE = {"PYTHONPATH": str(pathlib.Path(__file__).resolve().parent)}


class ContenderError(Exception):
    pass


def anonymous_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


class MemoryWatch:
    """The most anonymous memory that a process held, sampled while its model loads and answers first."""

    def __init__(self, pid):
        self.pid = pid
        self.before = anonymous_bytes(pid)
        self.peak = self.before
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def _watch(self):
        while not self.done.wait(0.004):
            self.sample()

    def sample(self):
        try:
            self.peak = max(self.peak, anonymous_bytes(self.pid))
        except OSError:
            pass  # it has ended, which its pipe tells

    def stop(self):
        self.done.set()
        self.thread.join()
        self.sample()

    @property
    def bytes(self):
        return self.peak - self.before


class Contender:
    """Starts the process; with it the time from file to first answer and its memory are measured.

    Memory counts from before the runtime's library is loaded, so that Python's own is not the peers' fault.
    """

    def __init__(self, name, command, cores, log, load="load", inputs=None, environment=None):
        self.name = name
        self.log = log
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            env={**os.environ, **(environment or {})}, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        try:
            first = self.receive()
            if inputs:
                self.ask(f"inputs {inputs}")
            self.memory = MemoryWatch(self.process.pid)
            try:
                if "version" not in first:
                    first = self.ask("import")
                self.version = first["version"]
                self.first_answer_s = self.ask(load)["seconds"]
            finally:
                self.memory.stop()
        except ContenderError:
            self.close()
            raise

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            self.log.flush()
            raise ContenderError(f"{self.name} ended: {last_line(self.log.name)}")
        answer = json.loads(line)
        if "error" in answer:
            raise ContenderError(f"{self.name} failed: {answer['error'][:400]}")
        return answer

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise ContenderError(f"{self.name} ended: {last_line(self.log.name)}") from error
        return self.receive()

    def primitives(self):
        """How many operators use which of the peer's kernels."""
        return self.ask("primitives")["primitives"]

    def run(self, clock="seconds"):
        return self.ask("run")[clock]

    def run_callers(self, callers, seconds):
        """Seconds per inference."""
        done = self.ask(f"callers {callers} {seconds}")
        return done["seconds"] / max(1, done["inferences"])

    def save_outputs(self, path):
        self.ask(f"outputs {path}")

    def close(self):
        self.memory_at_end()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def memory_at_end(self):
        if hasattr(self, "memory"):
            self.memory.sample()


def last_line(path):
    lines = [line for line in pathlib.Path(path).read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def start(name, model, setting, log, converted=None):
    """`converted` is what conversion.py says of the model, for a peer that reads no ONNX."""
    environment = limits.environment(name, setting.isa) if setting.is_stand_in else {}
    if name == "braid":
        command = [setting.braid_worker, model.file, model.inputs_file, setting.threads, setting.scheduler]
        return Contender(name, command, setting.cores, log, environment=environment)
    details = {"model": str(model.file), "threads": setting.threads, "callers": setting.callers, "symbols": model.symbols,
               **(converted or {})}
    return Contender(name, [sys.executable, "-B", PEER_WORKER, name], setting.cores, log,
                     load=f"load {json.dumps(details)}", inputs=model.inputs_file,
                     environment={**environment, **PEERS_HERE})
