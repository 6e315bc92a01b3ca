"""The golden values of tests/dist/kuma_test.cpp, from the definitions, in 50 digits (needs mpmath)."""
from mpmath import mp, beta, log, mpf

mp.dps = 50
K0, K1 = mpf(1) / 12, mpf(11) / 12

for a, b in [(log(2), log(2)), ("0.5", "0.5"), (1, 1), (2, 2), ("0.1", "0.1"), (5, 1), (1, 5), ("0.0708", "3.5888")]:
    a, b = mpf(a), mpf(b)
    zero, one = 1 - (1 - K0**a) ** b, (1 - K1**a) ** b
    print(*(mp.nstr(x, 6) for x in (a, b, zero, one, 1 - zero - one, b * beta(1 + 1 / a, b))))
