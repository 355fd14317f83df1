"""How to act, always: rules.md, loaded every turn and written by a person's hand only."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from memlab.memory.context import one_line
from memlab.memory.storage import frontmatter
from memlab.memory.storage.lock import Lock
from memlab.memory.text import Refused

_BULLET = r"(?:[-*+]|\d+[.)])[ \t]+"
_MARK = r"<!--\s+(\w[\w-]*)(?:\s+((?!-->)\S+))?\s+-->(?=[ \t\r]*$)"
_COMMENT = rf"(?<!`)(?!{_MARK})<!--(?>{_MARK}|(?!<!--|-->).)*-->"
_FENCED = rf"^[ \t]*(?:{_BULLET})*(?P<fence>`{{3,}}(?=[^`\n]*$)|~{{3,}}+).*?\n[ \t]*(?P=fence)[`~]*(?=[ \t\r]*$)"
_NO_RULES = re.compile(rf"{_COMMENT}|{_FENCED}|\0", re.MULTILINE | re.DOTALL)
_BREAK = r"[ \t]*(?:(?:[-*+]|\d+[.)]|\#{1,6})(?:\s|\Z)|(?:---+|\*\*\*+|___+)[ \t\r]*$|>|\0)|<!--"
"""What no item goes on with: another item, a heading, a line across the page, a quotation, a comment, code."""
_RULE = re.compile(
    rf"^[ \t]*{_BULLET}(?P<text>.*(?:\n(?!{_BREAK})[ \t]*\S.*"  # the next line, however it is indented
    rf"|(?:\n[ \t\r\0]*)+\n(?!{_BREAK}|[ \t]*<!--)[ \t]+\S.*)*)(?:\n|\Z)",  # another paragraph, which is indented
    re.MULTILINE,
)
_MARKED = re.compile(_MARK, re.MULTILINE)
_TOLD = re.compile(rf"(?<!\S){_BULLET}.*{_MARK}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rule:
    """One standing order of the user, under the name by which it is replaced or withdrawn."""

    name: str
    text: str
    id: str = ""


class Rules:
    """rules.md: each list item is a rule, with the lines that it goes on in; read again only when the file changed.

    Comments and fenced code hold no rules; what is not closed is neither. Ours is the comment at the end of an item's
    line that holds a name and an id: it is the mark of a rule that was told, and hides nothing.
    """

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
            self._rules = _read(self._text())
            self._seen = (status.st_mtime_ns, status.st_size)
        return self._rules

    def put(self, rule: Rule) -> None:
        """Add a rule, or replace the one of its name; a rule without text is withdrawn. Raises Refused if unknown.

        All else that stands in the file stays as it is. Raises Refused too if something there would hide the rule.
        """
        text = one_line(rule.text).replace("<!--", "<!- -")
        mark = f"{rule.name} {quote(rule.id, safe='', errors='surrogatepass')}".strip()
        fresh = [f"- {text}{f' <!-- {mark} -->' if mark else ''}\n"] if text else []
        with self._lock.hold():
            known = [one.name for one in self.all() if one.name]
            if not text and rule.name not in known:
                raise Refused(f"rule {rule.name!r}: there is none to withdraw; known are: {', '.join(known) or 'none'}")
            after = self._without(lambda one: one.name == rule.name != "", fresh) or "# Rules\n"
            after = "".join([after, "" if after.endswith("\n") else "\n", *fresh])
            if text and text not in [one.text for one in _read(after)]:
                raise Refused(f"rule {text!r}: a comment or code in {self.path} would hide it; close that there first")
            self._save(after)

    def erase(self, ids: Collection[str]) -> None:
        """Withdraw the rules with these ids, also where a person has put them into a comment."""

        def left(told: re.Match[str]) -> str:
            return "" if _identity(told[2]) in ids and told[2] else told.group()

        with self._lock.hold():
            after = self._without(lambda one: one.id in ids and one.id != "", [])
            after = _NO_RULES.sub(lambda part: _TOLD.sub(left, part.group()), after)
            if after != self._text():
                self._save(after)

    def close(self) -> None:
        """Let go of the lock's file."""
        self._lock.close()

    def _without(self, gone: Callable[[Rule], bool], instead: list[str]) -> str:
        """Give the file's text without some rules; what is to stand `instead` is taken for the first of them."""
        text = self._text()
        hidden = (part.group() for part in _NO_RULES.finditer(text))

        def swapped(found: re.Match[str]) -> str:
            if not gone(_rule(found)):
                return found.group()
            return (instead.pop() if instead else "") + "\0\n" * found.group().count("\0")

        return re.sub("\0", lambda _: next(hidden), _RULE.sub(swapped, _NO_RULES.sub("\0", text)))

    def _save(self, text: str) -> None:
        frontmatter.replace(self.path, text)
        self._seen = (0, 0)

    def _text(self) -> str:
        return frontmatter.decode(self.path.read_bytes()) if self.path.exists() else ""


def _read(text: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in map(_rule, _RULE.finditer(_NO_RULES.sub("\0", text))) if rule.text)


def _rule(found: re.Match[str]) -> Rule:
    text = found["text"].replace("\0", " ")
    name, identity = (("", ""), *_MARKED.findall(text))[-1]
    return Rule(name, " ".join(_MARKED.sub("", text).split()), _identity(identity))


def _identity(quoted: str) -> str:
    return unquote(quoted, errors="surrogatepass")
