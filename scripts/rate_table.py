"""The tables of docs/rate.md, and the best runs, from those that rate_study.sh made.

rate_table.py hold|controllers|gains|stability DIR
"""
import glob
import json
import os
import statistics
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


# The results of a run, with shares of words in per cent.
class Run:
    def __init__(self, directory):
        manifest = load(os.path.join(directory, "manifest.json"))
        results = manifest["results"]
        self.target = 100 * results.get("target", manifest.get("target", 0.0))
        with open(os.path.join(directory, "metrics.jsonl")) as file:
            self.epochs = [json.loads(line) for line in file]
        self.chosen = [e for e in self.epochs if e["chosen"]][-1]
        self.dev = results["dev"]
        self.before = results.get("before_calibration", self.dev)
        self.test = results.get("test", self.dev)
        unseen = os.path.join(directory, "unseen.json")
        self.unseen = load(unseen) if os.path.exists(unseen) else self.test

    def off(self, part):
        return abs(100 * part["selected_micro"] - self.target)

    def last(self):
        return max(self.off(e["dev"]) for e in self.epochs[-5:])

    def expected_off(self, epoch):
        return abs(100 * epoch["dev"]["expected"] - self.target)

    # The epoch from which on the expected rate is within two points of the target.
    def reached(self):
        return max((e["epoch"] for e in self.epochs if self.expected_off(e) > 2), default=0) + 1

    def precision(self):
        return 100 * self.test["rationale"]["precision"] if "rationale" in self.test else None


def quality(part):
    return part["mse"] if "mse" in part else 100 * part["accuracy"]


def spread(values, digits=1):
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{statistics.mean(values):.{digits}f} ± {statistics.stdev(values):.{digits}f}"


def runs(out, kind):
    found = {}
    for path in sorted(glob.glob(os.path.join(out, f"{kind}-*", "manifest.json"))):
        directory = os.path.dirname(path)
        # Whether Beer's rate holds is measured on reviews that are not part of the run's data.
        beer = os.path.basename(directory).startswith("hold-beer")
        if load(path)["status"] != "finished" or beer and not os.path.exists(os.path.join(directory, "unseen.json")):
            continue
        _, first, second, third, *seed = os.path.basename(directory).split("-") + [""]
        target = third if seed[0] else None
        run = Run(directory)
        if target:
            run.target = float(target)
        found.setdefault((first, second, target), []).append(run)
    return found


def digits_of(run):
    return 4 if "mse" in run.test else 1


def precisions(group):
    values = [run.precision() for run in group if run.precision() is not None]
    return spread(values) if values else "–"


# Distances from the target, in points.
COLUMNS = {"selected": lambda run: run.off(run.before),
           "last five epochs": Run.last,
           "calibrated": lambda run: run.off(run.dev),
           "unseen": lambda run: run.off(run.unseen),
           "expected": lambda run: run.expected_off(run.chosen),
           "gate by gate": lambda run: abs(100 * run.dev["argmax"] - run.target)}
LIMITS = [1, 2, 0.5, 1.5]


def reached(group):
    epochs = [run.reached() for run in group]
    return f"{statistics.mean(epochs):.0f}" if max(epochs) <= len(group[0].epochs) else "never"


def hold(out):
    found = runs(out, "hold")
    whole = {}
    for (data, part, _), group in sorted(found.items()):
        whole.setdefault((data, part, "all"), []).extend(group)
    by_target = sorted(found.items(), key=lambda item: (item[0][:2], float(item[0][2])))
    for groups in [list(whole.items()), by_target]:
        print(f"| data | target | runs | {' | '.join(COLUMNS)} | quality, unseen | precision |")
        print("|---|---|---|" + "---|" * (len(COLUMNS) + 2))
        for (data, part, target), group in groups:
            worst = " | ".join(f"{max(map(distance, group)):.1f}" for distance in COLUMNS.values())
            measured = (f"{spread([quality(run.unseen) for run in group], digits_of(group[0]))} | {precisions(group)}"
                        if target != "all" else " | ")
            print(f"| {data} {part} | {target} | {len(group)} | {worst} | {measured} |")
        print()
    every = [run for group in whole.values() for run in group]
    held = [run for run in every if all(f(run) <= limit for f, limit in zip(COLUMNS.values(), LIMITS))]
    print(f"{len(held)} of {len(every)} runs within 1, 2, 0.5 and 1.5 points.")


def by_option(out, kind):
    found = runs(out, kind)
    quality_of = {"dev loss": lambda group: spread([run.dev["loss"] for run in group], 4),
                  "test": lambda group: spread([quality(run.test) for run in group], digits_of(group[0])),
                  "precision": precisions}
    table(found, quality_of | {"reached": reached,
                               "off by": lambda group: f"{max(run.off(run.before) for run in group):.1f}",
                               "last five": lambda group: f"{max(run.last() for run in group):.1f}"})
    print("\nOf each the run that one would keep, with the lowest dev loss:\n")
    table({key: [min(group, key=lambda run: run.dev["loss"])] for key, group in found.items()}, quality_of)


# One row per option, the default first; these columns for each data set.
def table(found, columns):
    names = list(dict.fromkeys(name for name, _, _ in found))
    parts = list(dict.fromkeys(part for _, part, _ in found))
    print("| | " + " | ".join(f"{part}: {' | '.join(columns)}" for part in parts) + " |")
    print("|---|" + "---|" * (len(columns) * len(parts)))
    for name in sorted(names, key=lambda n: (n != "default", n)):
        row = []
        for part in parts:
            group = next((g for (n, p, _), g in found.items() if n == name and p == part), [])
            row += [column(group) if group else "–" for column in columns.values()]
        print(f"| {name} | " + " | ".join(row) + " |")


what, directory = sys.argv[1:]
if what == "hold":
    hold(directory)
else:
    by_option(directory, what)
