"""A model that extracts and reflects, in place of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memlab.models.extraction import Candidate, Turn, extract
from memlab.models.model import Model
from memlab.models.reflection import reflect
from memlab.systems.documents.parts.extractor import importance
from memlab.systems.documents.parts.reflector import Conclusion, Observation
from memlab.systems.documents.parts.stand_ins import StandIns

Reject = Callable[[str], None]


class ModelStandIns(StandIns):
    """Asks a model for facts and conclusions. What an event is worth, the rules say: a model would read each event.

    Nothing of an answer that its checks reject is returned; `reject` gets the reason.
    """

    def __init__(self, model: Model, reject: Reject) -> None:
        self._model, self._reject = model, reject
        super().__init__(self._extract, importance, self._conclude)

    def _extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        found = extract(turns, self._model)
        self._reject_all(found.rejected)
        return found.facts

    def _conclude(self, episodes: Sequence[Observation], most: int) -> list[Conclusion]:
        found = reflect([one.text for one in episodes], self._model, most)
        self._reject_all(found.rejected)
        return [Conclusion(one.text, tuple(episodes[place].id for place in one.episodes)) for one in found.insights]

    def _reject_all(self, reasons: Iterable[str]) -> None:
        for reason in reasons:
            self._reject(reason)
