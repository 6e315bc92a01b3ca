"""Milliseconds of cuDNN's bidirectional LSTM alone, forward and backward, at the paper's SST sizes.

Batch 25, 300-d words, 150 units per direction, sentences of 3 to 35 words; plain, and recorded as a CUDA graph.
"""
import time

import torch
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(1)
lengths = torch.sort(torch.randint(3, 36, (25,)), descending=True).values
lstm = torch.nn.LSTM(300, 150, bidirectional=True).cuda()
words = torch.randn(int(lengths.max()), 25, 300, device="cuda")
packed = pack_padded_sequence(words, lengths)


def step():
    for parameter in lstm.parameters():
        parameter.grad = None
    _, (final, _) = lstm(packed)
    final.sum().backward()


def milliseconds(work, times=200):
    for _ in range(20):
        work()
    torch.cuda.synchronize()
    best = 1e9
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(times):
            work()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - start) / times)
    return 1e3 * best


print(f"plain    {milliseconds(step):.2f} ms")
try:
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    print(f"recorded {milliseconds(graph.replay):.2f} ms")
except RuntimeError as error:
    print(f"recorded: not possible: {str(error).splitlines()[0]}")
