"""What one system answered to one probe: each item with its claims, what is missing, and what was correctly omitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memlab.harness.plural import plural
from memlab.harness.scoring.explanations import REASONS
from memlab.harness.scoring.judged_result import CLAIMS, Requirement, claim_matcher, judged_result, required_pins
from memlab.harness.scoring.pins import contains_pin
from memlab.memory.text import fold
from memlab.report.explain.story import excerpt, quote
from memlab.report.explain.timeline import AnnotatedTimeline
from memlab.report.lines import Line, Style, line
from memlab.terms import Key, Result

BLOCK = " " * 7
MOST = 6
"""An item of more lines than this is shortened to the lines with a claim or a pin."""
FIRST = 2
"""Lines that are shown of a shortened item that has neither."""
EXPECTATION = {
    "expected": "was expected",
    "to keep": "had to be kept",
    **dict.fromkeys(("rule", "goal", "next to-do"), "must be in every context"),
}
"""What a probe requires of a claim or a pin."""


def answer_lines(result: Result, timeline: AnnotatedTimeline | None) -> Iterator[Line]:
    """Yield what was served to a probe, then what was forbidden, missing and correctly omitted."""
    if result.error:
        yield line(BLOCK, f"ERROR: {result.error}", "red")
        yield from _printed(result)
        return
    if result.not_applicable:
        yield line(BLOCK, f"not applicable: {result.not_applicable}", "dim")
        return
    key, judged = result.key, judged_result(result)
    yield from _item_lines(result, timeline)
    if key.expect == () and judged.lines:
        yield line(BLOCK, "FORBIDDEN: any answer, because no event answers this question.", "red")
    why = {claim: f"{claim_text(key, claim, timeline)}. Why: {_reason(key, claim, timeline)}." for claim in key.forbid}
    for claim, text in why.items():
        if claim in judged.served:
            yield line(f"{BLOCK}FORBIDDEN{_name(claim)}: ", text, "red")
    for wanted in judged.missing:
        name = _name(wanted.name) if wanted.what in CLAIMS else ""
        text = f"{missing_text(result, wanted, timeline)} {EXPECTATION[wanted.what]}."
        yield line(f"{BLOCK}MISSING{name}: ", text, "red")
    for claim, text in why.items():
        if judged.lines and claim not in judged.served:
            yield line(f"{BLOCK}correctly not served{_name(claim)}: ", text, "green")
    yield from _remarks(result)


def missing_text(result: Result, wanted: Requirement, timeline: AnnotatedTimeline | None) -> str:
    """Return what is missing, and the line that states it."""
    key = result.key
    if wanted.what not in CLAIMS:
        place = timeline.line_setting(wanted.name, key.probe) if timeline else ""
        return f"the {wanted.what} {quote(wanted.name)}{_in_brackets(place)}"
    text = fold("\n".join(result.items))
    present = [needle for needle in key.claims.get(wanted.name, ()) if fold(needle) in text]
    partly = f" (only {', '.join(map(quote, present))} is there)" if present else ""
    return claim_text(key, wanted.name, timeline) + partly


def claim_text(key: Key, claim: str, timeline: AnnotatedTimeline | None) -> str:
    """Return the needles of a claim, and the lines that state it."""
    needles = " ... ".join(map(quote, key.claims.get(claim, ())))
    return f"{needles}{_in_brackets(timeline.lines_stating(claim, key.probe) if timeline else '')}"


def _reason(key: Key, claim: str, timeline: AnnotatedTimeline | None) -> str:
    """Return why a claim must not be served, and the lines that show it."""
    evidence = timeline.evidence_against(key.probe, claim) if timeline else []
    return REASONS[key.forbid[claim]] + ("; see " + " and ".join(entry.place for entry in evidence)) * bool(evidence)


def _item_lines(result: Result, timeline: AnnotatedTimeline | None) -> Iterator[Line]:
    """Yield what was served in three columns: the number of the item, its claims and pins, its text."""
    rows = []
    for number, item in enumerate(result.items, 1):
        store = "".join(result.stores[number - 1 : number])
        lead = f"{number}. " if result.key.verb == "recall" else ""
        for label, text in _excerpt(item, result.key, timeline):
            rows.append((lead, label, text))
            lead = " " * len(lead)
        if store and item.strip():
            rows[-1] = (*rows[-1][:2], f"{rows[-1][2]}  (store: {store})")
    if not rows:
        yield line(BLOCK, "served nothing")
    width = max((len(label) for _, label, _ in rows), default=0)
    for lead, label, text in rows:
        style: Style = "red" if "FORBIDDEN" in label else "green" if any(kind in label for kind in CLAIMS) else ""
        yield line(f"{BLOCK}{lead}{label:<{width}} | ", text, style)


def _excerpt(item: str, key: Key, timeline: AnnotatedTimeline | None) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line of an item that contains a claim or a pin; count the other lines."""
    served = claim_matcher(key).claims_in(fold(item))
    labels = {claim: label for claim in served if (label := _label(key, claim))}
    texts = [text for text in item.splitlines() if text.strip()]
    matches = [_matches(text, key, labels) for text in texts]
    origins = (timeline.lines_stating(claim, key.probe) for claim in served) if timeline else ()
    neither = "" if labels or key.verb != "recall" else "neither" + _in_brackets(next(filter(None, origins), ""))
    skipped: list[str] = []
    for number, (text, found) in enumerate(zip(texts, matches, strict=True)):
        if found or len(texts) <= MOST or (number < FIRST and not any(matches)):
            yield from _skipped_lines(skipped)
            yield ", ".join(found) or ("" if number else neither), excerpt(text, found.values())
            skipped = []
        else:
            skipped.append(text)
    yield from _skipped_lines(skipped)
    if spread := [label for label in labels.values() if not any(label in found for found in matches)]:
        yield ", ".join(spread), "(over several lines)"


def _label(key: Key, claim: str) -> str:
    """Return what a probe requires of a claim, and its name; "" if nothing."""
    claims_of = {"FORBIDDEN": key.forbid, "expected": key.expect or (), "to keep": key.keep}
    return next((f"{kind}{_name(claim)}" for kind, claims in claims_of.items() if claim in claims), "")


def _matches(text: str, key: Key, labels: Mapping[str, str]) -> dict[str, str]:
    """Map the label of each claim and pin in a line to the text that matches it."""
    folded = fold(text)
    found = {
        label: needle for claim, label in labels.items() for needle in key.claims[claim][::-1] if fold(needle) in folded
    }
    for pin in required_pins(key) if key.verb != "recall" else ():
        for part in pin.name.splitlines():
            if fold(part) and contains_pin(part, [folded]):
                found[pin.what] = part
    return found


def _skipped_lines(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first of the lines that are skipped, and the number of the others."""
    others = f"  (and {plural(len(texts) - 1, 'more line')})" if len(texts) > 1 else ""
    return [("", excerpt(text) + others) for text in texts[:1]]


def _name(claim: str) -> str:
    """Return the name of a claim in brackets; "" for a claim that its author did not name."""
    return "" if claim.startswith("~") else f" [{claim}]"


def _in_brackets(lines: str) -> str:
    return f" ({lines})" if lines else ""


def _printed(result: Result) -> Iterator[Line]:
    yield from (line(f"{BLOCK}printed: ", text, "yellow") for text in result.printed.splitlines() if text.strip())


def _remarks(result: Result) -> Iterator[Line]:
    """Yield the notes of a system, what it printed, and what memlab changed in its answer."""
    yield from _printed(result)
    if result.notes:
        yield line(f"{BLOCK}notes: ", "; ".join(dict.fromkeys(result.notes)))
    for limit in result.broke:
        yield line(f"{BLOCK}LIMIT EXCEEDED: ", f"more than the {limit} allows; cut before it was scored.", "yellow")
    if result.fallback:
        text = f"the system has no {result.fallback}; memlab derived this answer from its other method."
        yield line(f"{BLOCK}fallback: ", text)
