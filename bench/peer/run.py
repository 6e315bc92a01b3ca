"""Speed of the plain PyTorch models: one line of JSON.

    run.py --shape sst|beer|beer-unbind|snli|snli-bucketed --task train|predict [--threads N] [--rounds N] [--device cuda]
"""

import argparse
import json
import time

import torch

from models import BeerModel, SnliModel, SstModel, taken_apart

VOCABULARY = 20000

# name: model, examples per batch, batches per round, lengths, width of the vectors, selected share
SHAPES = {
    "sst": (SstModel, 25, 20, (3, 35), 300, 0.40),
    "beer": (BeerModel, 256, 1, (45, 245), 200, 0.13),
    "snli": (SnliModel, 64, 20, None, 300, None),
    "snli-bucketed": (SnliModel, 64, 20, None, 300, None),
    "beer-unbind": (lambda vectors: BeerModel(vectors, words_of=taken_apart), 256, 1, (45, 245), 200, 0.13),
}


# The lengths of premise and hypothesis, including NULL.
PREMISE, HYPOTHESIS = (6, 24), (5, 13)


def random_words(length, generator):
    size = len(length)
    # Zipf's law: the k-th most common word has a probability proportional to 1/k
    rank = VOCABULARY ** torch.rand(size, int(length.max()), generator=generator)
    words = rank.long() % VOCABULARY
    mask = torch.arange(words.shape[1])[None, :] < length[:, None]
    return words * mask, mask


def random_lengths(size, lengths, generator):
    low, high = lengths
    return torch.randint(low, high + 1, (size,), generator=generator)


def random_batch(size, lengths, generator):
    length = random_lengths(size, lengths, generator).sort(descending=True).values
    words, mask = random_words(length, generator)
    labels = torch.randint(0, 5, (size,), generator=generator)
    return words, mask, length, labels


def pair_batches(size, count, bucketed, generator):
    """Pairs in random order, or sorted by both lengths over all batches before they are cut."""
    pairs = list(zip(random_lengths(size * count, PREMISE, generator).tolist(),
                     random_lengths(size * count, HYPOTHESIS, generator).tolist()))
    if bucketed:
        pairs.sort()
    batches = []
    for at in range(0, len(pairs), size):
        some = torch.tensor(pairs[at:at + size])
        labels = torch.randint(0, 3, (len(some),), generator=generator)
        batches.append((*random_words(some[:, 0], generator), *random_words(some[:, 1], generator), labels))
    return batches


def on_device(batch, device, texts):
    return tuple(part if texts and i == 2 else part.to(device) for i, part in enumerate(batch))


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
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    generator = torch.Generator().manual_seed(7)
    torch.manual_seed(7)
    build, size, count, lengths, width, selected = SHAPES[args.shape]
    model = build(torch.rand(VOCABULARY, width, generator=generator) - 0.5)
    model.to(args.device).train(args.task == "train")
    if lengths is None:
        batches = pair_batches(size, count, args.shape == "snli-bucketed", generator)
        first = batches[0]
    else:
        batches = [random_batch(size, lengths, generator) for _ in range(count)]
        first = random_batch(16, lengths, generator)
    # pack_padded_sequence needs the lengths on the CPU, on any device
    batches = [on_device(batch, args.device, lengths is not None) for batch in batches]
    first = on_device(first, args.device, lengths is not None)
    if lengths is not None:
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
            for *texts, _ in batches:
                model(*texts)

    work = train if args.task == "train" else predict
    wait = torch.cuda.synchronize if args.device == "cuda" else lambda: None
    work([first])  # warms up
    wait()
    best = None
    for _ in range(args.rounds):
        start = time.perf_counter()
        work(batches)
        wait()
        seconds = time.perf_counter() - start
        best = seconds if best is None else min(best, seconds)
    print(json.dumps({"examples_per_second": size * count / best}))


if __name__ == "__main__":
    main()
