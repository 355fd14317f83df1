"""What Fix asks of what lies on disk: spoiled files, and the names of facts. The published design breaks each."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from memlab.labs.checks.check import LearnerFile, fail
from memlab.labs.checks.lab07.helpers import CHECKS, FACTS, LOG, has, logged_twice, prompt, replayed, stored

SPOILED = [b'{"kind": "no', b"null", b"[]", b"7", b'"text"', b"\x00\x00\x00", b"\xff\xfe", b"{}", b"}{", b"["]
OPENED = "opened-before.json"
"""A second name of the file with the facts: it shows what a reader who has it open goes on to read."""
SPOILED_FACTS = [
    '{"harbour": {"descr',
    "[1, 2",
    '["a list"]',
    "not JSON",
    '{"harbour": {"description": "about the harbour"}}',
    '{"harbour": "It freezes."}',
]
"""Some are no JSON, and some are no facts."""
GOOD: list[tuple[str, ...]] = [("build", "the page was built"), ("test", "the smoke test was green")]


def _logged(work: LearnerFile) -> None:
    work.reset()
    for kind, detail in GOOD:
        work.call("log_episode", kind, detail)


@CHECKS.add("repair", line=st.sampled_from(SPOILED), first=st.booleans())
def spoiled_lines_are_passed_over(work: LearnerFile, line: bytes, first: bool) -> None:  # noqa: FBT001 - Hypothesis draws it
    """A line of the log that is torn or spoiled is passed over: the others are replayed, and a prompt is made."""
    _logged(work)
    held = work.read(LOG) or b""
    work.write(LOG, line + b"\n" + held if first else held + line + b"\n")
    work.calls.append(f"(the {'first' if first else 'last'} line of mix/episodes.jsonl is now {str(line)[1:]})")
    _replays(work, GOOD)
    has(work, prompt(work, "ship"), "the smoke test was green", "the episodes that are whole")
    work.call("promote_recurring")


@CHECKS.add("repair")
def after_a_torn_line_the_next_is_whole(work: LearnerFile) -> None:
    """An episode that is logged behind a torn line stands on a line of its own."""
    _logged(work)
    work.write(LOG, (work.read(LOG) or b"") + b'{"kind": "deploy", "det')
    work.calls.append("""(mix/episodes.jsonl now ends in '{"kind": "deploy", "det', without a line break)""")
    work.restart()
    work.call("log_episode", "deploy", "the page was shipped")
    _replays(work, [*GOOD, ("deploy", "the page was shipped")])


def _replays(work: LearnerFile, wanted: list[tuple[str, ...]]) -> None:
    found = [one for one in replayed(work) if one in [*wanted, *GOOD]]
    if found != wanted:
        fail(work, f"returned, of what was logged, {found!r}, expected {wanted!r}: their lines are whole")


@CHECKS.add("repair", text=st.sampled_from(SPOILED_FACTS))
def spoiled_facts_are_put_aside(work: LearnerFile, text: str) -> None:
    """A mix/facts.json that cannot be read stops nothing, and its text is kept for a person to look at."""
    work.reset({"mix/facts.json": text})
    prompt(work, "harbour")
    work.call("write_fact", "owner", "who owns the violin", "Mara owns it.")
    if stored(work).get("owner", {}).get("body") != "Mara owns it.":
        fail(work, "left no fact 'owner' in mix/facts.json, expected a new file with it")
    if not any(text in (work.read_text(path) or "") for path in work.list_files()):
        fail(work, f"lost what stood in mix/facts.json, expected it in another file: {text!r}")


@CHECKS.add("repair")
def facts_are_never_half_written(work: LearnerFile) -> None:
    """A new mix/facts.json takes the place of the old one at once: nobody who has it open reads half of it."""
    work.reset()
    work.call("write_fact", "harbour", "about the harbour", "It freezes in January.")
    stored(work)
    work.link(OPENED, FACTS, hard=True)
    before = work.read(OPENED)
    work.call("write_fact", "owner", "who owns the violin", "Mara owns it.")
    if work.read(OPENED) != before:
        fail(work, "wrote into the old mix/facts.json, expected a second file that then replaces it in one move")


def _promoted(work: LearnerFile) -> dict[str, object]:
    """Promote what recurs; give the body of each fact that there is, by its name."""
    work.call("promote_recurring")
    return {name: fact.get("body") for name, fact in stored(work).items()}


@CHECKS.add("names")
def the_same_in_every_process(work: LearnerFile) -> None:
    """A promoted fact has the same name in every process and folder: to promote it again on another day adds none."""
    begun: list[list[str]] = []
    for _ in range(2):
        work.reset()
        work.restart()
        logged_twice(work, "the harbour freezes in January")
        first = _promoted(work)
        begun.append(sorted(first))
    if begun[0] != begun[1]:
        fail(work, f"left the facts {begun[1]}, expected {begun[0]} as in the folder before: the detail is the same")
    for _ in range(2):
        work.restart()
        if (found := _promoted(work)) != first:
            fail(work, f"left the facts {sorted(found)}, expected {sorted(first)}: only the process is another")


# Details of which some pair has the same first digits of its MD5, SHA-1, SHA-2, BLAKE2 or CRC.
ALIKE = (
    *(101, 111, 114, 120, 122, 176, 179, 195, 201, 210, 214, 219, 222, 248, 264, 270, 275, 282, 309, 329, 357, 376),
    *(486, 579, 595, 674, 696, 889, 894, 1297, 1677, 2030, 2056, 4200),
)


@CHECKS.add("names")
def no_two_share_one(work: LearnerFile) -> None:
    """Two details never have the same name, however many are promoted, and on whatever day."""
    details = [f"the tide turned at {number}" for number in ALIKE]
    lines = [json.dumps({"kind": "note", "detail": detail, "source": "user"}) + "\n" for detail in details]
    later, at_once = "".join(lines[::2]), "".join(lines[1::2])
    work.reset({"mix/episodes.jsonl": later + at_once * 2})
    _promoted(work)
    work.restart()
    work.write(LOG, (work.read(LOG) or b"") + later.encode())
    work.calls.append(f"(mix/episodes.jsonl now has {len(details)} details, each twice)")
    found = set(_promoted(work).values())
    if lost := [detail for detail in details if detail not in found]:
        fail(work, f"left no fact of {lost[0]!r}, expected a fact of each detail, under a name of its own")


@CHECKS.add("names")
def another_fact_is_not_overwritten(work: LearnerFile) -> None:
    """A fact that a person wrote under the very name stays as it is, and the detail is promoted under another."""
    work.reset()
    logged_twice(work, "the harbour freezes in January")
    name = next(iter(_promoted(work)), "learned-nothing")
    work.reset()
    work.call("write_fact", name, "who repairs the organ", "Mara repairs the organ.")
    logged_twice(work, "the harbour freezes in January")
    found = _promoted(work)
    if found.get(name) != "Mara repairs the organ.":
        found_there = found.get(name)
        fail(
            work, f"left {found_there!r} under {name!r}, expected 'Mara repairs the organ.', which a person wrote there"
        )
    if "the harbour freezes in January" not in found.values():
        fail(work, f"promoted nothing, since {name!r} is taken, expected the detail under a name that is free")
