"""The checks of Lab 06, Build. The published design passes all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from memlab.harness.plural import plural
from memlab.labs.checks.check import Each, LearnerFile, fail
from memlab.labs.checks.check import expect as expect_exactly
from memlab.labs.checks.lab06 import helpers as lab
from memlab.labs.checks.lab06.helpers import CHECKS

ENDINGS = ["sh", "py", "yaml", "yml", "json", "toml", "md", "txt", "js", "ts"]
endings = st.sampled_from(ENDINGS)
SPELLED = [(lab.QUESTION, lab.DESCRIPTION), ("PACKAGE, MANAGER?", lab.DESCRIPTION), (lab.QUESTION, "Package Manager")]
folders = st.lists(st.from_regex(r"[a-z][a-z0-9]{0,7}", fullmatch=True), min_size=1, max_size=3).map("/".join)
VARIABLES = ["LAB_DATABASE_URL", "CRANE_ID", "FERRY_OFFICE_2", "A_LANTERN"]
VALUES = [None, "", "db.example"]
FLAGS = ["--frozen-lockfile", "--filter", "--dry-run", "--no-such-flag", "--offline"]
PLANTED = "deploy-script-old"
GONE = "scripts/old_deploy.sh"


@CHECKS.add("write", body=lab.bodies)
def leaves_a_page_with_header_and_body(file: LearnerFile, body: str) -> None:
    """write_memory writes memory/<name>.md: name, description and type between lines of dashes, then the body."""
    file.reset()
    lab.write(file, lab.NAME, lab.DESCRIPTION, f"\n{body}\n\n")
    lab.expect_header(file, lab.NAME, lab.DESCRIPTION)
    found = lab.read_page(file, lab.NAME).partition("\n---\n")[2].strip()
    if found != body.strip():
        fail(file, f"wrote the body {found!r}, expected {body.strip()!r} below the second line of dashes")


@CHECKS.add("write", description=lab.lines, body=lab.bodies)
def keeps_any_text(file: LearnerFile, description: str, body: str) -> None:
    """write_memory stores any description and any body unchanged."""
    file.reset()
    lab.write(file, lab.NAME, description, body)
    page = lab.read_page(file, lab.NAME)
    if description.strip() not in page:
        fail(file, f"wrote a page without the description, expected {description.strip()!r} in it")
    if not page.rstrip().endswith(body.strip()):
        fail(file, f"wrote a page that ends with {page[-60:]!r}, expected the body {body.strip()!r} there")


@CHECKS.add("write", name=lab.names)
def says_what_it_wrote(file: LearnerFile, name: str) -> None:
    """write_memory prints 'wrote memory/<name>.md'."""
    file.reset()
    lab.write(file, name, lab.DESCRIPTION, lab.BODY)
    if f"wrote memory/{name}.md" not in lab.printed_lines(file):
        fail(file, f"printed {lab.format_printed(file)}, expected the line 'wrote memory/{name}.md'")


@CHECKS.add("write", writes=st.lists(st.tuples(lab.names, st.sampled_from(lab.WORDS)), min_size=1, max_size=6))
def keeps_one_row_for_each_name(file: LearnerFile, writes: list[tuple[str, str]]) -> None:
    """The index has one row for each name, '- [name](name.md) -- description', however often the name is written."""
    file.reset()
    latest = dict(writes)
    for name, description in writes:
        lab.write(file, name, description, lab.BODY)
    rows = lab.read_index_rows(file)
    for name, description in latest.items():
        row = f"- [{name}]({name}.md) -- {description}"
        mine = [line for line in rows if line.startswith(f"- [{name}](")]
        if len(mine) != 1:
            fail(file, f"left {plural(len(mine), 'row')} for {name} in the index, expected one: {row!r}")
        if mine != [row]:
            fail(file, f"left the row {mine[0]!r} in the index, expected {row!r}")
    if len(rows) != len(latest):
        fail(file, f"left {plural(len(rows), 'row')} in the index, expected {len(latest)}: one for each name")


@CHECKS.add("write")
def rewrites_the_page_of_a_name(file: LearnerFile) -> None:
    """Writing a name again replaces its page, header included."""
    file.reset()
    lab.write(file, lab.NAME, "what we used to install with", "npm.")
    lab.write(file, lab.NAME, lab.DESCRIPTION, lab.BODY)
    lab.expect_header(file, lab.NAME, lab.DESCRIPTION)


@CHECKS.add("recall", body=lab.bodies, spelled=st.sampled_from(SPELLED), next_day=st.sampled_from([*[False] * 5, True]))
def gives_the_body(file: LearnerFile, body: str, spelled: tuple[str, str], *, next_day: bool) -> None:
    """recall returns the body of the memory whose description matches, in any letter case, also in a new process."""
    question, description = spelled
    body = body.strip()
    file.reset()
    lab.write(file, lab.NAME, description, body)
    lab.write(file, "ferry", "winter timetable", "At nine.")
    if next_day:
        file.restart()
    answer = file.call("recall", question)
    bare = ", without white space around it" if str(answer).strip() == body else ""
    expect_exactly(answer, body, f"the body of {lab.NAME}{bare}", file)


@CHECKS.add("recall")
def gives_none_where_nothing_matches(file: LearnerFile) -> None:
    """recall returns None if no description shares a word with the question, or nothing is stored."""
    file.reset()
    lab.expect(file.call("recall", lab.QUESTION), None, "None: nothing has been written yet", file)
    lab.write(file, lab.NAME, lab.DESCRIPTION, lab.BODY)
    lab.expect(file.call("recall", "zebra"), None, "None: no description has that word", file)


@CHECKS.add("recall", words=lab.some_words, shared=st.integers(0, 3))
def one_shared_word_is_enough(file: LearnerFile, words: list[str], shared: int) -> None:
    """One word that the question and the description share is enough, however many other words they have."""
    file.reset()
    lab.write(file, lab.NAME, " ".join(words[:4]), lab.BODY)
    answer = file.call("recall", " ".join([*words[4:7], words[shared]]))
    lab.expect(answer, lab.BODY, f"the body of {lab.NAME}, whose description shares one word with it", file)


@CHECKS.add("recall", words=lab.some_words, best=st.integers(0, 2))
def opens_the_best_match(file: LearnerFile, words: list[str], best: int) -> None:
    """recall returns the memory that shares the most words with the question, wherever it is in the index."""
    file.reset()
    described = [f"{words[2]} {words[4]}", f"{words[3]} {words[5]}"]
    described.insert(best, f"{words[0]} {words[1]}")
    for number, description in enumerate(described):
        lab.write(file, f"fact-{number}", description, f"Body number {number}.")
    answer = file.call("recall", f"{words[2]} {words[0]} {words[1]} {words[3]}")
    lab.expect(answer, f"Body number {best}.", f"the body of fact-{best}, which shares two words with it", file)


@CHECKS.add("recall")
def reads_the_descriptions_only(file: LearnerFile) -> None:
    """recall searches descriptions only, not bodies or types."""
    file.reset()
    lab.write(file, "crane", "harbour crane weight", "Nine tons.")
    lab.write(file, "ferry", "winter timetable", "The harbour crane weight is not told here, and no project either.")
    lab.expect(file.call("recall", "harbour crane weight"), "Nine tons.", "the body of crane", file)
    lab.expect(file.call("recall", "told project"), None, "None: no description has these words", file)


@CHECKS.add("recall", older=lab.bodies, body=lab.bodies)
def gives_the_body_whole_and_newest(file: LearnerFile, older: str, body: str) -> None:
    """recall returns the complete newest body without the header; lines of dashes in the body are kept."""
    file.reset()
    lab.write(file, lab.NAME, lab.DESCRIPTION, older)
    lab.write(file, lab.NAME, lab.DESCRIPTION, body)
    lab.expect(file.call("recall", lab.QUESTION), body.strip(), f"all of the newest body: {body.strip()!r}", file)


@CHECKS.add("recall")
def reads_the_page_as_it_is_now(file: LearnerFile) -> None:
    """recall reads the page at every call: if a person edits the body, recall returns the edited body."""
    file.reset()
    lab.write(file, lab.NAME, lab.DESCRIPTION, "npm.")
    for old, new in (("npm.", "yarn."), ("yarn.", lab.BODY)):
        lab.expect(file.call("recall", lab.QUESTION), old, f"the body of {lab.NAME}", file)
        text = lab.read_page(file, lab.NAME)
        file.write(f"memory/{lab.NAME}.md", text.replace(old, new))
        lab.note_change(file, f"in memory/{lab.NAME}.md, {old!r} is now {new!r}")
    lab.expect(file.call("recall", lab.QUESTION), lab.BODY, f"the body that memory/{lab.NAME}.md has now", file)


@CHECKS.add("recall")
def reads_the_index_as_it_is_now(file: LearnerFile) -> None:
    """recall reads the index at every call: if a person edits a description, recall compares the edited one."""
    file.reset()
    lab.write(file, "ferry", "winter timetable", "At nine.")
    lab.expect(file.call("recall", "winter timetable"), "At nine.", "the body of ferry", file)
    rows = "\n".join(lab.read_index_rows(file))
    file.write(lab.INDEX, rows.replace("winter timetable", "harbour crane") + "\n")
    lab.note_change(file, f"in {lab.INDEX}, the description of ferry is now 'harbour crane'")
    lab.expect(file.call("recall", "harbour crane"), "At nine.", "the body of ferry, by its new description", file)
    lab.expect(file.call("recall", "winter timetable"), None, "None: no description has these words now", file)


@CHECKS.add("stale")
def writes_the_stale_fact(file: LearnerFile) -> None:
    """plant_stale writes deploy-script-old, of type reference, which names scripts/old_deploy.sh."""
    file.reset()
    file.call("plant_stale")
    if f"wrote memory/{PLANTED}.md" not in lab.printed_lines(file):
        fail(file, f"printed {lab.format_printed(file)}, expected the line 'wrote memory/{PLANTED}.md'")
    lab.expect_header(file, PLANTED, "where the deploy script lives", "reference")
    if (body := f"To ship, run {GONE} from the repo root.") not in lab.read_page(file, PLANTED):
        fail(file, f"wrote another body, expected {body!r}")


@CHECKS.add("stale")
def can_be_planted_twice(file: LearnerFile) -> None:
    """plant_stale called twice leaves one fact, not two."""
    file.reset()
    file.call("plant_stale")
    file.call("plant_stale")
    if len(rows := lab.read_index_rows(file)) != 1:
        fail(file, f"left {plural(len(rows), 'row')} in the index, expected 1: it is the same fact")


@CHECKS.add("verify", name=st.sampled_from(["run", "scripts/deploy", "conf/main-2"]) | folders, ending=Each(ENDINGS))
def looks_for_paths(file: LearnerFile, name: str, ending: str) -> None:
    """verify_before_trust reports a path that does not exist, and no path that does."""
    path = f"{name}.{ending}"
    memory = f"To begin, open {path} from the root."
    file.reset()
    lab.must_doubt(file, memory, f"{path} does not exist", f"path does not exist: {path}")
    file.reset([path])
    lab.must_trust(file, memory, f"{path} exists")


@CHECKS.add("verify", name=st.sampled_from(VARIABLES), values=st.lists(st.sampled_from(VALUES), min_size=3, max_size=5))
def looks_for_variables(file: LearnerFile, name: str, values: list[str | None]) -> None:
    """verify_before_trust reports an environment variable that is not set or is empty."""
    memory = f"The tests need the env var {name} to be set."
    for value in values:
        file.reset(env={} if value is None else {name: value})
        if value:
            lab.must_trust(file, memory, f"{name} is set")
        else:
            why = f"{name} is {'not set' if value is None else 'set, but empty'}"
            lab.must_doubt(file, memory, why, f"env var is not set: {name}")


@CHECKS.add("verify", flags=st.permutations(FLAGS).map(lambda some: some[:2]), flag=Each(FLAGS))
def looks_for_flags(file: LearnerFile, flags: list[str], flag: str) -> None:
    """verify_before_trust reports a flag that is not in the registered help of its command."""
    file.reset(commands={"pnpm": f"usage: pnpm {' '.join(flags)}", "shipit": "usage: shipit --dry-run"})
    memory = f"Install with pnpm {flag} in this repo."
    if flag in flags:
        lab.must_trust(file, memory, f"the help of pnpm lists {flag}")
    else:
        lab.must_doubt(file, memory, f"the help of pnpm lists no {flag}", f"flag is not in the help: {flag}")


@CHECKS.add("verify", words=lab.some_words, turn=st.integers(0, 2))
def names_every_problem(file: LearnerFile, words: list[str], turn: int) -> None:
    """verify_before_trust names everything that is missing, and nothing that exists."""
    here, gone = f"{words[0]}.sh", [f"{words[1]}.sh", f"{words[2]}.py"]
    file.reset([here])
    named = ", then ".join([*gone[turn:], here, *gone[:turn]])
    answer = lab.must_doubt(file, f"First {named}, in this order.", f"{gone} do not exist")
    if missing := [path for path in gone if path not in answer]:
        fail(file, f"returned {answer}, expected a problem that names {missing[0]} too")
    if here in answer:
        fail(file, f"returned {answer}, expected no problem with {here}, which exists")


@CHECKS.add("verify", words=lab.some_words)
def has_nothing_against_plain_words(file: LearnerFile, words: list[str]) -> None:
    """verify_before_trust reports nothing for a memory without a path, a flag or a variable."""
    file.reset()
    lab.must_trust(file, f"The {' '.join(words)} stays where it is.", "it names nothing that could be missing")


@CHECKS.add("gate", name=lab.names, words=lab.some_words, ending=endings)
def serves_what_reality_confirms(file: LearnerFile, name: str, words: list[str], ending: str) -> None:
    """recall_and_trust returns the body if everything that it names exists."""
    path = f"scripts/{words[0]}.{ending}"
    file.reset([path])
    body = f"The {words[1]} is closed by {path}: a person starts it."
    lab.write(file, name, f"how we close the {words[1]} {words[2]}", body)
    answer = file.call("recall_and_trust", f"{words[2]} {words[1]}")
    lab.expect(answer, body, f"the body of {name}: {path} is there", file)


@CHECKS.add("gate")
def withholds_the_stale_fact_and_prints_why(file: LearnerFile) -> None:
    """recall_and_trust returns None for a stale fact and prints the STALE block, one line for each problem."""
    file.reset()
    file.call("plant_stale")
    lab.expect(file.call("recall_and_trust", "where is the deploy script"), None, f"None: {GONE} does not exist", file)
    block, printed = [lab.STALE, f"- path does not exist: {GONE}"], iter(lab.printed_lines(file))
    if not all(line in printed for line in block):  # in this order, perhaps among other lines
        fail(file, f"printed {lab.format_printed(file)}, expected the lines {block[0]!r} and '  {block[1]}'")


@CHECKS.add("gate")
def gives_none_for_nothing(file: LearnerFile) -> None:
    """recall_and_trust returns None and prints no STALE block if no memory matches."""
    file.reset()
    file.call("plant_stale")
    lab.expect(file.call("recall_and_trust", "zebra"), None, "None: no memory matches", file)
    if lab.STALE in lab.printed_lines(file):
        fail(file, "printed the STALE block, expected no such line: no memory matches, so nothing is stale")


@CHECKS.add("gate", words=lab.some_words, ending=endings, days=st.lists(st.booleans(), min_size=2, max_size=5))
def looks_again_each_time(file: LearnerFile, words: list[str], ending: str, days: list[bool]) -> None:
    """recall_and_trust checks the folder again at every call."""
    path = f"{words[0]}.{ending}"
    body = f"The {words[1]} is closed by {path}: a person starts it."
    file.reset()
    lab.write(file, words[2], f"{words[1]} {words[3]}", body)
    for there in days:
        file.write(path) if there else file.remove(path)
        lab.note_change(file, f"{path} is {'there' if there else 'not there'}")
        in_words = f"the body of {words[2]}: {path} is there" if there else f"None: {path} does not exist"
        lab.expect(file.call("recall_and_trust", f"{words[3]} {words[1]}"), body if there else None, in_words, file)
