"""Returns one stem for all forms of an English word: Porter's stemmer, and a table of irregular forms.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14 (3), 1980, with the two rules that its author has
changed since (`logi` and `bli`), exactly as the `porter` tokenizer of SQLite's FTS5 has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

SHORTEST, LONGEST = 3, 64
"""Shorter and longer words stay as they are."""
Endings = Mapping[str, Sequence[tuple[str, str]]]
"""By last letter: endings with their replacements, the longest first; the first that fits is used."""


def _endings(replacement: Mapping[str, str]) -> Endings:
    return {
        last: [one for one in replacement.items() if one[0].endswith(last)] for last in {one[-1] for one in replacement}
    }


_PLURALS = _endings({"sses": "ss", "ies": "i", "ss": "ss", "s": ""})
_REPAIRS = _endings({"at": "ate", "bl": "ble", "iz": "ize"})
_DOUBLE_SUFFIXES = _endings({
    "ational": "ate", "ization": "ize", "iveness": "ive", "fulness": "ful", "ousness": "ous", "tional": "tion",
    "biliti": "ble", "entli": "ent", "ousli": "ous", "ation": "ate", "alism": "al", "aliti": "al", "iviti": "ive",
    "enci": "ence", "anci": "ance", "izer": "ize", "alli": "al", "ator": "ate", "logi": "log", "bli": "ble", "eli": "e",
})  # fmt: skip
_SUFFIXES = _endings({"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ness": "", "ful": ""})
_LAST = "ement ance ence able ible ment ant ent ion ism ate iti ous ive ize al er ic ou"
_LAST_SUFFIXES = _endings(dict.fromkeys(_LAST.split(), ""))
_COUNTING = "two three four five six seven eight nine ten eleven twelve"
_FORMS = """
bad worse worst, become became, begin began begun, big bigger biggest, bite bit bitten, break broke broken, bring
brought, build built, buy bought, catch caught, choose chose chosen, come came, deal dealt, draw drew drawn, drink drank
drunk, drive drove driven, eat ate eaten, fall fell fallen, feel felt, fight fought, find found, fly flew flown, forget
forgot forgotten, freeze froze frozen, give gave given, good better best, grow grew grown, hang hung, hear heard, hide
hid hidden, high higher highest, hold held, hot hotter hottest, keep kept, large larger largest, late later latest, lead
led, leave left, lend lent, long longer longest, lose lost, low lower lowest, make made, meet met, new newer newest, old
older oldest, pay paid, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought,
sell sold, send sent, shake shook shaken, shoot shot, short shorter shortest, sing sang sung, sit sat, sleep slept,
small smaller smallest, speak spoke spoken, spend spent, stand stood, steal stole stolen, stick stuck, strike struck,
swim swam swum, take took taken, teach taught, think thought, throw threw thrown, wake woke woken, wear wore worn, win
won, write wrote written
"""
_BASES = {form: forms.split()[0] for forms in _FORMS.split(",") for form in forms.split()}
_BASES |= {word: str(number) for number, word in enumerate(_COUNTING.split(), 2)}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word: a number in digits, else the stem of its base form, with a final y as i.

    Porter makes `deploi` of deploy and `deploy` of deployment, `cri` of cries and `cry` of cry: so they meet.
    """
    stemmed = porter_stem(_BASES.get(word, word))
    return stemmed[:-1] + "i" if stemmed.endswith("y") else stemmed


def porter_stem(word: str) -> str:
    """Return the Porter stem of a lower-case word. A letter other than a, e, i, o, u and y is a consonant."""
    if not SHORTEST <= len(word) <= LONGEST:
        return word
    word = _remove_tense(_replace_ending(word, _PLURALS))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_ending(word, _DOUBLE_SUFFIXES, more_than=0)
    word = _replace_ending(word, _SUFFIXES, more_than=0)
    word = _replace_ending(word, _LAST_SUFFIXES, more_than=1)
    return _remove_final_e(word)


def _shape(word: str) -> str:
    """Return a word with c for each consonant and v for each vowel; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape[-1:] == "c") else "c"
    return shape


def _measure(word: str) -> int:
    """Return Porter's measure: how often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Return whether a word ends like `hop`, not like `snow`, `box` or `tray` (Porter's *o)."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _replace_ending(word: str, endings: Endings, more_than: int = -1) -> str:
    """Replace the longest ending that fits, if the measure of the rest is greater than `more_than`."""
    for ending, replacement in endings.get(word[-1], ()):
        if word.endswith(ending) and word != ending:
            before = word[: -len(ending)]
            fits = _measure(before) > more_than and (ending != "ion" or before[-1] in "st")
            return before + replacement if fits else word
    return word


def _remove_tense(word: str) -> str:
    """Remove -ed and -ing if a vowel remains, and restore the stem: hopping, hoping, agreed."""
    if word.endswith("eed") and word != "eed":
        return word[:-1] if _measure(word[:-3]) > 0 else word
    before = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if before == word or "v" not in _shape(before):
        return word
    repaired = _replace_ending(before, _REPAIRS)
    if repaired != before:
        return repaired
    if before[-1] == before[-2:-1] and before[-1] not in "aeioulsz":
        return before[:-1]
    return before + "e" if _measure(before) == 1 and _is_short(before) else before


def _remove_final_e(word: str) -> str:
    """Remove a final e, then one l of a final ll, if enough remains."""
    before = word.removesuffix("e")
    if before != word and (_measure(before) > 1 or (_measure(before) == 1 and not _is_short(before))):
        word = before
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
