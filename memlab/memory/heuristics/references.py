"""Finds the paths, flags, variables, symbols and targets that a text asserts to exist, for reference_check.py."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from memlab.memory.heuristics.assertions import BEHIND, is_asserted, other_place

Kind = Literal["path", "flag", "variable", "symbol", "target"]


class Reference(NamedTuple):
    """A thing that a text names.

    `places` are other paths where a file may be, or the commands that a flag may belong to. A reference that is not
    `sure` may be prose: its absence refutes nothing, except for a path whose first folder exists. `doubt` says why the
    reference cannot be checked; "" if it can.
    """

    kind: Kind
    name: str
    places: tuple[str, ...] = ()
    sure: bool = True
    doubt: str = ""


_ENDINGS = """
sh bash zsh py pyi ipynb js mjs cjs ts tsx jsx json jsonl yaml yml toml md rst txt csv tsv sql ini cfg conf env lock
xml html css scss rb go rs java kt c h cpp hpp cs php pl lua swift tf hcl proto graphql db sqlite log service bat
ps1 pdf png jpg jpeg svg gif doc docx xls xlsx odt tex bib zip tar gz whl plist gradle dockerfile mk cert pem crt
key tmpl j2 vue
"""
ENDING = f"(?:{'|'.join(_ENDINGS.split())})"
_FILES = """
Makefile Dockerfile Procfile Jenkinsfile Vagrantfile Gemfile Rakefile Justfile justfile Caddyfile Pipfile .env
.gitignore .npmrc .nvmrc .editorconfig .dockerignore .gitattributes .python-version .tool-versions .envrc
go.mod go.sum go.work
"""
_TOP = "bin scripts script src tools config configs docs infra ops tests lib deploy ci etc conf ansible terraform"
# set on every machine, so naming them asserts nothing
_SET = "HOME PATH USER PWD SHELL TMPDIR LANG HOSTNAME OLDPWD TERM EDITOR"
_FILE_NAMES, _FOLDERS, _ALWAYS_SET = map(frozenset, map(str.split, (_FILES, _TOP, _SET)))
_PROPER = _FILE_NAMES | _FOLDERS
NEARBY, NEAR = 8, 200
"""Words on either side of a flag that may be its command, and the most characters that they span."""
MOST_FOLDERS = 32
"""A file that is named without a folder is looked up in at most this many folders of its sentence."""
_CHUNK = re.compile(
    r"(?:(?<=[\w./-])<[\w -]+>|<[\w-]+>(?=[\w./-])|[^\s\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb()\[\]<>,;|])+"
)
_BARE = re.compile(rf"[A-Za-z_.\d][\w.+-]*\w\.{ENDING}(?:\.\w+)?")  # deploy.sh, site.conf.j2
_PRODUCT = re.compile(  # Node.js, docs.rs, chapter 3.2.c: named like files, but no files
    r"docs\.rs|coverage\.py|llama\.cpp|[\d.]+\.[a-z]"
    r"|(?:[A-Z][a-z\d]*|node|next|vue|nuxt|react|express|three|d3|deno|alpine|ember|backbone|jQuery|p5)\.[jt]s"
)
_ENDS = re.compile(r"[\w-]\.[a-z][a-z0-9]{0,4}$")  # docs/plan.odt
_COMPOUND = re.compile(r"[-_.\d]")  # jobs/nightly-sync, but not and/or
_PLAIN = re.compile(r"(?:\.{1,2}/)?(?:[\w.+-]+/)*[\w.+-]+/?")  # ./a, ../a, a/b.c, a/
_DOMAIN = re.compile(r"(?:[\w-]+\.)+(?!" + ENDING + r"$)[a-z]{2,}")  # example.org, but not run.sh
_ADDRESS = re.compile(r"\w+://\S+")
# release/3.x, w/ for with, @scope/name, *.py, <name>
_NO_PATH = re.compile(r"\d\.x$|^\w/$|^(?:www\.|//|--|@)|[*{}$%?=<>]|\.\.\.|\u2026|(?:^|/)\.+$")
_PLACEHOLDER = re.compile(  # path/to/x, my-app, test_foo.py, kebab-case.ts
    r"(?:^|/)(?:path/|(?:my|your|some|example|sample)(?:[-_./]|$))"
    r"|(?:^|[/._-])(?:foo|bar|baz|placeholder|specific)(?:[/._-]|$)|(?:kebab|snake|camel|pascal)[-_]?case"
)
_FOR_EXAMPLE = re.compile(r"\b(?:(?:e\.g\.|for example|such as)[^;)]*|like [`\"']*)$", re.IGNORECASE)
_LISTED = re.compile(r"/[`\"'\[{]*[`\[{]\w?$")  # reminders/`logs`/`rooms`, agent/[step]: alternatives, or a template
_HEADING = re.compile(r"^\s*##+ |(?:(?:->|\u2192).*){2}")  # ## scripts/, plan/ -> review/ -> done/
_LINE_NUMBER = re.compile(r":\d+(?::\d+)?$")  # billing.py:42
_GIVEN = re.compile(r"(?:(?<!will )(?<!shall )\badd|\bwith) $")  # asserts that the command accepts the flag
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_SHELL = re.compile(r"\$\{?([A-Z_][A-Z0-9_]+)\b\}?")  # $API_KEY, ${API_KEY}
_CAPITALS = re.compile(r"(?<![\w$./{-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?![\w./-]*=|\()")  # API_KEY, but not API_KEY=x
_VARIABLE_CUE = re.compile(
    r"\benv(?:ironment)?\b|\bvariables?\b|\bexport|\.env\b|\b(?:un)?set\b|\breads?\b|\bfrom\b|\bcredential|\bsecret",
    re.IGNORECASE,
)
_VARIABLE_ENDING = re.compile(
    r"_(?:URL|URI|KEY|TOKEN|SECRET|PATH|HOST|PORT|DIR|ENV|HOME|USER|PASSWORD|DSN|REGION|BUCKET|ENDPOINT|ADDR|NAME|ID)$"
)
_DATA = re.compile(  # the column ORDER_ID
    r"\b(?:column|field|constant|enum|(?:primary|foreign) key)s?\b", re.IGNORECASE
)
_CALL = re.compile(  # charge(), billing.charge(), `billing.Ledger`, but no template such as Test<Name>Cases()
    r"(?<![\w./>\]}-])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\(\)|`((?:[A-Za-z_]\w*\.)+[A-Z][^\Wa-z]*[a-z]\w*)`"
)
_SYMBOL_CUE = re.compile(r"function|class|method|helper|symbol|def|call")
_DEFINED = re.compile(  # the function charge, the `Ledger` class
    r"\b(?:call(?:s|ing)?|function|class|method|helper|symbol|def)\s+[`'\"]?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[`'\"]?(?![\w/-]|\.\w)"
    r"|(?<!\w\.)[`'\"]?\b([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[`'\"]?(?=\s+(?:function|class|method|helper)\b)"
)
_TARGET = re.compile(  # `make deploy`, $ npm run build, API_KEY=x just test; or a line of its own
    r"(?:^\s*|`|\$ )(?:[A-Z_]+=\S* )*"
    r"((?:make|just|task|(?:npm|pnpm|yarn|bun) run) [a-z][\w:.-]*)(?=`|\s*(?:$|#|&&))"
)
_EXPORTED = re.compile(r"\bexport\s*$")
_NAME_LIKE = re.compile(r"\w_\w|[a-z][A-Z]|\w\w\.\w\w")  # charge_card, chargeCard: no word of prose, nor e.g.
_BRAND_LIKE = re.compile(r"(?:[a-z]|mac)?[A-Z][A-Za-z\d]*")  # PostgreSQL, iPhone: may be a class too
# the blanks between two sentences (a heading "## 1." and "e.g." end none), or the ends of lines
_SENTENCE = re.compile(r"\s(?<!# \d\.\s)(?<!e\.g\.\s)(?:(?<=[.!?;]\s)\s*|(?<=\n)\n*)")


@lru_cache(maxsize=8192)
def find_references(text: str) -> tuple[Reference, ...]:
    """Return the things that a text asserts to exist, by sentence; not those it describes as removed or planned."""
    sentences = pairwise(["", *_SENTENCE.split(text)])
    return tuple(dict.fromkeys(found for last, sentence in sentences for found in _in_sentence(sentence, last)))


def _in_sentence(sentence: str, last: str) -> Iterator[Reference]:
    if "/" in sentence or "." in sentence or "file" in sentence:
        yield from _paths(sentence)
    if "--" in sentence:
        for match in _FLAG.finditer(sentence):
            if is_asserted(sentence, match.start(), match.end()) or _is_preceded_by(match.start(), sentence, _GIVEN):
                yield Reference("flag", match.group(), _commands(sentence, match.start(), last))
    for match in _TARGET.finditer(sentence):
        if is_asserted(sentence, match.start(1), match.end()):
            yield Reference("target", match[1])
    if "$" in sentence or "_" in sentence:
        yield from _variables(sentence)
    if "()" in sentence or "`" in sentence:
        yield from _symbols(sentence, _CALL)
    if _SYMBOL_CUE.search(sentence):
        yield from _symbols(sentence, _DEFINED)


def _paths(sentence: str) -> Iterator[Reference]:
    sentence = _ADDRESS.sub(lambda address: " " * len(address[0]), sentence)  # all offsets stay the same
    found = [match for match in _CHUNK.finditer(sentence) if not match[0].isalpha() or match[0] in _PROPER]
    chunks = [(*match.span(), _trimmed(match[0])) for match in found]
    beside = dict.fromkeys(chunk.rstrip("/") for *_, chunk in chunks if chunk in _FOLDERS or chunk.endswith("/"))
    folders, topic = list(beside)[:MOST_FOLDERS], _topic(sentence)
    for start, end, chunk in chunks:
        reference = _path(chunk, folders)
        called = "/" not in chunk and sentence.startswith("()", end)  # console.log() is no log
        listed = _LISTED.search(sentence, start, end + 2) or sentence[start - 1 : end + 1] == f"<{chunk}>"
        if reference is None or called or listed or not is_asserted(sentence, start, end):
            continue
        example = _PLACEHOLDER.search(chunk) or _is_preceded_by(start, sentence, _FOR_EXAMPLE)
        doubt = reference.doubt or topic or (f"{chunk} is an example" if example else "")
        yield reference._replace(places=() if doubt else reference.places, doubt=doubt)


def _topic(sentence: str) -> str:
    """Return why no path of a sentence can be checked: it is a heading, a diagram, or speaks of another place."""
    if _HEADING.search(sentence):
        return "a heading or a flow of steps asserts nothing"
    place = other_place(sentence)
    return f"the text speaks of another place: {place}" if place else ""


def _trimmed(chunk: str) -> str:
    trimmed = _LINE_NUMBER.sub("", chunk.rstrip(".:!?\u2026*_").lstrip("*:"))
    return chunk if chunk.endswith("/*") else trimmed  # lts/* is a pattern


def _path(chunk: str, folders: list[str]) -> Reference | None:
    """Return the path that a chunk of text names, None if it names none."""
    if _NO_PATH.search(chunk):
        return None
    if "/" in chunk:
        return _slashed(chunk)
    bare = chunk in _FILE_NAMES or (_BARE.fullmatch(chunk) and not _PRODUCT.fullmatch(chunk))
    return Reference("path", chunk, tuple(f"{folder}/{chunk}" for folder in folders)) if bare else None


def _slashed(chunk: str) -> Reference | None:
    first, _, rest = chunk.partition("/")
    if ":" in first and len(first) > len("C:"):
        return Reference("path", chunk, doubt=f"{chunk} lies on another machine")
    if not first or first.startswith("~"):
        return Reference("path", chunk, doubt=f"{chunk} does not lie under the root")
    if _DOMAIN.fullmatch(first) or not _PLAIN.fullmatch(chunk):
        return None
    last = chunk.rpartition("/")[2]
    if not last or _ENDS.search(chunk) or last in _FILE_NAMES or first in {".", ".."} | _FOLDERS:
        return Reference("path", chunk)
    return Reference("path", chunk, sure=False) if _COMPOUND.search(rest) or "/" in rest else None


def _commands(sentence: str, place: int, last: str) -> tuple[str, ...]:
    """Return the commands that a flag may belong to: the nearest words before it, after it, in the sentence before."""
    before = _CHUNK.findall(sentence, max(0, place - NEAR), place)[-NEARBY:]
    after = _CHUNK.findall(sentence, place, place + NEAR)[1:NEARBY]
    earlier = _CHUNK.findall(last[-NEAR:])[-NEARBY:]
    before, after, earlier = (list(map(_trimmed, words)) for words in (before, after, earlier))
    words = [*_backwards(before), *after, *_backwards(earlier)]
    return tuple(word for word in words if word and not word.startswith("-"))


def _backwards(words: list[str]) -> list[str]:
    """Return pairs of neighbours and then single words, the last first."""
    return [*reversed([f"{one} {two}" for one, two in pairwise(words)]), *reversed(words)]


def _variables(sentence: str) -> Iterator[Reference]:
    cue, data = _VARIABLE_CUE.search(sentence), _DATA.search(sentence)
    for pattern in (_SHELL, _CAPITALS):
        for match in pattern.finditer(sentence):
            name = match.group(1)
            set_here = sentence.startswith("=", match.end()) or _is_preceded_by(match.start(), sentence, _EXPORTED)
            if name in _ALWAYS_SET or set_here or not is_asserted(sentence, match.start(), match.end()):
                continue
            sure = pattern is _SHELL or bool(not data and (cue or _VARIABLE_ENDING.search(name)))
            yield Reference("variable", name, sure=sure)


def _is_preceded_by(place: int, sentence: str, cue: re.Pattern[str]) -> bool:
    return cue.search(sentence, max(0, place - BEHIND), place) is not None


def _symbols(sentence: str, pattern: re.Pattern[str]) -> Iterator[Reference]:
    for match in pattern.finditer(sentence):
        name = next(group for group in match.groups() if group)
        first = name.partition(".")[0]
        if pattern is _DEFINED and not (_NAME_LIKE.search(name) or "`" in match.group()):
            continue
        if _BARE.fullmatch(name) or not is_asserted(sentence, match.start(), match.end()):
            continue
        known = hasattr(builtins, first) or first in sys.stdlib_module_names
        sure = pattern is _CALL or "`" in match.group() or not _BRAND_LIKE.fullmatch(name)
        yield Reference("symbol", name, sure=sure, doubt=f"{first} comes with Python" if known else "")
