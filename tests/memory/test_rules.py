from __future__ import annotations

import os
from pathlib import Path

import pytest

from memlab.memory.rules import Rule, Rules
from memlab.memory.text import Refused


def rules_of(tmp_path: Path, text: str) -> Rules:
    (tmp_path / "rules.md").write_bytes(text.encode())
    return Rules(tmp_path / "rules.md")


def test_a_rule_is_a_list_item_of_any_kind_with_the_lines_that_it_goes_on_in(tmp_path: Path) -> None:
    text = "# Rules\n\nNote:\n- Prefer pnpm.\n  Never mix.\n* Be kind.\n1. Be quick.\n2) Be\n\tbrief.\n  - Nested.\n"
    rules = rules_of(tmp_path, text.replace("\n", "\r\n"))
    expected = ["Prefer pnpm. Never mix.", "Be kind.", "Be quick.", "Be brief.", "Nested."]
    assert [rule.text for rule in rules.all()] == expected


def test_text_around_the_rules_stays_when_a_rule_changes(tmp_path: Path) -> None:
    text = "# My rules\n\nSince last year:\n\n- Be kind.\n- Use\n  npm. <!-- manager e1 -->\n\n## Later\n\n- Be quick."
    rules = rules_of(tmp_path, text)
    rules.put(Rule("manager", "Use pnpm.", "e2"))
    rules.put(Rule("brief", "Be brief.", "e3"))
    after = text.replace("Use\n  npm. <!-- manager e1 -->", "Use pnpm. <!-- manager e2 -->")
    assert rules.path.read_text(encoding="utf-8") == after + "\n- Be brief. <!-- brief e3 -->\n"
    rules.put(Rule("manager", ""))
    assert [rule.text for rule in rules.all()] == ["Be kind.", "Be quick.", "Be brief."]
    assert "## Later" in rules.path.read_text(encoding="utf-8")


def test_a_rule_without_a_name_is_added_and_replaces_none(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "- Be kind.\n")
    rules.put(Rule("", "Be quick."))
    assert [(rule.name, rule.text) for rule in rules.all()] == [("", "Be kind."), ("", "Be quick.")]


def test_a_rule_copied_by_hand_is_replaced_and_withdrawn_with_its_copy(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "- A <!-- one e1 -->\n- A <!-- one e1 -->\n- B <!-- two e2 -->\n")
    rules.put(Rule("one", "C", "e3"))
    assert [rule.text for rule in rules.all()] == ["C", "B"]
    rules = rules_of(tmp_path, "- A <!-- one e1 -->\n- A <!-- one e1 -->\n- B <!-- two e2 -->\n- D\n")
    rules.erase({"e1", ""})
    assert [rule.text for rule in rules.all()] == ["B", "D"]


@pytest.mark.parametrize("identity", ["", "a b", "x -->", "<!-- y", "100 %", "é\n", "\ud800", "--"])
def test_any_id_and_text_of_a_rule_is_read_back_unchanged(tmp_path: Path, identity: str) -> None:
    rules = Rules(tmp_path / "rules.md")
    rules.put(Rule("one", "Keep <!-- two e9 -->", identity))
    rules.put(Rule("two", "- [x] 1. \u2028Be  kind\0", identity))
    known = [Rule("one", "Keep <!- - two e9 -->", identity), Rule("two", "- [x] 1. Be kind", identity)]
    assert list(Rules(rules.path).all()) == known


def test_a_new_file_has_a_title_and_one_line_a_rule_and_the_withdrawn_leaves_no_line(tmp_path: Path) -> None:
    rules = Rules(tmp_path / "rules.md")
    rules.put(Rule("manner", "Be kind.", "e1"))
    rules.put(Rule("", "Be quick."))
    assert rules.path.read_text(encoding="utf-8") == "# Rules\n- Be kind. <!-- manner e1 -->\n- Be quick.\n"
    rules.put(Rule("manner", ""))
    assert rules.path.read_text(encoding="utf-8") == "# Rules\n- Be quick.\n"


def test_withdrawing_an_unknown_rule_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "- Be quick.\n")
    for known in ("none", "manner", "manner, speed"):
        with pytest.raises(Refused) as refusal:
            rules.put(Rule("tone", ""))
        assert str(refusal.value) == f"rule 'tone': there is none to withdraw; known rules: {known}"
        rules.put(Rule("manner" if known == "none" else "speed", "Be kind."))


OFF = "<!-- off:\n- Never push on Friday.\n- Never merge. <!-- merge e7 -->\n-->\n"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (OFF + "- Never delete a branch\nunless Mara agrees.\n", ["Never delete a branch unless Mara agrees."]),
        ("- Be kind. <!-- since May: a\n- Be rude. -->\n- Be quick.\n", ["Be kind.", "Be quick."]),
        ("- Be <!-- very, very --> kind.\n", ["Be kind."]),
        ("```yaml\n- not: a rule\n```\n- Be kind.\n~~~\n- nor this\n~~~~\n", ["Be kind."]),
        ("- ```\n  - not a rule\n  ```\n- Be kind.\n", ["Be kind."]),
        ("- Be kind:\n  ```\n  - no rule\n  ```\n  and quick.\n- Be brief.\n", ["Be kind: and quick.", "Be brief."]),
        ("- Never push.\n\n  Unless Mara agrees.\n\nA remark.\n", ["Never push. Unless Mara agrees."]),
        ("- Never push <!-- push e1 -->\nunless Mara agrees.\n", ["Never push unless Mara agrees."]),
        (
            "- Be kind.\n# Later\n- Be quick.\n---\nA remark.\n- Be brief.\n> says Mara\n",
            ["Be kind.", "Be quick.", "Be brief."],
        ),
        ("- Be kind.\n<!-- later -->\nA remark.\n", ["Be kind."]),
        ("<!-- never closed\n- Be kind.\n```\n- Be quick.\n", ["Be kind. ```", "Be quick."]),
        ("- Never write `<!--` here.\n- Nor `-->` there.\n", ["Never write `<!--` here.", "Nor `-->` there."]),
    ],
)
def test_comments_and_code_hold_no_rules_and_an_item_is_a_rule_to_its_last_line(
    tmp_path: Path, text: str, rules: list[str]
) -> None:
    for ends in ("\n", "\r\n"):
        assert [rule.text for rule in rules_of(tmp_path, text.replace("\n", ends)).all()] == rules


def test_comments_and_code_stay_to_the_byte_when_a_rule_beside_or_around_them_goes(tmp_path: Path) -> None:
    fence, note = "```\n- \0code\n```\n", "<!-- off:\n- Be rude.\n-->"
    item = f"- Use\n  npm {note} always. <!-- manager e1 -->\n"
    rules = rules_of(tmp_path, f"{fence}{item}{OFF}{fence}")
    rules.put(Rule("manager", "Use pnpm.", "e2"))
    after = f"{fence}- Use pnpm. <!-- manager e2 -->\n{note}\n{OFF}{fence}"
    assert rules.path.read_bytes() == after.encode()
    rules.erase({"e2"})
    assert rules.path.read_bytes() == f"{fence}{note}\n{OFF}{fence}".encode()


def test_a_rule_that_was_put_into_a_comment_by_hand_is_erased_there(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, OFF + "- Be kind.\n")
    rules.erase({"e7"})
    assert (
        rules.path.read_text(encoding="utf-8") == OFF.replace("- Never merge. <!-- merge e7 -->", "") + "- Be kind.\n"
    )


def test_a_rule_that_a_comment_would_hide_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "- Be kind.\n<!-- never closed\n")
    rules.put(Rule("quick", "Be quick.", "e1"))
    assert [rule.text for rule in rules.all()] == ["Be kind.", "Be quick."]
    rules = rules_of(tmp_path, "- Be kind.\n<!-- never closed\n")
    with pytest.raises(Refused, match=r"a comment or code in .* would hide it; close that there first"):
        rules.put(Rule("arrow", "Write a --> b.", "e1"))
    assert rules.path.read_text(encoding="utf-8") == "- Be kind.\n<!-- never closed\n"


def test_a_linked_file_is_written_where_the_link_leads(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "mine.md"
    target.write_text("- Be kind.\n", encoding="utf-8")
    (tmp_path / "rules.md").symlink_to(target)
    Rules(tmp_path / "rules.md").put(Rule("quick", "Be quick.", "e1"))
    assert (tmp_path / "rules.md").is_symlink()
    assert target.read_text(encoding="utf-8") == "- Be kind.\n- Be quick. <!-- quick e1 -->\n"


def test_a_file_of_the_same_size_and_time_that_replaces_the_rules_is_read_again(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "- Use npm!\n")
    assert [rule.text for rule in rules.all()] == ["Use npm!"]
    status = rules.path.stat()
    (tmp_path / "new.md").write_text("- Use bun!\n", encoding="utf-8")
    os.utime(tmp_path / "new.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    (tmp_path / "new.md").replace(rules.path)
    assert [rule.text for rule in rules.all()] == ["Use bun!"]
