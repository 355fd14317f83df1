"""The contest between statements that answer the same question differently: which of them are served, in which order.

Of two statements that contradict each other with a probability of at least SURE, the one of lower rank loses; of one
rank, the earlier one. With a probability from UNSURE to SURE both are served: the higher rank first, and of the same
rank the later one. A text of more than MOST_REPLACED words is served after a later one of its rank that contradicts it:
it also says other things. A statement ranks no higher than the least trusted source that said the same before it (see
repetition.py). But no statement is defeated by one of a source of lower rank than its own.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from memlab.memory.facts import Fact, same_subject
from memlab.memory.heuristics.reference_check import Verdict
from memlab.memory.retrieval.contradiction import LEAST_SHARED, SURE, analyse, content_words, contradiction
from memlab.memory.retrieval.ranking import Candidate
from memlab.memory.retrieval.relevance import stems
from memlab.memory.retrieval.repetition import MOST_SUPERSEDED, repeats_superseded, says_the_same
from memlab.memory.retrieval.stores import MemoryRecord, Stores
from memlab.memory.trust import NOT_TRUSTED

MOST_REPLACED = 25
"""No later statement of its rank replaces a text of more than 25 words, which also says other things."""
UNSURE = 0.03
"""Two statements that contradict each other with at least this probability are served by rank, then the later first."""


class Contest:
    """Decides between the candidates of one question. `check` returns the verdict of the environment on a text.

    Without `versions` a later statement does not defeat an earlier one.
    """

    def __init__(
        self,
        question: str,
        candidates: Sequence[Candidate],
        stores: Stores,
        check: Callable[[str], Verdict],
        *,
        versions: bool = True,
    ) -> None:
        self._versions = versions
        self._question = question
        self._candidates = candidates
        self._stores = stores
        self._check = check
        self._lost: dict[tuple[str, str], bool] = {}
        self._pairs: dict[tuple[str, str, str, str], float] = {}
        self._times: dict[str, float] = {}
        self._ranks: dict[tuple[str, str], int] = {}

    def loses(self, one: Candidate) -> bool:
        """Return whether another candidate defeats this one, or it restates a superseded fact."""
        memory, key = one.memory, (one.memory.id, one.text)
        if key not in self._lost:
            self._lost[key] = (
                self._is_derived_from_superseded(memory)
                or (
                    not isinstance(memory, Fact)
                    and repeats_superseded(memory, one.text, self._superseded, self._stores)
                )
                or any(self._defeats(other, one) for other in self._rivals(one))
            )
        return self._lost[key]

    def rank(self, one: Candidate) -> int:
        """Return the rank of a statement: at most the lowest rank of those that said the same before it."""
        key = one.memory.id, one.text
        if key not in self._ranks:
            said = (other.rank for other in self._candidates if other.rank < one.rank and self._precedes(other, one))
            self._ranks[key] = min(said, default=one.rank)
        return self._ranks[key]

    def in_order(self, served: Sequence[Candidate]) -> list[Candidate]:
        """Return the same candidates; of two that may contradict each other, the higher rank, then the later, first."""
        ordered = list[Candidate]()
        for one in served:
            places = [at for at, other in enumerate(ordered) if self._is_before(one, other)]
            ordered.insert(min(places, default=len(ordered)), one)
        return ordered

    def _defeats(self, other: Candidate, one: Candidate) -> bool:
        """Return whether another candidate contradicts this one and wins. One of a source of lower rank never does.

        One that the environment refutes wins only by rank, against an untrusted one or one on its subject, and only if
        the environment does not confirm the lower one.
        """
        rank = self.rank(one)
        if other.rank < one.rank or (other.rank == rank and not self._is_later(other, one)):
            return False  # before the texts are compared, which costs most
        if self._contradiction(one, other) < SURE:
            return False
        rival = self.rank(other)
        if rival < rank or (rival == rank and (_says_more(one) or not self._is_later(other, one))):
            return False
        if self._check(other.text) != "refuted":
            return True
        must_be_confirmed = rival > rank and (rank == NOT_TRUSTED or _have_one_label(one.memory, other.memory))
        return must_be_confirmed and self._check(one.text) != "confirmed"

    def _is_later(self, other: Candidate, one: Candidate) -> bool:
        return self._versions and self._time(other) > self._time(one)

    def _rivals(self, one: Candidate) -> Iterator[Candidate]:
        """Yield the candidates that share words with this one, and the other current facts on its subject."""
        shared = Counter(chain.from_iterable(self._by_word.get(word, ()) for word in content_words(one.text)))
        yield from (self._candidates[place] for place in sorted(shared) if shared[place] >= LEAST_SHARED)
        if isinstance(one.memory, Fact):
            yield from (Candidate(fact, fact.body, "semantic") for fact in self._stores.facts.on_subject(one.memory))

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        """The places of the candidates by their words."""
        places = defaultdict[str, list[int]](list)
        for place, one in enumerate(self._candidates):
            for word in content_words(one.text):
                places[word].append(place)
        return places

    def _precedes(self, other: Candidate, one: Candidate) -> bool:
        """Return whether another memory said the same earlier."""
        is_other = other.memory.id != one.memory.id and other.memory.origin.time < one.memory.origin.time
        return is_other and says_the_same(other.text, one.text)

    def _is_before(self, one: Candidate, other: Candidate) -> bool:
        """Return whether one must be served before another that it may contradict: by rank, then the later one."""
        order, others = (self.rank(one), self._time(one)), (self.rank(other), self._time(other))
        return order > others and self._contradiction(other, one) >= UNSURE

    def _contradiction(self, one: Candidate, other: Candidate) -> float:
        """Return the probability that two candidates contradict each other: 1 with one label, 0 with two `about`."""
        pair = one.memory.id, one.text, other.memory.id, other.text
        if pair not in self._pairs:
            self._pairs[pair] = self._compare(one, other)
        return self._pairs[pair]

    def _compare(self, one: Candidate, other: Candidate) -> float:
        if _have_one_label(one.memory, other.memory):
            return 1.0
        are_peers = (one.rank > NOT_TRUSTED) == (other.rank > NOT_TRUSTED)  # else a liar could choose another label
        if are_peers and all(isinstance(two.memory, Fact) and two.memory.about for two in (one, other)):
            return 0.0
        older, newer = sorted((one, other), key=lambda two: (self._time(two), two.memory.id))
        if says_the_same(older.text, newer.text):
            return 0.0
        both = math.log(older.probability * newer.probability)
        found = contradiction(with_description(older), with_description(newer), self._question, both)
        return min(found, UNSURE) if are_peers and _have_two_names(one.memory, other.memory) else found

    def _time(self, one: Candidate) -> float:
        """Return the time of a statement; a restatement has that of the latest statement that it is derived from."""
        memory = one.memory
        if memory.id not in self._times:
            parents = [known for known in map(self._stores.get, memory.origin.derived_from) if known]
            self._times[memory.id] = max((parent.origin.time for parent in parents), default=memory.origin.time)
        return self._times[memory.id]

    def _is_derived_from_superseded(self, memory: MemoryRecord) -> bool:
        """Return whether a memory is derived from a fact on another subject that a different memory superseded."""
        for parent in self._stores.lineage(memory):
            is_superseded = isinstance(parent, Fact) and parent.superseded_by not in {"", memory.id}
            if is_superseded and not _have_one_label(memory, parent):
                return True
        return False

    @cached_property
    def _superseded(self) -> list[Fact]:
        """The superseded facts that share words with the question."""
        return self._stores.facts.search(stems(self._question), MOST_SUPERSEDED, superseded=True)


def with_description(one: Candidate) -> str:
    """Return the text of a candidate; of a fact with its description, which may name the subject."""
    memory = one.memory
    return f"{memory.description} {one.text}" if isinstance(memory, Fact) else one.text


def _says_more(one: Candidate) -> bool:
    return len(analyse(one.memory.text).stems) > MOST_REPLACED


def _have_two_names(one: MemoryRecord, other: MemoryRecord) -> bool:
    """Return whether both are facts to which their writers gave different names."""
    names = {fact.name for fact in (one, other) if isinstance(fact, Fact) and fact.has_given_name}
    return len(names) == 2  # noqa: PLR2004 - one for each


def _have_one_label(one: MemoryRecord, other: MemoryRecord) -> bool:
    return isinstance(one, Fact) and isinstance(other, Fact) and same_subject(one, other)
