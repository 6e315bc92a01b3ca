"""HardKuma gates in plain PyTorch, the way a paper's code has them: a distribution object, an
epsilon, a clamp."""

import torch

LEFT, RIGHT = -0.1, 1.1
WIDTH = RIGHT - LEFT
ZERO, ONE = -LEFT / WIDTH, (1.0 - LEFT) / WIDTH


class HardKuma:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def sample(self):
        u = torch.empty_like(self.a).uniform_(1e-6, 1.0 - 1e-6)
        k = (1.0 - (1.0 - u).pow(1.0 / self.b)).pow(1.0 / self.a)
        return (LEFT + WIDTH * k).clamp(0.0, 1.0)

    def cdf(self, k):
        k = torch.full_like(self.a, k)
        return 1.0 - (1.0 - k.pow(self.a)).pow(self.b)

    def p_zero(self):
        return self.cdf(ZERO)

    def mean(self):
        c = 1.0 + 1.0 / self.a
        return torch.exp(self.b.log() + torch.lgamma(c) + torch.lgamma(self.b) - torch.lgamma(c + self.b))

    def decide(self):
        zero, one = self.p_zero(), 1.0 - self.cdf(ONE)
        between = 1.0 - zero - one
        end = torch.where(zero > one, torch.zeros_like(zero), torch.ones_like(zero))
        return torch.where((between > zero) & (between > one), self.mean(), end)


class KumaGate(torch.nn.Module):
    """Two linear maps to the shapes a and b."""

    def __init__(self, features, low=1e-6, high=100.0):
        super().__init__()
        self.a = torch.nn.Linear(features, 1)
        self.b = torch.nn.Linear(features, 1)
        self.low, self.high = low, high

    def forward(self, x):
        shape = lambda layer: torch.nn.functional.softplus(layer(x)).clamp(self.low, self.high)
        return HardKuma(shape(self.a), shape(self.b))


class Lagrangian:
    """The paper's controller of the selected share."""

    def __init__(self, target, alpha, eta, start):
        self.target, self.alpha, self.eta, self.value = target, alpha, eta, start
        self.average = 0.0

    def __call__(self, rate):
        gap = rate - self.target
        self.average = self.alpha * self.average + (1.0 - self.alpha) * gap.item()
        self.value *= pow(2.718281828, self.eta * self.average)
        return self.value * (gap + (self.average - gap.detach()))
