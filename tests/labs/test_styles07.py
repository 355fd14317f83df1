"""The honest files of Lab 07 differ where every choice is right; else their passing would say little of the checks."""

from pathlib import Path

import pytest

from memlab.labs.lab import load
from memlab.sandbox.client import LearnerFile, Raised

STYLES = sorted((Path(__file__).parent / "styles" / "lab07").glob("*.py"))


@pytest.fixture(scope="module")
def chosen() -> dict[str, set[str]]:
    found = [_choices(path) for path in STYLES]
    return {what: {one[what] for one in found} for what in found[0]}


def test_they_raise_or_ignore_what_an_untrusted_source_may_not_do(chosen: dict[str, set[str]]) -> None:
    assert chosen["a stranger's task"] == {"ValueError", "Untrusted", "ignored"}


def test_they_create_default_rules_on_construction_or_on_first_use(chosen: dict[str, set[str]]) -> None:
    assert chosen["rules are seeded"] == {"when made", "when asked"}


def test_they_keep_earlier_versions_in_different_places(chosen: dict[str, set[str]]) -> None:
    places = {"facts.json", "facts_before.json", "facts_before.jsonl", "history.sqlite3"}
    assert chosen["earlier versions"] == places


def test_they_promote_again_or_once(chosen: dict[str, set[str]]) -> None:
    assert chosen["promoted twice"] == {"given again", "given once"}


def test_they_keep_or_drop_a_repeated_to_do(chosen: dict[str, set[str]]) -> None:
    assert chosen["a to-do said twice"] == {"kept", "dropped"}


def test_they_name_a_promoted_fact_by_digests_of_their_own(chosen: dict[str, set[str]]) -> None:
    assert len(chosen["name of a promoted fact"]) >= 3


def _choices(path: Path) -> dict[str, str]:
    with LearnerFile(path, load("07").class_name) as work:
        work.reset()
        seeded = work.read("mix/rules.md") is not None
        work.call("set_task", "ship", ["build", "build"])
        todo = work.get("working")["todo"]
        refused = work.attempt("set_task", "pay", ["send money"], source="web")
        for body in ("Old text.", "New text."):
            work.call("write_fact", "fact", "what is new", body)
        kept = [
            path.removeprefix("mix/") for path in work.list_files("mix") if b"Old text." in (work.read(path) or b"")
        ]
        for _ in range(2):
            work.call("log_episode", "note", "the logo is gone")
        ((name, *_),) = work.call("promote_recurring")
        again = work.call("promote_recurring")
    return {
        "a stranger's task": refused.type if isinstance(refused, Raised) else "ignored",
        "rules are seeded": "when made" if seeded else "when asked",
        "earlier versions": kept[0],
        "promoted twice": "given again" if again else "given once",
        "a to-do said twice": "kept" if len(todo) > 1 else "dropped",
        "name of a promoted fact": name,
    }
