from __future__ import annotations

import pytest

from memlab.memory.trust import AGENT, NOT_TRUSTED, UNTRUSTED_SOURCES, USER, lowest_rank, may_replace, rank


def test_a_person_ranks_above_a_tool_a_tool_above_the_agent_and_the_agent_above_all_others() -> None:
    assert USER == rank("user") > rank("tool") > rank("agent") == AGENT > NOT_TRUSTED


@pytest.mark.parametrize("source", [*sorted(UNTRUSTED_SOURCES), "", "USER", "user ", "tool\n", "a new vendor"])
def test_a_source_that_is_not_known_by_its_exact_name_is_not_trusted(source: str) -> None:
    assert rank(source) == NOT_TRUSTED


def test_a_lineage_is_trusted_as_far_as_its_least_and_no_lineage_not_at_all() -> None:
    assert lowest_rank([rank("user"), rank("tool")]) == rank("tool")
    assert lowest_rank([rank("user"), rank("web"), rank("tool")]) == NOT_TRUSTED
    assert lowest_rank([USER]) == USER
    assert lowest_rank([]) == NOT_TRUSTED


def test_a_statement_replaces_its_equals_and_what_ranks_below_it_only() -> None:
    assert may_replace(USER, USER)
    assert may_replace(USER, AGENT)
    assert not may_replace(AGENT, USER)
    assert not may_replace(NOT_TRUSTED, AGENT)
