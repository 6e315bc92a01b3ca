"""Data with a part that nothing has seen, neither training nor what chooses and calibrates.

unseen.py DATA OUT makes OUT/sst and OUT/snli, whose dev parts are cut in two, every other text each, into dev and test;
OUT/beer, with half of the heldout files; and, since a share of 500 reviews' words is known to a point only,
OUT/beer-hold with the heldout files whole, but train files without every tenth review: those are the heldout files of
OUT/beer-hold-unseen.
"""
import gzip
import io
import pathlib
import shutil
import sys

data, out = map(pathlib.Path, sys.argv[1:])


def halves(lines, head=0):
    return lines[:head] + lines[head::2], lines[:head] + lines[head + 1::2]


def read(name):
    with gzip.open(data / "beer" / name, "rt", encoding="utf-8", newline="\n") as file:
        return file.readlines()


# Without a time or a name in the file, so that its bytes are reproducible.
def write(place, name, lines):
    (out / place).mkdir(parents=True, exist_ok=True)
    with open(out / place / name, "wb") as file, gzip.GzipFile("", "wb", 1, file, mtime=0) as packed, \
            io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text:
        text.writelines(lines)


for name, end, head in [("sst", "txt", 0), ("snli", "tsv", 1)]:
    (out / name).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(data / name / f"train.{end}", out / name / f"train.{end}")
    with open(data / name / f"dev.{end}", encoding="utf-8", newline="\n") as file:
        parts = halves(file.readlines(), head)
    for part, lines in zip(["dev", "test"], parts):
        (out / name / f"{part}.{end}").write_text("".join(lines), encoding="utf-8", newline="\n")

for aspect in range(3):
    train, heldout = (f"reviews.aspect{aspect}.{part}.txt.gz" for part in ["train", "heldout"])
    reviews, dev = read(train), read(heldout)
    fewer = [review for i, review in enumerate(reviews) if i % 10 != 0]
    for place, trained, held in [("beer", reviews, halves(dev)[0]), ("beer-hold", fewer, dev),
                                 ("beer-hold-unseen", fewer, reviews[::10])]:
        write(place, train, trained)
        write(place, heldout, held)
for place in ["beer", "beer-hold"]:
    shutil.copyfile(data / "beer" / "annotations.json", out / place / "annotations.json")
