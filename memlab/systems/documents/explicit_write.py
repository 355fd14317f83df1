"""explicit-write: an agent keeps notes in files, by commands that are in the record of the run.

Source: Lab 07 (document 000): "Anthropic's memory tool makes the write explicit: the agent chooses to write, and the
write shows up in the run's record, so you can see exactly what it decided to remember." A script decides in place of
the agent: it writes when a turn asks for it, or gives another value for what a file says; never what the web says.

Writes: when a turn asks for it, or states another value for what a file says. Never what the web says.
Stores: one file a subject under /memories, by the six commands of the tool; every command is in the record.
Recalls: the best passage of each file that shares words with the question.
Prompt: rules, matching files, the list of files, and the progress, which survives a crash.
Wins: each write can be seen and undone. The web writes nothing, and a changed value replaces the old one in its file.
    With an oracle that decides, it passes more scenarios than any other row of the documents.
Loses: hardly any turn says "remember", so the script writes little. What is hard is the decision, not the store. A lie
    that the user repeats is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memlab.memory.context import one_line
from memlab.memory.retrieval.relevance import passages, stem_set
from memlab.models.extraction import Turn
from memlab.systems.documents.parts.bracket import Bracket
from memlab.systems.documents.parts.encoder import VectorIndex
from memlab.systems.documents.parts.extractor import sentences
from memlab.systems.documents.parts.memory_tool import ROOT, MemoryCommands, MemoryTool
from memlab.systems.documents.parts.prompt import Plan, Rules, compose, statement
from memlab.systems.documents.parts.records import Records
from memlab.systems.documents.parts.same_subject import SAME_SUBJECT, is_other_value
from memlab.systems.documents.parts.stand_ins import StandIns
from memlab.terms import Event, Memory, Workspace

LONGEST_NAME, WORDS_IN_NAME = 48, 4
"""[m] A file is named after its subject, or after the first four content words of what it says."""
DISTRUSTED = frozenset({"web", "document", "import", "other-agent", "unknown"})
"""[m] What these say is not written, unless the user repeats it."""
RULES_FILE, PROGRESS_FILE = f"{ROOT}/rules.md", f"{ROOT}/progress.md"
"""The user's rules; and goal and open to-dos, because the tool's prompt says to expect an interruption."""
_ASKED = re.compile(r"\b(remember|note that|from now on|we decided)\b", re.IGNORECASE)


class ExplicitWrite:
    """One file a subject. The agent views the folder first, and every command is in `commands.jsonl`.

    With `stand_ins`, what they extract is written, and not what a turn asks for: an agent with better judgement. `tool`
    runs the commands in place of a MemoryTool.
    """

    def __init__(
        self, workspace: Workspace, stand_ins: StandIns | None = None, tool: MemoryCommands | None = None
    ) -> None:
        self._stand_ins = stand_ins
        self._tool = tool or MemoryTool(workspace.directory / "memories")
        self._record = Records(workspace.directory / "commands.jsonl")
        self._rules = Rules(workspace.directory)
        self._plan = Plan()
        self._index = VectorIndex()
        for path in self._tool.names():
            self._index.put(path, self._tool.read(path))
        self._do("view", ROOT)

    def observe(self, event: Event) -> None:
        """Write what is worth keeping, if anything is."""
        if event.kind in {"task", "done", "end"}:
            self._plan.follow(event)
            self._put(PROGRESS_FILE, "\n".join(self._plan.lines()))
        if event.source in DISTRUSTED:
            return
        if event.kind == "rule":
            self._rules.follow(event)
            self._put(RULES_FILE, "\n".join(self._rules.lines()))
        elif event.kind in {"fact", "skill"}:
            self._put(_path(event.name) if event.name else _path_of_text(event.text), statement(event))
        elif event.kind == "turn":
            self._listen(event)

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return the best passage of each of the k files that share most content stems with the query."""
        asked = stem_set(query)
        found: list[tuple[int, str]] = []
        for path in self._files():
            parts = passages(self._tool.read(path))
            shared = {part: len(asked & stem_set(part)) for part in parts}
            best = max(parts, key=lambda part: shared[part], default="")
            if shared.get(best):
                found.append((shared[best], best))
        found.sort(key=lambda one: -one[0])
        return [Memory(text, (), "files", shared / len(asked)) for shared, text in found[:k]]

    def assemble(self, task: str, budget: int) -> str:
        """Return the rules, the list of files, the files that match the task, and last the progress."""
        rules, progress = (self._tool.read(path).splitlines() for path in (RULES_FILE, PROGRESS_FILE))
        matching = [one_line(memory.text) for memory in self.recall(task, len(self._tool.names()))]
        return compose(budget, rules, [*matching, *self._tool.view(ROOT).splitlines()], progress)

    def stored(self) -> list[str]:
        """Return the text of every file but the rules and the progress."""
        return [self._tool.read(path) for path in self._files()]

    def _listen(self, event: Event) -> None:
        """Write a turn that asks for it, or a sentence with another value for what a file says."""
        if self._stand_ins:
            for one in self._stand_ins.extract([Turn(event.source, event.text)]):
                self._put(self._file_about(one.fact) or _path_of_text(one.fact), one.fact)
        elif _ASKED.search(event.text):
            text = one_line(event.text)
            self._put(self._file_about(text) or _path_of_text(text), text)
        else:
            for sentence in sentences(event.text):
                if path := self._file_about(sentence):
                    self._put(path, sentence)

    def _file_about(self, sentence: str) -> str:
        """Return the file whose value a sentence changes, "" if there is none."""
        for path, score in self._index.nearest(sentence, 1):
            if score >= SAME_SUBJECT and is_other_value(self._tool.read(path), sentence):
                return path
        return ""

    def _put(self, path: str, text: str) -> None:
        """Create a file, change it, or delete it if there is nothing left to say."""
        old = self._tool.read(path)
        text = text.strip()
        if not text and old:
            self._do("delete", path)
        elif text and not old:
            self._do("create", path, f"{text}\n")
        elif text and old.strip() != text:
            self._do("str_replace", path, old, f"{text}\n")
        if path in self._files():
            self._index.put(path, text)

    def _do(self, command: str, *arguments: str | int) -> None:
        """Run a command of the tool and record it with its answer."""
        run: Callable[..., str] = getattr(self._tool, command)
        self._record[str(len(self._record))] = {"command": [command, *arguments], "answer": run(*arguments)}

    def _files(self) -> list[str]:
        return [path for path in self._tool.names() if path not in {RULES_FILE, PROGRESS_FILE}]


def _path_of_text(text: str) -> str:
    words = [word for word in re.findall(r"[a-z0-9]+", text.lower()) if stem_set(word)]
    return _path(" ".join(words[:WORDS_IN_NAME]))


def _path(subject: str) -> str:
    name = "-".join(re.findall(r"[a-z0-9]+", subject.lower()))[:LONGEST_NAME].strip("-")
    return f"{ROOT}/{name or 'note'}.md"


BRACKETS = (
    Bracket(
        "explicit-write",
        "Lab 07 (000), after Anthropic's memory tool: files written by command; a scripted agent.",
        "decides what to write",
        ExplicitWrite,
    ),
)
ENTRIES = tuple(entry for one in BRACKETS for entry in one.entries())
