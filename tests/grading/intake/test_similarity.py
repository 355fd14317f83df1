"""Similar submissions are listed for a person to check; the code that the lab provides does not count."""

import builtins
import io
import keyword
import random
import tokenize
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memlab.grading.intake import similarity as module
from memlab.grading.intake.similarity import (
    GRAM,
    LEAST_SHARED,
    LEAST_SIMILAR,
    MAX_CHARACTERS,
    WINDOW,
    find_similar_pairs,
    fingerprints,
    normalise,
)
from memlab.grading.intake.submissions import Submission
from memlab.labs.handout.wrong import mistakes
from memlab.labs.lab import Lab, load

LABS = [load("06"), load("07")]
STYLES = Path(__file__).parents[2] / "labs" / "styles"


def styles(lab: Lab) -> dict[str, str]:
    """Return the honest files of six learners, by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted((STYLES / lab.name).glob("*.py"))}


def make_submissions(texts: dict[str, str]) -> list[Submission]:
    return [Submission(name, text, "", "") for name, text in texts.items()]


def rename_names(source: str) -> str:
    """Return a copy with other names and layout, and without comments."""
    keep = {*keyword.kwlist, *dir(builtins)}
    tokens = []
    for one in tokenize.generate_tokens(io.StringIO(source).readline):
        if one.type == tokenize.NAME and one.string not in keep:
            tokens.append((one.type, f"copied_{one.string}"))
        elif one.type != tokenize.COMMENT:
            tokens.append((one.type, one.string))
    return tokenize.untokenize(tokens)


def shuffle_blocks(source: str) -> str:
    """Return a copy with the top-level blocks in another order."""
    blocks = source.split("\n\n\n")
    random.Random(3).shuffle(blocks)  # noqa: S311 - the same in every run
    return "\n\n\n".join(blocks)


def insert_lines(source: str, lines: int) -> str:
    """Return a copy with an extra line in every `lines` lines."""
    numbered = enumerate(source.split("\n"))
    return "\n".join(f"{line}\nhidden = {number}, 'mine'" if number % lines == 7 else line for number, line in numbered)


def count_shared(one: str, other: str) -> int:
    return np.intersect1d(fingerprints(one), fingerprints(other)).size


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_honest_files_of_six_learners_are_not_similar(lab: Lab) -> None:
    assert find_similar_pairs(make_submissions(styles(lab)), lab) == []


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_files_with_different_mistakes_are_not_similar_because_of_the_code_of_the_lab(lab: Lab) -> None:
    wrong = {one.path.stem: one.source() for one in mistakes(lab)}
    given = {
        name: (lab.folder / f"{name}.py").read_text(encoding="utf-8") for name in ("skeleton", "published", "solution")
    }
    assert len(wrong) >= 12
    assert find_similar_pairs(make_submissions(wrong | given), lab) == []


COPIED: dict[str, Callable[[str], str]] = {
    "renamed": rename_names,
    "moved": shuffle_blocks,
    "padded": lambda source: insert_lines(source, 12),
    "commented": lambda source: source.replace("\n", "  # my own work\n\n"),
}


@pytest.mark.parametrize("how", COPIED)
@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_disguised_copy_is_found(lab: Lab, how: str) -> None:
    texts = styles(lab)
    copies = {f"{name}, copied": COPIED[how](text) for name, text in texts.items()}
    found = find_similar_pairs(make_submissions(texts | copies), lab)
    assert {(one.first, one.second) for one in found} == {(name, f"{name}, copied") for name in texts}
    assert all(one.similarity > 0.5 and one.shared >= LEAST_SHARED for one in found)


def test_a_few_common_lines_are_not_reported_even_in_short_files() -> None:
    chance = random.Random(2)  # noqa: S311 - the same in every run
    both, one, other = ("".join(chance.choices("()[]{}<>+-*/%&|^~=.,:;", k=size)) for size in (120, 80, 80))
    assert LEAST_SIMILAR * count_shared(both + one, both + one) < count_shared(both + one, both + other) < LEAST_SHARED
    assert find_similar_pairs(make_submissions({"one": both + one, "other": both + other}), LABS[0]) == []
    assert find_similar_pairs(make_submissions({"one": both * 2 + one, "other": one + both * 2}), LABS[0])


def test_a_file_that_is_half_copied_is_found() -> None:
    lab = LABS[1]
    one, other = styles(lab)["pedestrian"], styles(lab)["stores"]
    half = "\n".join([*one.split("\n")[:200], *other.split("\n")[300:]])
    (pair,) = find_similar_pairs(make_submissions({"one": one, "half": half}), lab)
    assert 0.4 < pair.similarity < 1


def test_the_most_similar_pairs_come_first_up_to_the_requested_number() -> None:
    lab = LABS[0]
    text = styles(lab)["classes"]
    texts = {"a": text, "b": rename_names(text), "c": insert_lines(text, 30), "d": insert_lines(text, 12)}
    found = find_similar_pairs(make_submissions(texts), lab)
    assert [(one.first, one.second) for one in found][:1] == [("a", "b")]
    assert [one.similarity for one in found] == sorted((one.similarity for one in found), reverse=True)
    assert found[0].similarity == 1 > found[-1].similarity
    assert find_similar_pairs(make_submissions(texts), lab, most=2) == found[:2]


def test_the_order_of_submissions_does_not_matter() -> None:
    lab = LABS[0]
    texts = styles(lab) | {"copy": rename_names(styles(lab)["terse"]), "more": insert_lines(styles(lab)["classes"], 9)}
    found = find_similar_pairs(make_submissions(texts), lab)
    assert len(found) == 2
    assert find_similar_pairs(make_submissions(dict(reversed(texts.items()))), lab) == found


def test_identical_files_come_first_and_are_marked_even_if_they_are_short() -> None:
    lab = LABS[0]
    text = styles(lab)["classes"]
    texts = {"a": text, "b": rename_names(text), "c": text, "d": "x = 1\n", "e": "x = 1\n"}
    found = [
        (one.first, one.second, one.similarity, one.note) for one in find_similar_pairs(make_submissions(texts), lab)
    ]
    assert found == [("a", "c", 1, "identical"), ("d", "e", 1, "identical"), ("a", "b", 1, "")]


@pytest.mark.parametrize("name", ["skeleton.py", "published.py", "solution.py"])
def test_identical_files_of_the_lab_come_last_with_their_name(name: str) -> None:
    lab = LABS[0]
    text, given = styles(lab)["classes"], (lab.folder / name).read_text(encoding="utf-8")
    copied, untouched = find_similar_pairs(
        make_submissions({"a": given, "b": given, "c": text, "d": rename_names(text)}), lab
    )
    assert (copied.first, copied.second, copied.note) == ("c", "d", "")
    assert (untouched.first, untouched.second, untouched.note) == ("a", "b", f"identical: the lab's {name}")


def test_two_submissions_of_one_student_are_not_a_pair() -> None:
    one, other = (Submission(f"{name}.py", styles(LABS[0])["terse"], "", "", student="Ann") for name in "ab")
    assert find_similar_pairs([one, other], LABS[0]) == []
    assert find_similar_pairs([one, replace(other, student="Bo")], LABS[0])


def test_each_copy_is_paired_with_the_first_even_if_the_whole_class_copied() -> None:
    lab = LABS[0]
    text = styles(lab)["classes"]
    found = find_similar_pairs(make_submissions({f"{number:02}": text + "\n" * number for number in range(30)}), lab)
    assert [(one.first, one.second) for one in found] == [("00", f"{number:02}") for number in range(1, 30)]


def test_code_of_more_than_half_of_a_class_does_not_count() -> None:
    lab = LABS[0]
    common, other = styles(lab)["classes"], styles(lab)["functional"]
    rest = other.split("\n")
    texts = {f"{at:02}": f"{common}\n" + "\n".join(rest[at * 15 : at * 15 + 15]) for at in range(14)}
    assert find_similar_pairs(make_submissions(texts), lab) == []
    assert find_similar_pairs(make_submissions(dict(list(texts.items())[:5])), lab), (
        "in a class of five, common code counts"
    )


def test_winnowing_finds_every_long_enough_match_and_no_shorter_one() -> None:
    """Schleimer, Wilkerson, Aiken 2003, section 3: at least k + w - 1 characters match, never fewer than k."""
    chance = random.Random(5)  # noqa: S311 - the same in every run
    signs = "()[]{}<>+-*/%&|^~=.,:;"
    for _ in range(200):
        one, other = ("".join(chance.choices(signs, k=90)) for _ in range(2))
        match = "".join(chance.choices("?!$", k=GRAM + WINDOW - 1))
        at, to = chance.randrange(60), chance.randrange(60)
        with_match = [text[:place] + match + text[place:] for text, place in ((one, at), (other, to))]
        assert count_shared(*with_match) >= 1
        short = match[: GRAM - 1]
        without = [f"{one[:at]}@{short}@{one[at:]}", f"{other[:to]}`{short}`{other[to:]}"]
        assert count_shared(*without) == 0


def test_names_numbers_strings_comments_and_layout_do_not_count() -> None:
    one = 'def total(rows):  # add\n    """Doc."""\n    return sum(row.size * 10 for row in rows if row["x"])\n'
    other = "def f( a ):\n\n  'doc'\n  return g(b.c * 0x1F for b in a if b['''y\n''']) # of it"
    assert normalise(one) == normalise(other) == 'defn(n):"returnn(n.n*0forninnifn["])'


def test_only_the_first_characters_of_a_submission_are_compared() -> None:
    behind = styles(LABS[0])["terse"]
    filler = "x = 1\n" * (MAX_CHARACTERS // 6 + 1)
    assert np.array_equal(fingerprints(filler + behind), fingerprints(filler))
    assert count_shared(filler[:-600] + behind, behind) > 0


def test_empty_short_and_unreadable_submissions_are_similar_to_none() -> None:
    few = {"empty": "", "empty too": "", "short": "x = 1\n", "short too": "x  = 1\n", "same": "y = 2\n" * 3}
    assert find_similar_pairs(make_submissions(few), LABS[0]) == []
    assert find_similar_pairs([], LABS[0]) == []


def test_rare_fingerprints_still_find_a_copy_among_many_similar_files(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = LABS[0]
    chance = random.Random(1)  # noqa: S311 - the same in every run
    families = list(styles(lab).values())
    texts = {}
    for number in range(60):
        lines = families[number % 6].split("\n")
        for _ in range(60):
            at = chance.randrange(len(lines))
            lines[at] = f"{lines[at]} + ({'(' * chance.randrange(9)} if [{chance.choice('<>=.,:')}]"
        texts[f"{number:02}"] = "\n".join(lines)
    texts["copy"] = texts["00"] + "\nif x: [y]"
    assert len(find_similar_pairs(make_submissions(texts), lab, most=1_000)) > 50, "many files of a family are similar"
    monkeypatch.setattr(module, "MOST_WORK", 30_000)
    (pair,) = find_similar_pairs(make_submissions(texts), lab)
    assert {pair.first, pair.second} == {"00", "copy"}
