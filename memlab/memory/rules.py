"""How to act, always: rules.md, loaded every turn and written by a person's hand only."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from memlab.memory import frontmatter
from memlab.memory.context import one_line
from memlab.memory.lock import Lock
from memlab.memory.naming import Refused

_BULLET = r"(?:[-*+]|\d+[.)])[ \t]+"
_RULE = re.compile(rf"^[ \t]*{_BULLET}(?P<text>.*(?:\n[ \t]+(?!{_BULLET})\S.*)*)(?:\n|\Z)", re.MULTILINE)
_MARK = re.compile(r"\s*<!-- (?P<name>[\w-]+)(?: (?P<id>\S+))? -->$")


@dataclass(frozen=True, slots=True)
class Rule:
    """One standing order of the user, under the name by which it is replaced or withdrawn."""

    name: str
    text: str
    id: str = ""


class Rules:
    """rules.md: each list item is a rule, with the lines that it goes on in; read again only when the file changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int] = (0, 0)
        self._rules: tuple[Rule, ...] = ()
        self._lock = Lock(path)

    def all(self) -> tuple[Rule, ...]:
        """Give the rules in their order."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return ()
        if (status.st_mtime_ns, status.st_size) != self._seen:
            self._rules = tuple(rule for rule in map(_rule, _RULE.finditer(self._text())) if rule.text)
            self._seen = (status.st_mtime_ns, status.st_size)
        return self._rules

    def put(self, rule: Rule) -> None:
        """Add a rule, or replace the one of its name; a rule without text is withdrawn. Raises Refused if unknown.

        All else that stands in the file stays as it is.
        """
        text = one_line(rule.text).replace("<!--", "<!- -")
        mark = f"{rule.name} {quote(rule.id, safe='', errors='surrogatepass')}".strip()
        fresh = [f"- {text}{f' <!-- {mark} -->' if mark else ''}\n"] if text else []
        with self._lock.held():
            known = [one.name for one in self.all() if one.name]
            if not text and rule.name not in known:
                raise Refused(f"rule {rule.name!r}: there is none to withdraw; known are: {', '.join(known) or 'none'}")
            after = self._without(lambda one: one.name == rule.name != "", fresh) or "# Rules\n"
            self._save("".join([after, "" if after.endswith("\n") else "\n", *fresh]))

    def erase(self, ids: Collection[str]) -> None:
        """Withdraw the rules with these ids."""
        with self._lock.held():
            if any(rule.id in ids for rule in self.all() if rule.id):
                self._save(self._without(lambda one: one.id in ids and one.id != "", []))

    def close(self) -> None:
        """Let go of the lock's file."""
        self._lock.close()

    def _without(self, gone: Callable[[Rule], bool], instead: list[str]) -> str:
        """Give the file's text without some rules; what is to stand `instead` is taken for the first of them."""

        def swapped(found: re.Match[str]) -> str:
            if not gone(_rule(found)):
                return found.group()
            return instead.pop() if instead else ""

        return _RULE.sub(swapped, self._text())

    def _save(self, text: str) -> None:
        frontmatter.replace(self.path, text)
        self._seen = (0, 0)

    def _text(self) -> str:
        return frontmatter.decode(self.path.read_bytes()) if self.path.exists() else ""


def _rule(found: re.Match[str]) -> Rule:
    text = " ".join(found["text"].split())
    mark = _MARK.search(text)
    if mark is None:
        return Rule("", text)
    return Rule(mark["name"], text[: mark.start()], unquote(mark["id"] or "", errors="surrogatepass"))
