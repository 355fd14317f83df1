from dataclasses import replace

import pytest

from memlab.systems.oracle import Oracle, minimal_context
from memlab.terms import Key, Workspace

KEY = Key(
    scenario="stale/x",
    family="stale",
    seed=0,
    overlay="",
    probe="p",
    verb="recall",
    query="who ships",
    k=2,
    budget=100,
    expect=("who", "how"),
    forbid={"old": "world"},
    keep=(),
    claims={"who": ("Mara",), "how": ("pnpm",), "old": ("old.sh",)},
    texts={
        "who": ("On Fridays, as ever, Mara ships.", "Mara.", "duty"),
        "how": ("pnpm old.sh", "Use pnpm to ship it all."),
        "old": ("old.sh",),
    },
    rules=("Prefer pnpm.", "Be kind."),
    goal="ship",
    todo=("test", "deploy"),
    done=("build",),
)


def test_recall_is_the_shortest_text_that_states_each_claim_and_nothing_forbidden(workspace: Workspace) -> None:
    oracle = Oracle(workspace)
    oracle.hand(KEY)
    assert oracle.recall("who ships", 2) == ["Mara.", "Use pnpm to ship it all."]
    assert oracle.recall("who ships", 1) == ["Mara."]


def test_nothing_is_recalled_where_nothing_may_be(workspace: Workspace) -> None:
    oracle = Oracle(workspace)
    for expect in ((), None):
        oracle.hand(replace(KEY, expect=expect))
        assert oracle.recall("q", 5) == []


def test_the_least_context_holds_pins_and_claims_and_ends_with_the_next_todo() -> None:
    key = replace(KEY, verb="assemble", expect=None, keep=("who",))
    assert minimal_context(key) == "Prefer pnpm.\nBe kind.\ngoal: ship\nMara.\n- test"
    assert minimal_context(replace(key, rules=(), goal="", todo=(), keep=())) == ""


def test_an_oracle_without_a_key_says_what_to_do(workspace: Workspace) -> None:
    with pytest.raises(LookupError, match=r"call hand\(key\) before each probe"):
        Oracle(workspace).recall("q")
