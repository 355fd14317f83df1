"""Times the reference beside bare FTS5, Chroma and LangGraph's SqliteStore: `make speed` runs it.

All hold the same texts (life.py) on the same disk, and each write is durable when it returns (fsync). Writes and
questions are timed by turns in one run. Vectors are computed before the clock starts: a product pays for its index, and
not for the embedder. Beside the wall time, which other work on the machine lengthens, stands the processor time of all
threads.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

import chromadb
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore
from mcp import ClientSession, StdioServerParameters, stdio_client

from memlab.memory import Fact, LiveWorld, MemoryMix, Provenance
from memlab.memory.trust import rank
from memlab.models.embedders import Embedder
from memlab.systems.products.langgraph_stores import index_of
from memlab.systems.products.product import HASHED
from tests.bench import life

TIMED, IMPORTS, K, BATCH = 200, 7, 5, 100
SERVE = ("-c", "from memlab.cli import app; app()", "serve")
Text = tuple[str, str, str, str]
"""A fact of life.py: name, source, description, body."""


@dataclass(frozen=True)
class Peer:
    """A store with a name: writes texts, each call durably, and searches."""

    name: str
    add: Callable[[Sequence[Text]], object]
    search: Callable[[str], object]


Spent = tuple[float, float]
"""Wall and processor time in ms: the median, and the mean, since the system counts it in steps."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a new folder")
    parser.add_argument("--texts", type=int, default=10_000, help="texts that each store holds")
    parser.add_argument("--served", type=int, default=100_000, help="facts behind the MCP server")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True)
    life.root(asked.folder / "root")
    print(f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores; {asked.texts:,} texts\n")
    _print_stores(_peers(asked.folder, asked.texts), asked.texts)
    _print_served(asked.folder, asked.served)
    _print_imports()
    print(f"load {os.getloadavg()[0]:.1f}")


def _texts(count: int) -> Iterable[Text]:
    return islice(life.Mixture(1).known(), count)


def _peers(folder: Path, count: int) -> list[Peer]:
    """Return the stores; each holds all texts but the last TIMED."""
    embedder = _prepared(count)
    peers = [_facts(folder), _log(folder), _bare(folder), _chroma(folder, embedder), _langgraph(folder, embedder)]
    texts = list(_texts(count - TIMED))
    for peer in peers:
        for start in range(0, len(texts), BATCH):
            peer.add(texts[start : start + BATCH])
    return peers


def _line(text: Text) -> str:
    name, _, description, body = text
    return f"{name}: {description}: {body}"


def _questions() -> list[str]:
    asks = life.Mixture(3)
    return [asks.ask(life.QUESTIONS, body) for _, _, _, body in _texts(TIMED)]


def _prepared(count: int) -> Embedder:
    """Return an embedder that has the vectors of all texts and questions."""
    known = [*map(_line, _texts(count)), *_questions()]
    vectors = dict(zip(known, HASHED.embed(known), strict=True))
    return replace(HASHED, embed=lambda texts: [vectors[text] for text in texts])


def _facts(folder: Path) -> Peer:
    mix = MemoryMix(folder / "facts", LiveWorld(folder / "root"), sync="always")

    def add(texts: Sequence[Text]) -> None:
        for name, source, description, body in texts:
            mix.write_fact(name, description, body, origin=Provenance(source, "today"))

    return Peer("memlab, facts", add, lambda asked: mix.recall(asked, K))


def _log(folder: Path) -> Peer:
    mix = MemoryMix(folder / "log", LiveWorld(folder / "root"), sync="always", keep=10**9)

    def add(texts: Sequence[Text]) -> None:
        for text in texts:
            mix.log_episode("log", _line(text), origin=Provenance(text[1], "today"))

    return Peer("memlab, episodes", add, lambda asked: mix.recall(asked, K))


def _bare(folder: Path) -> Peer:
    db = _durable(folder / "bare.db")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")

    def search(question: str) -> None:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        db.execute("SELECT text FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (match, K)).fetchall()

    def add(texts: Sequence[Text]) -> None:
        db.execute("BEGIN")
        db.executemany("INSERT INTO texts VALUES (?)", [(_line(text),) for text in texts])
        db.execute("COMMIT")

    return Peer("bare FTS5", add, search)


def _chroma(folder: Path, embedder: Embedder) -> Peer:
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(folder / "chroma"), settings)
    kept = client.create_collection("texts", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None)

    def add(texts: Sequence[Text]) -> None:
        lines = [_line(text) for text in texts]
        kept.add(ids=lines, documents=lines, embeddings=embedder.embed(lines))

    return Peer("Chroma", add, lambda asked: kept.query(query_embeddings=embedder.embed([asked]), n_results=K))


def _langgraph(folder: Path, embedder: Embedder) -> Peer:
    store = SqliteStore(_durable(folder / "langgraph.db"), index=index_of(embedder))
    store.setup()

    def add(texts: Sequence[Text]) -> None:
        lines = [_line(text) for text in texts]
        store.batch([PutOp(("texts",), line, {"text": line}) for line in lines])

    return Peer("LangGraph SqliteStore", add, lambda asked: store.search(("texts",), query=asked, limit=K))


def _durable(path: Path) -> sqlite3.Connection:
    """Return a database that syncs each transaction."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    return db


def _print_stores(peers: Sequence[Peer], count: int) -> None:
    last = list(islice(life.Mixture(1).known(), count - TIMED, count))
    added = _by_turns([[partial(peer.add, [text]) for text in last] for peer in peers])
    asked = _by_turns([[partial(peer.search, one) for one in _questions()] for peer in peers])
    print(f"{'ms: wall, processor (ours = 1)':32}{'add':>30}{'search':>30}")
    for peer, add, search in zip(peers, added, asked, strict=True):
        print(f"{peer.name:32}{_beside(add, added[0]):>30}{_beside(search, asked[0]):>30}")


def _by_turns(sides: Sequence[Sequence[Callable[[], object]]]) -> list[Spent]:
    """Time the calls of the sides by turns, in random order: a sync also writes what others left."""
    spent: list[list[Spent]] = [[] for _ in sides]
    order = random.Random(0)  # noqa: S311 - an order
    for calls in zip(*sides, strict=True):
        turns = list(zip(calls, spent, strict=True))
        for call, own in order.sample(turns, len(turns)):
            wall, processor = time.perf_counter(), time.process_time()
            call()
            own.append((time.perf_counter() - wall, time.process_time() - processor))
    return [_summary(one) for one in spent]


def _summary(spent: Sequence[Spent]) -> Spent:
    walls, processor = zip(*spent, strict=True)
    return 1000 * median(walls), 1000 * sum(processor) / len(processor)


def _beside(own: Spent, ours: Spent) -> str:
    (wall, processor), ratios = own, [one / base for one, base in zip(own, ours, strict=True)]
    return f"{wall:.2f} {processor:.2f} ({ratios[0]:.2f} {ratios[1]:.2f})"


def _print_served(folder: Path, count: int) -> None:
    """Print how long a recall takes through the MCP server, for the official client over stdio."""
    with MemoryMix(folder / "served", LiveWorld(folder / "root"), sync="never") as mix:
        for name, source, description, body in _texts(count):
            mix.facts.put(
                Fact(name, body, description, origin=Provenance(source, "before", 1.0, name), rank=rank(source))
            )
        mix.recall("warm", K)
    walls, processor = zip(*(asyncio.run(_served(folder, questions)) for questions in ([], _questions())), strict=True)
    called = (processor[1] - processor[0]) / TIMED
    spent = f"median {median(walls[1]):.1f} ms, processor {called:.1f} ms with the client's"
    print(f"\nMCP recall at {count:,} facts: {spent}")


async def _served(folder: Path, questions: Sequence[str]) -> tuple[list[float], float]:
    """Return the wall time of each question, and the processor time of both processes, in ms."""
    arguments = [*SERVE, str(folder / "served"), "--root", str(folder / "root")]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    began, spent = _processor(), list[float]()
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.call_tool("recall", {"query": "warm"})
        for question in questions:
            asked = time.perf_counter()
            await session.call_tool("recall", {"query": question})
            spent.append(1000 * (time.perf_counter() - asked))
    return spent, _processor() - began


def _processor() -> float:
    """Return the processor time of this process and of its children that have ended, in ms."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 1000 * sum(one.ru_utime + one.ru_stime for one in used)


def _print_imports() -> None:
    """Print the processor time of an import in a new process, without that of Python itself."""
    statements = {"memlab.memory": "import memlab.memory", "mem0": "import mem0"}
    spent: dict[str, list[float]] = {name: [] for name in ("", *statements)}
    for _ in range(IMPORTS):
        for name, own in spent.items():
            before = _processor()
            subprocess.run([sys.executable, "-c", statements.get(name, "")], check=True)
            own.append(_processor() - before)
    python = median(spent[""])
    ours, theirs = (median(spent[name]) - python for name in statements)
    ratio = f"{theirs / ours:.1f} x (Python itself {python:.0f})"
    print(f"import, processor ms: memlab.memory {ours:.0f}, mem0 {theirs:.0f}: {ratio}")


if __name__ == "__main__":
    main()
