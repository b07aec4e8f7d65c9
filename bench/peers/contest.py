"""One model, all contenders: alternating single inferences, and whether their answers agree."""
import random
import time

import numpy as np

import contender
import figures

WARM_UP = 5
# Largest difference over largest element: what different orders of summation explain, and what they do in the
# deepest networks.
AGREES, TOLERATED = 1e-4, 1e-3


def measure(contenders, turn, setting, on_round):
    """Rows of times, one per contender, by rounds of one turn each in shuffled order."""
    order = random.Random(0)
    times = {one.name: [] for one in contenders}
    end = time.monotonic() + setting.duration if setting.duration else None
    for done in range(setting.iterations):
        if end and time.monotonic() > end and done >= 20:
            break
        on_round(done)
        for one in order.sample(contenders, len(contenders)):
            times[one.name].append(turn(one))
            # Threads of this contender that still look for work go to sleep.
            time.sleep(0.001)
    return times


def turn_of(setting):
    """What a contender does in its turn: a function that gives a time in seconds."""
    if setting.callers > 1:
        return lambda one: one.run_callers(setting.callers, setting.window)
    clock = "cpu_seconds" if setting.clock == "cpu" else "seconds"
    return lambda one: one.run(clock)


def difference(ours, other):
    """The largest difference over the largest element, and the number of the output that has it."""
    worst, number = 0.0, 0
    for key in other.files:
        a, b = ours[key], other[key]
        if a.shape != b.shape:
            return float("inf"), int(key)
        if a.size == 0:
            continue
        scale = np.abs(b).max() or 1
        apart = float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max() / scale)
        if not np.isfinite(apart):
            return float("inf"), int(key)
        if apart > worst:
            worst, number = apart, int(key)
    return worst, number


def compare_outputs(contenders, folder):
    """Each peer beside Braid: how far apart they are, in which output."""
    saved = {}
    for one in contenders:
        path = folder / f"{one.name}.outputs.npz"
        one.save_outputs(path)
        saved[one.name] = np.load(path)
    outputs = {}
    for name in saved:
        if name != "braid":
            value, number = difference(saved["braid"], saved[name])
            outputs[name] = {"difference": value, "verdict": verdict(value), "output": number}
    return outputs


def verdict(difference):
    return "agrees" if difference <= AGREES else "tolerated" if difference <= TOLERATED else "DIFFERS"


def start_all(model, setting, folder, failures):
    started = []
    for name in setting.contenders:
        log = open(folder / f"{name}.log", "w+")
        try:
            if name == "braid":
                # Fills the profile cache, as the first use of a model on a machine does.
                contender.start(name, model, setting, log).close()
            started.append(contender.start(name, model, setting, log))
        except contender.ContenderError as error:
            failures[name] = str(error)
        finally:
            log.close()
    return started


def run(model, setting, folder, on_round):
    """The result of one model as JSON, with `ratios` (figures.Ratio) by peer beside it."""
    failures = {"braid": model.refused} if model.refused else {}
    contenders = [] if model.refused else start_all(model, setting, folder, failures)
    result = {"model": model.name, "failures": failures, "contenders": {}, "ratios": {}, "outputs": {}}
    ratios = {}
    try:
        names = [one.name for one in contenders]
        for one in contenders:
            for _ in range(WARM_UP):
                one.run()
        if "braid" in names:
            result["outputs"] = compare_outputs(contenders, folder)
        times = measure(contenders, turn_of(setting), setting, on_round) if contenders else {}
        for one in contenders:
            one.memory.sample()
            result["contenders"][one.name] = {
                **figures.summary(times[one.name]), "iterations": len(times[one.name]),
                "first_answer_s": one.first_answer_s, "memory_bytes": one.memory.bytes, "version": one.version}
        ratios = {name: figures.ratio(times[name], times["braid"]) for name in names
                  if name != "braid" and "braid" in names}
    finally:
        for one in contenders:
            one.close()
    best = min(ratios, key=lambda name: ratios[name].value, default=None)
    result["ratios"] = {name: one.as_json() for name, one in ratios.items()}
    result["best_peer"] = best
    return result, ratios
