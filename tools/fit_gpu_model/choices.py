"""Fits which way a library chooses: that with the least of weight x modelled time; and its regret, by which factor what it takes
is slower than what would be fastest.

A library's own estimate is not our time, so the fastest by our times is not what it takes, and taking the fastest of several
uncertain times is too fast. The weights say how the two estimates differ, way by way. They are kept within MOST of 1: where the
choice changes from one shape to the next, the time jumps by no more than two of them differ, and an optimiser of graphs would
find every larger jump. What the weights may not say, the regret does, for all shapes alike."""

import numpy as np

from .families import loss_of, relative

# Ways that fewer of the rows went are no candidates.
LEAST_SHARE = 0.004
MOST = 0.05
MOST_CUT = 0.8
COARSE = np.linspace(-1, 1, 17)
FINE = np.linspace(-0.2, 0.2, 5)
REGRETS = np.linspace(0, 0.3, 61)
ROUNDS = 4
STARTS = 3
MOST_ROWS = 2000
# What an agreement with the row's own kernel is worth beside the error of its time.
AGREEMENT = 0.02


class Choice:
    """Candidates of a file's rows and the weights between them."""

    def __init__(self, candidates):
        self.ways, counted, times = zip(*candidates)
        self.ways = np.array(self.ways)
        self.times = np.stack(times, 1)
        self.logs = np.log(self.times)
        self.weights = sorted({weight for names in counted for weight in names}, key=str)
        self.counts = np.array([[float(weight in names) for weight in self.weights] for names in counted])

    def chosen(self, values):
        return (self.logs + (self.counts @ values)[None]).argmin(1)

    def time_us(self, chosen):
        return self.times[np.arange(len(chosen)), chosen]


def fit_choice(choice, names, latency, overhead_us, train, random):
    """The weights' logarithms, by search along one after another from several starts, and the regret."""
    rows = np.flatnonzero(train)
    rows = random.permutation(rows)[:MOST_ROWS]
    logs, times = choice.logs[rows], choice.times[rows]
    own, measured, names = overhead_us[rows], latency[rows], names[rows]
    every = np.arange(len(rows))

    def loss_and_regret(values):
        chosen = (logs + (choice.counts @ values)[None]).argmin(1)
        taken = times[every, chosen]
        least, regret = min((loss_of(relative(taken * np.exp(r) + own, measured)), r) for r in REGRETS)
        return least - AGREEMENT * (choice.ways[chosen] == names).mean(), regret

    def loss(values):
        return loss_and_regret(values)[0]

    most_of = np.array([MOST_CUT if weight == "cut" else MOST for weight in choice.weights])

    def descend(values):
        least = loss(values)
        for turn in range(ROUNDS):
            before = least
            for i in random.permutation(len(values)):
                most = most_of[i]
                for step in COARSE * most if turn == 0 else values[i] + FINE * most / turn:
                    trial = values.copy()
                    trial[i] = np.clip(step, -MOST, most)
                    trial_loss = loss(trial)
                    if trial_loss < least - 1e-6:
                        least, values = trial_loss, trial
            if least > before - 1e-5:
                break
        return least, values

    starts = [np.zeros(len(choice.weights))] + [random.uniform(-MOST, MOST, len(choice.weights)) for _ in range(STARTS - 1)]
    _, values = min((descend(start) for start in starts), key=lambda found: found[0])
    return values, float(np.exp(loss_and_regret(values)[1]))


def candidates_of(rows, names):
    """The ways that enough of the rows went."""
    return [name for name in names if (rows.names == name).mean() >= LEAST_SHARE]


def fit_file(data, gpu, measured, operator, kind, rows, candidates, overhead_us, report):
    """Fits the choice of an operator and puts it into the spec. What is left out by name counts in no error."""
    known = rows.names != ""
    train, held_out = data.split(len(rows.latency), f"choice.{operator}.{measured['data']}")
    choice = Choice(candidates)
    random = np.random.default_rng([data.seed, 7])
    values, regret = fit_choice(choice, rows.names, rows.latency, overhead_us, train & known, random)
    chosen = choice.chosen(values)
    wrong = relative(regret * choice.time_us(chosen) + overhead_us, rows.latency)[held_out & known]
    fastest = relative(choice.time_us(choice.times.argmin(1)) + overhead_us, rows.latency)[held_out & known]
    given = rows.names[held_out & known]
    report.choice(gpu, operator, wrong, fastest, float((choice.ways[chosen][held_out & known] == given).mean()),
                  int((~known).sum()))
    # Tensor cores were not measured: their weight is settled by hand, so that the rules agree with cuDNN's answers
    # (build/release/bench/bench_answers).
    kept = {way: weight for way, weight in gpu.spec.get("choices", {}).get(kind, {}).get("weights", {}).items() if way == "tf32"}
    gpu.spec.setdefault("choices", {})[kind] = {
        "error": round(float(np.abs(wrong).mean()), 3), "fitted_on": measured["data"], "regret": round(regret, 3),
        "weights": {weight: round(float(np.exp(value)), 3) for weight, value in zip(choice.weights, values)} | kept}
