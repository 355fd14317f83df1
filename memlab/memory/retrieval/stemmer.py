"""One root for the forms of an English word: Porter's stemmer, and beside it the forms that no rule of endings finds.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14 (3), 1980, with the two rules that its author has
changed since (`logi` and `bli`), exactly as the `porter` tokenizer of SQLite's FTS5 has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

SHORTEST, LONGEST = 3, 64
"""Words of fewer letters, or of more, are no English ones and stay as they are."""
Endings = Mapping[str, Sequence[tuple[str, str]]]
"""By their last letter: endings and what stands in their place. Of several that fit the longest counts, the first."""


def _endings(instead: Mapping[str, str]) -> Endings:
    return {last: [one for one in instead.items() if one[0].endswith(last)] for last in {one[-1] for one in instead}}


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
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNTING.split(), 2)}
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


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """Give what a word is found by: a number in digits, else the stem of its base form, a last y as i.

    Porter makes `deploi` of deploy and `deploy` of deployment, `cri` of cries and `cry` of cry: so they meet.
    """
    if word.isdigit() or word in _NUMBERS:
        return _NUMBERS.get(word, word)
    stemmed = stem(_BASES.get(word, word))
    return stemmed[:-1] + "i" if stemmed.endswith("y") else stemmed


def stem(word: str) -> str:
    """Give the stem of a lower-case word. A letter that is neither a, e, i, o, u nor y counts as a consonant."""
    if not SHORTEST <= len(word) <= LONGEST or word.isdigit():
        return word
    word = _without_tense(_replaced(word, _PLURALS))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _DOUBLE_SUFFIXES, more_than=0)
    word = _replaced(word, _SUFFIXES, more_than=0)
    word = _replaced(word, _LAST_SUFFIXES, more_than=1)
    return _tidied(word)


def _shape(word: str) -> str:
    """Spell a word as c for each consonant and v for each vowel; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape[-1:] == "c") else "c"
    return shape


def _measure(word: str) -> int:
    """Count how often a vowel is followed by a consonant: roughly the syllables that a word can spare."""
    return _shape(word).count("vc")


def _short(word: str) -> bool:
    """Tell whether a word ends as `hop` does and not as `snow`, `box` or `tray`: its last letter was once doubled."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _replaced(word: str, endings: Endings, more_than: int = -1) -> str:
    """Replace the longest ending that fits, if what stands before it measures more than this."""
    for ending, instead in endings.get(word[-1], ()):
        if word.endswith(ending) and word != ending:
            before = word[: -len(ending)]
            fits = _measure(before) > more_than and (ending != "ion" or before[-1] in "st")
            return before + instead if fits else word
    return word


def _without_tense(word: str) -> str:
    """Take off -ed and -ing where a vowel remains, and mend what they had changed: hopping, hoping, agreed."""
    if word.endswith("eed") and word != "eed":
        return word[:-1] if _measure(word[:-3]) > 0 else word
    before = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if before == word or "v" not in _shape(before):
        return word
    mended = _replaced(before, _REPAIRS)
    if mended != before:
        return mended
    if before[-1] == before[-2:-1] and before[-1] not in "aeioulsz":
        return before[:-1]
    return before + "e" if _measure(before) == 1 and _short(before) else before


def _tidied(word: str) -> str:
    """Take off a last e, then one l of two, where enough remains."""
    before = word.removesuffix("e")
    if before != word and (_measure(before) > 1 or (_measure(before) == 1 and not _short(before))):
        word = before
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
