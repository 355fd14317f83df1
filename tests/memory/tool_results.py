"""Results of tools that a window has to compress, and counters of tokens."""

from __future__ import annotations

import json

from memlab.memory.context import TokenCounter, count_tokens

COUNTERS: list[TokenCounter] = [
    count_tokens,
    len,
    lambda text: len(text.split()),
    lambda text: len(text.encode("utf-16")) - 2,
    lambda text: 3 * text.count("\n") + len(text) // 7,
]
HEADER = ["id", "name", "price", "note"]
ROWS = [[str(n), f"Anna {n}", f"{n * 1.5 - 30:.2f}", "-" if n % 3 else ""] for n in range(400)]


def table(mark: str) -> str:
    return "\n".join(mark.join(row) for row in [HEADER, *ROWS])


def aligned(line: str = "") -> str:
    widths = [max(len(row[place]) for row in [HEADER, *ROWS]) for place in range(len(HEADER))]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [HEADER, *ROWS]]
    return "\n".join([rows[0], *([line] if line else []), *rows[1:]])


TABLES = {
    "csv": table(","),
    "csv with carriage returns": table(",").replace("\n", "\r"),
    "csv with semicolons": table(";"),
    "tsv": table("\t"),
    "markdown": "| id | name | price | note |\n| -- |:--:| ---: | --- |\n"
    + "\n".join(f"| {' | '.join(row)} |" for row in ROWS),
    "aligned": aligned(),
    "aligned, underlined": aligned("----  --------  ------  ----"),
    "aligned by tabs": "\n".join(
        "".join(cell + "\t" * (2 - len(cell) // 8) for cell in row) for row in [HEADER, *ROWS]
    ),
    "json": json.dumps([dict(zip(HEADER, row, strict=True)) for row in ROWS]),
}
CODE = "\n".join(f"step {n}: compiling part {n} with care" for n in range(300))
PROSE = "Once more the ferry left the island late.\n" * 40
BLOB = "QUJD" * 3000
