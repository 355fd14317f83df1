"""The reference in a life of a million episodes and 100,000 facts, the published Lab 07 beside it, as ratios.

life.py tells both designs the same and says what the mixture is. Whatever is compared is timed by turns in this run.
`make bench` asks for the full size, MEMLAB_BENCH=full; `make test` asks the same of 10,000 episodes and 2,000 facts.
There the published design has less to read, and a bare query fewer rows to rank, so those limits are others.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import islice, product
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from timed_agents import Agent, Life, Seconds, Show, Side, Table, seconds

from memlab.memory import LiveWorld, MemoryMix, Provenance
from memlab.memory.retrieval.relevance import stems
from memlab.systems.labs.lab_file import load, published_file

FULL = os.environ.get("MEMLAB_BENCH") == "full"
EPISODES, FACTS = (1_000_000, 100_000) if FULL else (10_000, 2_000)
AHEAD_ASSEMBLING, AHEAD_WRITING, OF_A_QUERY = (10_000, 1_000, 3) if FULL else (20, 10, 60)
MOST_MEMORY = 100
"""In MB, resident, at the peak of a process that does everything."""
K = 5


Open = Callable[[str], Agent]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    folder = tmp_path_factory.mktemp("life")
    command = [sys.executable, str(Path(__file__).with_name("life.py")), str(folder), str(EPISODES), str(FACTS)]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    yield Life(folder, **json.loads(output))
    shutil.rmtree(folder)


@pytest.fixture
def ours(life: Life) -> Iterator[Open]:
    """Open the reference on one of the directories, until the test is over."""
    with ExitStack() as opened:

        def open_it(name: str) -> Agent:
            mix = MemoryMix(life.folder / name / "ours", LiveWorld(life.folder / "root"), keep=10**9)
            opened.callback(mix.close)
            return Agent(mix, life.coming(f"{name}/ours"))

        yield open_it


@pytest.fixture
def theirs(life: Life, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open the published design, which takes its files from the current directory."""

    def open_it(name: str) -> Agent:
        monkeypatch.chdir(life.folder / name / "theirs")
        return Agent(load(published_file("lab07")).MemoryMix(), life.coming(f"{name}/theirs"))

    return open_it


ByTurns = Callable[[Side, Side, int], tuple[Seconds, Seconds]]


@pytest.fixture
def by_turns(benchmark: BenchmarkFixture) -> ByTurns:
    """Give the seconds that two sides took, round by round: the first timed by pytest-benchmark, the second before."""

    def measure(ours: Side, other: Side, rounds: int) -> tuple[Seconds, Seconds]:
        others: list[float] = []

        def ready() -> None:
            other.prepare()
            others.append(seconds(other.act))
            ours.prepare()

        benchmark.pedantic(ours.act, setup=ready, rounds=rounds)  # type: ignore[no-untyped-call] # theirs
        assert benchmark.stats is not None
        return benchmark.stats.stats.data, others

    return measure


@pytest.fixture
def table(show: Show) -> Table:
    return Table(show)


def test_rules_recent_episodes_and_scratchpad_cost_the_same_however_long_the_log_is(
    ours: Open, by_turns: ByTurns, table: Table
) -> None:
    few, many = ours("few"), ours("many")
    measured = by_turns(Side(many.assemble, many.log), Side(few.assemble, few.log), 200)
    found = table.slower(f"rules, recent, scratchpad at {EPISODES:,} | at 10", *measured, 1.5)
    assert found <= 1.5


def test_the_prompt_of_a_running_agent_is_far_ahead_of_the_published_design(
    life: Life, ours: Open, theirs: Open, by_turns: ByTurns, table: Table
) -> None:
    """Before each prompt one more episode is logged; a turn is both. What is limited are its first 200 prompts."""
    few, many, task, tasks = ours("few"), ours("many"), life.tasks[0], iter(life.tasks)
    cold = [seconds(lambda: many.turn(task))]
    alone = [many.prompted(task) for _ in range(200)]
    same, at_ten = by_turns(Side(lambda: many.assemble(task), many.log), Side(lambda: few.assemble(task), few.log), 200)
    turns = [seconds(lambda: many.turn(task)) for _ in range(200)]
    new = [seconds(lambda: many.turn(next(tasks))) for _ in life.tasks]
    published_design = theirs("many")
    published_turn = [seconds(lambda: published_design.turn(task)) for _ in range(5)]
    table.slower(f"the whole prompt at {EPISODES:,} | at 10", same, at_ten)
    found = table.ahead("the whole prompt | published", alone, published_turn, AHEAD_ASSEMBLING)
    table.ahead("... the slowest tenth of them | published", sorted(alone)[-20:], published_turn)
    table.ahead("... with the episode before it | published", turns, published_turn)
    table.ahead("the first turn after opening | published", cold, published_turn)
    table.ahead("a turn with a new task each time | published", new, published_turn)
    table.ahead("... the slowest of them | published", [max(new)], published_turn)
    assert found >= AHEAD_ASSEMBLING


def test_a_fact_is_written_as_fast_among_many_as_among_few_and_far_ahead(
    ours: Open, theirs: Open, by_turns: ByTurns, table: Table
) -> None:
    few, many, published_design = ours("few"), ours("many"), theirs("many")
    among_many, among_few = by_turns(Side(many.write), Side(few.write), 200)
    published_write = [seconds(published_design.write) for _ in range(3)]
    found = table.slower(f"a fact written at {FACTS:,} | at 10", among_many, among_few, 3)
    assert found <= 3
    found = table.ahead("a fact written | published", among_many, published_write, AHEAD_WRITING)
    assert found >= AHEAD_WRITING


@pytest.mark.parametrize(
    ("name", "what", "files"),
    [
        ("facts", f"recall at {FACTS:,} facts | a bare FTS5 query", ["facts.db"]),
        ("many", f"... and {EPISODES:,} episodes | one of each", ["facts.db", "episodes.index"]),
    ],
)
def test_recall_costs_little_more_than_bare_queries_of_the_word_indexes(  # noqa: PLR0913 - the fixtures, and a case
    life: Life, ours: Open, by_turns: ByTurns, table: Table, *, name: str, what: str, files: list[str]
) -> None:
    mix, questions, looked_up = ours(name).mix, iter(life.questions), iter(life.questions)
    for question in life.tasks[:20]:
        mix.recall(question, K)
    with ExitStack() as opened:
        folder = life.folder / name / "ours"
        indexes = [opened.enter_context(closing(sqlite3.connect(folder / file))) for file in files]

        def bare() -> None:
            match = " OR ".join(f'"{word}"' for word in stems(next(looked_up)))
            for db in indexes:
                db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, K)).fetchall()

        measured = by_turns(Side(lambda: mix.recall(next(questions), K)), Side(bare), len(life.questions))
    found = table.slower(what, *measured, OF_A_QUERY)
    own, bare_one = max(zip(*measured, strict=True), key=lambda both: both[0] / both[1])
    table.slower("... of all questions the one with the worst ratio", [own], [bare_one])
    assert found <= OF_A_QUERY


def test_a_long_log_is_opened_as_fast_as_an_empty_one(life: Life, by_turns: ByTurns, table: Table) -> None:
    """The scratchpad is found again as well, though its task began half a log ago."""

    def open_it(folder: Path) -> None:
        with closing(MemoryMix(folder, LiveWorld(life.folder / "root"))) as mix:
            assert bool(mix.working.goal) == (folder != life.folder / "empty")
            list(islice(mix.episodes.recent(), 3))

    open_it(life.folder / "empty")
    log = life.folder / "many" / "ours"
    measured = by_turns(Side(lambda: open_it(log)), Side(lambda: open_it(life.folder / "empty")), 100)
    found = table.slower(f"opening {EPISODES:,} | an empty directory", *measured, 5)
    assert found <= 5


def test_ending_a_task_costs_the_same_however_long_the_log_is(ours: Open, by_turns: ByTurns, table: Table) -> None:
    """As much recurs in the short log: it was promoted before, and is looked at again at the end of every task."""
    few, many = ours("few"), ours("many")
    for worker, session in product(range(20), ("one", "two")):
        origin = Provenance("tool", session)
        few.mix.log_episode("heartbeat", f"heartbeat ok: worker {worker} of 20 is alive", origin=origin)

    def side(agent: Agent) -> Side:
        def begin() -> None:
            agent.log()
            agent.mix.set_task("ship it", ["build", "deploy"])

        begin()
        agent.mix.end_task()
        return Side(lambda: agent.mix.end_task("it is done"), begin)

    measured = by_turns(side(many), side(few), 50)
    found = table.slower(f"a task ended at {EPISODES:,} | at 50, as much recurring", *measured, 3)
    assert found <= 3
    many.mix.set_task("ship it", ["build", "deploy"])


def test_memory_stays_small_while_everything_is_done(life: Life, show: Show) -> None:
    """life.py notes the peak of its own resident memory after telling, indexing, recalling, promoting, replaying."""
    for what, peak in life.peaks.items():
        if "few" not in what:
            show(f"memory, {what}", f"{peak:,.0f} MB", f"{MOST_MEMORY} MB", peak / MOST_MEMORY, "<= 1")
    assert max(life.peaks.values()) <= MOST_MEMORY
