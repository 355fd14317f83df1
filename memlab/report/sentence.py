"""One sentence that says what went wrong in a cell, and which defence would have caught it."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.harness.metrics import METRICS
from memlab.harness.reading import reading
from memlab.harness.verdict import DEFENCES, REASONS
from memlab.report.answer import Lost, lost, lost_words
from memlab.report.story import SHOWN, quote
from memlab.report.tale import Tale
from memlab.terms import Key, Result

SEARCH = "a search that ranks what was told before the rest, and defences that hold back nothing else"
RELEVANCE = "relevance, so that the budget is spent first on what the task needs"
PINS = "pins, so that rules, goal and next to-do have their place before anything else spends the budget"
LOG = "a log, from which the task is rebuilt after a crash"
SILENCE = "a least score, below which no answer is better than any"
CATCHES = "the defence that catches this is"


def failed(results: Sequence[Result]) -> list[Result]:
    """Keep the results that do not pass."""
    return [result for result in results if METRICS["passes"](result) != 1]


def sentence(results: Sequence[Result], tale: Tale | None) -> str:
    """Say what went wrong in a cell: an error before what was forbidden, and that before what is missing."""
    wrong = failed(results)
    if not wrong:
        return _passed(results)
    worst = min(wrong, key=lambda result: (not result.error, not _forbidden(result)))
    who = f"Asked {quote(worst.key.query)}, {worst.system}"
    if worst.error:
        return f"{who} gave no answer: {worst.error}"
    if found := _forbidden(worst):
        return f"{who} {_served_forbidden(worst, found[0], tale)}"
    if not (gone := lost(worst)):
        return f"{who} answered, and nothing that was told answers this; {CATCHES} {SILENCE}."
    words = f"{lost_words(worst, gone[0], tale)}{f' and {len(gone) - 1} more' if len(gone) > 1 else ''}"
    did = "served nothing, and so not" if not reading(worst).lines else "did not serve"
    return f"{who} {did} {words}; {CATCHES} {_keeps(worst.key, gone[0], tale)}."


def _passed(results: Sequence[Result]) -> str:
    keys = [result.key for result in results]
    whys = dict.fromkeys(why for key in keys for why in key.forbid.values())
    took = f"; that takes {'; and '.join(DEFENCES[why] for why in whys)}" if whys else ""
    return f"{results[0].system} passes: it served all that was expected and nothing that was forbidden{took}."


def _forbidden(result: Result) -> list[str]:
    return [claim for claim in result.key.forbid if claim in reading(result).served]


def _served_forbidden(result: Result, claim: str, tale: Tale | None) -> str:
    key = result.key
    needles = " ... ".join(map(quote, key.claims[claim]))
    why = key.forbid[claim]
    pointed = tale.could_have_told(key.probe, claim)[:1] if tale else []
    told = "".join(
        f" ({line.place}: {line.words if len(line.words) <= SHOWN else line.words[:SHOWN] + ' ...'})"
        for line in pointed
    )
    return f"served {needles}, though {REASONS[why]}{told}; {CATCHES} {DEFENCES[why]}."


def _keeps(key: Key, gone: Lost, tale: Tale | None) -> str:
    if gone.what == "expected":
        return SEARCH
    if gone.what == "to keep":
        return RELEVANCE
    return LOG if gone.what != "rule" and tale and tale.crashed_since(gone.name, key.probe) else PINS
