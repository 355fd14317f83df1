"""What one system answered to one probe: each item with the claims in it, what is missing, what was kept back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memlab.harness.scoring.explanations import REASONS
from memlab.harness.scoring.judged_result import CLAIMS, Requirement, claim_matcher, judged_result, required_pins
from memlab.harness.scoring.pins import contains_pin
from memlab.memory.text import fold
from memlab.report.explain.story import excerpt, quote
from memlab.report.explain.timeline import AnnotatedTimeline, Row
from memlab.terms import Key, Result

BLOCK = " " * 7
WHOLE = 6
"""An item of so many lines is shown whole; of more, the lines that matter."""
FIRST = 2
"""So many of its lines are shown where none matters."""


WAS_TO_BE = {
    "expected": "was expected",
    "to keep": "was to be kept",
    **dict.fromkeys(("rule", "goal", "next to-do"), "has to stand in every context"),
}


def answered(result: Result, tale: AnnotatedTimeline | None) -> Iterator[Row]:
    """Tell what was served to a probe, and what it is worth."""
    if result.error:
        yield Row(BLOCK, f"ERROR: {result.error}", "red")
        return
    key, read = result.key, judged_result(result)
    yield from _items(result, tale)
    if key.expect == () and read.lines:
        yield Row(BLOCK, "FORBIDDEN: any answer, for nothing that was told answers this.", "red")
    why = {claim: f"{claim_words(key, claim, tale)}. Why: {_reason(key, claim, tale)}." for claim in key.forbid}
    yield from (Row(f"{BLOCK}FORBIDDEN{_name(one)}: ", why[one], "red") for one in why if one in read.served)
    for one in read.missing:
        name = _name(one.name) if one.what in CLAIMS else ""
        yield Row(f"{BLOCK}MISSING{name}: ", f"{lost_words(result, one, tale)} {WAS_TO_BE[one.what]}.", "red")
    if read.lines:
        rightly = (one for one in why if one not in read.served)
        yield from (Row(f"{BLOCK}rightly not served{_name(one)}: ", why[one], "green") for one in rightly)
    yield from _beside(result)


def lost_words(result: Result, one: Requirement, tale: AnnotatedTimeline | None) -> str:
    """Name what is not there, and the line that told it."""
    key = result.key
    if one.what not in CLAIMS:
        return f"the {one.what} {quote(one.name)}{_where(tale.set_in(one.name, key.probe) if tale else '')}"
    text = fold("\n".join(result.items))
    there = [needle for needle in key.claims.get(one.name, ()) if fold(needle) in text]
    partly = f" (only {', '.join(map(quote, there))} is there)" if there else ""
    return claim_words(key, one.name, tale) + partly


def claim_words(key: Key, claim: str, tale: AnnotatedTimeline | None) -> str:
    """Give the needles of a claim, and the lines that state it."""
    needles = " ... ".join(map(quote, key.claims.get(claim, ())))
    return f"{needles}{_where(tale.told_in(claim, key.probe) if tale else '')}"


def _reason(key: Key, claim: str, tale: AnnotatedTimeline | None) -> str:
    """Say why a claim must not be served, and point to what could have told."""
    pointed = tale.could_have_told(key.probe, claim) if tale else []
    return REASONS[key.forbid[claim]] + ("; see " + " and ".join(line.place for line in pointed)) * bool(pointed)


def _items(result: Result, tale: AnnotatedTimeline | None) -> Iterator[Row]:
    """Lay out what was served in three columns: the number of the item, what a line of it is marked with, the line."""
    rows = []
    for number, item in enumerate(result.items, 1):
        store = "".join(result.stores[number - 1 : number])
        lead = f"{number}. " if result.key.verb == "recall" else ""
        for mark, words in _excerpt(item, result.key, tale):
            rows.append((lead, mark, words))
            lead = " " * len(lead)
        if store and item.strip():
            rows[-1] = (*rows[-1][:2], f"{rows[-1][2]}  (store: {store})")
    if not rows:
        yield Row(BLOCK, "served nothing")
    width = max((len(mark) for _, mark, _ in rows), default=0)
    for lead, mark, words in rows:
        style = "red" if "FORBIDDEN" in mark else "green" if any(one in mark for one in CLAIMS) else ""
        yield Row(f"{BLOCK}{lead}{mark:<{width}} | ", words, style)


def _excerpt(item: str, key: Key, tale: AnnotatedTimeline | None) -> Iterator[tuple[str, str]]:
    """Give the lines of an item that matter, each with its mark, and say how many others stand between them."""
    served = claim_matcher(key).claims_in(fold(item))
    marks = {claim: mark for claim in served if (mark := _mark(key, claim))}
    lines = [line for line in item.splitlines() if line.strip()]
    carried = [_carried(line, key, marks) for line in lines]
    neither = "" if marks or key.verb == "assemble" else "neither" + _where(_origin(served, key, tale))
    skipped: list[str] = []
    for number, (line, found) in enumerate(zip(lines, carried, strict=True)):
        if found or len(lines) <= WHOLE or (number < FIRST and not any(carried)):
            yield from _gap(skipped)
            yield ", ".join(found) or ("" if number else neither), excerpt(line, found.values())
            skipped = []
        else:
            skipped.append(line)
    yield from _gap(skipped)
    if over := [mark for mark in marks.values() if not any(mark in found for found in carried)]:
        yield ", ".join(over), "(over several lines)"


def _mark(key: Key, claim: str) -> str:
    """Say what a claim is to a probe; "" where it is nothing."""
    names = {"FORBIDDEN": key.forbid, "expected": key.expect or (), "to keep": key.keep}
    return next((f"{what}{_name(claim)}" for what, claims in names.items() if claim in claims), "")


def _carried(line: str, key: Key, marks: Mapping[str, str]) -> dict[str, str]:
    """Give what a line is marked with: the claims that stand in it, each with a needle, and the pins."""
    folded = fold(line)
    found = {
        mark: needle for claim, mark in marks.items() for needle in key.claims[claim][::-1] if fold(needle) in folded
    }
    for pin in required_pins(key) if key.verb == "assemble" else ():
        for part in pin.name.splitlines():
            if fold(part) and contains_pin(part, [folded]):
                found[pin.what] = part
    return found


def _gap(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Show the first of the lines that are left out, and count the others."""
    others = f"  (and {len(lines) - 1} more line{'s' * (len(lines) > 2)})" if len(lines) > 1 else ""  # noqa: PLR2004 - one
    return [("", excerpt(line) + others) for line in lines[:1]]


def _origin(served: Iterable[str], key: Key, tale: AnnotatedTimeline | None) -> str:
    return next(filter(None, (tale.told_in(claim, key.probe) for claim in served)), "") if tale else ""


def _name(claim: str) -> str:
    """Give the name of a claim as its author gave it, in brackets; one that was not named has none."""
    return "" if claim.startswith("~") else f" [{claim}]"


def _where(lines: str) -> str:
    return f" ({lines})" if lines else ""


def _beside(result: Result) -> Iterator[Row]:
    """Tell what the system said beside its answer, and what memlab did about it."""
    if result.notes:
        yield Row(f"{BLOCK}it noted: ", "; ".join(dict.fromkeys(result.notes)))
    for law in result.broke:
        yield Row(f"{BLOCK}LAW BROKEN: ", f"more than the {law} allows; it was cut before it was judged.", "yellow")
    if result.fallback:
        words = f"it has no {result.fallback} of its own, so memlab made this from its other verb."
        yield Row(f"{BLOCK}stand-in: ", words)
