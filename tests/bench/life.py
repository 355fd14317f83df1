"""A long life, written equally to the reference and to the published Lab 07: `python life.py FOLDER EPISODES FACTS`.

The mixture, drawn from one seed: 20,000 made-up words, the one of rank r with a weight of 1 / (r + 9), so that the
commonest stand in every eighth episode and the rarest in one of ten thousand. Seven kinds of episodes: lines of a
tool's log, eight rows of a file read, tests, what the user and the agent say, paragraphs of the web (never trusted),
and every tenth a heartbeat that is told again and again. A line of the published log has 250 bytes, few beside what
tools print. A session has 200 episodes. Every third names a file or a function of a small source tree, and of ten that
do one names what is not there. In the first half of the log a task begins every 500 episodes; the last of them is still
at hand. A fact has a name of its own, and every twentieth is told a second time, in other words.

The reference is written through its own stores in this process, which prints one JSON object: the peak of its resident
memory in MB after each thing that it did, and the questions and events that come next. Nothing but the reference is
held in memory meanwhile.
"""

from __future__ import annotations

import json
import random
import re
import resource
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import accumulate, islice
from pathlib import Path

from memlab.memory import Fact, LiveWorld, MemoryMix, Provenance
from memlab.memory.episode import Episode
from memlab.memory.text import digest
from memlab.memory.trust import rank

SYLLABLES = re.findall("..", "bacedofiguhajokilemonupaqerasitaveewixyzu")
VOCABULARY = 20_000
FLATTENED = 9
ROWS = "\n".join(["row {n}: {} is at {worker} since {n}"] * 8)
KINDS = {
    "log": (30, "tool", "{} {} finished in {n} ms while {} {} {} held the {} {}"),
    "tool": (20, "tool", "read {path}\n" + ROWS),
    "turn": (10, "user", "can you see to the {} {} before {} meets the {} of {}"),
    "reply": (10, "agent", "the {} {} is mended: {} now waits for {} and {} {}"),
    "test": (10, "tool", "{n} tests of {call}() passed for {} {}; {} {} skipped, {} {} slow"),
    "page": (10, "web", "the {} {} of release {n} brings {} {} to {} and {}; " * 12),
    "heartbeat": (10, "tool", "heartbeat ok: worker {worker} of 20 is alive"),
}
FACTS = (
    ("tool", "The {} {} of {} stands in {path} and answers {} {} within {n} ms."),
    ("tool", "{path} reads {} {} from {}, then {} and {}."),
    ("user", "For the {} {} we ask {} first, since {} {} broke the {} {} once."),
    ("user", "Our {} {} lives beside {}; {} of {} looks after it."),
    ("user", "Whoever touches {} {} tells {} and {} before {} begins."),
    ("user", "The {} meets every {} of the month to talk of {} {} and {}."),
    ("agent", "The {} of {} needs {} {} until {} {} and {} arrive."),
    ("agent", "Under load the {} {} falls back to {}, which {} {} measured."),
    ("web", "The {} {} keeps {} {} for {n} days, says the manual of {}."),
    ("web", "In release {n} of {} the {} {} gave way to {} {} and {}."),
)
QUESTIONS = ("where is the {} {} for the {}", "who sees to {} and {}", "what does {} do for {} {} of {}", "{} {} {}")
TASKS = ("ship the {} {} once the {} holds", "mend the {} of {} and {}", "find out why {} {} lost the {}")
RULES = "Prefer pnpm; never mix package managers", "Ship only when the smoke test is green", "Ask before you delete"
TODO = "read the log", "mend the build", "run the smoke test", "ship", "tell the team"
SESSION, TASK_EVERY, AGAIN = 200, 500, 20
ASKED, NEXT = 200, 5000
FIRST_DAY = 1_700_000_000.0


class Mixture:
    """Words, episodes and facts from a seed; the same seed tells the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a simulation
        spelling = random.Random(0)  # noqa: S311 - every mixture has the same words
        made: dict[str, None] = {}
        while len(made) < VOCABULARY:
            syllables = spelling.choices(SYLLABLES, k=3)
            made["".join(syllables) + spelling.choice(["", "n", "r", "th", "ing", "ed", "er", "s", "tion"])] = None
        self._words, self._known = list(made), made
        self._weights = list(accumulate(1 / (rank + FLATTENED) for rank in range(1, VOCABULARY + 1)))
        self.paths = [f"src/{self._words[at]}/{self._words[at + 1]}.py" for at in range(0, 80, 2)]

    def say(self, template: str) -> str:
        """Fill a template with words, a number, a file of the tree, a worker."""
        path = self._random.choice(self.paths) if self._random.random() < 0.9 else "src/gone.py"
        drawn = self._random.choices(self._words, cum_weights=self._weights, k=template.count("{}"))
        number, worker = self._random.randrange(5000), self._random.randrange(20)
        return template.format(*drawn, n=number, path=path, call=Path(path).stem, worker=worker)

    def ask(self, templates: Sequence[str], text: str) -> str:
        """Ask about a text in words of its own; of a heartbeat, which has none, in common ones."""
        spoken = [word for word in dict.fromkeys(re.findall(r"\w+", text)) if word in self._known]
        self._random.shuffle(spoken)
        return self._random.choice(templates).format(*spoken, *self._words[:5])

    def random_episodes(self) -> Iterator[tuple[str, str, str]]:
        """Yield (kind, source, detail) for ever."""
        kinds, weights = list(KINDS), list(accumulate(weight for weight, _, _ in KINDS.values()))
        while True:
            for kind in self._random.choices(kinds, cum_weights=weights, k=1000):
                _, source, template = KINDS[kind]
                yield kind, source, self.say(template)

    def known(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield (name, source, description, body) for ever; every twentieth name comes twice."""
        number = 0
        while True:
            name, description = f"{self.say('{}-{}')}-{number}", self.say("{} {} of {}")
            for _ in range(1 + (number % AGAIN == 0)):
                source, template = self._random.choice(FACTS)
                yield name, source, description, self.say(template)
            number += 1


def main(folder: Path, episodes: int, facts: int) -> None:
    """Live it, and print what is to be known about it."""
    peaks = {"started": peak()}
    root(folder / "root")
    log(folder / "few", folder / "root", 10, 10, peaks)
    log(folder / "facts", folder / "root", 10, facts, peaks)
    log(folder / "many", folder / "root", episodes, facts, peaks)
    (folder / "empty").mkdir()
    after = Mixture(3)
    output = {
        "peaks": peaks,
        "questions": [after.ask(QUESTIONS, body) for _, _, _, body in islice(Mixture(1).known(), ASKED)],
        "tasks": [after.ask(TASKS, detail) for _, _, detail in islice(Mixture(2).random_episodes(), ASKED)],
        "episodes": list(islice(after.random_episodes(), NEXT)),
        "facts": [(f"next-{name}", *rest) for name, *rest in islice(after.known(), NEXT)],
    }
    json.dump(output, sys.stdout)


def log(folder: Path, root: Path, episodes: int, facts: int, peaks: dict[str, float]) -> None:
    """Tell both designs the same episodes and facts, and have the reference do everything that it can do."""
    with ExitStack() as open_files:
        mix = MemoryMix(folder / "ours", LiveWorld(root), keep=10 * episodes)  # a long log is what is measured
        open_files.callback(mix.close)
        (folder / "theirs" / "mix").mkdir(parents=True)
        their_rules = ["# Rules", *(f"- {rule}" for rule in RULES), ""]
        (folder / "theirs" / "mix" / "rules.md").write_text("\n".join(their_rules), encoding="utf-8")
        for rule in RULES:
            mix.write_rule(rule)
        their_facts = open_files.enter_context((folder / "theirs" / "mix" / "facts.json").open("w", encoding="utf-8"))
        separator = "{"
        for at, (name, source, description, body) in enumerate(islice(Mixture(1).known(), facts + facts // AGAIN)):
            origin = Provenance(source, f"session-{at // SESSION}", FIRST_DAY + at, digest(name, body))
            mix.facts.put(Fact(name, body, description, origin=origin, rank=rank(source)))
            their_facts.write(
                f"{separator}{json.dumps(name)}: {json.dumps({'description': description, 'body': body})}"
            )
            separator = ",\n"
        their_facts.write("}")
        their_log = open_files.enter_context((folder / "theirs" / "mix" / "episodes.jsonl").open("w", encoding="utf-8"))
        for at, (kind, source, detail) in enumerate(islice(Mixture(2).random_episodes(), episodes)):
            session, time = f"session-{at // SESSION}", FIRST_DAY + 60 * at
            origin = Provenance(source, session, time, digest(detail, str(at)))
            mix.episodes.append(Episode(kind, detail, origin, rank(source)))
            their_log.write(json.dumps({"kind": kind, "detail": detail}) + "\n")
            if at <= episodes // 2 and (episodes // 2 - at) % TASK_EVERY == 0:
                moved = Provenance("user", session, time + 1, digest("task", str(at)))
                mix.episodes.append(
                    Episode("task", TASKS[0].format("labs", "page", "build"), moved, step="task", todo=TODO)
                )
                moved = Provenance("agent", session, time + 2, digest("done", str(at)))
                mix.episodes.append(Episode("done", TODO[0], moved, step="done"))
        live(mix, folder.name, peaks)


def live(mix: MemoryMix, name: str, peaks: dict[str, float]) -> None:
    """Do everything that a memory does, and note the peak of resident memory after each."""
    peaks[f"{name}: written"] = peak()
    mixture = Mixture(4)
    mix.recall(mixture.say(QUESTIONS[0]))
    peaks[f"{name}: index caught up"] = peak()
    for at in range(50):
        mix.recall(mixture.say(QUESTIONS[at % len(QUESTIONS)]))
        mix.assemble(mixture.say(TASKS[at % len(TASKS)]), 300)
    peaks[f"{name}: recalled and assembled"] = peak()
    mix.promote()
    peaks[f"{name}: promoted"] = peak()
    for _ in mix.episodes.replay():
        pass
    peaks[f"{name}: replayed"] = peak()


def root(folder: Path) -> None:
    """Make the source tree that the memories speak of."""
    for path in Mixture(0).paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def {file.stem}(text: str) -> str:\n    return text\n" * 20, encoding="utf-8")


def peak() -> float:
    """Give the most memory in MB that this process has had resident.

    On Linux VmHWM says it: what getrusage says of a child begins with what its parent held when it was forked.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except FileNotFoundError:
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return int(status.split("VmHWM:")[1].split()[0]) / (1 << 10)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
