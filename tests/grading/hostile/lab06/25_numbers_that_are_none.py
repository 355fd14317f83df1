"""Gives numbers that are none, that have no end, that have ten thousand digits.

Attack: 25
Behind: constant_stub.py
Keeps: none
"""

COUNT = []
NUMBERS = [
    float("nan"),
    float("inf"),
    -float("inf"),
    10**10_000,
    -(10**31),
    1e308,
    2**53 + 1,
    -0.0,
    1 + 2j,
    [float("nan")],
    {"a": [float("inf")]},
    {1: 2},
    {"a", "b"},
    b"bytes",
    ...,
    NotImplemented,
    range(10**12),
    (one for one in "abc"),
    type,
    print,
]


def write_memory(*args, **named):
    COUNT.append(1)
    return NUMBERS[len(COUNT) % len(NUMBERS)]


recall = write_memory
