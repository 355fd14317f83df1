"""The scripted writer of a user's page: what a model does that is asked for "the complete updated content"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memlab.memory.context import CHARS_PER_TOKEN, one_line
from memlab.memory.retrieval.relevance import stem_set
from memlab.models.extraction import Candidate

MOST_LINES = 60
"""[m] A longer page is shortened, as whole-page rewriting does."""
MOST_TOKENS = 2000
"""[s] `max_tokens` of the answer: a longer page ends there."""
MENTIONED = 0.5
"""[m] A line is mentioned in a session that contains half of its content stems."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A whole new page, and the words of the session that each added line comes from."""

    page: str
    quotes: Mapping[str, str] = field(default_factory=dict)


def propose(page: str, discoveries: Sequence[Candidate], session: str) -> Proposal | None:
    """Return the page with the session's discoveries, None for NO_UPDATE [s].

    It appends them, drops the oldest lines that the session does not mention while there are more than MOST_LINES,
    and reformats: no blank lines, and one bullet.
    """
    lines = [_formatted(line) for line in page.splitlines() if line.strip()]
    added = {f"- {one_line(one.fact)}": one.quote for one in discoveries}
    new = [line for line in added if line not in lines]
    if not new:
        return None
    lines += new
    heard = stem_set(session)
    for line in [one for one in lines if not one.startswith("#") and not _is_mentioned(one, heard)]:
        if sum(not one.startswith("#") for one in lines) <= MOST_LINES:
            break
        lines.remove(line)
    while lines and sum(len(line) + 1 for line in lines) > MOST_TOKENS * CHARS_PER_TOKEN:
        lines.pop()
    return Proposal("\n".join(lines), {line: added[line] for line in new})


def _formatted(line: str) -> str:
    text = line.strip()
    return text if text.startswith("#") else f"- {text.lstrip('*-+ ')}"


def _is_mentioned(line: str, heard: frozenset[str]) -> bool:
    stems = stem_set(line)
    return bool(stems) and len(stems & heard) >= MENTIONED * len(stems)
