"""What an audit takes for a claim about the repository, and what it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.audit.audit import audit

CLAIM = "See src/gone.py.\n"
TREE = {
    ".gitignore": "work/\n",
    "Makefile": "all:\n",
    "ui/page.py": 'CACHE = ".page-cache.json"\n',
    "rules/first.py": "class Settings:\n    max_page_count: int = 1\n",
}
NOT_CLAIMED = [
    "Added tests in `ui/tests/new.py`.\n\n- ui/tests/new.py\n",
    'Write("shop/package.json")\n\n- Read("shop/package.json")\n',
    "The state is in `work/state.md`.\n\n- state.md has one line for each step.\n",
    "## `done/`: finished work\n\n- Move plans to `done/`.\n",
    "- `cp ui/page.py ui/mine.py`\n- `touch ui/mine.py`\n- `mkdir -p ui/other/`\n",
    "- Prefer `item.key`, `step-id.key` and `answer.key.verb`.\n",
    "- Check `ui/rules` and `nowhere/rules`.\n",
    "- Its socket is `.run/page.sock`.\n",
    "- The builder reads `.page-cache.json`.\n",
    "- Set PAGE_MAX_PAGE_COUNT in the environment.\n",
    "- coverage.py and llama.cpp are tools.\n",
    "- Send `-F body=@<body.md>`, or run `pytest tests/test_specific.py`.\n",
    "- Name it `Test<Name>PageCase()` or `[Class]Should.PageCase()`.\n",
]
CLAIMED = {
    "- Move plans to `done/`.\n": "done/",
    "- state.md has one line for each step.\n": "state.md",
    "- Check `ui/page-style`.\n": "ui/page-style",
    "- The builder reads `.page-state.json`.\n": ".page-state.json",
    "- Set PAGE_MIN_PAGE_COUNT in the environment.\n": "PAGE_MIN_PAGE_COUNT",
    "- Call `page_case()`.\n": "page_case",
    "Removed from `ui/page.py`: tests.\n\n- Run `ui/tests/new.py`.\n": "ui/tests/new.py",
    "src/gone.py was removed.\n\n- Run src/gone.py.\n": "src/gone.py",
}


@pytest.fixture
def missing(tmp_path: Path) -> Callable[[str], list[str]]:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    def found(text: str) -> list[str]:
        (tmp_path / "CLAUDE.md").write_text(text, encoding="utf-8")
        return [one.about for one in audit(tmp_path / "CLAUDE.md", tmp_path).findings if one.kind == "missing"]

    return found


@pytest.mark.parametrize("text", NOT_CLAIMED)
def test_a_name_that_the_file_does_not_claim_is_not_missing_and_others_beside_it_are(
    text: str, missing: Callable[[str], list[str]]
) -> None:
    assert missing(f"{text}\n{CLAIM}") == ["src/gone.py"]


@pytest.mark.parametrize("text", CLAIMED)
def test_a_name_that_the_file_claims_and_the_repository_lacks_is_missing(
    text: str, missing: Callable[[str], list[str]]
) -> None:
    assert missing(text) == [CLAIMED[text]]


def test_indented_code_is_no_prose_but_the_second_paragraph_of_a_list_item_is(tmp_path: Path) -> None:
    code = "Run:\n\n    start app port 1 again daily\n\nor\n\n    start app port 2 again daily\n"
    (tmp_path / "CLAUDE.md").write_text(code, encoding="utf-8")
    assert audit(tmp_path).findings == ()
    listed = code.replace("Run:", "- Run:").replace("or", "- or")
    (tmp_path / "CLAUDE.md").write_text(listed, encoding="utf-8")
    assert [one.kind for one in audit(tmp_path).findings] == ["contradiction"]
