"""Lab 07's checks tell right from wrong: the published design, the solution, nothing written, and typical mistakes."""

import json
from collections import Counter
from pathlib import Path

import pytest

from memlab.labs.checks import checking
from memlab.labs.checks.checking import CheckResult
from memlab.labs.checks.lab07 import CHECKS
from memlab.labs.lab import Step, load
from memlab.sandbox.client import LearnerFile, Raised

LAB = load("07")
PUBLISHED, SOLUTION = LAB.folder / "published.py", LAB.folder / "solution.py"
BUILD = [step for step in LAB.steps if step.part == "build"]
FIX = [step for step in LAB.steps if step.part == "fix"]
PARAMETERS = "self, *args, **named"
STUBS = "class MemoryMix:\n    working = None\n" + "".join(
    f"    def {name}({PARAMETERS}):\n        raise NotImplementedError\n" for name in LAB.interface
)


def broken(step: Step, path: Path) -> list[CheckResult]:
    return [one for one in checking.check_step(LAB, step, path) if not one.passed]


@pytest.mark.parametrize("step", LAB.steps, ids=lambda step: step.name)
def test_the_solution_keeps_every_law(step: Step) -> None:
    assert broken(step, SOLUTION) == []


@pytest.mark.parametrize("step", BUILD, ids=lambda step: step.name)
def test_the_published_design_keeps_every_check_of_build(step: Step) -> None:
    assert broken(step, PUBLISHED) == []


@pytest.mark.parametrize("step", FIX, ids=lambda step: step.name)
def test_the_published_design_breaks_every_step_of_fix(step: Step) -> None:
    assert broken(step, PUBLISHED)


@pytest.mark.parametrize("step", LAB.steps, ids=lambda step: step.name)
def test_what_is_not_written_fails_and_is_told_so(step: Step, tmp_path: Path) -> None:
    path = tmp_path / "memory_mix.py"
    path.write_text(STUBS, encoding="utf-8")
    findings = checking.check_step(LAB, step, path)
    assert not any(one.passed for one in findings)
    assert all(
        "is not written yet" in one.message or "takes no" in one.message or "working" in one.message for one in findings
    )


def test_each_check_stands_in_one_task_and_each_check_of_a_task_exists() -> None:
    counted = Counter(check for step in LAB.steps for check in step.checks)
    assert counted == Counter(check.name for check in CHECKS)
    assert all(CHECKS[check].step == step.name for step in LAB.steps for check in step.checks)


def test_build_and_mend_have_fifty_points_each_in_the_order_of_the_lab() -> None:
    assert [sum(step.points for step in part) for part in (BUILD, FIX)] == [50, 50]
    assert list(LAB.steps) == BUILD + FIX
    assert all(2 <= len(step.checks) <= 12 for step in LAB.steps)


def test_a_step_needs_earlier_ones_alone() -> None:
    names = [step.name for step in LAB.steps]
    assert all(names.index(need) < names.index(step.name) for step in LAB.steps for need in step.needs)


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
        "trust/a-stranger-teaches-nothing",
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
        "trust/a-stranger-teaches-nothing",
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
def test_a_typical_mistake_is_told(base: Path, changes: list[tuple[str, str]], check: str, tmp_path: Path) -> None:
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


def test_what_returns_nothing_of_promotion_is_told_what_to_return(tmp_path: Path) -> None:
    path = tmp_path / "memory_mix.py"
    path.write_text(PUBLISHED.read_text(encoding="utf-8").replace("        return promoted\n", ""), encoding="utf-8")
    (finding,) = checking.run_checks([CHECKS["promote/the-detail-counts"]], path, LAB.class_name)
    wanted = "returned None, expected the list of (name, detail, count) of each promoted detail"
    assert finding.message == f"promote_recurring() {wanted}"


def test_earlier_versions_may_stand_in_facts_json_under_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "memory_mix.py"
    source = PUBLISHED.read_text(encoding="utf-8")
    source = source.replace("json.dumps(facts, indent=2)", 'json.dumps({**facts, "_before": ["an older text"]})')
    source = source.replace("        return facts\n", '        facts.pop("_before")\n        return facts\n')
    path.write_text(source, encoding="utf-8")
    asked = [check for check in CHECKS if check.step == "facts"]
    assert [one.message for one in checking.run_checks(asked, path, LAB.class_name) if not one.passed] == []


@pytest.mark.parametrize(
    ("name", "args", "named"),
    [
        ("write_fact", ["port", "the port", "It is 3000."], {"source": None}),
        ("write_fact", ["port", "the port", 3000], {}),
        ("log_episode", ["note", None], {}),
        ("log_episode", ["note", "a bird"], {"source": None}),
    ],
)
def test_the_solution_refuses_what_it_could_not_read_again(
    name: str, args: list[object], named: dict[str, object]
) -> None:
    with LearnerFile(SOLUTION, LAB.class_name) as work:
        work.reset()
        work.call("write_fact", "owner", "who keeps the harbour", "Mara keeps it.")
        answer = work.attempt(name, *args, **named)
        assert isinstance(answer, Raised)
        assert answer.is_refusal
        assert "Mara keeps it." in work.call("assemble", "harbour")


@pytest.mark.parametrize("name", ["facts.json", "episodes.jsonl"])
def test_the_solution_makes_a_prompt_where_a_folder_or_no_text_lies_in_the_place_of_a_file(name: str) -> None:
    with LearnerFile(SOLUTION, LAB.class_name) as work:
        work.reset({f"mix/{name}/a.txt": "", "mix/rules.md": "- Be slow."})
        work.write("mix/rules.md", b"- Be slow.\xff")
        work.call("write_fact", "owner", "who keeps the harbour", "Mara keeps it.")
        assert "Mara keeps it." in work.call("assemble", "harbour")


def test_the_solution_names_a_fact_beside_one_whose_history_is_spoiled() -> None:
    with LearnerFile(SOLUTION, LAB.class_name) as work:
        work.reset()
        for _ in range(2):
            work.call("log_episode", "note", "the harbour freezes")
        ((name, *_),) = work.call("promote_recurring")
        fact = {"description": "the organ", "body": "It is old.", "before": [1]}
        work.write("mix/facts.json", json.dumps({name: fact}))
        ((other, *_),) = work.call("promote_recurring")
        assert other != name
