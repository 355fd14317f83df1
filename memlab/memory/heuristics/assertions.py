"""Whether a sentence asserts that a thing it names exists here and now, rather than earlier, later or elsewhere."""

from __future__ import annotations

import re

REACH = 24
"""Most characters between a cue and its object: "no longer" denies the next few words, not the whole sentence."""
BEHIND, AHEAD = 60, 80
"""Characters of the sentence that are read before and after a reference: enough for a cue and its reach."""
_APOSTROPHE = r"['\u2019]"
_GONE = r"(?:removed|deleted|gone|retired|dropped|replaced|renamed|moved|deprecated|obsolete)"
_MADE = r"(?:created|added|introduced|written|generated|produced|built)"
_CLAUSE = rf"[^.,;:!?]{{0,{REACH}}}"
_OBJECT = rf"(?:(?!\b(?:to|by|with|into|as|and|but|then|now)\b)[^.,;:!?]){{0,{REACH}}}"
_DENIED = (
    rf"(?:no longer|not(?! only| forget)|never|(?:do|does|is)n{_APOSTROPHE}?t"
    rf"|there(?: is| are|{_APOSTROPHE}s) no|avoid(?:s|ing)?|instead of|rather than|missing|without|lacks?)"
)
_PAST = r"(?:used to|formerly|previously|until \w+)"
_WAS = r"(?:old|former|previous|was|were|had been|lived)"
_COMING = (  # but "to be loaded from x.json" is an order to use it
    r"(?:will|shall|to) (?:be(?! \w+ (?:from|in|by|with) )|live|move|become|create|add|have|introduce|replace)"
)
_UNMADE = rf"(?:{_GONE}|remov|delet|replac|renam|retir)(?:es?|ing)?"
_MAKES = rf"(?:{_MADE}|creat|add|writ|generat|produc|output)(?:e|es|s|ing)?"
_CREATED = rf"\b{_MAKES}\b(?: to)?{_OBJECT}$|\b(?:touch|mkdir|(?:cp|mv)(?: -\w+)* \S+)(?: -\w+)* $"
_BEFORE = re.compile(  # "no longer in", "used to live in", "will add", "the old", "delete", "creates" ...
    rf"\b(?:(?:{_DENIED}|{_PAST}|{_COMING})\b{_CLAUSE}|{_WAS}\b[^.,;:!?]{{0,8}}"
    rf"|{_UNMADE}\b{_OBJECT})$|{_CREATED}|(?:[^\s=-]\s?>>?|\s-o) $",
    re.IGNORECASE,
)
_CREATING = re.compile(_CREATED, re.IGNORECASE)
_THING = r"(?:(?:script|file|folder|directory|flag|option|variable|env var|function|class|method|helper|path|module) )?"
_SINCE = "(?: (?:now|since|later|then|already|all|long))*"
_BECAME = rf"(?:was|were|is|are|(?:has|have|had){_SINCE} been|got|gets|being){_SINCE}"
_STATE = rf"(?:{_GONE}|{_MADE}|missing|no more|not (?:there|yet|needed|used))"
_AFTER = re.compile(  # ... "script was removed", "(since removed)", "does not exist yet", "moved to", "->"
    rf"[\"'`*:\u201d\u2019)]*\s?[(,]\s?(?:now |since |long |which )*{_GONE}\b"
    rf"|[\"'`*:\u201d\u2019)(\s,]*{_THING}(?:which |that )?"
    rf"(?:{_BECAME} {_STATE}|(?:does|do|did)(?:n{_APOSTROPHE}t| not) (?:yet )?exist|no longer|will\b|used to\b"
    rf"|isn{_APOSTROPHE}t\b|moved (?:to|into)\b|became\b|->|\u2192|=>|to come\b"
    r"|(?:was|were) there\b|files\b|ha(?:s|ve) gone\b)",
    re.IGNORECASE,
)
_OURS = re.compile(
    rf"\b(?:this|our|the|same|a|git|mono|project)(?:{_APOSTROPHE}s)? (?:repo|repository|monorepo)\b", re.IGNORECASE
)
_MACHINE = r"(?:server|machine|host|box|laptop|vm|cluster|node|instance)"
_ELSEWHERE = re.compile(
    rf"(?<![\w./-])[\w./-]+(?:{_APOSTROPHE}s)? (?:repo|repository|monorepo)\b"
    rf"|\bon (?:the |a |an |my |her |his |their )?[\w.-]+(?:{_APOSTROPHE}s)? {_MACHINE}\b"
    r"|\bupstream\b|\bssh\b|\bother (?:project|team|machine)|\binside the (?:container|image)\b",
    re.IGNORECASE,
)


def is_asserted(sentence: str, start: int, end: int) -> bool:
    """Return whether the words around a reference, at these offsets, assert that it exists now."""
    return not (_BEFORE.search(sentence[max(0, start - BEHIND) : start]) or _AFTER.match(sentence[end : end + AHEAD]))


def is_created(sentence: str, start: int) -> bool:
    """Return whether the words before a reference, at this offset, say that something creates it."""
    return _CREATING.search(sentence[max(0, start - BEHIND) : start]) is not None


def other_place(sentence: str) -> str:
    """Return the words with which a sentence refers to another machine or repository; "" if it does not."""
    found = _ELSEWHERE.search(_OURS.sub(" ", sentence))
    return found.group().strip() if found else ""
