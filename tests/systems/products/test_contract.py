"""A product is judged only if it finds what was planted; what it is stands in each result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from memlab.extras import NotInstalled
from memlab.harness.running import runner
from memlab.harness.running.results import ResultsWriter, read_results
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.harness.scoring.metrics import METRICS
from memlab.report.tables.terminal import versions
from memlab.systems.answers import SystemFailed
from memlab.systems.entry import Entry
from memlab.systems.products import contract
from memlab.systems.products.product import Product, Store
from memlab.terms import Memory, Result, Workspace


class Listed(Store):
    """Keeps texts in a list; `keeps` of the planted ones."""

    keeps = contract.PLANTED

    def __init__(self, workspace: Workspace) -> None:
        self._texts: dict[str, str] = {}

    def add(self, key: str, text: str) -> None:
        if len(self._texts) < self.keeps:
            self._texts[key] = text

    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        return [text for text in self._texts.values() if query in text][:k]

    def remove(self, key: str) -> None:
        self._texts.pop(key, None)


class Forgetful(Listed):
    keeps = contract.ENOUGH - 1


class Rewriting(Listed):
    """Stores other words than those of an event, and says of which event they are."""

    names_event = True

    @property
    def not_judged(self) -> str:
        return f"rewritten: {len(self._texts)}"

    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        found = [key for key, text in self._texts.items() if query in text][:k]
        return [Memory("other words", (key,) if self.names_event else ()) for key in found]


class Failing(Listed):
    tries = 0

    def add(self, key: str, text: str) -> None:
        Failing.tries += 1
        raise OSError("disk on fire")


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "_tried", {})


def product(make: Callable[[Workspace], object]) -> Product:
    return Product("listed", "A list.", make, (), "numpy", "none", "in a list")


def results(made: Product) -> list[Result]:
    (template,) = select(load_all([library()]), "recall/first-week")
    (cell,) = runner.play(template.sample(0), [made.entry()])
    return cell


def test_the_planted_facts_are_25_and_no_two_are_alike() -> None:
    facts = contract.planted()
    assert len(set(facts)) == contract.PLANTED == 25
    for one in facts:
        for other in facts:
            shared = set(one.split()) & set(other.split())
            assert one == other or len(shared) < len(one.split())


def test_one_that_finds_24_of_25_is_judged_and_one_that_finds_23_is_not() -> None:
    for found, keeps in (("", 24), ("'x' found 23 of 25 planted facts by their exact words, and 24 are needed", 23)):
        contract._tried.clear()  # noqa: SLF001 - as in a new process
        assert contract.why_not_judged("x", type("Some", (Listed,), {"keeps": keeps})) == found


def test_a_product_that_fails_the_contract_is_not_applicable_and_never_0() -> None:
    answers = results(product(Forgetful))
    assert answers
    for one in answers:
        assert "found 23 of 25" in one.not_applicable
        assert not one.error
        assert all(value != value for value in (metric(one) for metric in METRICS.values()))  # noqa: PLR0124 - NaN


def test_of_one_that_rewrites_texts_an_item_counts_if_it_names_the_event_that_it_was_made_from() -> None:
    assert contract.why_not_judged("names", Rewriting) == ""
    silent = type("Silent", (Rewriting,), {"names_event": False})
    assert "'silent' found 0 of 25" in contract.why_not_judged("silent", silent)


def test_the_reason_of_one_that_rewrites_texts_is_that_of_the_moment_of_the_probe() -> None:
    reasons = {one.not_applicable for one in results(product(Rewriting))}
    assert reasons
    assert not reasons & {"", "rewritten: 0"}


def test_a_product_that_fails_is_tried_once_and_named_in_every_later_error() -> None:
    for _ in range(3):
        with pytest.raises(SystemFailed, match="the contract test of 'x' raised OSError: disk on fire"):
            contract.why_not_judged("x", Failing)
    assert Failing.tries == 1


def test_each_result_has_the_version_and_the_settings_and_a_file_keeps_them(tmp_path: Path) -> None:
    answers = results(product(Listed))
    assert {one.version for one in answers} == {f"numpy {np.__version__}; in a list"}
    assert versions(answers).plain == f"listed: numpy {np.__version__}; in a list"
    path = tmp_path / "results.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        writer = ResultsWriter(stream)
        for one in answers:
            writer.write(one)
    assert read_results(path) == answers


def test_a_product_that_is_not_installed_says_what_to_install() -> None:
    absent = Entry(
        "theirs", "Theirs.", "products", product(Listed).build, modules=("no_such_module.part",), extra="theirs"
    )
    with pytest.raises(NotInstalled) as caught:
        absent.require()
    assert str(caught.value) == (
        "'theirs' needs no_such_module.part, which is not installed. "
        "Run: pip install '.[theirs]' in a checkout of memlab"
    )
