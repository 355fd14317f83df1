"""Runs a property with Hypothesis: one seed always draws the same cases, and no file is left in the current folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from memlab.extras import NotInstalled
from memlab.sandbox.client import CheckFailed

try:
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import seed as use_seed
    from hypothesis import strategies as st
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.errors import Flaky
except ModuleNotFoundError:
    raise NotInstalled("the check of a lab", "hypothesis", "labs") from None


TICKET = st.binary(min_size=6, max_size=6)
"""What a value is drawn by: more than there are cases, and no two cases are likely to draw the same."""


@dataclass(frozen=True)
class Each:
    """Values of an argument: each is drawn once before one is drawn twice, so that a few cases miss none of them."""

    values: Sequence[object]


def run_property(function: Callable[..., None], strategies: Mapping[str, Any], seed: int, examples: int) -> None:
    """Call a function with drawn arguments. Raises what it raises for the smallest case that fails."""

    def case(**drawn: object) -> None:
        function(**drawn)

    configured = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,  # Hypothesis turns it on where the environment says CI
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    with ExitStack() as stack:
        stack.enter_context(_cache_folder())
        stack.enter_context(_no_constants_of_modules())
        try:
            configured(use_seed(seed)(given(**_with_decks(strategies, seed))(case)))()
        except Flaky:
            message = "the same calls in a fresh folder gave two different outcomes; expected the same"
            raise CheckFailed(message) from None


def _with_decks(strategies: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the strategies, with one that draws from shuffled values in place of each Each."""
    return {
        name: TICKET.map(_deal(one.values, Random(f"{seed} {name}")))  # noqa: S311 - no secret
        if isinstance(one, Each)
        else one
        for name, one in strategies.items()
    }


def _deal(values: Sequence[object], rng: Random) -> Callable[[bytes], object]:
    """Return a function from tickets to values: a new ticket gets the next value, and a known one what it got."""
    dealt: dict[bytes, object] = {}
    deck: list[object] = []

    def value_of(ticket: bytes) -> object:
        if ticket not in dealt:
            if not deck:
                deck.extend(rng.sample(values, len(values)))
            dealt[ticket] = deck.pop()
        return dealt[ticket]

    return value_of


@contextmanager
def _cache_folder() -> Iterator[None]:
    """Let Hypothesis keep its tables of letters, which take seconds to make, in the user's cache folder."""
    if "HYPOTHESIS_STORAGE_DIRECTORY" in os.environ:
        yield
        return
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    set_hypothesis_home_dir(cache / "memlab" / "hypothesis")
    try:
        yield
    finally:
        set_hypothesis_home_dir(None)


@contextmanager
def _no_constants_of_modules() -> Iterator[None]:
    """Let draws depend on the seed alone: Hypothesis has no setting against the constants of all loaded modules."""
    try:
        from hypothesis.internal.cache import LRUCache  # noqa: PLC0415 - not in every version
        from hypothesis.internal.conjecture import providers  # noqa: PLC0415
        from hypothesis.internal.constants_ast import Constants  # noqa: PLC0415
    except ImportError:  # a version that draws no such constants
        yield
        return
    provider: Any = providers.HypothesisProvider
    original, cache = vars(provider)["_local_constants"], providers.CONSTANTS_CACHE
    provider._local_constants = Constants()  # noqa: SLF001 - restored below
    providers.CONSTANTS_CACHE = LRUCache(1024)
    try:
        yield
    finally:
        provider._local_constants = original  # noqa: SLF001
        providers.CONSTANTS_CACHE = cache
