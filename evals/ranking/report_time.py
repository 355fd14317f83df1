"""Prints where the time of a comparison goes: the processor seconds of each row, on every tenth scenario.

python evals/ranking/report_time.py --systems documents
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping

from memlab.harness.running.runner import play
from memlab.harness.scenarios.conditions import WITHOUT_LABELS
from memlab.harness.scenarios.loading import library, load_all
from memlab.systems.registry import entry, names_of

EVERY = 10
"""One in ten scenarios is played."""


def seconds(names: list[str]) -> tuple[dict[str, float], int]:
    """Return the processor seconds of each system, and how many scenarios it played."""
    found = dict.fromkeys(names, 0.0)
    scenarios = [WITHOUT_LABELS(one.sample(0)) for one in load_all([library()])[::EVERY]]
    for scenario in scenarios:
        for name in names:
            started = time.process_time()
            list(play(scenario, [entry(name)]))
            found[name] += time.process_time() - started
    return found, len(scenarios)


def table(found: Mapping[str, float], count: int) -> Iterator[str]:
    """Yield a line for each system, the slowest first."""
    total = sum(found.values())
    yield f"{f'processor time of {count} scenarios':36}{'seconds':>9}{'ms each':>9}{'share':>8}"
    for name, each in sorted(found.items(), key=lambda one: -one[1]):
        yield f"{name:36}{each:9.2f}{1000 * each / count:9.0f}{each / total:8.0%}"
    yield f"{'all':36}{total:9.2f}{1000 * total / count:9.0f}{1:8.0%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", default="documents", help="names or groups, separated by commas")
    given = parser.parse_args()
    names = [name for one in given.systems.split(",") for name in names_of(one)]
    print("\n".join(table(*seconds(names))))


if __name__ == "__main__":
    main()
