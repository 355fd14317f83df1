"""Content words of the checks are replaced by random ones, so that hard-coded answers fail."""

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from memorised_answers import source_with_memorised_answers
from tiny_lab import grade_source, mark, tiny

from memlab.grading.marking.word_substitution import WORDS, WordSubstitution
from memlab.labs.checks.checking import CheckResult, load_checks, run_check
from memlab.labs.handout.wrong import mistakes
from memlab.labs.lab import load, numbers
from memlab.sandbox.client import LearnerFile
from memlab.sandbox.substitution import Substitute

FULL = os.environ.get("MEMLAB_HOSTILE") == "full"
STYLES = Path(__file__).parents[2] / "labs" / "styles"
SEEDS = range(40)
NAMES = re.compile(r"[a-z]+")


def files(number: str) -> dict[str, str]:
    """Return the files to check, by name: the published design, and in a full run all files with known results."""
    lab = load(number)
    right = [lab.folder / "solution.py", *sorted((STYLES / lab.name).glob("*.py"))] if FULL else []
    texts = {path.stem: path.read_text(encoding="utf-8") for path in [lab.folder / "published.py", *right]}
    return texts | {one.path.stem: one.source() for one in mistakes(lab) if FULL}


FILES = [
    pytest.param(number, text, id=f"{number}-{name}") for number in numbers() for name, text in files(number).items()
]


def run_named_checks(
    number: str, path: Path, names: Iterable[str], words: Substitute, examples: int = 4
) -> list[CheckResult]:
    """Run some checks on a file, with substituted words."""
    lab = load(number)
    with LearnerFile(path, lab.class_name) as work:
        work.substitute = words
        return [run_check(load_checks(lab)[name], work, examples) for name in names]


def meaningful_words(number: str) -> set[str]:
    """Return the words with a meaning in a lab: in its interface, stop words, commands, files and printouts."""
    lab = load(number)
    code = (lab.folder / "solution.py").read_text(encoding="utf-8").partition('if __name__ == "__main__"')[0]
    code = re.sub(
        r'""".*?"""|#.*', lambda quoted: quoted[0] if "about after all" in quoted[0] else "", code, flags=re.DOTALL
    )
    return set(NAMES.findall(code.lower()))


@pytest.mark.parametrize("seed", [0, 1, 7])
@pytest.mark.parametrize(
    "text",
    [
        "write_memory('package-manager', 'Which PACKAGE managers', 'pnpm, npm and\\nyarn')",
        "no word of it: a1b2 \\x00 \u00e4ferry \U0001f40c C:\\temp",
        json.dumps({"ferry": {"body": "The\nferry \u00e4lantern leaves."}}),
        "".join(f"{word}s {word.title()} " for word in WORDS.split()),
    ],
)
def test_substituting_twice_restores_the_text(text: str, seed: int) -> None:
    substitute = WordSubstitution(seed)
    assert substitute(substitute(text)) == text
    assert len(substitute(text)) == len(text)


def test_each_word_has_its_own_substitute_of_the_same_length_case_and_plural() -> None:
    for seed in SEEDS:
        substitute = WordSubstitution(seed)
        new = {word: substitute(word) for word in WORDS.split()}
        assert len({*new, *new.values()}) == 2 * len(new) > 140
        assert all(len(word) == len(other) for word, other in new.items())
        assert substitute("Ferries, FERRY-ferrys") == f"Ferries, {new['ferry'].upper()}-{new['ferry']}s"


def test_no_two_seeds_give_the_same_substitution() -> None:
    assert len({WordSubstitution(seed)(WORDS) for seed in SEEDS}) == len(SEEDS)


def test_an_escape_sequence_is_not_part_of_the_next_word() -> None:
    substitute, text = WordSubstitution(3), "a\nferry \u00e4ferry"
    assert substitute(repr(text)) == repr(substitute(text))
    assert json.loads(substitute(json.dumps(text))) == substitute(text)


@pytest.mark.parametrize("number", numbers())
def test_no_substitute_is_a_word_with_a_meaning_in_the_lab(number: str) -> None:
    with_meaning = meaningful_words(number)
    assert {"which", "deploy", "memory" if number == "06" else "rules"} <= with_meaning
    assert set(WORDS.split()) & with_meaning <= {
        "prefer",
        "pnpm",
        "manager",
        "package",
        "smoke",
        "green",
    }  # words of the first rules
    invented = {substitute(word) for substitute in map(WordSubstitution, SEEDS) for word in WORDS.split()}
    assert not invented & {word for word in with_meaning if len(word) > 3}


@pytest.mark.parametrize(("number", "source"), FILES)
def test_a_file_passes_the_same_checks_with_and_without_substitution(number: str, source: str, tmp_path: Path) -> None:
    lab = load(number)
    path = tmp_path / lab.file
    path.write_text(source, encoding="utf-8")
    names = [check.name for check in load_checks(lab) if FULL or not check.strategies]
    in_plain = [(one.check.name, one.passed) for one in run_named_checks(number, path, names, str)]
    for seed in range(20 if FULL else 1):
        results = run_named_checks(number, path, names, WordSubstitution(seed))
        assert [(one.check.name, one.passed) for one in results] == in_plain, seed


def test_memorised_answers_pass_no_more_substituted_checks_than_an_idle_file(tmp_path: Path) -> None:
    lab = load("06")
    steps = ("write", "recall")
    memorised, idle = tmp_path / lab.file, tmp_path / "idle.py"
    memorised.write_text(source_with_memorised_answers(lab, steps, tmp_path), encoding="utf-8")
    idle.write_text("\n".join(f"def {one}(*args, **named): pass" for one in lab.rubric.interface), encoding="utf-8")
    fixed = [check.name for check in load_checks(lab) if check.step in steps and not check.strategies]
    known, substituted, nothing = (
        [one.check.name for one in run_named_checks("06", path, fixed, words) if one.passed]
        for path, words in ((memorised, str), (memorised, WordSubstitution(5)), (idle, str))
    )
    assert known == fixed
    assert substituted == nothing == ["recall/gives-none-where-nothing-matches"]


def test_the_smallest_case_is_reported_in_the_substituted_words(tmp_path: Path) -> None:
    lab, substitute = load("06"), WordSubstitution(9)
    path = tmp_path / lab.file
    published = (lab.folder / "published.py").read_text(encoding="utf-8")
    path.write_text(published.replace("if shared > most:", "if shared > 9:"), encoding="utf-8")
    (finding,) = run_named_checks("06", path, ["recall/gives-the-body"], substitute)
    name, question = substitute("package-manager"), substitute("which package manager")
    assert finding.message == f"recall('{question}') returned None, expected the body of {name}"
    assert finding.calls[0].startswith(f"write_memory('{name}', '{question} this repo uses', 'project', ")
    with LearnerFile(path) as work:  # as a student would run it
        work.reset()
        work.call("write_memory", name, f"{question} this repo uses", "project", "Any body.")
        assert work.call("recall", question) is None


def test_each_made_up_word_is_listed_once_with_its_original_and_no_other_word_is() -> None:
    words = WordSubstitution(7)
    texts = ["The Ferry leaves the pier.\n", "ferries, FERRY, piers and a zebra-crossing: x = 1"]
    listed = words.list_made_up(map(words, texts))
    assert [original for _, original in listed] == ["ferry", "pier", "piers", "zebra"]
    assert [words(word) for word, _ in listed] == [original for _, original in listed]
    assert words.list_made_up(["the ferry of a student's own words"]) == ()


def test_a_failed_check_has_the_originals_of_the_words_that_the_student_sees() -> None:
    lab = tiny({"step": "recall", "checks": ["recall/gives-the-body"]})
    wrong = (lab.folder / "published.py").read_text(encoding="utf-8").replace("def recall(", "def no_recall(")
    (reason,) = mark(grade_source(lab, f"{wrong}\n\ndef recall(query):\n    return 'nothing'\n"), "recall").reasons
    shown = " ".join([reason.message, *reason.calls])
    assert reason.words
    assert all(word in shown.lower() and original not in shown for word, original in reason.words)
