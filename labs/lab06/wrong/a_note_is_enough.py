"""Assumes that an order with a note of its source does no harm.

Instead in: solution.py
Loses: trust/untrusted-orders-are-not-served
"""


def is_withheld(name: str) -> bool:
    if source_of(name) not in TRUST and ORDER.search(split_page(name)[1]):
        print(f"NOT SERVED -- {name}: so says {source_of(name)}")
    return False
