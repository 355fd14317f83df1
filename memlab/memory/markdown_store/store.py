"""One fact per markdown file, and MEMORY.md with one line each: a store that a person can read and edit."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from errno import ELOOP
from pathlib import Path

from memlab.memory.facts import Fact, MayReplace, normalize_fact, subject
from memlab.memory.markdown_store import page
from memlab.memory.markdown_store.log import FactJournal
from memlab.memory.markdown_store.page import Page, content
from memlab.memory.storage import frontmatter
from memlab.memory.storage.lock import with_advice
from memlab.memory.text import Refused, digest, replace_surrogates, slug
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance, may_replace

Stamp = tuple[int, int, int]
"""The inode of a file, when it was changed, in nanoseconds, and its size."""
SETTLED = 20_000_000
"""In nanoseconds: a file changed more recently may change again within the same tick of the disk's clock."""
UNSETTLED: Stamp = (0, 0, 0)
"""The stamp of such a file: it is read again at the next check."""
_LINE = re.compile(r"- \[[^]]*\]\(facts/")


class FactFiles:
    """A FactStore as files: facts.jsonl has all facts; facts/<name>.md shows the current fact of a name.

    A person may read, edit, delete and add the markdown files; the store checks them before it answers. A file that a
    person edited or added is a fact from the user, and supersedes the current fact. Deleting a file withdraws the fact.
    A file restored as a store wrote it states that fact again, with its source. Superseded facts stay in the history.
    Current facts of a lower rank under the same name are in facts.jsonl only.

    A process reads every file once, and again only if it changed. For small stores: all facts are held in memory.
    `clock` returns the time of a person's change, when it is noticed.
    """

    def __init__(
        self, directory: Path, replaces: MayReplace = may_replace, clock: Callable[[], float] = time.time
    ) -> None:
        self._folder = directory / "facts"
        self._list = directory / "MEMORY.md"
        self._journal = FactJournal(directory / "facts.jsonl", replaces)
        self._clock = clock
        self._seen: dict[str, Stamp] = {}
        self._unread: dict[str, str] = {}

    @property
    def location(self) -> str:
        return self._list.name

    @property
    def unread(self) -> list[str]:
        """The files in the folder that are no facts, each with what to do; MEMORY.md lists them too."""
        self._check_files()
        return [f"facts/{ascii(name)[1:-1]}: {why}" for name, why in sorted(self._unread.items())]

    def put(self, fact: Fact) -> None:
        fact = normalize_fact(fact)
        with self._journal.lock.hold():
            self._record_edits()
            self._journal.put(fact)
            try:
                self._update_files()
            except OSError as error:
                advice = "the fact is stored in facts.jsonl, and its file will show it after the next check"
                raise with_advice(error, Path(error.filename), advice) from error

    def get(self, identity: str) -> Fact | None:
        return self._facts().get(replace_surrogates(identity))

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """See FactStore.search. The score is the number of words shared with the question."""
        wanted = set(question)
        latest = [fact for fact in reversed(self._facts().values()) if bool(fact.superseded_by) == retired]
        shared = [(len(wanted & self._journal.words[fact.id]), fact) for fact in latest]
        ranked = [fact for score, fact in sorted(shared, key=lambda item: (-item[0], -item[1].importance)) if score]
        trusted = [fact for fact in ranked if fact.rank > NOT_TRUSTED]
        return trusted[:limit] + [fact for fact in ranked if fact.rank == NOT_TRUSTED][:limit]

    def version(self) -> object:
        self._check_files()
        return self._journal.version

    def rivals(self, fact: Fact) -> list[Fact]:
        self._check_files()
        return self._journal.rivals(fact)

    def history(self, name: str) -> list[Fact]:
        self._check_files()
        return self._journal.history(subject(name))

    def as_of(self, time: float) -> list[Fact]:
        known = {fact.id for fact in self._facts().values() if fact.origin.time <= time}
        return [fact for fact in self._journal.facts.values() if fact.id in known and fact.superseded_by not in known]

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        wanted = set(map(replace_surrogates, ids))
        return {fact.id for fact in self._facts().values() if not wanted.isdisjoint(fact.origin.derived_from)}

    def erase(self, ids: Collection[str]) -> None:
        self.tombstone(self._facts().keys() & set(map(replace_surrogates, ids)))

    def tombstone(self, ids: Collection[str]) -> None:
        """See FactStore.tombstone. Files are removed first: after a crash, the log still names a file that remains."""
        if not ids:
            return
        erased = set(map(replace_surrogates, ids))
        with self._journal.lock.hold():
            self._record_edits()
            names = [name for name, identity in self._journal.shown.items() if identity in erased]
            if names:
                self._journal.show(dict.fromkeys(names, ""))
            for path in (*map(self._path, names), *self._folder.glob("*.md.new")):
                _remove(path)
            self._journal.tombstone(erased)
            self._update_files()

    def statements(self) -> Iterator[Fact]:
        return iter([*self._facts().values()])

    def tombstones(self) -> set[str]:
        self._check_files()
        return set(self._journal.tombstones)

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        facts, known = self._facts(), self._journal.words
        counts = Counter(word for identity in facts for word in known[identity].intersection(question))
        return counts, len(facts)

    def close(self) -> None:
        self._journal.close()
        self._seen = {}

    def _facts(self) -> dict[str, Fact]:
        self._check_files()
        return self._journal.facts

    def _check_files(self) -> None:
        """Take over the changes of other processes and people since the last check."""
        if self._journal.changed or self._stamps() != self._seen:
            with self._journal.lock.hold():
                self._record_edits()
                self._update_files()

    def _record_edits(self) -> None:
        """Record what people changed in the files since the last check."""
        self._journal.catch_up()
        stamps, before = self._stamps(), self._seen
        now = time.time_ns()  # the disk's clock, not that of the facts
        self._seen = {place: stamp if now - stamp[1] > SETTLED else UNSETTLED for place, stamp in stamps.items()}
        self._unread = {name: why for name, why in self._unread.items() if str(self._folder / name) in stamps}
        for place in sorted(place for place, stamp in stamps.items() if stamp != before.get(place)):
            if place != str(self._list):
                self._read(Path(place))
        for name, shown in sorted(self._journal.shown.items()):
            current = self._journal.current_fact(name) if shown else None
            if current and current.id == shown and str(self._path(name)) not in stamps:
                withdrawal = self._by_hand(Fact(name, ""))
                self._journal.put(replace(withdrawal, superseded_by=withdrawal.id))

    def _read(self, path: Path) -> None:
        """Read one file that changed, and store its fact unless the store itself wrote it."""
        self._unread.pop(path.name, None)
        try:
            page = _page(path)
        except (Refused, OSError) as error:
            self._unread[path.name] = str(error)
            return
        name, journal = path.stem, self._journal
        current, shown = journal.current_fact(name), journal.facts.get(journal.shown.get(name, ""))
        if content(page.fact) in [content(fact) for fact in (current, shown) if fact]:
            return
        if page.untouched and page.fact.id in journal.tombstones:
            _remove(path)
            journal.show({name: ""})
        elif not page.fact.body.strip():
            self._unread[path.name] = "it says nothing; write the fact, or delete the file to withdraw it"
        else:
            fact = self._restated(page.fact) if page.untouched else self._by_hand(page.fact)
            journal.put(fact)
            # the file is not rewritten: the person may have it open in an editor
            journal.show({name: fact.id})

    def _by_hand(self, fact: Fact) -> Fact:
        """Return a fact that a person wrote, with the user as its source and the present time."""
        now, number = self._clock(), len(self._journal.facts) + len(self._journal.tombstones)
        identity = digest("by hand", fact.name, fact.body, repr(now), str(number))
        return replace(fact, origin=Provenance("user", "", now, identity), rank=USER)

    def _restated(self, fact: Fact) -> Fact:
        """Return a fact that a person restored, with its source and the present time."""
        if fact.id not in self._journal.facts:  # another store wrote it
            return fact
        again = self._by_hand(fact).origin
        origin = replace(fact.origin, time=again.time, id=again.id, derived_from=(fact.id,))
        return replace(fact, origin=origin)

    def _update_files(self) -> None:
        """Update the files to show the current facts; a file that does so already is not written."""
        journal, shows = self._journal, dict[str, str]()
        current = {name: journal.current_fact(name) for name in sorted(journal.named)}
        for name in sorted(current.keys() | journal.shown.keys()):
            fact = current.get(name)
            identity = fact.id if fact else ""
            if journal.shown.get(name, "") != identity:
                self._show(self._path(name), fact)
                shows[name] = identity
        if shows:
            journal.show(shows)
        self._write_list([fact for fact in current.values() if fact])

    def _show(self, path: Path, fact: Fact | None) -> None:
        """Write the fact to its file, or remove the file; a file there that is no fact is renamed to *.unread."""
        if path.name in self._unread:
            path.rename(path.with_name(path.name + ".unread"))
            del self._unread[path.name]
        if fact:
            page.write(path, fact)
        else:
            _remove(path)

    def _write_list(self, facts: Collection[Fact]) -> None:
        """Write MEMORY.md: a line for each fact and each file not read, after what a person wrote there."""
        before = frontmatter.decode(self._list.read_bytes()) if self._list.exists() else ""
        lines = [line for line in before.splitlines() if not _LINE.match(line)]
        lines += [f"- [{fact.name}](facts/{fact.name}.md) -- {' '.join(fact.description.split())}" for fact in facts]
        for name, why in sorted(self._unread.items()):
            lines.append(f"- [not read](facts/) -- {ascii(name)[1:-1]}: {' '.join(why.split())}")
        text = "".join(f"{line}\n" for line in lines)
        if text != before:
            frontmatter.replace(self._list, text)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.md"

    def _stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all files that a person may have changed."""
        try:
            with os.scandir(self._folder) as entries:
                places = [entry.path for entry in entries if entry.name.endswith(".md") and entry.name[0] != "."]
        except FileNotFoundError:
            places = []
        stamps = {}
        for place in [str(self._list), *places]:
            with suppress(FileNotFoundError):
                status = _status(place)
                stamps[place] = (status.st_ino, status.st_mtime_ns, status.st_size)
        return stamps


def _status(place: str) -> os.stat_result:
    """Return the status of a file; for a link that leads to itself, that of the link."""
    try:
        return os.stat(place)  # noqa: PTH116 - called for every file at every check
    except OSError as error:
        if error.errno != ELOOP:
            raise
        return os.lstat(place)


def _remove(path: Path) -> None:
    """Remove a file; for a link also its target, because the store wrote there."""
    Path(os.path.realpath(path)).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def _page(path: Path) -> Page:
    """Read a fact's file. Raises Refused or OSError, with what to do, if it is no fact."""
    if slug(path.stem) != path.stem:
        raise Refused(f"a name is a slug; rename it to {slug(path.stem)}.md")
    if not path.is_file():
        raise Refused("it is no file; move it elsewhere")
    return page.read(path)
