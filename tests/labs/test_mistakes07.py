"""Typical mistakes in Lab 07 that no file of labs/lab07/wrong makes: each fails the check that is meant for it."""

from pathlib import Path

import pytest

from memlab.labs.checks import checking
from memlab.labs.checks.lab07 import CHECKS
from memlab.labs.lab import load

LAB = load("07")
PUBLISHED, SOLUTION = LAB.folder / "published.py", LAB.folder / "solution.py"

# what no file of labs/lab07/wrong does, so that each check is seen to fail, and the sharper ones at each of their edges
MISTAKES = {
    "the caller's list is kept": (PUBLISHED, [("list(todo)", "todo")], "working/the-callers-list-is-copied"),
    "capitals matter": (PUBLISHED, [("task.lower().split()", "task.split()")], "assemble/only-facts-about-the-task"),
    "trimmed within a line": (
        PUBLISHED,
        [('"\\n...[trimmed]...\\n"', '"...[trimmed]..."')],
        "trim/the-middle-is-trimmed",
    ),
    "recited as one line more": (PUBLISHED, [('"\\n\\n[RECITE', '"\\n[RECITE')], "trim/todo-recited-last"),
    "a budget of its own": (
        PUBLISHED,
        [("if len(context) > budget_chars", "if len(context) > (budget_chars := 1200)")],
        "trim/what-fits-is-whole",
    ),
    "the to-dos are no list": (PUBLISHED, [("list(todo)", "len(todo)")], "working/set-task-keeps-task-and-todo"),
    "a count with a point": (
        PUBLISHED,
        [("promoted.append((name, detail, count))", "promoted.append((name, detail, float(count)))")],
        "promote/min-count-times",
    ),
    "more than min_count": (
        PUBLISHED,
        [("count < min_count", "count <= min_count")],
        "promote/what-recurs-becomes-a-fact",
    ),
    "one script is looked for": (PUBLISHED, [("sh|py|ya?ml", "sh")], "promote/the-stale-is-skipped"),
    "the least budget is guessed": (SOLUTION, [("need {least}", "need {least + 9}")], "budget/too-small-is-said"),
    "nobody counts what is left out": (
        SOLUTION,
        [("{left_out} left out", "some left out")],
        "budget/whole-facts-and-one-line-that-counts",
    ),
    "any number is among many": (
        SOLUTION,
        [("{left_out} left out", "1 2 3 4 5 6 7 8 9 left out")],
        "budget/whole-facts-and-one-line-that-counts",
    ),
    "a long fact is cut": (
        SOLUTION,
        [('self._with_source(fact, fact["body"])', 'self._with_source(fact, fact["body"])[:350]')],
        "budget/whole-facts-and-one-line-that-counts",
    ),
    "headings are cut from the front alone": (
        SOLUTION,
        [('" ".join(text.splitlines())', "text")],
        "sections/nothing-stored-opens-a-section",
    ),
    "a heading is the first letter of a line": (
        SOLUTION,
        [('re.match(r"\\W*\\[", line)', 'line.startswith("[")')],
        "sections/nor-behind-a-dash-or-another-line-break",
    ),
    "only one letter breaks a line": (
        SOLUTION,
        [('" ".join(text.splitlines())', 'text.replace("\\n", " ")')],
        "sections/nor-behind-a-dash-or-another-line-break",
    ),
    "five headings are all that there are": (
        SOLUTION,
        [('r"\\W*\\[", line', 'r"\\W*\\[(RULES|FACTS|RECENT|WORKING|RECITE)", line')],
        "sections/nor-behind-a-dash-or-another-line-break",
    ),
    "two letters break a line": (
        SOLUTION,
        [('" ".join(text.splitlines())', 'text.replace("\\n", " ").replace("\\r", " ")')],
        "sections/nor-behind-a-dash-or-another-line-break",
    ),
    "written in place": (
        SOLUTION,
        [('draft = SEMANTIC.with_suffix(".draft")', "draft = SEMANTIC")],
        "repair/facts-are-never-half-written",
    ),
    "named by hash, once": (
        SOLUTION,
        [
            (
                'hashlib.sha256(detail.encode(errors="backslashreplace")).hexdigest()',
                "f'{abs(hash(detail)):064}'[::-1]",
            ),
            ("if name not in self._facts():", 'if detail not in [one["body"] for one in self._facts().values()]:'),
        ],
        "names/the-same-in-every-process",
    ),
    "a name that is taken": (
        SOLUTION,
        [
            ("if name not in facts or first_body(facts[name]) == detail", "if facts is not None"),
            ("if name not in self._facts():", "if name:"),
            ('detail, source="agent")', "detail)"),
        ],
        "names/another-fact-is-not-overwritten",
    ),
    "hosts are folders": (
        SOLUTION,
        [("not folder or HOST_RE.fullmatch(folder)", "not folder")],
        "guard/no-false-alarm",
    ),
    "a flag begins another": (
        SOLUTION,
        [("if flag not in known]", "if not any(one.startswith(flag) for one in known)]")],
        "guard/what-is-missing-is-not-promoted",
    ),
    "empty is set": (
        SOLUTION,
        [("not os.environ.get(name)", "name not in os.environ")],
        "guard/what-is-missing-is-not-promoted",
    ),
    "a fact is checked for scripts alone": (
        SOLUTION,
        [
            ("if priority and not self._is_stale(", 'if priority and not (".sh" in fact["body"] and self._is_stale('),
            ('not shown)")', 'not shown)"))'),
        ],
        "guard/the-prompt-is-checked-too",
    ),
    "no help means no flags": (
        SOLUTION,
        [
            (
                "return [] if known is None else [flag for flag in FLAG_RE.findall(text) if flag not in known]",
                "return [flag for flag in FLAG_RE.findall(text) if flag not in known]  # type: ignore[operator]",
            )
        ],
        "guard/what-nobody-can-check-is-served-with-a-note",
    ),
    "what nobody can check is missing": (
        SOLUTION,
        [("return [] if known is None else [", "return ["), ("if flag not in known]", "if flag not in (known or ())]")],
        "guard/what-nobody-can-check-is-served-with-a-note",
    ),
    "what nobody can check needs no word": (
        SOLUTION,
        [("for name in unverifiable_in(text)", "for name in list[str]()")],
        "guard/what-nobody-can-check-is-served-with-a-note",
    ),
    "whoever repeats a stranger teaches": (
        SOLUTION,
        [('if episode["detail"] not in untrusted or source_of(episode) == "user"', "if rank(source_of(episode))")],
        "trust/an-untrusted-source-is-no-evidence",
    ),
    "strangers are not named": (
        SOLUTION,
        [('f"{text} (says {source_of(record)}, not confirmed)"', "text")],
        "trust/a-strangers-fact-is-marked",
    ),
    "orders are known by where they lead": (
        SOLUTION,
        [("not ORDER_RE.search(text)", '"evil.example" not in text')],
        "trust/a-strangers-orders-are-not-served",
    ),
    "strangers are these five": (
        SOLUTION,
        [("RANKS.get(source, 0)", 'RANKS.get(source, source not in ("web", "document", "import", "other-agent", ""))')],
        "trust/a-stranger-gives-no-task",
    ),
    "capitals are no other source": (
        SOLUTION,
        [("RANKS.get(source, 0)", "RANKS.get(source.lower(), 0)")],
        "trust/an-untrusted-source-is-no-evidence",
    ),
    "a stranger counts beside the user": (
        SOLUTION,
        [
            (
                "if not rank(source_of(episode))}",
                'if not rank(source_of(episode))} - {one["detail"] for one in episodes if source_of(one) == "user"}',
            )
        ],
        "trust/two-sessions-are-needed",
    ),
    "strangers set tasks": (
        SOLUTION,
        [('            raise ValueError(f"set_task(', '            print(f"set_task(')],
        "trust/a-stranger-gives-no-task",
    ),
    "four versions back": (
        SOLUTION,
        [('[*old.get("before", []), replaced]', '[*old.get("before", []), replaced][-4:]')],
        "versions/what-stood-before-is-kept",
    ),
    "how is a small word and ships no ship": (
        SOLUTION,
        [('word.removesuffix("s")', "word")],
        "words/the-published-fact-is-still-found",
    ),
    "every word is small": (
        SOLUTION,
        [('set(re.findall(r"\\w+", text.lower()))', 'set(re.findall(r"\\b\\w{1,6}\\b", text.lower()))')],
        "words/other-words-still-do",
    ),
}


@pytest.mark.parametrize(("base", "changes", "check"), MISTAKES.values(), ids=MISTAKES)
def test_a_typical_mistake_is_reported(base: Path, changes: list[tuple[str, str]], check: str, tmp_path: Path) -> None:
    source = base.read_text(encoding="utf-8")
    for old, new in changes:
        assert source.count(old) == 1, f"{old!r} is no longer in {base.name} once"
        source = source.replace(old, new)
    path = tmp_path / "memory_mix.py"
    path.write_text(source, encoding="utf-8")
    (finding,) = checking.run_checks([CHECKS[check]], path, LAB.class_name)
    assert not finding.passed
    assert "expected" in finding.message
    assert "does not load" not in finding.message
