"""The tables of docs/results.md from the runs that results.sh made:

results_table.py aspects|beer|beer-full|pairs DIR
"""
import glob
import json
import os
import statistics
import sys

ASPECTS = ["look", "smell", "palate"]
MODELS = ["svm", "full-text-lstm", "full-text-rcnn", "attention", "bernoulli-fixed", "bernoulli", "hard-concrete",
          "hardkuma"]


def results(out, name):
    with open(os.path.join(out, name, "manifest.json")) as file:
        return json.load(file)["results"]


def spread(values, digits):
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{statistics.mean(values):.{digits}f} ± {statistics.stdev(values):.{digits}f}"


# One row per model that was run and aspect, over the seeds; `suffixes` are the ends of the runs' names.
def table(out, prefix, suffixes, digits):
    print("| model | aspect | words shown | in annotated texts | precision | recall | F1 | MSE | dev MSE |")
    print("|---|---|---|---|---|---|---|---|---|")
    for model in MODELS:
        if not glob.glob(os.path.join(out, f"{prefix}-*-{model}{suffixes[0]}")):
            continue
        for aspect in ASPECTS:
            found = [results(out, f"{prefix}-{aspect}-{model}{end}") for end in suffixes]
            test = [r["test"] for r in found]
            gold = [t["rationale"] for t in test]
            reads_all = model == "svm" or model.startswith("full-text")

            def percent(values):
                return spread([100 * v for v in values], 1) if not reads_all else "–"

            print(f"| {model} | {aspect} | {percent([t['selected_micro'] for t in test])} | "
                  f"{percent([g['selected_share'] for g in gold])} | {percent([g['precision'] for g in gold])} | "
                  f"{percent([g['recall'] for g in gold])} | {percent([g['f1'] for g in gold])} | "
                  f"{spread([t['mse'] for t in test], digits)} | {spread([r['dev']['mse'] for r in found], digits)} |")


# One row per model of pairs, over the seeds that were run.
def pairs(out):
    print("| model | dev accuracy | cells shown | each seed |")
    print("|---|---|---|---|")
    for model in ["lstm-pair", "da", "da-hardkuma", "multiplicative"]:
        paths = sorted(glob.glob(os.path.join(out, f"pairs-{model}-[0-9]*", "manifest.json")))
        dev = [results(out, os.path.basename(os.path.dirname(path)))["dev"] for path in paths]
        if not dev:
            continue
        cells = [100 * d["selected_micro"] for d in dev]
        print(f"| {model} | {spread([100 * d['accuracy'] for d in dev], 1)} | "
              f"{spread(cells, 1) + '%' if min(cells) < 100 else '–'} | "
              f"{', '.join(str(round(100 * d['accuracy'], 1)) for d in dev)} |")


what, directory = sys.argv[1:]
if what == "pairs":
    pairs(directory)
elif what == "aspects":
    table(directory, "aspects", ["-1", "-2", "-3"], 5)
elif what == "beer-full":
    table(directory, "full", ["-1", "-2", "-3"], 4)
else:
    table(directory, "beer", [""], 4)
