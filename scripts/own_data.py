#!/usr/bin/env python3
"""The tables of docs/own-data.md: `hardkuma train DIR` on folders of train.csv and dev.csv, with columns text and label.

  own_data.py --out runs $HARDKUMA_DATA/own/*      # skips runs that are finished
  own_data.py --baselines $HARDKUMA_DATA/own/*     # needs Debian's python3-sklearn and fasttext

Accuracy, macro F1, calibration error and share of words shown are of the dev part, means over the seeds; "in common" is
the share of the words of seed 1 that seed 2 shows too, and what chance would give.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

MODELS = {"full": ["--model", "full-text"], "20": ["--target", "20%"], "40": ["--target", "40%"]}


def train(args, data, model, seed):
    out = pathlib.Path(args.out) / f"{data.name}-{model}-{seed}"
    seconds = out / "seconds"
    if not seconds.exists():
        began = time.time()
        command = [args.hardkuma, "train", data, "--out", out, "--force", "--seed", str(seed), "--workers", "1",
                   "--device", "cpu", *MODELS[model]]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds.write_text(f"{time.time() - began:.0f}")
    results = json.loads((out / "manifest.json").read_text())
    return {**results["results"]["dev"], "seconds": float(seconds.read_text()),
            "warnings": results.get("warnings", [])}


def overlap(args, data, model):
    runs = [str(pathlib.Path(args.out) / f"{data.name}-{model}-{seed}") for seed in (1, 2)]
    command = [args.hardkuma, "compare", *runs, "--data", str(data), "--split", "dev", "--json", "-"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["runs"][1]["overlap"]


def mean(results, key):
    return sum(result[key] for result in results) / len(results)


def study(args):
    jobs = [(data, model, seed) for seed in range(1, args.seeds + 1) for model in MODELS for data in args.data]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = dict(zip(jobs, pool.map(lambda job: train(args, *job), jobs)))
    sums = collections.defaultdict(list)
    print("| set | full text | F1 | 20% | F1 | 40% | F1 | calibration error | words shown at 20 / 40% | without a word |"
          " in common at 20% (chance) | seconds |\n|" + "---|" * 12)
    for data in args.data:
        row = {m: [results[data, m, s] for s in range(1, args.seeds + 1)] for m in MODELS}
        common = overlap(args, data, "20")
        cells = []
        for model in MODELS:
            cells += [f"{100 * mean(row[model], 'accuracy'):.1f}", f"{100 * mean(row[model], 'macro_f1'):.1f}"]
            sums[model].append(100 * mean(row[model], "accuracy"))
        sums["common"].append(common["shared"])
        cells.append(" / ".join(f"{100 * mean(row[m], 'calibration_error'):.1f}" for m in MODELS))
        cells.append(" / ".join(f"{100 * mean(row[m], 'selected_micro'):.1f}" for m in ("20", "40")))
        cells.append(f"{sum(r['without_evidence'] for m in ('20', '40') for r in row[m])}")
        cells.append(f".{100 * common['shared']:02.0f} (.{100 * common['chance']:02.0f})")
        cells.append(" / ".join(f"{max(r['seconds'] for r in row[m]):.0f}" for m in MODELS))
        print(f"| {data.name} | " + " | ".join(cells) + " |", flush=True)
    print("\nmeans:", {key: round(sum(values) / len(values), 2) for key, values in sums.items()})
    for (data, model, seed), result in results.items():
        for warning in result["warnings"]:
            print(f"{data.name} {model} seed {seed}: {warning}")


def read(path):
    with open(path, encoding="utf8", newline="") as file:
        return list(zip(*((row["text"], row["label"]) for row in csv.DictReader(file))))


def unspaced(texts):
    letters = "".join(texts[:500])
    return sum("\u0e00" <= c <= "\u0e7f" or "\u3040" <= c <= "\u9fff" for c in letters) > 0.2 * len(letters)


def fasttext(texts, labels, dev, dev_labels, by_letter):
    with tempfile.TemporaryDirectory() as folder:
        for name, part in (("train", zip(texts, labels)), ("dev", zip(dev, dev_labels))):
            lines = []
            for text, label in part:
                words = " ".join(text) if by_letter else text.lower()
                name_of_label = re.sub(r"\W", lambda m: format(ord(m[0]), "x"), label)
                lines.append(f"__label__{name_of_label} " + re.sub(r"\s+", " ", words))
            pathlib.Path(folder, name).write_text("\n".join(lines) + "\n", encoding="utf8")
        subprocess.run(["fasttext", "supervised", "-input", f"{folder}/train", "-output", f"{folder}/model", "-epoch",
                        "25", "-lr", "0.5", "-wordNgrams", "2", "-dim", "50", "-bucket", "500000", "-thread", "1",
                        "-verbose", "0"], check=True, stderr=subprocess.DEVNULL)
        out = subprocess.run(["fasttext", "test", f"{folder}/model.bin", f"{folder}/dev"], capture_output=True,
                             check=True, text=True).stdout
    return float(out.split()[3])


def baselines(args):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    print("| set | train | dev | classes | majority | LR | F1 | fastText |\n|" + "---|" * 8)
    for data in args.data:
        texts, labels = read(data / "train.csv")
        dev, dev_labels = read(data / "dev.csv")
        by_letter = unspaced(texts)

        def model(c):
            words = {"ngram_range": (1, 3), "analyzer": "char"} if by_letter else {"ngram_range": (1, 2),
                                                                                   "token_pattern": r"\S+"}
            return make_pipeline(TfidfVectorizer(sublinear_tf=True, **words), LogisticRegression(C=c, max_iter=300))

        best = max((1, 10), key=lambda c: cross_val_score(model(c), texts, labels, cv=3).mean())
        predicted = model(best).fit(texts, labels).predict(dev)
        accuracy = sum(p == y for p, y in zip(predicted, dev_labels)) / len(dev)
        majority = max(map(dev_labels.count, set(dev_labels))) / len(dev)
        f1 = f1_score(dev_labels, predicted, average="macro")
        fast = fasttext(texts, labels, dev, dev_labels, by_letter)
        print(f"| {data.name} | {len(texts):,} | {len(dev):,} | {len(set(labels))} | {100 * majority:.1f} | "
              f"{100 * accuracy:.1f} | {100 * f1:.1f} | {100 * fast:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", default="own-data-runs")
    parser.add_argument("--hardkuma", default="build/release/hardkuma")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--baselines", action="store_true")
    args = parser.parse_args()
    (baselines if args.baselines else study)(args)


if __name__ == "__main__":
    main()
