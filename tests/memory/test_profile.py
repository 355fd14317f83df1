"""The user's own page: what a model may change of it, and what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memory import Profile, Refused

PAGE = "# Ada\n- drinks tea\n- has a dog\n\n## Pinned\n- allergic to nuts\n"
SAID = "user: we moved to Oslo in May\nuser: and I sold the boat"


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    (tmp_path / "profile.md").write_text(PAGE, encoding="utf-8")
    return Profile(tmp_path)


def added(profile: Profile, line: str, quote: str) -> Profile:
    page = profile.text()
    profile.accept(profile.propose(f"{line}\n{page}", {line: quote}, SAID))
    return profile


def test_a_quoted_line_is_added_before_the_pinned_section_and_the_old_page_is_kept(profile: Profile) -> None:
    edit = profile.propose(PAGE + "- lives in Oslo\n", {"- lives in Oslo": "we moved to Oslo"}, SAID)
    assert "+- lives in Oslo" in edit.diff.splitlines()
    assert profile.text() == PAGE  # a proposal changes nothing
    profile.accept(edit)
    assert profile.text().splitlines().index("- lives in Oslo") < profile.text().splitlines().index("## Pinned")
    assert (profile.path.parent / "profile.old" / "0001.md").read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize("quote", ["", "we moved to Rome", "We moved to Oslo"])
def test_a_line_without_a_verbatim_quote_is_refused_and_named(profile: Profile, quote: str) -> None:
    edit = profile.propose(PAGE + "- lives in Rome\n", {"- lives in Rome": quote}, SAID)
    assert edit.diff == ""
    assert edit.after == PAGE
    assert edit.refused == (f"- lives in Rome: its quote {quote!r} is not in the session",)


def test_of_two_equal_lines_an_edit_removes_one(profile: Profile) -> None:
    added(profile, "- lives in Oslo", "we moved to Oslo")
    twice = f"- lives in Oslo\n{profile.text()}"
    profile.path.write_text(twice, encoding="utf-8")
    profile.accept(profile.propose(PAGE, {}, SAID))
    assert profile.text().count("- lives in Oslo") == 1


def test_no_kept_page_is_overwritten_after_an_older_one_was_deleted(profile: Profile) -> None:
    old = profile.path.parent / "profile.old"
    added(added(profile, "- lives in Oslo", "we moved to Oslo"), "- no boat", "I sold the boat")
    (old / "0001.md").unlink()
    (old / "1 copy.md").write_text("a copy by hand", encoding="utf-8")
    kept = (old / "0002.md").read_text(encoding="utf-8")
    added(profile, "- moved in May", "we moved to Oslo in May")
    assert (old / "0002.md").read_text(encoding="utf-8") == kept
    assert (old / "0003.md").exists()


def test_a_lone_surrogate_in_a_page_loses_nothing(profile: Profile) -> None:
    profile.path.write_bytes(b"# Ada \xed\xa0\x80\n")
    added(profile, "- lives in Oslo", "we moved to Oslo")
    assert profile.text() == "# Ada \ud800\n- lives in Oslo\n"


def test_neither_a_line_of_a_person_nor_a_pinned_line_is_removed_or_changed(profile: Profile) -> None:
    edit = profile.propose("# Ada\n- drinks coffee\n", {"- drinks coffee": "we moved"}, SAID)
    for line in PAGE.splitlines():
        assert line in edit.after.splitlines()
    assert "- drinks tea: a person wrote it, so it stays" in edit.refused
    assert "- allergic to nuts: it is pinned, so it stays" in edit.refused


def test_an_edit_removes_at_most_one_line_and_only_one_that_an_edit_added(profile: Profile) -> None:
    added(added(profile, "- lives in Oslo", "we moved to Oslo"), "- no boat", "I sold the boat")
    edit = profile.propose(PAGE, {}, SAID)
    gone = [line for line in ("- lives in Oslo", "- no boat") if line not in edit.after]
    assert len(gone) == 1
    assert any("an edit removes at most 1 line" in one for one in edit.refused)
    profile.accept(edit)
    assert profile.propose(PAGE, {}, SAID).after == PAGE


def test_a_line_that_a_person_edited_is_the_persons(profile: Profile) -> None:
    added(profile, "- lives in Oslo", "we moved to Oslo")
    edited = profile.text().replace("lives in Oslo", "lives in Oslo, for now")
    profile.path.write_text(edited, encoding="utf-8")
    assert profile.propose(PAGE, {}, SAID).after == edited


def test_an_edit_of_a_page_that_has_changed_since_is_refused(profile: Profile) -> None:
    edit = profile.propose(PAGE + "- lives in Oslo\n", {"- lives in Oslo": "we moved to Oslo"}, SAID)
    profile.path.write_text(PAGE + "- has a cat\n", encoding="utf-8")
    with pytest.raises(Refused, match="it has changed since this edit was proposed; propose it again"):
        profile.accept(edit)
    assert "- has a cat" in profile.text()


def test_fifty_sessions_of_careless_proposals_lose_no_line_of_a_person(profile: Profile) -> None:
    for number in range(50):
        line = f"- note {number}"
        profile.accept(profile.propose(f"# Ada\n{line}\n", {line: "we moved to Oslo"}, SAID))
    assert set(PAGE.splitlines()) <= set(profile.text().splitlines())
    assert len(list((profile.path.parent / "profile.old").glob("*.md"))) == 50


def test_without_a_page_the_first_edit_makes_one(tmp_path: Path) -> None:
    profile = Profile(tmp_path)
    profile.accept(profile.propose("- lives in Oslo\n", {"- lives in Oslo": "we moved to Oslo"}, SAID))
    assert profile.text() == "- lives in Oslo\n"
