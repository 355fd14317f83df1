"""Text helpers: comparison, safe names, digests, word weights and excerpts; and Refused, the error of every store."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from memlab.memory.retrieval.stemmer import root

LONGEST_SLUG = 64
_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
# NFKC sorts a run of marks (accents) in squared time, so only 30 of them count, as in Unicode's Stream-Safe Text Format
_MARKS = re.compile(r"((?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){30})(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f])+")
_ZERO_WIDTH = dict.fromkeys(
    [0x00AD, 0x034F, 0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
)


class Refused(Exception):
    """The memory refuses an operation; the message names the rule, the value, and what is accepted."""


def fold(text: str) -> str:
    """Return a text for comparison: NFKC, case folded, without zero-width characters, single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    visible = unicodedata.normalize("NFKC", _MARKS.sub(r"\1", text)).translate(_ZERO_WIDTH)
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by U+FFFD, since neither UTF-8 files nor SQLite can store them."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def require_list(name: str, texts: Collection[str]) -> Collection[str]:
    """Return a list of texts unchanged. Raises TypeError for a single str, which would count as a list of letters."""
    if isinstance(texts, str):
        raise TypeError(f"{name} {texts!r}: this is one text where a list is meant; write [{texts!r}]")
    return texts


def slug(name: str) -> str:
    """Return the safe form of a name, after NFKC, removal of zero-width characters and case folding.

    Raises Refused unless it is 1 to 64 lower-case letters and digits in words joined by `-` or `_`: safe as a file
    name and as a line of an index, and one spelling per subject.
    """
    plain = unicodedata.normalize("NFKC", name).translate(_ZERO_WIDTH).casefold()
    if len(plain) > LONGEST_SLUG or not _SLUG.fullmatch(plain):
        shown = ascii(name if len(name) <= LONGEST_SLUG else name[:LONGEST_SLUG] + "...")
        raise Refused(
            f"name {shown}: a name is a slug, 1 to {LONGEST_SLUG} of a-z and 0-9 in words joined by '-' or '_'; "
            "choose one such as 'deploy-script'"
        )
    return plain


def digest(*texts: str) -> str:
    """Return the first 16 hex digits of the texts' SHA-256."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


Weights = Mapping[str, float]
LONGEST_PASSAGE = 400
_WORD = re.compile(r"[^\W_]+")
_LINE = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_BLANKLESS = re.compile(rf"\S{{1,{LONGEST_PASSAGE}}}")
_COMMON = """
a about after again all also am an and any are aren as at be because been before being but by can could did do does
doing don for from get go goes got had has have having he her here hers him his how i if in into is isn it its just
know m may me might must my no not now of off on once only or our ours out over own please re s shall she should so
some still such t tell than that the their them then there these they this those to too up us ve very was wasn we were
what when where which while who whom whose why will with would you your yours
"""
COMMONEST = frozenset(_COMMON.split())


def words(text: str) -> list[str]:
    """Return the roots of a text's words in order, without the most common words."""
    return [root(word) for word in _WORD.findall(fold(text)) if word not in COMMONEST]


def word_set(text: str) -> frozenset[str]:
    """Return the set of roots of a text's words."""
    return _short(text) if len(text) <= LONGEST_PASSAGE else _roots(text)


def _roots(text: str) -> frozenset[str]:
    return frozenset(map(root, set(_WORD.findall(fold(text))) - COMMONEST))


_short = lru_cache(maxsize=4096)(_roots)


def round_to_step(number: int) -> int:
    """Round a number down to five significant binary digits (by less than 1/16), so that it rarely changes."""
    spare = max(0, number.bit_length() - 5)
    return number >> spare << spare


def weigh(question: Collection[str], frequency: Mapping[str, int], total: int) -> dict[str, float]:
    """Return each word's smoothed inverse document frequency (Sparck Jones 1972), scaled to [0, 1].

    `frequency` is the number of texts that contain a word, of `total` texts. Both are rounded down, so that one more
    text rarely changes a weight.
    """
    total = round_to_step(total)
    most = math.log(2 + total)
    return {word: math.log(1 + (total + 1) / (round_to_step(frequency.get(word, 0)) + 1)) / most for word in question}


def coverage(weights: Weights, held: Collection[str]) -> float:
    """Return the share in [0, 1] of a question's weight that a text's words cover; 0 for an empty question."""
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in held) / total if total else 0.0


def evidence(weights: Weights, held: Collection[str]) -> float:
    """Return the evidence that a text answers a question: shared words * their total weight / missing words.

    A single shared word must be rare, or nearly the complete question; three may be common. Infinite if no word is
    missing.
    """
    shared = [weight for word, weight in weights.items() if word in held]
    lacking = len(weights) - len(shared)
    return len(shared) * sum(shared) / lacking if lacking else math.inf


def overlap(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Return the Jaccard index of two word sets; 0 for two empty ones."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def passages(text: str) -> list[str]:
    """Split a text into lines, and lines of over 400 characters at sentences, at words, or within a word."""
    return [part for line in _LINE.split(text) if line.strip() for part in _cut(line.strip())]


def excerpt(text: str, weights: Weights) -> str:
    """Return a short text unchanged, of a long one the passage that best covers the question (the last of equals)."""
    if len(text) <= LONGEST_PASSAGE:
        return text
    parts = passages(text)
    if not weights:
        return parts[-1] if parts else ""
    best, most = "", -1.0
    for passage in parts:
        covered = coverage(weights, set(words(passage)))
        if covered >= most:
            best, most = passage, covered
    return best


def _cut(line: str) -> list[str]:
    if len(line) <= LONGEST_PASSAGE:
        return [line]
    parts: list[str] = []
    for sentence in _SENTENCE.split(line):
        pieces = [sentence] if len(sentence) <= LONGEST_PASSAGE else _pieces(sentence)
        for piece in pieces:
            if parts and len(parts[-1]) + len(piece) < LONGEST_PASSAGE // 2:
                parts[-1] += " " + piece
            else:
                parts.append(piece)
    return parts


def _pieces(sentence: str) -> list[str]:
    pieces = [""]
    for word in _BLANKLESS.findall(sentence):
        if len(pieces[-1]) + len(word) >= LONGEST_PASSAGE // 2 and pieces[-1]:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {word}".strip()
    return pieces
