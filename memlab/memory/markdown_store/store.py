"""One fact per markdown file, and MEMORY.md with one line each: a store that a person can read, edit and mend."""

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
"""A file changed less than so many nanoseconds ago may be changed again within the same tick of the disk's clock."""
UNSETTLED: Stamp = (0, 0, 0)
"""In place of the stamp of such a file: it is read again at the next look, and missed if it is deleted before."""
_LINE = re.compile(r"- \[[^]]*\]\(facts/")


class FactFiles:
    """The fact store as files: facts.jsonl holds all that was told, facts/<name>.md shows what stands, one file a name.

    The files are a person's to read, edit, delete and make, and the store looks at them before it answers. What a hand
    has changed or made is from then on the user's word, and supersedes what stood; a file deleted withdraws what stood;
    a file put back as a store once wrote it says again what it said, by whoever said it. Nothing of that is lost: what
    stood before stays in the history. What ranks lower under the same name stands in facts.jsonl only.

    A process reads every file once; after that a search opens those that have changed since the last look, and no
    other. Small stores only: all facts are held in memory. `clock` gives the time of what a hand did, when it is seen.
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
        """See FactStore.location."""
        return self._list.name

    @property
    def unread(self) -> list[str]:
        """Name the files in the folder that are none of a fact, each with what to do; MEMORY.md lists them too."""
        self._look()
        return [f"facts/{ascii(name)[1:-1]}: {why}" for name, why in sorted(self._unread.items())]

    def put(self, fact: Fact) -> None:
        """See FactStore.put."""
        fact = normalize_fact(fact)
        with self._journal.lock.hold():
            self._notice()
            self._journal.put(fact)
            try:
                self._mend()
            except OSError as error:
                advice = "the fact is kept in facts.jsonl, and its file will show it after the next look"
                raise with_advice(error, Path(error.filename), advice) from error

    def get(self, identity: str) -> Fact | None:
        """See FactStore.get."""
        return self._told().get(replace_surrogates(identity))

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """See FactStore.search. What shares more words with the question is better."""
        asked = set(question)
        latest = [fact for fact in reversed(self._told().values()) if bool(fact.superseded_by) == retired]
        shared = [(len(asked & self._journal.words[fact.id]), fact) for fact in latest]
        ranked = [fact for score, fact in sorted(shared, key=lambda one: (-one[0], -one[1].importance)) if score]
        trusted = [fact for fact in ranked if fact.rank > NOT_TRUSTED]
        return trusted[:limit] + [fact for fact in ranked if fact.rank == NOT_TRUSTED][:limit]

    def version(self) -> object:
        """See FactStore.version."""
        self._look()
        return self._journal.version

    def rivals(self, fact: Fact) -> list[Fact]:
        """See FactStore.rivals."""
        self._look()
        return self._journal.rivals(fact)

    def history(self, name: str) -> list[Fact]:
        """See FactStore.history."""
        self._look()
        return self._journal.history(subject(name))

    def as_of(self, time: float) -> list[Fact]:
        """See FactStore.as_of."""
        said = {fact.id for fact in self._told().values() if fact.origin.time <= time}
        return [fact for fact in self._journal.told.values() if fact.id in said and fact.superseded_by not in said]

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """See FactStore.derived_ids."""
        wanted = set(map(replace_surrogates, ids))
        return {fact.id for fact in self._told().values() if not wanted.isdisjoint(fact.origin.derived_from)}

    def erase(self, ids: Collection[str]) -> None:
        """See FactStore.erase."""
        self.tombstone(self._told().keys() & set(map(replace_surrogates, ids)))

    def tombstone(self, ids: Collection[str]) -> None:
        """See FactStore.tombstone. Files are removed first: after a crash, a file that is left is found in the log."""
        if not ids:
            return
        doomed = set(map(replace_surrogates, ids))
        with self._journal.lock.hold():
            self._notice()
            names = [name for name, identity in self._journal.shown.items() if identity in doomed]
            if names:
                self._journal.show(dict.fromkeys(names, ""))
            for path in (*map(self._path, names), *self._folder.glob("*.md.new")):
                _remove(path)
            self._journal.tombstone(doomed)
            self._mend()

    def statements(self) -> Iterator[Fact]:
        """See FactStore.statements."""
        return iter([*self._told().values()])

    def tombstones(self) -> set[str]:
        """See FactStore.tombstones."""
        self._look()
        return set(self._journal.tombstones)

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """See FactStore.frequency."""
        held = Counter(
            word for identity in self._told() for word in self._journal.words[identity].intersection(question)
        )
        return held, len(self._journal.told)

    def close(self) -> None:
        """See FactStore.close."""
        self._journal.close()
        self._seen = {}

    def _told(self) -> dict[str, Fact]:
        self._look()
        return self._journal.told

    def _look(self) -> None:
        """Take in what other processes and people have done since the last look."""
        if self._journal.changed or self._stamps() != self._seen:
            with self._journal.lock.hold():
                self._notice()
                self._mend()

    def _notice(self) -> None:
        """Take what people have done to the files for what it says."""
        self._journal.catch_up()
        stamps, before = self._stamps(), self._seen
        now = time.time_ns()  # the disk's own clock, which is not that of the facts
        self._seen = {place: stamp if now - stamp[1] > SETTLED else UNSETTLED for place, stamp in stamps.items()}
        self._unread = {name: why for name, why in self._unread.items() if str(self._folder / name) in stamps}
        for place in sorted(place for place, stamp in stamps.items() if stamp != before.get(place)):
            if place != str(self._list):
                self._read(Path(place))
        for name, shown in sorted(self._journal.shown.items()):
            stands = self._journal.foremost(name) if shown else None
            if stands and stands.id == shown and str(self._path(name)) not in stamps:
                gone = self._by_hand(Fact(name, ""))
                self._journal.put(replace(gone, superseded_by=gone.id))

    def _read(self, path: Path) -> None:
        """Read one file that has changed; what it says, if that is not what the store has written there, is told."""
        self._unread.pop(path.name, None)
        try:
            page = _page(path)
        except (Refused, OSError) as error:
            self._unread[path.name] = str(error)
            return
        name, journal = path.stem, self._journal
        stands, shown = journal.foremost(name), journal.told.get(journal.shown.get(name, ""))
        if content(page.fact) in [content(one) for one in (stands, shown) if one]:
            return
        if page.untouched and page.fact.id in journal.tombstones:
            _remove(path)
            journal.show({name: ""})
        elif not page.fact.body.strip():
            self._unread[path.name] = "it says nothing; write the fact, or delete the file to withdraw it"
        else:
            said = self._restated(page.fact) if page.untouched else self._by_hand(page.fact)
            journal.put(said)
            # a file that says what stands now is left as the person left it, who may have it open in an editor
            journal.show({name: said.id})

    def _by_hand(self, fact: Fact) -> Fact:
        """Give what a person's hand has stated as the user's word, now."""
        now, place = self._clock(), len(self._journal.told) + len(self._journal.tombstones)
        identity = digest("by hand", fact.name, fact.body, repr(now), str(place))
        return replace(fact, origin=Provenance("user", "", now, identity), rank=USER)

    def _restated(self, fact: Fact) -> Fact:
        """Give what a store wrote, and a person put back, as said again now by who said it then."""
        if fact.id not in self._journal.told:  # another store wrote it
            return fact
        again = self._by_hand(fact).origin
        origin = replace(fact.origin, time=again.time, id=again.id, derived_from=(fact.id,))
        return replace(fact, origin=origin)

    def _mend(self) -> None:
        """Bring the views up to what stands; one that shows it already is left alone."""
        journal, shows = self._journal, dict[str, str]()
        foremost = {name: journal.foremost(name) for name in journal.names}
        for name in sorted(foremost.keys() | journal.shown.keys()):
            fact = foremost.get(name)
            identity = fact.id if fact else ""
            if journal.shown.get(name, "") != identity:
                self._show(self._path(name), fact)
                shows[name] = identity
        if shows:
            journal.show(shows)
        self._write_list([fact for fact in foremost.values() if fact])

    def _show(self, path: Path, fact: Fact | None) -> None:
        """Make the view of a name show a fact, or nothing; what stands in its place and is no fact is set aside."""
        if path.name in self._unread:
            path.rename(path.with_name(path.name + ".unread"))
            del self._unread[path.name]
        if fact:
            page.write(path, fact)
        else:
            _remove(path)

    def _write_list(self, facts: Collection[Fact]) -> None:
        """Write MEMORY.md: what a person wrote there stays, above one line for each fact and each file not read."""
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
        """Give the stamps of all files that a person may have changed."""
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
    """Give the status of a file; that of the link itself where it leads nowhere but to itself."""
    try:
        return os.stat(place)  # noqa: PTH116 - asked of every file at every look
    except OSError as error:
        if error.errno != ELOOP:
            raise
        return os.lstat(place)


def _remove(path: Path) -> None:
    """Remove a file, and with a link what it leads to: the store has written there."""
    Path(os.path.realpath(path)).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def _page(path: Path) -> Page:
    """Read a fact's file. Raises Refused or OSError, with what to do, if it is none."""
    if slug(path.stem) != path.stem:
        raise Refused(f"a name is a slug; rename it to {slug(path.stem)}.md")
    if not path.is_file():
        raise Refused("it is no file; move it elsewhere")
    return page.read(path)
