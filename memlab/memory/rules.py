"""Procedural memory: rules.md, the user's rules, shown in every prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote

from memlab.memory.context import one_line
from memlab.memory.storage.folder import file_state, read_text, replace_file
from memlab.memory.storage.lock import Lock
from memlab.memory.text import Refused, to_bytes

_BULLET = r"(?:[-*+]|\d+[.)])[ \t]+"
_MARK = r"<!--\s+(\w[\w-]*)(?:\s+((?!-->)\S+))?\s+-->(?=[ \t\r]*$)"
_COMMENT = rf"(?<!`)(?!{_MARK})<!--(?>{_MARK}|(?!<!--|-->).)*-->"
_FENCED = rf"^[ \t]*(?:{_BULLET})*(?P<fence>`{{3,}}(?=[^`\n]*$)|~{{3,}}+).*?\n[ \t]*(?P=fence)[`~]*(?=[ \t\r]*$)"
_NO_RULES = re.compile(rf"{_COMMENT}|{_FENCED}|\0", re.MULTILINE | re.DOTALL)
_BREAK = r"[ \t]*(?:(?:[-*+]|\d+[.)]|\#{1,6})(?:\s|\Z)|(?:---+|\*\*\*+|___+)[ \t\r]*$|>|\0)|<!--"
"""Starts of lines that end a list item: another item, heading, horizontal rule, quotation, comment, code."""
_RULE = re.compile(
    rf"^[ \t]*{_BULLET}(?P<text>.*(?:\n(?!{_BREAK})[ \t]*\S.*"  # the next line, with any indentation
    rf"|(?:\n[ \t\r\0]*)+\n(?!{_BREAK}|[ \t]*<!--)[ \t]+\S.*)*)(?:\n|\Z)",  # another, indented paragraph
    re.MULTILINE,
)
_unquote = partial(unquote, errors="surrogatepass")
_MARKED = re.compile(_MARK, re.MULTILINE)
_MARKED_ITEM = re.compile(rf"(?<!\S){_BULLET}.*{_MARK}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the user, with the name by which it is replaced or withdrawn."""

    name: str
    text: str
    id: str = ""


class Rules:
    """rules.md: each list item, with its continuation lines, is a rule, unless it is in a comment or in fenced code.

    A comment at the end of an item that holds a name and an id is the mark of a rule that was written by `put`.
    """

    def __init__(self, path: Path, *, links: bool = False) -> None:
        self.path = path
        self._seen: tuple[int, ...] = ()
        self._rules: tuple[Rule, ...] = ()
        self._lock = Lock(path, links=links)

    def all(self) -> tuple[Rule, ...]:
        """Return the rules in order."""
        now = file_state(self.path)
        if now != self._seen:
            self._rules = _read(read_text(self.path))
            self._seen = now
        return self._rules

    def put(self, rule: Rule) -> None:
        """Add a rule or replace the one with its name; without text, withdraw it.

        The rest of the file stays as it is. Raises Refused if the rule to withdraw is unknown, or if an open comment or
        code block in the file would hide the rule.
        """
        text = one_line(rule.text).replace("<!--", "<!- -")
        mark = f"{rule.name} {quote(rule.id, safe='', errors='surrogatepass')}".strip()
        fresh = [f"- {text}{f' <!-- {mark} -->' if mark else ''}\n"] if text else []
        with self._lock:
            known = [one.name for one in self.all() if one.name]
            if not text and rule.name not in known:
                raise Refused(
                    f"rule {rule.name!r}: there is none to withdraw; known rules: {', '.join(known) or 'none'}"
                )
            after = self._without(lambda one: one.name == rule.name != "", fresh) or "# Rules\n"
            after = "".join([after, "" if after.endswith("\n") else "\n", *fresh])
            if text and text not in [one.text for one in _read(after)]:
                raise Refused(f"rule {text!r}: a comment or code in {self.path} would hide it; close that there first")
            self._save(after)

    def erase(self, ids: Collection[str]) -> None:
        """Remove the rules with these ids, also from inside comments."""

        def remaining(match: re.Match[str]) -> str:
            return "" if match[2] and _unquote(match[2]) in ids else match.group()

        with self._lock:
            after = self._without(lambda one: one.id in ids and one.id != "", [])
            after = _NO_RULES.sub(lambda part: _MARKED_ITEM.sub(remaining, part.group()), after)
            if after != read_text(self.path):
                self._save(after)

    def close(self) -> None:
        """Close the lock file."""
        self._lock.close()

    def _without(self, is_removed: Callable[[Rule], bool], instead: list[str]) -> str:
        """Return the file's text without some rules; `instead` replaces the first of them."""
        text = read_text(self.path)
        hidden = (part.group() for part in _NO_RULES.finditer(text))

        def replacement(match: re.Match[str]) -> str:
            if not is_removed(_rule(match)):
                return match.group()
            return (instead.pop() if instead else "") + "\0\n" * match.group().count("\0")

        return re.sub("\0", lambda _: next(hidden), _RULE.sub(replacement, _NO_RULES.sub("\0", text)))

    def _save(self, text: str) -> None:
        replace_file(self.path, [to_bytes(text)])
        self._seen = ()


def _read(text: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in map(_rule, _RULE.finditer(_NO_RULES.sub("\0", text))) if rule.text)


def _rule(match: re.Match[str]) -> Rule:
    text = match["text"].replace("\0", " ")
    name, identity = (("", ""), *_MARKED.findall(text))[-1]
    return Rule(name, " ".join(_MARKED.sub("", text).split()), _unquote(identity))
