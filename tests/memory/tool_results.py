"""Results of tools that a window has to compress, and counters of tokens."""

from __future__ import annotations

from memlab.memory.context import Counter, count_tokens

COUNTERS: list[Counter] = [
    count_tokens,
    len,
    lambda text: len(text.split()),
    lambda text: len(text.encode("utf-16")) - 2,
    lambda text: 3 * text.count("\n") + len(text) // 7,
]
CODE = "\n".join(f"step {n}: compiling part {n} with care" for n in range(300))
PROSE = "Once more the ferry left the island late.\n" * 40
BLOB = "QUJD" * 3000
TABLE = "\n".join(f"{n},Anna {n},{n * 1.5 - 30:.2f}" for n in range(400))
