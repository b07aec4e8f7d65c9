"""One model, all contenders: alternating single inferences, and whether their answers agree."""
import random
import time

import numpy as np

import contender
import conversion
import figures
import limits

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


def started(name, model, setting, folder):
    """The contender, its model converted if need be; raises ConversionError or ContenderError."""
    converted = None
    if name in conversion.CONVERTERS:
        converted = conversion.converted(name, model, folder / name)
    with open(folder / f"{name}.log", "w+") as log:
        if name == "braid":
            # Fills the profile cache, as the first use of a model on a machine does.
            contender.start(name, model, setting, log).close()
        return contender.start(name, model, setting, log, converted)


def start_all(model, setting, folder, failures, left_out):
    """The contenders that run. One that has to convert the model need not manage to."""
    running = []
    for name in setting.contenders:
        try:
            running.append(started(name, model, setting, folder))
        except conversion.ConversionError as error:
            left_out[name] = str(error)
        except contender.ContenderError as error:
            (left_out if name in conversion.CONVERTERS else failures)[name] = str(error)
    return running


def why_left_out(one, outputs, setting):
    """Why a contender that runs is not compared; nothing if it is."""
    if one.name in conversion.CONVERTERS and outputs.get(one.name, {}).get("verdict") == "DIFFERS":
        return (f"its outputs differ by {outputs[one.name]['difference']:.1e} in output {outputs[one.name]['output']}")
    if setting.is_stand_in and one.name == limits.LIMITED_PEER:
        beyond = limits.too_much(one.primitives(), setting.isa)
        if beyond:
            return f"it uses more than {setting.isa}: {', '.join(beyond)}"
    return None


def leave_out(contenders, outputs, setting, left_out):
    """The contenders that are compared; the others are closed."""
    kept = []
    for one in contenders:
        reason = why_left_out(one, outputs, setting)
        if reason is None:
            kept.append(one)
        else:
            left_out[one.name] = reason
            one.close()
    return kept


def run(model, setting, folder, on_round):
    """The result of one model as JSON, with `ratios` (figures.Ratio) by peer beside it."""
    failures = {"braid": model.refused} if model.refused else {}
    left_out = {}
    contenders = [] if model.refused else start_all(model, setting, folder, failures, left_out)
    result = {"model": model.name, "failures": failures, "left_out": left_out, "contenders": {}, "ratios": {}, "outputs": {}}
    ratios = {}
    try:
        for one in contenders:
            for _ in range(WARM_UP):
                one.run()
        if "braid" in (one.name for one in contenders):
            result["outputs"] = compare_outputs(contenders, folder)
        contenders = leave_out(contenders, result["outputs"], setting, left_out)
        names = [one.name for one in contenders]
        times = measure(contenders, turn_of(setting), setting, on_round) if contenders else {}
        for one in contenders:
            one.memory.sample()
            result["contenders"][one.name] = {
                **figures.summary(times[one.name]), "iterations": len(times[one.name]),
                "first_answer_s": one.first_answer_s, "memory_bytes": one.memory.bytes, "version": one.version,
                "stand_in": setting.is_stand_in and one.name != "braid"}
        ratios = {name: figures.ratio(times[name], times["braid"]) for name in names
                  if name != "braid" and "braid" in names}
    finally:
        for one in contenders:
            one.close()
    best = min(ratios, key=lambda name: ratios[name].value, default=None)
    result["ratios"] = {name: one.as_json() for name, one in ratios.items()}
    result["best_peer"] = best
    return result, ratios
