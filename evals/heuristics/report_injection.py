"""Prints how the detector of instructions does on each corpus, on the half that it was not fitted on.

python evals/heuristics/report_injection.py --data FOLDER
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from injection_corpora import corpora

from memlab.memory.heuristics.injection import has_instruction, is_instruction


def main() -> None:
    """Print a table: recall on orders, false alarms on ordinary texts; then precision, and microseconds for a text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each public data set")
    parser.add_argument("--seen", action="store_true", help="show the half that it was fitted on")
    options = parser.parse_args()
    shown = "seen" if options.seen else "unseen"
    print(f"| {shown} half | texts | held | share |\n| --- | ---: | ---: | ---: |")
    held_by_kind, total_by_kind, seconds = {True: 0, False: 0}, {True: 0, False: 0}, 0.0
    for corpus in sorted(corpora(options.data), key=lambda one: (not one.is_order, one.name)):
        if corpus.half != shown:
            continue
        has_instruction.cache_clear()
        start = time.perf_counter()
        held, total = sum(map(is_instruction, corpus.texts)), len(corpus.texts)
        seconds += time.perf_counter() - start
        held_by_kind[corpus.is_order] += held
        total_by_kind[corpus.is_order] += total
        name = f"{corpus.name} (recall)" if corpus.is_order else f"{corpus.name} (false alarms)"
        print(f"| {name} | {total} | {held} | {held / total:.1%} |")
    for is_order, name in ((True, "all orders (recall)"), (False, "all ordinary texts (false alarms)")):
        held, total = held_by_kind[is_order], total_by_kind[is_order]
        print(f"| {name} | {total} | {held} | {held / max(1, total):.1%} |")
    held = sum(held_by_kind.values())
    print(
        f"| precision: orders among all texts held | {held} | {held_by_kind[True]} | {held_by_kind[True] / held:.1%} |"
    )
    print(f"\n{1e6 * seconds / sum(total_by_kind.values()):.0f} microseconds for a text, on this machine")


if __name__ == "__main__":
    main()
