"""A one-sentence summary of a cell: what went wrong, and which defence prevents it."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.harness.scoring.explanations import DEFENCES, REASONS
from memlab.harness.scoring.fixes import PINS, missing_parts, worst_result
from memlab.harness.scoring.judged_result import judged_result
from memlab.harness.scoring.metrics import METRICS
from memlab.report.explain.answer import EXPECTATION, missing_text
from memlab.report.explain.story import quote
from memlab.report.explain.timeline import AnnotatedTimeline
from memlab.report.tables.systems import OURS
from memlab.terms import Result

LACKING = {"hybrid-no-log": "the log that this ablation lacks, which stores what happened", "hybrid-no-pin": PINS}
"""The part that an ablation lacks, and so the first reason why it serves too little."""
HAS = f"; {OURS} has this and still failed: a known limit or a defect"
DEFENCE, PART = "The defence that catches this is", "It lacks"


def failed(results: Sequence[Result]) -> list[Result]:
    """Return the results that do not pass."""
    return [result for result in results if METRICS["passes"](result) < 1]


def sentence(results: Sequence[Result], timeline: AnnotatedTimeline | None) -> str:
    """Summarise a cell by its worst probe: an error, else a forbidden claim, else a missing one."""
    wrong = failed(results)
    if not wrong:
        return _passed(results)
    worst = worst_result(wrong)
    subject = f"Asked {quote(worst.key.query)}, {worst.system}"
    if worst.error:
        return f"{subject} gave no answer: {worst.error}"
    part = missing_parts(worst)[0]
    if forbidden := _forbidden(worst):
        return f"{subject} {_served_forbidden(worst, forbidden[0], timeline)} {DEFENCE} {part}."
    if not (missing := judged_result(worst).missing):
        return f"{subject} answered, although no event answers this question. {PART} {part}."
    text = missing_text(worst, missing[0], timeline)
    nothing = f"served nothing, but {text} {EXPECTATION[missing[0].what]}"
    action = f"did not serve {text}" if judged_result(worst).lines else nothing
    more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
    lacking = LACKING.get(worst.system, part)
    return f"{subject} {action}{more}. {PART} {lacking}{HAS if worst.system == OURS else ''}."


def _passed(results: Sequence[Result]) -> str:
    keys = [result.key for result in results]
    whys = dict.fromkeys(why for key in keys for why in key.forbid.values())
    needs = f"; this needs {'; and '.join(DEFENCES[why] for why in whys)}" if whys else ""
    return f"{results[0].system} passes: it served everything expected and nothing forbidden{needs}."


def _forbidden(result: Result) -> list[str]:
    return [claim for claim in result.key.forbid if claim in judged_result(result).served]


def _served_forbidden(result: Result, claim: str, timeline: AnnotatedTimeline | None) -> str:
    key = result.key
    needles = " ... ".join(map(quote, key.claims[claim]))
    evidence = timeline.evidence_against(key.probe, claim)[:1] if timeline else []
    reference = "".join(f" ({entry.place}: {entry.text})" for entry in evidence)
    return f"served {needles}, though {REASONS[key.forbid[claim]]}{reference}."
