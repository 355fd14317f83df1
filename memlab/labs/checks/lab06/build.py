"""The checks of Lab 06, Build. The published design passes all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from memlab.labs.checks.check import LearnerFile, fail
from memlab.labs.checks.check import expect as expect_exactly
from memlab.labs.checks.lab06.helpers import (
    BODY,
    CHECKS,
    DESCRIPTION,
    NAME,
    QUESTION,
    STALE,
    WORDS,
    bodies,
    expect,
    expect_header,
    format_printed,
    lines,
    must_doubt,
    must_trust,
    names,
    note_change,
    printed_lines,
    read_index_rows,
    read_page,
    some_words,
    write,
)

endings = st.sampled_from(["sh", "py", "yaml", "yml", "json", "toml", "md", "txt", "js", "ts"])
SPELLED = [(QUESTION, DESCRIPTION), ("PACKAGE, MANAGER?", DESCRIPTION), (QUESTION, "Package Manager")]
folders = st.lists(st.from_regex(r"[a-z][a-z0-9]{0,7}", fullmatch=True), min_size=1, max_size=3).map("/".join)
VARIABLES = ["LAB_DATABASE_URL", "CRANE_ID", "FERRY_OFFICE_2", "A_LANTERN"]
VALUES = [None, "", "db.example"]
FLAGS = ["--frozen-lockfile", "--filter", "--dry-run", "--no-such-flag", "--offline"]
PLANTED = "deploy-script-old"
WHERE = "where is the deploy script"
GONE = "scripts/old_deploy.sh"


@CHECKS.add("write", body=bodies)
def leaves_a_page_with_header_and_body(work: LearnerFile, body: str) -> None:
    """write_memory writes memory/<name>.md: name, description and type between lines of dashes, then the body."""
    work.reset()
    write(work, NAME, DESCRIPTION, f"\n{body}\n\n")
    expect_header(work, NAME, DESCRIPTION)
    found = read_page(work, NAME).partition("\n---\n")[2].strip()
    if found != body.strip():
        fail(work, f"wrote the body {found!r}, expected {body.strip()!r} below the second line of dashes")


@CHECKS.add("write", description=lines, body=bodies)
def keeps_any_text(work: LearnerFile, description: str, body: str) -> None:
    """write_memory stores any description and any body unchanged."""
    work.reset()
    write(work, NAME, description, body)
    if description.strip() not in read_page(work, NAME):
        fail(work, f"wrote a page without the description, expected {description.strip()!r} in it")
    if not read_page(work, NAME).rstrip().endswith(body.strip()):
        fail(
            work,
            f"wrote a page that ends with {read_page(work, NAME)[-60:]!r}, expected the body {body.strip()!r} there",
        )


@CHECKS.add("write", name=names)
def says_what_it_wrote(work: LearnerFile, name: str) -> None:
    """write_memory prints 'wrote memory/<name>.md'."""
    work.reset()
    write(work, name, DESCRIPTION, BODY)
    if f"wrote memory/{name}.md" not in printed_lines(work):
        fail(work, f"printed {format_printed(work)}, expected the line 'wrote memory/{name}.md'")


@CHECKS.add("write", writes=st.lists(st.tuples(names, st.sampled_from(WORDS)), min_size=1, max_size=6))
def keeps_one_row_for_each_name(work: LearnerFile, writes: list[tuple[str, str]]) -> None:
    """The index has one row for each name, '- [name](name.md) -- description', however often the name is written."""
    work.reset()
    latest = dict(writes)
    for name, description in writes:
        write(work, name, description, BODY)
    rows = read_index_rows(work)
    for name, description in latest.items():
        row = f"- [{name}]({name}.md) -- {description}"
        mine = [one for one in rows if one.startswith(f"- [{name}](")]
        if len(mine) != 1:
            fail(work, f"left {len(mine)} rows for {name} in the index, expected one: {row!r}")
        if mine != [row]:
            fail(work, f"left the row {mine[0]!r} in the index, expected {row!r}")
    if len(rows) != len(latest):
        fail(work, f"left {len(rows)} rows in the index, expected {len(latest)}: one for each name")


@CHECKS.add("write")
def rewrites_the_page_of_a_name(work: LearnerFile) -> None:
    """Writing a name again replaces its page, header included."""
    work.reset()
    write(work, NAME, "what we used to install with", "npm.")
    write(work, NAME, DESCRIPTION, BODY)
    expect_header(work, NAME, DESCRIPTION)


@CHECKS.add("recall", body=bodies, spelled=st.sampled_from(SPELLED), next_day=st.sampled_from([*[False] * 5, True]))
def gives_the_body(work: LearnerFile, body: str, spelled: tuple[str, str], *, next_day: bool) -> None:
    """recall returns the body of the memory whose description matches, in any letter case, also in a new process."""
    question, description = spelled
    body = body.strip()
    work.reset()
    write(work, NAME, description, body)
    write(work, "ferry", "winter timetable", "At nine.")
    if next_day:
        work.restart()
    answer = work.call("recall", question)
    bare = ", without white space around it" if str(answer).strip() == body else ""
    expect_exactly(answer, body, f"the body of {NAME}{bare}", work)


@CHECKS.add("recall")
def gives_none_where_nothing_matches(work: LearnerFile) -> None:
    """recall returns None if no description shares a word with the question, or nothing is stored."""
    work.reset()
    expect(work.call("recall", QUESTION), None, "None: nothing has been written yet", work)
    write(work, NAME, DESCRIPTION, BODY)
    expect(work.call("recall", "zebra"), None, "None: no description has that word", work)


@CHECKS.add("recall", words=some_words, best=st.integers(0, 2))
def opens_the_best_match(work: LearnerFile, words: list[str], best: int) -> None:
    """recall returns the memory that shares the most words with the question, wherever it is in the index."""
    work.reset()
    one, two, three, four, *others = words
    described = [f"{three} {others[0]}", f"{four} {others[1]}"]
    described.insert(best, f"{one} {two}")
    for number, description in enumerate(described):
        write(work, f"fact-{number}", description, f"Body number {number}.")
    answer = work.call("recall", f"{three} {one} {two} {four}")
    expect(answer, f"Body number {best}.", f"the body of fact-{best}, which shares two words with it", work)


@CHECKS.add("recall")
def reads_the_descriptions_only(work: LearnerFile) -> None:
    """recall searches descriptions only, not bodies or types."""
    work.reset()
    write(work, "crane", "harbour crane weight", "Nine tons.")
    write(work, "ferry", "winter timetable", "The harbour crane weight is not told here, and no project either.")
    expect(work.call("recall", "harbour crane weight"), "Nine tons.", "the body of crane", work)
    expect(work.call("recall", "told project"), None, "None: no description has these words", work)


@CHECKS.add("recall", older=bodies, body=bodies)
def gives_the_body_whole_and_newest(work: LearnerFile, older: str, body: str) -> None:
    """recall returns the complete newest body without the header; lines of dashes in the body are kept."""
    work.reset()
    write(work, NAME, DESCRIPTION, older)
    write(work, NAME, DESCRIPTION, body)
    expect(work.call("recall", QUESTION), body.strip(), f"all of the newest body: {body.strip()!r}", work)


@CHECKS.add("recall")
def reads_the_page_as_it_is_now(work: LearnerFile) -> None:
    """recall reads the page at every call: if a person edits the body, recall returns the edited body."""
    work.reset()
    write(work, NAME, DESCRIPTION, "npm.")
    for old, new in (("npm.", "yarn."), ("yarn.", BODY)):
        expect(work.call("recall", QUESTION), old, f"the body of {NAME}", work)
        text = read_page(work, NAME)
        work.write(f"memory/{NAME}.md", text.replace(old, new))
        note_change(work, f"in memory/{NAME}.md, {old!r} is now {new!r}")
    expect(work.call("recall", QUESTION), BODY, f"the body that memory/{NAME}.md has now", work)


@CHECKS.add("stale")
def writes_the_stale_fact(work: LearnerFile) -> None:
    """plant_stale writes deploy-script-old, of type reference, which names scripts/old_deploy.sh."""
    work.reset()
    work.call("plant_stale")
    if f"wrote memory/{PLANTED}.md" not in printed_lines(work):
        fail(work, f"printed {format_printed(work)}, expected the line 'wrote memory/{PLANTED}.md'")
    expect_header(work, PLANTED, "where the deploy script lives", "reference")
    if (body := f"To ship, run {GONE} from the repo root.") not in read_page(work, PLANTED):
        fail(work, f"wrote another body, expected {body!r}")


@CHECKS.add("stale")
def can_be_planted_twice(work: LearnerFile) -> None:
    """plant_stale called twice leaves one fact, not two."""
    work.reset()
    work.call("plant_stale")
    work.call("plant_stale")
    if len(rows := read_index_rows(work)) != 1:
        fail(work, f"left {len(rows)} rows in the index, expected 1: it is the same fact")


@CHECKS.add("verify", name=st.sampled_from(["run", "scripts/deploy", "conf/main-2"]) | folders, ending=endings)
def looks_for_paths(work: LearnerFile, name: str, ending: str) -> None:
    """verify_before_trust reports a path that does not exist, and no path that does."""
    path = f"{name}.{ending}"
    memory = f"To begin, open {path} from the root."
    work.reset()
    must_doubt(work, memory, f"{path} does not exist")
    work.reset([path])
    must_trust(work, memory, f"{path} exists")


@CHECKS.add("verify", name=st.sampled_from(VARIABLES), values=st.lists(st.sampled_from(VALUES), min_size=3, max_size=5))
def looks_for_variables(work: LearnerFile, name: str, values: list[str | None]) -> None:
    """verify_before_trust reports an environment variable that is not set or is empty."""
    memory = f"The tests need the env var {name} to be set."
    for value in values:
        work.reset(env={} if value is None else {name: value})
        if value:
            must_trust(work, memory, f"{name} is set")
        else:
            must_doubt(work, memory, f"{name} is {'not set' if value is None else 'set, but empty'}")


@CHECKS.add("verify", flags=st.permutations(FLAGS).map(lambda some: some[:2]), flag=st.sampled_from(FLAGS))
def looks_for_flags(work: LearnerFile, flags: list[str], flag: str) -> None:
    """verify_before_trust reports a flag that is not in the registered help of its command."""
    work.reset(commands={"pnpm": f"usage: pnpm {' '.join(flags)}", "shipit": "usage: shipit --dry-run"})
    memory = f"Install with pnpm {flag} in this repo."
    if flag in flags:
        must_trust(work, memory, f"the help of pnpm lists {flag}")
    else:
        must_doubt(work, memory, f"the help of pnpm lists no {flag}")


@CHECKS.add("verify", words=some_words, turn=st.integers(0, 2))
def names_every_problem(work: LearnerFile, words: list[str], turn: int) -> None:
    """verify_before_trust names everything that is missing, and nothing that exists."""
    here, gone = f"{words[0]}.sh", [f"{words[1]}.sh", f"{words[2]}.py"]
    work.reset([here])
    named = ", then ".join([*gone[turn:], here, *gone[:turn]])
    answer = must_doubt(work, f"First {named}, in this order.", f"{gone} do not exist")
    if answer == "False":  # a bare False names no problem
        return
    if missing := [one for one in gone if one not in answer]:
        fail(work, f"returned {answer}, expected a problem that names {missing[0]} too")
    if here in answer:
        fail(work, f"returned {answer}, expected no problem with {here}, which exists")


@CHECKS.add("verify", words=some_words)
def has_nothing_against_plain_words(work: LearnerFile, words: list[str]) -> None:
    """verify_before_trust reports nothing for a memory without a path, a flag or a variable."""
    work.reset()
    must_trust(work, f"The {' '.join(words)} stays where it is.", "it names nothing that could be missing")


@CHECKS.add("gate", name=names, words=some_words, ending=endings)
def serves_what_reality_confirms(work: LearnerFile, name: str, words: list[str], ending: str) -> None:
    """recall_and_trust returns the body if everything that it names exists."""
    path = f"scripts/{words[0]}.{ending}"
    work.reset([path])
    body = f"The {words[1]} is closed by {path}: a person starts it."
    write(work, name, f"how we close the {words[1]} {words[2]}", body)
    expect(work.call("recall_and_trust", f"{words[2]} {words[1]}"), body, f"the body of {name}: {path} is there", work)


@CHECKS.add("gate")
def withholds_the_stale_fact_and_prints_why(work: LearnerFile) -> None:
    """recall_and_trust returns None for a stale fact and prints the STALE block, one line for each problem."""
    work.reset()
    work.call("plant_stale")
    expect(work.call("recall_and_trust", WHERE), None, f"None: {GONE} does not exist", work)
    block, printed = [STALE, f"  - path does not exist: {GONE}"], printed_lines(work)
    if block not in [printed[start : start + 2] for start in range(len(printed))]:
        fail(work, f"printed {format_printed(work)}, expected the lines {block[0]!r} and {block[1]!r}")


@CHECKS.add("gate")
def gives_none_for_nothing(work: LearnerFile) -> None:
    """recall_and_trust returns None and prints no STALE block if no memory matches."""
    work.reset()
    work.call("plant_stale")
    expect(work.call("recall_and_trust", "zebra"), None, "None: no memory matches", work)
    if STALE in printed_lines(work):
        fail(work, "printed the STALE block, expected no such line: no memory matches, so nothing is stale")


@CHECKS.add("gate", words=some_words, ending=endings, days=st.lists(st.booleans(), min_size=2, max_size=5))
def looks_again_each_time(work: LearnerFile, words: list[str], ending: str, days: list[bool]) -> None:
    """recall_and_trust checks the folder again at every call."""
    path = f"{words[0]}.{ending}"
    body = f"The {words[1]} is closed by {path}: a person starts it."
    work.reset()
    write(work, words[2], f"{words[1]} {words[3]}", body)
    for there in days:
        work.write(path) if there else work.remove(path)
        note_change(work, f"{path} is {'there' if there else 'not there'}")
        in_words = f"the body of {words[2]}: {path} is there" if there else f"None: {path} does not exist"
        expect(work.call("recall_and_trust", f"{words[3]} {words[1]}"), body if there else None, in_words, work)
