"""The checks of Lab 06, Fix, second half: guard, next, repair."""

from __future__ import annotations

from hypothesis import strategies as st

from memlab.labs.checks.check import Each, LearnerFile, fail
from memlab.labs.checks.lab06 import helpers as lab
from memlab.labs.checks.lab06.helpers import CHECKS

HARMLESS = [
    "The widget is loaded from https://example.com/a.js every night.",
    "The manual lies at http://docs.example.org/guide/setup.md for all.",
    "The page example.com/b.json lists the prices.",
    "Write to ops@example.com when the ferry is late.",
    "We are on version 3.11.2, and v2.0.1-rc.1 comes next.",
    "The release was on 2026-11-20, the one before on 20/11/2025.",
    "On the build machine the script is /opt/lab-shop/deploy.sh, as it always was.",
    "The other server has it at build-server:/srv/app/run.sh for now.",
    "The constant LAB_MAX_RETRY is five, and HTTP is what they speak.",
    "Bring tea and/or coffee.",
]
PATHS = ["gone.sh", "scripts/lantern.py", "a-b/kettle.md"]
MISSING = [
    ("Build everything with the Makefile.", ["Makefile"], {}),
    ("The image is made by the Dockerfile.", ["Dockerfile"], {}),
    ("The rules for guests stand in docs/example.com/notes.md now.", ["docs/example.com/notes.md"], {}),
    ("Ship with scripts/deploy when you are ready.", ["scripts/deploy"], {}),
    ("Ship with tools/deploy when you are ready.", ["tools/deploy"], {}),
    ("Ship with scripts/more/deploy when you are ready.", ["scripts/more/deploy"], {}),
    ("Ship with yard/deploy when you are ready.", ["yard/deploy"], {}),
    ("Log in with $LAB_TOKEN first.", [], {"LAB_TOKEN": "x"}),
    ("Log in with ${LAB_TOKEN} first.", [], {"LAB_TOKEN": "x"}),
    ("Log in with the token in $TOKENFORLAB first.", [], {"TOKENFORLAB": "x"}),
    ("It reads the environment variable LAB_TOKEN first.", [], {"LAB_TOKEN": "x"}),
    ("LAB_TOKEN must be set in the environment before you begin.", [], {"LAB_TOKEN": "x"}),
    ("Log in with $LAB_LOGIN. Then the Environment needs LAB_TOKEN too.", [], {"LAB_TOKEN": "x", "LAB_LOGIN": "y"}),
]
HELP = "Usage: pnpm [OPTIONS]\n  [--frozen-lockfile], --filter=NAME  what to install\n"
CORRUPT = [
    b"",
    b"\n",
    b"---\n",
    b"---\nname: ferry\n",
    b"no header at all",
    b"\xff\xfe\x00 not text \xc3",
    b"---\n---\n---",
]
contents = st.sampled_from(CORRUPT) | st.binary(max_size=40)
WHEN = "when does the ferry leave"


@CHECKS.add("guard", memory=Each(HARMLESS), path=st.sampled_from(PATHS), there=st.booleans())
def raises_no_false_alarm(file: LearnerFile, memory: str, path: str, *, there: bool) -> None:
    """URLs, domains, versions, dates, other machines' paths and plain capitals are not reported and hide no problem."""
    file.reset([path] if there else [])
    lab.must_trust(file, memory, "it names nothing that should be here")
    longer = f"{memory} It begins in {path} here."
    if there:
        lab.must_trust(file, longer, f"{path} is there, and nothing else should be")
    else:
        lab.must_doubt(file, longer, f"{path} does not exist")


@CHECKS.add("guard", case=st.sampled_from(MISSING))
def sees_what_is_missing(file: LearnerFile, case: tuple[str, list[str], dict[str, str]]) -> None:
    """Files without an extension and marked variables are checked too; an empty variable counts as missing."""
    memory, files, env = case
    here = ["scripts/other", "yard/other"]
    for missing in env or files:
        others = {name: value for name, value in env.items() if name != missing}
        file.reset(here, env=others)
        lab.must_doubt(file, memory, f"{missing} is not there")
        if env:
            file.reset(here, env={**others, missing: ""})
            lab.must_doubt(file, memory, f"{missing} is empty")
    file.reset([*here, *files], env=env)
    lab.must_trust(file, memory, f"{' '.join([*files, *env])} is there")


@CHECKS.add("guard", flag=st.sampled_from(["--frozen-lockfile", "--filter", "--fro", "--no-such-flag"]))
def reads_the_help_word_by_word(file: LearnerFile, flag: str) -> None:
    """A flag is searched as a complete word, with or without brackets, in the help of the command named before it."""
    file.reset(commands={"pnpm": HELP, "tar": "usage: tar --fro"})
    memory = f"Install with pnpm {flag} in this repo."
    if flag in ("--frozen-lockfile", "--filter"):
        lab.must_trust(file, memory, f"the help of pnpm lists {flag}")
    else:
        lab.must_doubt(file, memory, f"the help of pnpm lists no {flag}")
    lab.must_trust(file, f"Install with npm {flag} in this repo.", "nobody registered the help of npm")


@CHECKS.add("guard", thing=st.sampled_from(["npm --no-such-flag", "/opt/lab-shop/deploy.sh"]))
def says_what_it_cannot_check(file: LearnerFile, thing: str) -> None:
    """A claim that cannot be checked here is served with a printed note."""
    notes = []
    for claim in ("a broom", thing):
        file.reset()
        lab.write(file, "shipping", "how we ship", f"We ship with {claim} on Mondays.")
        answer = file.call("recall_and_trust", "how do we ship")
        lab.expect(answer, f"We ship with {claim} on Mondays.", "the body of shipping", file)
        notes.append(file.printed.strip())
    if thing.rsplit(maxsplit=1)[-1] not in notes[1] or notes[0] == notes[1]:
        fail(file, f"served it and printed {lab.format_printed(file)}, expected a note: {thing} cannot be checked here")


@CHECKS.add("guard")
def is_not_led_out_by_a_link(file: LearnerFile) -> None:
    """A link that leads out of the folder confirms nothing: the fact is withheld, or served with a printed note."""
    file.reset()
    file.write("../deploy.sh")
    file.link("scripts/deploy.sh", "../../deploy.sh")
    lab.write(file, "shipping", "how we ship", "We ship with scripts/deploy.sh on Mondays.")
    if file.call("recall_and_trust", "how do we ship") and not file.printed.strip():
        fail(file, "served it without a word, expected a note: scripts/deploy.sh leads out of the folder")


@CHECKS.add("next", words=lab.some_words, stale=st.lists(st.booleans(), min_size=3, max_size=3), turn=st.integers(0, 2))
def best_is_served(file: LearnerFile, words: list[str], stale: list[bool], turn: int) -> None:
    """The best matching memory that is not stale is served, and every better but stale one is named."""
    file.reset()
    bodies = [f"See {f'gone-{at}.sh' if gone else 'nobody'} for number {at}." for at, gone in enumerate(stale)]
    for at in [*range(turn, 3), *range(turn)]:
        lab.write(file, f"fact-{at}", " ".join(words[: 4 - at] + words[4 : 4 + at]), bodies[at])
    best = stale.index(False) if False in stale else None
    wanted = None if best is None else bodies[best]
    in_words = "None: all are stale" if best is None else f"the body of fact-{best}, the best that is not stale"
    lab.expect(file.call("recall_and_trust", " ".join(words[:4])), wanted, in_words, file)
    for at in range(3 if best is None else best):
        if f"- path does not exist: gone-{at}.sh" not in lab.printed_lines(file):
            fail(file, f"printed {lab.format_printed(file)}, expected the line '  - path does not exist: gone-{at}.sh'")


@CHECKS.add("next")
def never_serves_what_is_not_about_it(file: LearnerFile) -> None:
    """If the best match is stale, a memory that shares no word with the question is still not served."""
    file.reset()
    lab.write(file, lab.NAME, lab.DESCRIPTION, lab.BODY)
    file.call("plant_stale")
    answer = file.call("recall_and_trust", "where is the deploy script")
    lab.expect(answer, None, "None: nothing else is about it", file)


@CHECKS.add("next", count=st.integers(1, 4))
def gives_none_where_all_are_stale(file: LearnerFile, count: int) -> None:
    """If every matching memory is stale, recall_and_trust returns None and prints the STALE block."""
    file.reset()
    for number in range(count):
        lab.write(file, f"fact-{number}", f"lantern number {number}", f"See gone-{number}.sh for it.")
    lab.expect(file.call("recall_and_trust", "lantern number"), None, "None: all are stale", file)
    if lab.STALE not in lab.printed_lines(file):
        fail(file, f"printed {lab.format_printed(file)}, expected the line {lab.STALE!r}")


@CHECKS.add("repair", next_day=st.booleans())
def outlives_a_lost_index(file: LearnerFile, *, next_day: bool) -> None:
    """If the index is deleted, each memory is still recalled with its newest text, also in a new process."""
    file.reset()
    _write_two_facts(file)
    lab.write(file, "ferry", "when the ferry should leave its pier", lab.FERRY)
    _delete_index(file)
    _expect_both_recalled(file, next_day=next_day)


@CHECKS.add("repair", next_day=st.booleans())
def outlives_a_lost_page(file: LearnerFile, *, next_day: bool) -> None:
    """If a page is deleted, the other memories are still recalled, also in a new process."""
    file.reset()
    _write_two_facts(file)
    for name, description in (("lost", WHEN), ("lost-too", "winter timetable")):
        lab.write(file, name, description, "Gone.")
        lab.read_page(file, name)
        file.remove(f"memory/{name}.md")
        lab.note_change(file, f"memory/{name}.md is deleted")
    _expect_both_recalled(file, next_day=next_day)
    lab.expect(file.call("recall", "winter timetable"), None, "None: the page of lost-too is gone", file)


@CHECKS.add("repair", content=contents, next_day=st.booleans())
def outlives_a_spoiled_page(file: LearnerFile, content: bytes, *, next_day: bool) -> None:
    """If a page is corrupt, nothing raises, the other memories are recalled, and the page can be rewritten."""
    file.reset()
    _write_two_facts(file)
    lab.read_page(file, "ferry")
    _corrupt(file, "ferry", content)
    if next_day:
        file.restart()
    file.call("recall", WHEN)
    file.call("recall_and_trust", WHEN)
    lab.expect(file.call("recall", lab.QUESTION), lab.BODY, f"the body of {lab.NAME}", file)
    lab.write(file, "ferry", "when the ferry should leave its pier", lab.FERRY)
    _expect_both_recalled(file)


@CHECKS.add("repair", content=contents, next_day=st.booleans())
def outlives_a_spoiled_index(file: LearnerFile, content: bytes, *, next_day: bool) -> None:
    """If the index is corrupt, every memory is still recalled, also in a new process."""
    file.reset()
    _write_two_facts(file)
    _corrupt(file, "MEMORY", content)
    _expect_both_recalled(file, next_day=next_day)


@CHECKS.add("repair")
def loses_nothing_on_the_next_write(file: LearnerFile) -> None:
    """After a deleted index and a corrupt page, nothing raises, and the next write loses no text."""
    file.reset()
    _write_two_facts(file)
    lab.write(file, "spoiled", "lantern of the watch", "It hangs in the tower.")
    lab.read_page(file, "spoiled")
    _corrupt(file, "spoiled", b"It hangs in the tower, \xff they say.")
    _delete_index(file)
    file.restart()
    lab.expect(file.call("recall", lab.QUESTION), lab.BODY, f"the body of {lab.NAME}", file)
    lab.write(file, "crane", "harbour crane weight", "Nine tons.")
    _expect_both_recalled(file)
    lab.expect(file.call("recall", "harbour crane weight"), "Nine tons.", "the body of crane", file)
    if "It hangs in the tower" not in lab.read_everything(file):
        fail(file, "and the calls before it lost the text of the spoiled page, expected it still under memory/")


def _corrupt(file: LearnerFile, name: str, content: bytes) -> None:
    file.write(f"memory/{name}.md", content)
    lab.note_change(file, f"memory/{name}.md now holds {content!r}")


def _delete_index(file: LearnerFile) -> None:
    file.remove(lab.INDEX)
    lab.note_change(file, "memory/MEMORY.md is deleted")


def _write_two_facts(file: LearnerFile) -> None:
    lab.write(file, lab.NAME, lab.DESCRIPTION, lab.BODY)
    lab.write(file, "ferry", "when the ferry leaves", "At ten.")
    lab.write(file, "ferry", "when the ferry should leave its pier", lab.FERRY)


def _expect_both_recalled(file: LearnerFile, *, next_day: bool = False) -> None:
    if next_day:
        file.restart()
    lab.expect(file.call("recall", lab.QUESTION), lab.BODY, f"the body of {lab.NAME}", file)
    lab.expect(file.call("recall", WHEN), lab.FERRY, "the body of ferry", file)
