import pytest

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.harness.scoring.metrics import METRICS
from memlab.sandbox.isolation.levels import SYSTEM_LEVELS
from memlab.systems.child.confinement import Confinement
from memlab.systems.registry import entry
from memlab.terms import Result

KEEPING_OUT = [level.name for level in SYSTEM_LEVELS[:2] if not level.system_problem()]
FAMILIES = ("stale", "poison", "contradiction", "lifetimes")


def answers(level: str) -> list[list[Result]]:
    """Play one scenario of each of some families to the peeker."""
    peeker = entry("peeker", 600.0, Confinement(level))  # it searches all processes: slow on a busy machine
    chosen = [select(load_all([library()]), family)[0] for family in FAMILIES]
    return [cell for template in chosen for cell in play(template.sample(1), [peeker])]


@pytest.mark.parametrize("level", KEEPING_OUT)
def test_where_it_is_kept_out_the_strongest_lookup_finds_nothing(level: str) -> None:
    results = [result for cell in answers(level) for result in cell]
    assert {result.isolation for result in results} == {level}
    assert all(not "".join(result.items) and not result.error for result in results)
    assert not any(METRICS["recall"](result) > 0 or METRICS["survives"](result) > 0 for result in results)


def test_where_nothing_keeps_it_out_it_plays_the_oracle() -> None:
    passed = [all(METRICS["passes"](result) for result in cell) for cell in answers("rlimits")]
    assert sum(passed) >= len(FAMILIES) - 1
