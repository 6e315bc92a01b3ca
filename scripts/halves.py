"""Dev parts cut in two, every other text each: one to choose and calibrate by, one that nothing has seen.

halves.py DATA OUT makes OUT/sst and OUT/snli (dev and test), OUT/beer and, with the other half as its heldout files,
OUT/beer-unseen.
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

for place in ["beer", "beer-unseen"]:
    (out / place).mkdir(parents=True, exist_ok=True)
shutil.copyfile(data / "beer" / "annotations.json", out / "beer" / "annotations.json")
for aspect in range(3):
    stem = f"reviews.aspect{aspect}."
    for place in ["beer", "beer-unseen"]:
        shutil.copyfile(data / "beer" / f"{stem}train.txt.gz", out / place / f"{stem}train.txt.gz")
    with gzip.open(data / "beer" / f"{stem}heldout.txt.gz", "rt") as file:
        parts = halves(file.readlines())
    for place, lines in zip(["beer", "beer-unseen"], parts):
        with gzip.open(out / place / f"{stem}heldout.txt.gz", "wt") as file:
            file.write("".join(lines))
