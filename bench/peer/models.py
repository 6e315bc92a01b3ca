"""The paper's models in plain PyTorch, as their users write them: nn.LSTM on packed sequences for
SST, an RCNN cell called word by word for Beer, padded batches of matrices for SNLI."""

import torch
from torch import nn
from torch.nn.functional import nll_loss
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from hardkuma import HardKuma, KumaGate, Lagrangian


def expected_rate(p_zero, mask):
    """Mean over texts of their expected share of selected words."""
    nonzero = torch.where(mask, 1.0 - p_zero, torch.zeros_like(p_zero))
    return (nonzero.sum(1) / mask.sum(1)).mean()


def expected_transitions(p_zero, mask):
    before, after, both = p_zero[:, :-1], p_zero[:, 1:], mask[:, 1:]
    change = before * (1.0 - after) + (1.0 - before) * after
    return (torch.where(both, change, torch.zeros_like(change)).sum(1) / mask.sum(1)).mean()


class BiLstm(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, batch_first=True, bidirectional=True)

    def forward(self, x, mask, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        outputs, (final, _) = self.lstm(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True)
        return outputs, torch.cat([final[0], final[1]], 1)


class SstModel(nn.Module):
    """HardKuma with independent z: BiLSTM selector and classifier over fixed vectors."""

    def __init__(self, vectors, hidden=150, classes=5, dropout=0.5):
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(vectors)
        width = vectors.shape[1]
        self.dropout = nn.Dropout(dropout)
        self.selector = BiLstm(width, hidden)
        self.gate = KumaGate(2 * hidden)
        self.classifier = BiLstm(width, hidden)
        self.output = nn.Linear(2 * hidden, classes)
        self.rate = Lagrangian(0.4, 0.99, 0.01, 1e-4)

    def select(self, words, mask, lengths):
        states, _ = self.selector(self.dropout(self.embed(words)), mask, lengths)
        gates = self.gate(states)
        z = (gates.sample() if self.training else gates.decide()).squeeze(2)
        return torch.where(mask, z, torch.zeros_like(z)), gates.p_zero().squeeze(2)

    def forward(self, words, mask, lengths):
        z, p_zero = self.select(words, mask, lengths)
        read = self.dropout(self.embed(words)) * z.unsqueeze(2)
        _, final = self.classifier(read, mask, lengths)
        return torch.log_softmax(self.output(self.dropout(final)), 1), z, p_zero

    def loss(self, batch):
        words, mask, lengths, labels = batch
        scores, _, p_zero = self(words, mask, lengths)
        return nll_loss(scores, labels) + self.rate(expected_rate(p_zero, mask))


class RcnnCell(nn.Module):
    """One step of the bigram RCNN."""

    def __init__(self, features, hidden):
        super().__init__()
        self.hidden = hidden
        self.inputs = nn.Linear(features, 3 * hidden, bias=False)
        self.gate = nn.Linear(hidden, hidden)
        self.bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, x, state, mask):
        h, c1, c2 = state
        gate, x1, x2 = self.inputs(x).chunk(3, dim=-1)
        keep = torch.sigmoid(gate + self.gate(h))
        new1 = keep * c1 + (1.0 - keep) * x1
        new2 = keep * c2 + (1.0 - keep) * (c1 + x2)
        new_h = torch.tanh(new2 + self.bias)
        m = mask.unsqueeze(1)
        return m * new_h + (1.0 - m) * h, m * new1 + (1.0 - m) * c1, m * new2 + (1.0 - m) * c2

    def start(self, batch):
        return tuple(self.bias.new_zeros(batch, self.hidden) for _ in range(3))


def one_by_one(x):
    """Words by indexing, as most code has it. Each index's backward pass fills a whole batch."""
    return x.transpose(0, 1).contiguous()


def taken_apart(x):
    """Words by one call with one backward pass."""
    return x.unbind(1)


class BiRcnn(nn.Module):
    """Both directions, one word after the other; a masked word leaves the state as it is."""

    def __init__(self, features, hidden, words_of):
        super().__init__()
        self.words_of = words_of
        self.forwards = RcnnCell(features, hidden)
        self.backwards = RcnnCell(features, hidden)

    def run(self, cell, x, mask, order):
        state, outputs = cell.start(x.shape[0]), [None] * x.shape[1]
        words, masks = self.words_of(x), self.words_of(mask)
        for t in order:
            state = cell(words[t], state, masks[t])
            outputs[t] = state[0]
        return torch.stack(outputs, 1), state[0]

    def forward(self, x, mask):
        steps = range(x.shape[1])
        ahead, last = self.run(self.forwards, x, mask, steps)
        back, first = self.run(self.backwards, x, mask, reversed(steps))
        return torch.cat([ahead, back], 2), torch.cat([last, first], 1)


class BeerModel(nn.Module):
    """HardKuma with dependent z: BiRCNN selector and classifier over fixed vectors, regression."""

    def __init__(self, vectors, hidden=200, chain=30, dropout=0.2, words_of=one_by_one):
        super().__init__()
        self.words_of = words_of
        self.embed = nn.Embedding.from_pretrained(vectors)
        width = vectors.shape[1]
        self.dropout = nn.Dropout(dropout)
        self.selector = BiRcnn(width, hidden, words_of)
        self.gate = KumaGate(2 * hidden + chain)
        self.chain = RcnnCell(2 * hidden + 1, chain)
        self.classifier = BiRcnn(width, hidden, words_of)
        self.output = nn.Linear(2 * hidden, 1)
        self.rate = Lagrangian(0.13, 0.5, 0.05, 1e-5)
        self.transitions = Lagrangian(0.02, 0.5, 0.05, 1e-5)

    def select(self, words, mask):
        states, _ = self.selector(self.dropout(self.embed(words)), mask)
        s, z, p_zero = self.chain.start(words.shape[0]), [], []
        states, masks = self.words_of(states), self.words_of(mask)
        for t in range(words.shape[1]):
            gates = self.gate(torch.cat([states[t], s[0]], 1))
            z_t = gates.sample() if self.training else gates.decide()
            s = self.chain(torch.cat([states[t], z_t], 1), s, masks[t])
            z.append(z_t.squeeze(1))
            p_zero.append(gates.p_zero().squeeze(1))
        return torch.stack(z, 1) * mask, torch.stack(p_zero, 1)

    def forward(self, words, mask, lengths):
        mask = mask.float()
        z, p_zero = self.select(words, mask)
        read = self.dropout(self.embed(words)) * z.unsqueeze(2)
        _, final = self.classifier(read, (z > 0).float())
        return torch.sigmoid(self.output(self.dropout(final))).squeeze(1), z, p_zero

    def loss(self, batch):
        words, mask, lengths, labels = batch
        scores, _, p_zero = self(words, mask, lengths)
        task = ((scores - labels.float() / 4.0) ** 2).mean()
        return (task + self.rate(expected_rate(p_zero, mask))
                + self.transitions(expected_transitions(p_zero, mask)))


def feed_forward(features, hidden, dropout):
    return nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Dropout(dropout),
                         nn.Linear(hidden, hidden), nn.ReLU())


class SnliModel(nn.Module):
    """Decomposable attention with a matrix of HardKuma gates, over fixed vectors, as published."""

    def __init__(self, vectors, hidden=200, classes=3, dropout=0.2):
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(vectors)
        self.projection = nn.Linear(vectors.shape[1], hidden)
        self.dropout = nn.Dropout(dropout)
        self.attend_a = feed_forward(hidden, hidden, dropout)
        self.attend_b = feed_forward(hidden, hidden, dropout)
        self.compare = feed_forward(2 * hidden, hidden, dropout)
        self.aggregate = feed_forward(2 * hidden, hidden, dropout)
        self.output = nn.Linear(hidden, classes, bias=False)
        self.rate = Lagrangian(0.1, 0.99, 0.01, 1e-5)

    def shape(self, network, premise, hypothesis):
        scores = network(premise) @ network(hypothesis).transpose(1, 2)
        return torch.nn.functional.softplus(scores).clamp(1e-3, 100.0)

    def forward(self, premise, premise_mask, hypothesis, hypothesis_mask):
        p = self.dropout(self.projection(self.embed(premise)))
        h = self.dropout(self.projection(self.embed(hypothesis)))
        gates = HardKuma(self.shape(self.attend_a, p, h), self.shape(self.attend_b, p, h))
        cells = premise_mask.unsqueeze(2) & hypothesis_mask.unsqueeze(1)
        z = gates.sample() if self.training else gates.decide()
        z = torch.where(cells, z, torch.zeros_like(z))
        first = self.compare(torch.cat([p, z @ h], 2)) * premise_mask.unsqueeze(2)
        second = self.compare(torch.cat([h, z.transpose(1, 2) @ p], 2)) * hypothesis_mask.unsqueeze(2)
        both = self.dropout(torch.cat([first.sum(1), second.sum(1)], 1))
        return torch.log_softmax(self.output(self.aggregate(both)), 1), z, gates.p_zero(), cells

    def loss(self, batch):
        *texts, labels = batch
        scores, _, p_zero, cells = self(*texts)
        nonzero = torch.where(cells, 1.0 - p_zero, torch.zeros_like(p_zero))
        rate = (nonzero.sum((1, 2)) / cells.sum((1, 2))).mean()
        return nll_loss(scores, labels) + self.rate(rate)
