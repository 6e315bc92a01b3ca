"""Speed of the plain PyTorch models: one line of JSON.

    run.py --shape sst|beer|beer-unbind --task train|predict [--threads N] [--rounds N]
"""

import argparse
import json
import time

import torch

from models import BeerModel, SstModel, taken_apart

VOCABULARY = 20000

# name: model, examples a batch, batches a round, lengths, width of the vectors, selected share
SHAPES = {
    "sst": (SstModel, 25, 20, (3, 35), 300, 0.40),
    "beer": (BeerModel, 256, 1, (45, 245), 200, 0.13),
    "beer-unbind": (lambda vectors: BeerModel(vectors, words_of=taken_apart), 256, 1, (45, 245), 200, 0.13),
}


def random_batch(size, lengths, generator):
    low, high = lengths
    length = torch.randint(low, high + 1, (size,), generator=generator).sort(descending=True).values
    # the k-th commonest word with probability proportional to 1/k, as in language
    rank = VOCABULARY ** torch.rand(size, int(length[0]), generator=generator)
    words = rank.long() % VOCABULARY
    mask = torch.arange(words.shape[1])[None, :] < length[:, None]
    labels = torch.randint(0, 5, (size,), generator=generator)
    return words * mask, mask, length, labels


def set_selected(model, batch, wanted):
    """Moves the gate's bias until the wanted share of z is not zero."""
    words, mask, lengths, _ = tuple(part[:16] for part in batch)
    width = int(lengths[0])
    words, mask = words[:, :width], mask[:, :width]
    low, high = -8.0, 8.0
    with torch.no_grad():
        model.gate.a.bias.fill_(-1.5)
        for _ in range(10):
            model.gate.b.bias.fill_(0.5 * (low + high))
            _, z, _ = model(words, mask, lengths)
            if ((z > 0) & mask).sum() / mask.sum() > wanted:
                low = 0.5 * (low + high)
            else:
                high = 0.5 * (low + high)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shape", choices=SHAPES, required=True)
    parser.add_argument("--task", choices=["train", "predict"], required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    generator = torch.Generator().manual_seed(7)
    torch.manual_seed(7)
    build, size, count, lengths, width, selected = SHAPES[args.shape]
    model = build(torch.rand(VOCABULARY, width, generator=generator) - 0.5)
    batches = [random_batch(size, lengths, generator) for _ in range(count)]
    model.train(args.task == "train")
    set_selected(model, batches[0], selected)
    parameters = [p for p in model.parameters() if p.requires_grad]
    adam = torch.optim.Adam(parameters, lr=1e-12)

    def train(batches):
        for batch in batches:
            adam.zero_grad()
            model.loss(batch).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 5.0)
            adam.step()

    def predict(batches):
        with torch.no_grad():
            for words, mask, length, _ in batches:
                model(words, mask, length)

    work = train if args.task == "train" else predict
    work([random_batch(16, lengths, generator)])  # warms up
    best = None
    for _ in range(args.rounds):
        start = time.perf_counter()
        work(batches)
        seconds = time.perf_counter() - start
        best = seconds if best is None else min(best, seconds)
    print(json.dumps({"examples_per_second": size * count / best}))


if __name__ == "__main__":
    main()
