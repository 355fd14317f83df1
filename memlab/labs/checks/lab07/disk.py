"""The checks of Lab 07, Fix, of corrupt files and of the names of facts. The published design fails each."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from memlab.labs.checks.check import Each, LearnerFile, fail
from memlab.labs.checks.lab07 import helpers as lab
from memlab.labs.checks.lab07.helpers import CHECKS

CORRUPT = [b'{"kind": "no', b"null", b"[]", b"7", b'"text"', b"\x00\x00\x00", b"\xff\xfe", b"{}", b"}{", b"["]
OPENED = "opened-before.json"
"""A hard link to the file with the facts: it shows what a reader sees who opened it earlier."""
CORRUPT_FACTS = [
    '{"harbour": {"descr',
    "[1, 2",
    '["a list"]',
    "not JSON",
    '{"harbour": {"description": "about the harbour"}}',
    '{"harbour": "It freezes."}',
]
"""Some are not JSON, and some are not facts."""
GOOD: list[tuple[str, ...]] = [("build", "the page was built"), ("test", "the smoke test was green")]


def _log_good(file: LearnerFile) -> None:
    file.reset()
    for kind, detail in GOOD:
        file.call("log_episode", kind, detail)


@CHECKS.add("repair", line=Each(CORRUPT), first=st.booleans(), next_day=st.booleans())
def damaged_lines_are_skipped(file: LearnerFile, line: bytes, *, first: bool, next_day: bool) -> None:
    """A torn or corrupt line of the log is skipped, also in a new process: the other episodes are still used."""
    _log_good(file)
    held = file.read(lab.LOG) or b""
    file.write(lab.LOG, line + b"\n" + held if first else held + line + b"\n")
    file.calls.append(f"(the {'first' if first else 'last'} line of mix/episodes.jsonl is now {str(line)[1:]})")
    if next_day:
        file.restart()
    _expect_replay(file, GOOD)
    lab.expect_part(file, lab.assemble_prompt(file, "ship"), "the smoke test was green", "the episodes of intact lines")
    file.call("promote_recurring")


@CHECKS.add("repair")
def after_a_torn_line_the_next_is_whole(file: LearnerFile) -> None:
    """An episode that is logged after a torn line starts on a line of its own."""
    _log_good(file)
    file.write(lab.LOG, (file.read(lab.LOG) or b"") + b'{"kind": "deploy", "det')
    file.calls.append("""(mix/episodes.jsonl now ends in '{"kind": "deploy", "det', without a line break)""")
    file.restart()
    file.call("log_episode", "deploy", "the page was shipped")
    _expect_replay(file, [*GOOD, ("deploy", "the page was shipped")])


def _expect_replay(file: LearnerFile, wanted: list[tuple[str, ...]]) -> None:
    found = [episode for episode in lab.replay_episodes(file) if episode in [*wanted, *GOOD]]
    if found != wanted:
        fail(file, f"returned, of the logged episodes, {found!r}, expected {wanted!r}: their lines are intact")


@CHECKS.add("repair", text=st.sampled_from(CORRUPT_FACTS))
def spoiled_facts_are_put_aside(file: LearnerFile, text: str) -> None:
    """A mix/facts.json that cannot be read raises nothing; a line is printed, and its text is kept in another file."""
    file.reset({"mix/facts.json": text})
    lab.assemble_prompt(file, "harbour")
    if not file.printed.strip():
        fail(file, "printed nothing, expected a message: mix/facts.json cannot be read")
    file.call("write_fact", "owner", "who owns the violin", "Mara owns it.")
    if lab.read_facts(file).get("owner", {}).get("body") != "Mara owns it.":
        fail(file, "left no fact 'owner' in mix/facts.json, expected a new file with it")
    if not any(text in (file.read_text(path) or "") for path in file.list_files()):
        fail(file, f"lost the text of mix/facts.json, expected it in another file: {text!r}")


@CHECKS.add("repair")
def facts_are_never_half_written(file: LearnerFile) -> None:
    """mix/facts.json is replaced atomically: no reader ever sees half of it."""
    file.reset()
    file.call("write_fact", "harbour", "about the harbour", "It freezes in January.")
    lab.read_facts(file)
    file.link(OPENED, lab.FACTS, hard=True)
    before = file.read(OPENED)
    file.call("write_fact", "owner", "who owns the violin", "Mara owns it.")
    if file.read(OPENED) != before:
        fail(file, "wrote into the old mix/facts.json, expected a second file that then replaces it in one move")


def _promote(file: LearnerFile) -> dict[str, object]:
    """Call promote_recurring and return the body of each fact by its name."""
    file.call("promote_recurring")
    return {name: fact.get("body") for name, fact in lab.read_facts(file).items()}


@CHECKS.add("names")
def the_same_in_every_process(file: LearnerFile) -> None:
    """A promoted fact has the same name in every process and folder, so promoting it again adds no second fact."""
    begun: list[list[str]] = []
    for _ in range(2):
        file.reset()
        file.restart()
        lab.log_twice(file, "the harbour freezes in January")
        first = _promote(file)
        begun.append(sorted(first))
    if begun[0] != begun[1]:
        fail(file, f"left the facts {begun[1]}, expected {begun[0]} as in the folder before: the detail is the same")
    for _ in range(2):
        file.restart()
        if (found := _promote(file)) != first:
            fail(file, f"left the facts {sorted(found)}, expected {sorted(first)}: only the process is another")


# Details of which some pair has the same first digits of its MD5, SHA-1, SHA-2, BLAKE2 or CRC.
SIMILAR = (
    *(101, 111, 114, 120, 122, 176, 179, 195, 201, 210, 214, 219, 222, 248, 264, 270, 275, 282, 309, 329, 357, 376),
    *(486, 579, 595, 674, 696, 889, 894, 1297, 1677, 2030, 2056, 4200),
)


@CHECKS.add("names")
def no_two_share_one(file: LearnerFile) -> None:
    """Two details never get the same name, however many are promoted."""
    details = [f"the tide turned at {number}" for number in SIMILAR]
    lines = [json.dumps({"kind": "note", "detail": detail, "source": "user"}) + "\n" for detail in details]
    later, at_once = "".join(lines[::2]), "".join(lines[1::2])
    file.reset({"mix/episodes.jsonl": later + at_once * 2})
    _promote(file)
    file.restart()
    file.write(lab.LOG, (file.read(lab.LOG) or b"") + later.encode())
    file.calls.append(f"(mix/episodes.jsonl now has {len(details)} details, each twice)")
    found = set(_promote(file).values())
    if lost := [detail for detail in details if detail not in found]:
        fail(file, f"left no fact of {lost[0]!r}, expected a fact of each detail, under a name of its own")


@CHECKS.add("names")
def another_fact_is_not_overwritten(file: LearnerFile) -> None:
    """If a person's fact already has the name, it is not overwritten, and the detail is promoted under another name."""
    file.reset()
    lab.log_twice(file, "the harbour freezes in January")
    name = next(iter(_promote(file)), "learned-nothing")
    file.reset()
    file.call("write_fact", name, "who repairs the organ", "Mara repairs the organ.")
    lab.log_twice(file, "the harbour freezes in January")
    found = _promote(file)
    if found.get(name) != "Mara repairs the organ.":
        wanted = "'Mara repairs the organ.', which a person wrote there"
        fail(file, f"left {found.get(name)!r} under {name!r}, expected {wanted}")
    if "the harbour freezes in January" not in found.values():
        fail(file, f"promoted nothing, since the name {name!r} is taken, expected the detail under another name")
