"""What things are called: texts folded for comparison, safe names, digests; and the no that every store may say."""

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
    """A memory says no: the message names the rule, the value, and what would be accepted."""


def fold(text: str) -> str:
    """Fold a text for comparison: NFKC, zero-width characters out, case folded, white space to single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    visible = unicodedata.normalize("NFKC", _MARKS.sub(r"\1", text)).translate(_ZERO_WIDTH)
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def replace_surrogates(text: str) -> str:
    """Put U+FFFD in the place of half characters (lone surrogates), which no file and no table can hold."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def require_list(name: str, texts: Collection[str]) -> Collection[str]:
    """Give a list of texts. Raises TypeError for a single text, of which each letter would be taken for one."""
    if isinstance(texts, str):
        raise TypeError(f"{name} {texts!r}: this is one text where a list is meant; write [{texts!r}]")
    return texts


def slug(name: str) -> str:
    """Give the safe form of a name, after NFKC, zero-width removal and case folding.

    Raises Refused unless it is 1 to 64 lower-case letters and digits in words joined by `-` or `_`: then it is a file
    name that leads nowhere else, a line of an index that forges nothing, and one spelling per subject.
    """
    plain = unicodedata.normalize("NFKC", name).translate(_ZERO_WIDTH).casefold()
    if len(plain) > LONGEST_SLUG or not _SLUG.fullmatch(plain):
        shown = ascii(name if len(name) <= LONGEST_SLUG else name[:LONGEST_SLUG] + "...")
        raise Refused(
            f"name {shown}: a name is a slug, 1 to {LONGEST_SLUG} of a-z and 0-9 in words joined by '-' or '_'; "
            "choose one such as 'deploy-script'"
        )
    return plain


def digest(*said: str) -> str:
    """Name a content: 16 hex digits of SHA-256, the same in every process."""
    return hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
    """Give the roots of a text's words in their order, the commonest left out."""
    return [root(word) for word in _WORD.findall(fold(text)) if word not in COMMONEST]


def word_set(text: str) -> frozenset[str]:
    """Give the roots of a text's words, each once."""
    return _short(text) if len(text) <= LONGEST_PASSAGE else _roots(text)


def _roots(text: str) -> frozenset[str]:
    return frozenset(map(root, set(_WORD.findall(fold(text))) - COMMONEST))


_short = lru_cache(maxsize=4096)(_roots)


def round_to_step(number: int) -> int:
    """Round a number down to its first five binary digits, by less than 1 in 16: one more seldom makes another."""
    spare = max(0, number.bit_length() - 5)
    return number >> spare << spare


def weigh(question: Collection[str], frequency: Mapping[str, int], total: int) -> dict[str, float]:
    """Weigh each word by how few of `total` texts hold it: inverse document frequency (Sparck Jones 1972), smoothed.

    A weight says how surprising it is that a text picked by chance holds the word, as a share in [0, 1] of the most
    surprise that so many texts allow: the more there are, the rarer must be what is shared by more than chance. Texts
    count in steps, so that one more among many seldom changes a weight.
    """
    total = round_to_step(total)
    most = math.log(2 + total)
    return {word: math.log(1 + (total + 1) / (round_to_step(frequency.get(word, 0)) + 1)) / most for word in question}


def coverage(weights: Weights, held: Collection[str]) -> float:
    """Give the share in [0, 1] of a question's weight that a text's words cover; 0 for an empty question."""
    whole = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in held) / whole if whole else 0.0


def evidence(weights: Weights, held: Collection[str]) -> float:
    """Give how strongly a text's words say that it is meant: their weight for each word that it lacks.

    Words that are held together vouch for each other, so the sum of their weights counts once for each of them: one
    word shared must be rare or nearly all that was asked, three may be common ones.
    """
    shared = [weight for word, weight in weights.items() if word in held]
    lacking = len(weights) - len(shared)
    return len(shared) * sum(shared) / lacking if lacking else math.inf


def overlap(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Give the share in [0, 1] of the words of both that both hold (Jaccard); 0 for two empty texts."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def passages(text: str) -> list[str]:
    """Split a text into its lines, and those longer than 400 characters at sentences, at words, or within a word."""
    return [part for line in _LINE.split(text) if line.strip() for part in _cut(line.strip())]


def excerpt(text: str, weights: Weights) -> str:
    """Give a short text whole, and of a long one the passage that covers most of the question, the latest of equals."""
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
