from __future__ import annotations

from collections.abc import Iterable

from memlab.memory.heuristics.assertions import AHEAD, BEHIND, REACH, is_asserted, is_created, other_place

MACHINES = ["server", "machine", "host", "box", "laptop", "vm", "cluster", "node", "instance"]
OURS = ["this", "our", "the", "the same", "a", "git", "mono", "project", "the project's"]
NOT_ASSERTED = """
X is gone
X was deleted
X has since been removed
X was later renamed
X, which was retired
X (now removed)
X, since replaced
**X** was dropped
`X` is now missing
X function was removed
X does not exist yet
X didn't exist
X isn't there
X no longer runs
X will move
X used to be run
X moved to Y
X became Y
X -> Y
X \u2192 Y
X, to come in May
X is not there
X was there until May
X has gone
the X script was created
no longer in X
do not use X
don\u2019t run X
never touch X
there is no X
avoid X
instead of X
rather than X
missing X
it lacks X
used to live in X
formerly X
until May X
the old X
the former X
it lived in X
we removed X
deleting X
it creates X
the build writes X
outputs to X
will add X
is going to become X
plans to introduce X
"""
ASSERTED = """
X
run X
X is run daily
not only X
do not forget X
the new X replaces nothing
we moved it to X
renamed into X
replaced by X
it was deleted, then written: X
old files, see X
X is here
X, Y was removed
X. It was removed
it is not so. See X
no longer broken, thanks to the many patient friends of X
"""


def asserted(sentences: Iterable[str]) -> list[str]:
    """Return the sentences that assert that X is there."""
    return [one for one in sentences if is_asserted(one, one.index("X"), one.index("X") + 1)]


def test_a_thing_that_is_gone_denied_or_in_the_future_is_not_asserted() -> None:
    assert asserted(NOT_ASSERTED.strip().splitlines()) == []


GONE = "removed deleted gone retired dropped replaced renamed moved deprecated obsolete".split()  # noqa: SIM905
MADE = "created added introduced written generated produced built".split()  # noqa: SIM905


DENIALS = [
    *(f"{before}{gone}{after}" for gone in GONE for before, after in [("X was ", ""), ("X (", ")"), ("we ", " X")]),
    *(f"{before}{made}{after}" for made in MADE for before, after in [("X is ", ""), ("it ", " to X")]),
    *(f"X {became} now gone" for became in ["was", "were", "is", "are", "got", "gets", "being", "has been"]),
    *(f"X {have} been removed" for have in ["has", "have", "had", "has since", "have all", "had long"]),
    *(f"X has {since} been removed" for since in ["now", "later", "then", "already"]),
    *(f"X was {since} removed" for since in ["now", "since", "later", "then", "already", "all", "long"]),
    *(f"X is {state}" for state in ["missing", "no more", "not there", "not yet", "not needed", "not used"]),
    *(f"X {some} exist" for some in ["does not", "do not", "did not", "doesn't", "don't", "didn't", "does not yet"]),
    *(f"X {thing} is gone" for thing in ["script", "file", "folder", "directory", "flag", "option", "variable"]),
    *(f"X {thing} is gone" for thing in ["env var", "function", "class", "method", "helper", "path", "module"]),
    *(f"X {rest}" for rest in ["which is gone", "that is gone", "moved into Y", "=> Y", "were there", "have gone"]),
    *(f"X{mark} (now since long which gone)" for mark in ["", "*", '"', "'", "`", ":", ")"]),
    *(f"X{mark} was removed" for mark in ["", "*", '"', "'", "`", ":", ")", " (", ","]),
    *(f"{denied} X" for denied in ["not", "doesn't use", "isn't", "there are no", "there was no", "there were no"]),
    *(f"{denied} X" for denied in ["there's no", "avoids", "avoiding", "without", "lack", "previously", "previous"]),
    *(f"it {was} X" for was in ["was", "were in", "had been", "lived"]),
    *(f"it {coming} be X" for coming in ["will", "shall", "is going to", "plans to", "plan to", "planned to", "is to"]),
    *(f"to {verb} X" for verb in ["be", "live", "move", "become", "create", "add", "have", "introduce", "replace"]),
    *(f"it {verb} X" for verb in ["removes", "deletes", "replaces", "renames", "retires", "removing", "renaming"]),
    *(f"it {verb} X" for verb in ["creates", "adds", "writes", "generates", "produces", "outputs", "adding"]),
    "create X",
    "it used to call X",
    "delete X",
]


def test_each_word_that_denies_a_thing_does_so_in_its_place() -> None:
    assert asserted(DENIALS) == []


def test_a_thing_after_the_object_of_a_change_is_there() -> None:
    for word in ["to", "by", "with", "into", "as", "and", "but", "then", "now"]:
        sentences = [f"we removed it {word} X", f"it makes and writes it {word} X"]
        assert asserted(sentences) == sentences


def test_an_order_to_use_a_thing_asserts_it() -> None:
    uses = [f"offsets to be {use} X" for use in ["loaded from", "found in", "replaced by", "read with"]]
    assert asserted(uses) == uses


def test_a_thing_named_without_denial_is_asserted() -> None:
    sentences = ASSERTED.strip().splitlines()
    assert asserted(sentences) == sentences


def test_a_cue_reaches_as_far_as_it_says_and_no_further() -> None:
    near, far = "never " + "a" * (REACH - 1) + "X", "never " + "a" * REACH + "X"
    assert asserted([near, far]) == [far]


def test_a_cue_counts_at_any_place_of_a_long_sentence() -> None:
    before, after = "b" * BEHIND + " ", " " + "a" * AHEAD
    assert asserted(before + cue + after for cue in ("never X", "X was removed")) == []


def test_the_first_letters_of_a_sentence_count_as_well() -> None:
    assert asserted(["no longer X", "old X"]) == []


PLACES = [
    ("On the staging server, run it", "On the staging server"),
    ("It runs on Mara's laptop now", "on Mara's laptop"),
    ("In the billing repo, see it", "billing repo"),
    ("Use SSH for it", "SSH"),
    ("It is fixed upstream", "upstream"),
    ("Ask the other team", "other team"),
    ("It lives inside the container", "inside the container"),
    ("In this repo, see it", ""),
    *(
        (f"on {whose} x {machine}", f"on {whose} x {machine}")
        for whose in ["the", "a", "an", "my"]
        for machine in MACHINES
    ),
    *((f"on {whose} x box", f"on {whose} x box") for whose in ["her", "his", "their"]),
    *((f"in x {repo}", f"x {repo}") for repo in ["repo", "repository", "monorepo"]),
    *((f"in {our} {repo}", "") for our in OURS for repo in ["repo", "repository", "monorepo"]),
    *((f"the {other}", other) for other in ["other project", "other team", "other machine"]),
    ("it is inside the image", "inside the image"),
    ("In our repository and the same monorepo", ""),
    ("This repo is no billing repo", "billing repo"),
    ("On Friday we serve", ""),
]


def test_a_sentence_about_another_machine_or_repository_names_it() -> None:
    found = {sentence: other_place(sentence) for sentence, _ in PLACES}
    assert found == dict(PLACES)


def test_a_path_is_created_if_a_word_shortly_before_it_says_so() -> None:
    sentence = "The build writes dist/app.js, and dist/app.js is served."
    first, second = sentence.index("dist"), sentence.rindex("dist")
    assert is_created(sentence, first)
    assert not is_created(sentence, second)
    far = f"It writes {'x' * BEHIND} dist/app.js"
    assert not is_created(far, far.index("dist"))
