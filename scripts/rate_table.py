"""The tables of docs/rate.md from the runs that rate_study.sh made.

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


# What a run came to, shares of words in per cent.
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
        # Whether Beer's rate holds is measured on unseen reviews apart from training.
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


def hold(out):
    print("| data | target | runs | expected | selected | last five epochs | calibrated | unseen | quality, unseen | "
          "precision |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    held = total = 0
    for (data, part, target), group in sorted(runs(out, "hold").items(), key=lambda x: (x[0][:2], float(x[0][2]))):
        worst = [max(f(run) for run in group) for f in [
            lambda r: abs(100 * r.chosen["dev"]["expected"] - r.target), lambda r: r.off(r.before), Run.last,
            lambda r: r.off(r.dev), lambda r: r.off(r.unseen)]]
        for run in group:
            total += 1
            held += (run.off(run.before) <= 1 and run.off(run.dev) <= 0.5 and run.off(run.unseen) <= 1.5 and
                     run.last() <= 2)
        cells = " | ".join(f"{w:.1f}" for w in worst)
        print(f"| {data} {part} | {target}% | {len(group)} | {cells} | "
              f"{spread([quality(run.unseen) for run in group], digits_of(group[0]))} | {precisions(group)} |")
    print(f"\n{held} of {total} runs within 1, 0.5, 1.5 and 2 points.")


def by_option(out, kind):
    found = runs(out, kind)
    names = list(dict.fromkeys(name for name, _, _ in found))
    parts = list(dict.fromkeys(part for _, part, _ in found))
    print("| | " + " | ".join(f"{p}: dev loss | test | off by | last five | precision" for p in parts) + " |")
    print("|---|" + "---|" * (5 * len(parts)))
    for name in sorted(names, key=lambda n: (n != "default", n)):
        row = []
        for part in parts:
            group = next((g for (n, p, _), g in found.items() if n == name and p == part), [])
            if not group:
                row += ["–"] * 5
                continue
            row += [spread([run.dev["loss"] for run in group], 4),
                    spread([quality(run.test) for run in group], digits_of(group[0])),
                    f"{max(run.off(run.before) for run in group):.1f}", f"{max(run.last() for run in group):.1f}",
                    precisions(group)]
        print(f"| {name} | " + " | ".join(row) + " |")


what, directory = sys.argv[1:]
if what == "hold":
    hold(directory)
else:
    by_option(directory, what)
