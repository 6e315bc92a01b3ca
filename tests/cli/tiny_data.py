"""A handful of invented SST trees, SNLI pairs and beer reviews: tiny_data.py DIRECTORY."""
import json
import os
import random
import sys

random.seed(1)
work = sys.argv[1]
words = {0: ["awful", "dreadful"], 1: ["dull", "weak"], 2: ["film", "the", "plot", "actor", "of"], 3: ["nice", "good"], 4: ["superb"]}
for name in ("sst", "snli", "beer"):
    os.makedirs(f"{work}/{name}")
for split, count in [("train", 60), ("dev", 20)]:
    with open(f"{work}/sst/{split}.txt", "w") as file:
        for _ in range(count):
            label = random.randrange(5)
            leaves = [(2, random.choice(words[2])) for _ in range(5)]
            leaves.insert(random.randrange(6), (label, random.choice(words[label])))
            tree = f"({leaves[-1][0]} {leaves[-1][1]})"
            for value, word in reversed(leaves[:-1]):
                tree = f"({label} ({value} {word}) {tree})"
            print(tree, file=file)
    with open(f"{work}/snli/{split}.tsv", "w") as file:
        print("label\tpremise\thypothesis", file=file)
        for _ in range(count):
            a, b = random.sample(["dog", "cat", "man", "bird"], 2)
            label = random.choice(["entailment", "neutral", "contradiction"])
            print(label, f"a {a} runs here", f"a {a if label == 'entailment' else b} runs", sep="\t", file=file)
os.makedirs(f"{work}/own/CR")
for split, count in [("train", 60), ("dev", 20)]:
    with open(f"{work}/own/CR/{split}.csv", "w") as file:
        print("text,label", file=file)
        for _ in range(count):
            good = random.random() < 0.5
            print(f"the {random.choice(words[2])} is {random.choice(words[4 if good else 0])},{'p' if good else 'n'}", file=file)
score = lambda: random.choice([0.2, 0.5, 0.9])
def review():
    s = [score() for _ in range(5)]
    text = []
    for value, name in zip(s, ["looks", "smells", "feels", "tastes", "is"]):
        text += ["it", name, {0.2: "bad", 0.5: "plain", 0.9: "good"}[value], "."]
    return s, text
for stem in ["aspect0", "aspect1", "aspect2", "all"]:
    for split, count in [("train", 60), ("heldout", 20)]:
        with open(f"{work}/beer/reviews.{stem}.{split}.txt", "w") as file:
            for _ in range(count):
                s, text = review()
                print(" ".join(f"{v:.2f}" for v in s), " ".join(text), sep="\t", file=file)
with open(f"{work}/beer/annotations.json", "w") as file:
    for _ in range(20):
        s, text = review()
        print(json.dumps({"x": text, "y": s, **{str(k): [[4 * k, 4 * k + 4]] for k in range(5)}}), file=file)
