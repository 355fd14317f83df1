"""Which paths, flags, variables and symbols does a text claim to be there? The guard asks the World about them."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["path", "flag", "variable", "symbol"]


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing named: where else to look for it, whether its absence refutes the text, or why it cannot be told.

    A path that is not `sure` may be prose with slashes: its absence tells only where its first folder is there.
    """

    kind: Kind
    name: str
    places: tuple[str, ...] = ()
    sure: bool = True
    doubt: str = ""


_ENDINGS = (
    "sh bash zsh py pyi ipynb js mjs cjs ts tsx jsx json jsonl yaml yml toml md rst txt csv tsv sql ini cfg conf env lock "
    "xml html css scss rb go rs java kt c h cpp hpp cs php pl lua swift tf hcl proto graphql db sqlite log service bat ps1 "
    "pdf png jpg jpeg svg gif doc docx xls xlsx odt tex bib zip tar gz whl ps plist gradle dockerfile mk cert pem crt key tmpl j2 vue svelte"
)
_ENDING = "(?:" + "|".join(_ENDINGS.split()) + ")"
_WHOLE = (
    "Makefile Dockerfile Procfile Jenkinsfile Vagrantfile Gemfile Rakefile Justfile justfile CODEOWNERS Caddyfile Pipfile "
    ".env .gitignore .npmrc .nvmrc .editorconfig .dockerignore .gitattributes .python-version .tool-versions .envrc"
)
_FOLDERS = (
    "bin scripts script src tools config configs docs infra ops tests lib deploy ci etc conf ansible terraform k8s"
)
_CHUNK = re.compile(r"[^\s\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb()\[\]<>,;|]+")
_NAMED = re.compile(rf"(?:[\w.+@-]+/)*[\w.+@-]*\w\.{_ENDING}(?:\.\w+)?")
_BARE = re.compile(rf"[A-Za-z_.\d][\w.+-]*\w\.{_ENDING}(?:\.\w+)?")
_PRODUCT = re.compile(
    r"docs\.rs|(?:[A-Z][a-z\d]*|node|next|vue|nuxt|react|express|three|d3|deno|alpine|ember|backbone|p5)\.[jt]s"
)
_ENDS = re.compile(r"[\w-]\.[a-z][a-z0-9]{0,4}$")
_COMPOUND = re.compile(r"/.*[-_.\d]")
_PLAIN = re.compile(r"(?:\.{1,2}/)?(?:[\w.+-]+/)*[\w.+-]+/?")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+(?!" + _ENDING + r"$)[a-z]{2,}")
_HOLE = re.compile(r"[*{}$%?=<>]|\.\.\.|\u2026|(?:^|/)\.+$")
_LINE_NUMBER = re.compile(r":\d+(?::\d+)?$")
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_SHELL = re.compile(r"\$\{?([A-Z_][A-Z0-9_]+)\b\}?")
_CAPITALS = re.compile(r"(?<![\w$./{-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w./-]*=|\()\b")
_ALWAYS_SET = frozenset("HOME PATH USER PWD SHELL TMPDIR LANG HOSTNAME OLDPWD TERM EDITOR".split())
_VARIABLE_CUE = re.compile(
    r"\benv(?:ironment)?\b|\bvariables?\b|\bexport|\.env\b|\b(?:un)?set\b|\breads?\b|\bfrom\b|\bcredential|\bsecret",
    re.IGNORECASE,
)
_VARIABLE_ENDING = re.compile(
    r"_(?:URL|URI|KEY|TOKEN|SECRET|PATH|HOST|PORT|DIR|ENV|HOME|USER|PASSWORD|DSN|REGION|BUCKET|ENDPOINT|ADDR|NAME|ID)$"
)
_CALL = re.compile(r"(?<![\w./-])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\(\)")
_DEFINED = re.compile(
    r"\b(?:function|class|method|helper|symbol|def)\s+[`'\"]?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[`'\"]?(?![\w/-]|\.\w)"
    r"|[`'\"]?\b([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[`'\"]?\s+(?:function|class|method|helper)\b"
)
_NAME_LIKE = re.compile(r"\w_\w|[a-z][A-Z]|\w\.\w")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_ELSEWHERE = re.compile(
    r"\b(?!(?:this|our|the same|project|root|whole|git)\b)(?:[\w./-]+)(?:['\u2019]s)? (?:repo|repository|monorepo)\b(?! root)"
    r"|\bon (?:the |a |an |my |her |his |their )?[\w.-]+(?:['\u2019]s)? (?:server|machine|host|box|laptop|vm|cluster|node|instance)\b"
    r"|\bupstream\b|\bssh\b|\bother (?:project|team|machine)|\binside the (?:container|image)\b",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"\b(?:this|our|the|same|a|git|mono|project)(?:['\u2019]s)? (?:repo|repository|monorepo)\b", re.IGNORECASE
)
_GONE = r"(?:removed|deleted|gone|retired|dropped|replaced|renamed|moved|deprecated|obsolete)"
_MADE = r"(?:created|added|introduced|written|generated|produced|built)"
_NEAR = r"(?:(?!\b(?:to|by|with|into|as|and|but|then|now)\b)[^.,;:!?]){0,24}"
_BEFORE = re.compile(
    r"\b(?:(?:no longer|not(?! only| forget)|never|don['\u2019]?t|doesn['\u2019]?t|isn['\u2019]t|instead of|rather than|missing|without|lacks?)\b[^.,;:!?]{0,24}"
    r"|(?:used to|formerly|previously|until \w+)\b[^.,;:!?]{0,24}|(?:old|former|previous|was|were|had been|lived)\b[^.,;:!?]{0,8}"
    r"|(?:will|shall|going to|plan(?:s|ned)? to|to) (?:be|live|move|become|create|add|have|introduce|replace)\b[^.,;:!?]{0,24}"
    rf"|(?:{_GONE}|remov|delet|replac|renam|retir)(?:es?|ing)?\b{_NEAR}|(?:{_MADE}|creat|add|writ|generat|produc|output)(?:e|es|s|ing)?\b(?: to)?{_NEAR})$",
    re.IGNORECASE,
)
_NOUN = r"(?:(?:script|file|folder|directory|flag|option|variable|env var|function|class|method|helper|path|module) )?"
_AFTER = re.compile(
    rf"^[\"'`\u201d\u2019)\s,]*(?:\(?\)?){_NOUN}(?:(?:was|were|is|are|has been|have been|had been|got|gets|being)(?: (?:now|since|later|then|already|all|long))*"
    rf" (?:{_GONE}|{_MADE}|missing|no more|not (?:there|yet|needed|used))|(?:does|do|did)(?:n['\u2019]t| not) (?:yet )?exist|no longer|will\b|used to\b"
    r"|isn['\u2019]t\b|moved (?:to|into)\b|became\b|->|→|=>|to come\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def mentions(text: str) -> tuple[Mention, ...]:
    """Name what a text claims to be there, sentence by sentence; what it says is gone or yet to come it does not claim."""
    found = [mention for sentence in _SENTENCE.split(text) for mention in _in_sentence(sentence)]
    return tuple(dict.fromkeys(found))


def _in_sentence(sentence: str) -> Iterator[Mention]:
    if "/" in sentence or "." in sentence or "file" in sentence:
        yield from _paths(sentence)
    if "--" in sentence:
        for match in _FLAG.finditer(sentence):
            if _claimed(sentence, match.start(), match.end()):
                yield Mention("flag", match.group(), _commands(sentence, match.start()))
    yield from _variables(sentence)
    if "()" in sentence or _DEFINED.search(sentence):
        yield from _symbols(sentence)


def _paths(sentence: str) -> Iterator[Mention]:
    elsewhere = _ELSEWHERE.search(_OURS.sub(" ", sentence))
    chunks = [(match.start(), _trimmed(match.group())) for match in _CHUNK.finditer(sentence)]
    folders = [chunk.strip("/") for _, chunk in chunks if chunk.strip("/") in _FOLDERS.split() or chunk.endswith("/")]
    for start, chunk in chunks:
        mention = _path(chunk, folders)
        if mention is None or not _claimed(sentence, start, start + len(chunk)):
            continue
        if elsewhere and not mention.doubt:
            yield Mention("path", mention.name, doubt=f"the text speaks of another place: {elsewhere.group().strip()}")
        else:
            yield mention


def _trimmed(chunk: str) -> str:
    plain = _LINE_NUMBER.sub("", chunk.rstrip(".:!?\u2026*_").lstrip("*:"))
    return re.sub(r"['\u2019]s$", "", plain)


def _path(chunk: str, folders: list[str]) -> Mention | None:
    """Tell whether a chunk of text names a path, and if so whether it can be looked up under the root."""
    if "://" in chunk or chunk.startswith(("www.", "//", "--", "@")) or _HOLE.search(chunk):
        return None
    if "/" not in chunk:
        bare = chunk in _WHOLE.split() or (
            _NAMED.fullmatch(chunk) and not _PRODUCT.fullmatch(chunk) and "@" not in chunk
        )
        return Mention("path", chunk, tuple(f"{folder}/{chunk}" for folder in folders)) if bare else None
    if "@" in chunk.split("/", 1)[0] or re.match(r"[\w.-]{2,}:", chunk):
        return Mention("path", chunk, doubt=f"{chunk} lies on another machine") if ":" in chunk else None
    first = chunk.split("/", 1)[0]
    if first in {"", "~"} or first.startswith("~"):
        return Mention("path", chunk, doubt=f"{chunk} does not lie under the root")
    if _DOMAIN.fullmatch(first) or not _PLAIN.fullmatch(chunk):
        return None
    named = bool(_NAMED.fullmatch(chunk)) or chunk.rsplit("/", 1)[-1] in _WHOLE.split()
    if named or _ENDS.search(chunk) or first in {".", "..", *_FOLDERS.split()}:
        return Mention("path", chunk)
    return Mention("path", chunk, sure=False) if _COMPOUND.search(chunk) or chunk.count("/") > 1 else None


def _commands(sentence: str, place: int) -> tuple[str, ...]:
    """Name the commands that a flag may belong to, the nearest word before it first, then those after it."""
    before = [_trimmed(match.group()) for match in _CHUNK.finditer(sentence[:place])][-8:]
    after = [_trimmed(match.group()) for match in _CHUNK.finditer(sentence[place:])][1:8]
    pairs = [f"{one} {two}" for one, two in zip(before, before[1:], strict=False)]
    return tuple(word for word in [*reversed(pairs), *reversed(before), *after] if word and not word.startswith("-"))


def _variables(sentence: str) -> Iterator[Mention]:
    cue = bool(_VARIABLE_CUE.search(sentence))
    for pattern in (_SHELL, _CAPITALS):
        for match in pattern.finditer(sentence):
            name = match.group(1)
            sets_it = sentence[match.end() :].startswith("=") or re.search(r"\bexport\s*$", sentence[: match.start()])
            if name in _ALWAYS_SET or sets_it or not _claimed(sentence, match.start(), match.end()):
                continue
            sure = pattern is _SHELL or cue or bool(_VARIABLE_ENDING.search(name))
            yield Mention("variable", name, sure=sure)


def _symbols(sentence: str) -> Iterator[Mention]:
    for pattern in (_CALL, _DEFINED):
        for match in pattern.finditer(sentence):
            name = next(group for group in match.groups() if group)
            first = name.split(".", 1)[0]
            if pattern is _DEFINED and not (_NAME_LIKE.search(name) or "`" in match.group()):
                continue
            if re.fullmatch(_NAMED, name) or not _claimed(sentence, match.start(), match.end()):
                continue
            known = hasattr(builtins, first) or first in sys.stdlib_module_names
            yield Mention("symbol", name, doubt=f"{first} comes with Python" if known else "")


def _claimed(sentence: str, start: int, end: int) -> bool:
    """Tell whether the words around a mention claim it to be there now, not gone and not yet to come."""
    return not (_BEFORE.search(sentence[max(0, start - 60) : start]) or _AFTER.search(sentence[end : end + 80]))
