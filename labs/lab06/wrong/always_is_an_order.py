"""Assumes that a sentence with `always` is an order, also where the user wrote it.

Instead in: solution.py
Loses: trust/untrusted-orders-are-not-served
"""


def is_withheld(name: str) -> bool:
    source, body = source_of(name), split_page(name)[1]
    if not ORDER.search(body) or (source in TRUST and not body.startswith("Always")):
        return False
    print(f"NOT SERVED -- {name} gives instructions ({source})")
    return True
