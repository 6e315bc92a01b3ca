"""Dev parts cut in two, every other text each: one to choose and calibrate by, one that nothing has seen.

halves.py DATA OUT makes OUT/sst and OUT/snli (dev and test) and OUT/beer (half of the heldout files). A share of 500
reviews' words is known to a point only: OUT/beer-hold has the heldout files whole and train files without every tenth
review, which are the heldout files of OUT/beer-hold-unseen.
"""
import gzip
import pathlib
import shutil
import sys

data, out = map(pathlib.Path, sys.argv[1:])


def halves(lines, head=0):
    return lines[:head] + lines[head::2], lines[:head] + lines[head + 1::2]


for name, end, head in [("sst", "txt", 0), ("snli", "tsv", 1)]:
    (out / name).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(data / name / f"train.{end}", out / name / f"train.{end}")
    with open(data / name / f"dev.{end}", encoding="utf-8", newline="\n") as file:
        parts = halves(file.readlines(), head)
    for part, lines in zip(["dev", "test"], parts):
        (out / name / f"{part}.{end}").write_text("".join(lines))

def read(name):
    with gzip.open(data / "beer" / name, "rt", encoding="utf-8", newline="\n") as file:
        return file.readlines()


def write(place, name, lines):
    (out / place).mkdir(parents=True, exist_ok=True)
    with gzip.open(out / place / name, "wt", encoding="utf-8", newline="\n", compresslevel=1) as file:
        file.writelines(lines)


for aspect in range(3):
    train, heldout = (f"reviews.aspect{aspect}.{part}.txt.gz" for part in ["train", "heldout"])
    reviews = read(train)
    dev = read(heldout)
    fewer = [review for i, review in enumerate(reviews) if i % 10 != 0]
    for place, trained, held in [("beer", reviews, halves(dev)[0]), ("beer-hold", fewer, dev),
                                 ("beer-hold-unseen", fewer, reviews[::10])]:
        write(place, train, trained)
        write(place, heldout, held)
for place in ["beer", "beer-hold"]:
    shutil.copyfile(data / "beer" / "annotations.json", out / place / "annotations.json")
