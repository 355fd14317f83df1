"""One sentence that says what went wrong in a cell, and which defence would have caught it."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.harness.scoring.explanations import DEFENCES, REASONS
from memlab.harness.scoring.judged_result import Requirement, judged_result
from memlab.harness.scoring.metrics import METRICS
from memlab.report.explain.answer import WAS_TO_BE, lost_words
from memlab.report.explain.story import quote
from memlab.report.explain.timeline import AnnotatedTimeline
from memlab.report.tables.systems import OURS
from memlab.terms import Result

MEMORY = "a memory that keeps what it is told, and a search that finds it"
PROMOTION = "promotion, so that what recurs and holds up is found before what was said once"
SEARCH = "a search that ranks what was told before the rest, and defences that hold back nothing else"
RELEVANCE = "relevance, so that the budget is spent first on what the task needs"
PINS = "pins, so that rules, goal and next to-do have their place before anything else spends the budget"
LOG = "a log, from which the task is rebuilt after a crash"
LACKING = {"hybrid-no-log": "the log that was taken away, which keeps what happened", "hybrid-no-pin": PINS}
"""What a row of the table lacks, and so what it misses first where it does not serve enough."""
HAS = f"; {OURS} has that, and it did not suffice: this is known, or a fault"
SILENCE = "a minimum score, below which it is better to say nothing"
CATCHES = "The defence that catches this is"


def failed(results: Sequence[Result]) -> list[Result]:
    """Keep the results that do not pass."""
    return [result for result in results if METRICS["passes"](result) != 1]


def sentence(results: Sequence[Result], tale: AnnotatedTimeline | None) -> str:
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
    if not (gone := judged_result(worst).missing):
        return f"{who} answered, and nothing that was told answers this. {CATCHES} {SILENCE}."
    words = lost_words(worst, gone[0], tale)
    nothing = f"served nothing, where {words} {WAS_TO_BE[gone[0].what]}"
    did = f"did not serve {words}" if judged_result(worst).lines else nothing
    more = f", and {len(gone) - 1} more" if len(gone) > 1 else ""
    catches = LACKING.get(worst.system) or _keeps(worst, gone[0], tale)
    return f"{who} {did}{more}. {CATCHES} {catches}{HAS if worst.system == OURS else ''}."


def _passed(results: Sequence[Result]) -> str:
    keys = [result.key for result in results]
    whys = dict.fromkeys(why for key in keys for why in key.forbid.values())
    took = f"; that takes {'; and '.join(DEFENCES[why] for why in whys)}" if whys else ""
    return f"{results[0].system} passes: it served all that was expected and nothing that was forbidden{took}."


def _forbidden(result: Result) -> list[str]:
    return [claim for claim in result.key.forbid if claim in judged_result(result).served]


def _served_forbidden(result: Result, claim: str, tale: AnnotatedTimeline | None) -> str:
    key = result.key
    needles = " ... ".join(map(quote, key.claims[claim]))
    why = key.forbid[claim]
    pointed = tale.could_have_told(key.probe, claim)[:1] if tale else []
    told = "".join(f" ({line.place}: {line.words})" for line in pointed)
    return f"served {needles}, though {REASONS[why]}{told}. {CATCHES} {DEFENCES[why]}."


def _keeps(result: Result, gone: Requirement, tale: AnnotatedTimeline | None) -> str:
    key = result.key
    if gone.what == "expected":
        return PROMOTION if key.family == "promotion" else SEARCH if judged_result(result).lines else MEMORY
    if gone.what == "to keep":
        return RELEVANCE
    return LOG if gone.what != "rule" and tale and tale.crashed_since(gone.name, key.probe) else PINS
