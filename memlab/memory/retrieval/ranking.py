"""Ranking: from a question to candidate memories in order, each with the probability that it answers.

1. Words. The words of a question become stems, without the most common ones and, if others remain, those that are
   typical of questions. A rarer word weighs more, and an everyday English word less (relevance.py). Words in the name
   of a speaker (`Ada: hello`) count only in the features "speaker" and "phrases", unless the question has no others.
2. Candidates. Every skill with a word of the question, and, for each clause and store, the facts and the episodes that
   cover the most weight, found by the word indexes; turns of a dialogue are also found by the words of the turns around
   them (neighbours.py). Trusted and untrusted sources each have a limit of their own, so that neither crowds out the
   other. An encoder, if there is one, adds those whose vectors are nearest, and every skill (vectors.py).
3. Features. Each candidate becomes six numbers (features.py): the weight of its words, its pairs of adjacent words of
   the question, speaker, date, length and trust; with an encoder, its cosine is one more. Of a long text, only the
   passage that best covers the question is read.
4. Model. A linear model gives each candidate a score for each clause: its log-odds against "none of them". Candidates
   compete: the probability that one answers is exp(score) / (1 + the sum of exp(score) over the trusted ones and
   itself), a conditional logit (McFadden 1974). Its weights are fitted by `make fit` (ranking_weights.py). To the score
   of a skill, the logarithm of (successes + 1) / (uses + 1) is added: 0 for one that was not used, and less with each
   failure. Each clause is ranked as a question of its own, and a candidate counts for the clause where its
   probability is largest. So a statement that names the subject and answers the second clause withholds no answer to
   the first.

The order is by probability; if that is equal, by rank, then by importance, then by time: the later one first. So
recency decides only between equals.

Recall (recall.py) serves the valid ones (validity.py), best first. Of two that may contradict each other, the one of
higher rank, or the later one, is served first or alone (contest.py). Recall withholds a candidate whose probability is
too small; for this, the sum of step 4 is over the candidate and the better ones of its clause that are served, for a
trusted candidate only over the trusted ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import starmap
from operator import mul
from typing import NamedTuple

from memlab.memory.episode import Episode
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import without_instructions
from memlab.memory.indexing.neighbours import Hit
from memlab.memory.procedural import Skill
from memlab.memory.retrieval.features import FEATURES, Clause, MemoryText
from memlab.memory.retrieval.ranking_weights import BIAS, ENCODED, WEIGHTS
from memlab.memory.retrieval.relevance import Weights, excerpt, question_stems, stem_set
from memlab.memory.retrieval.stores import MemoryRecord, Store, Stores
from memlab.memory.retrieval.vectors import Similar
from memlab.memory.trust import NOT_TRUSTED, Provenance

CANDIDATES = 50
"""For each clause of a question, a search finds at most 50 candidates of each store from trusted sources, and 50
others; 2 k of each if that is more."""
LIMIT_GROWTH, MAX_LIMIT = 5, 1000
"""If a clause has invalid candidates and no answer, the search is repeated for five times as many, up to 1,000."""
DEFAULT_IMPORTANCE = 0.5
"""The importance of episodes and skills, which state none: the default of a fact."""
ALONE = Hit((0, 0, 0), ())
"""The hit of a memory that was not found in the log by its words: it has no neighbours."""
SIMILARITY = "similarity"
"""The name of the last feature, only with an encoder: the cosine of the question and the text."""
ANY_ENCODER = "minilm"
"""An encoder without weights of its own uses those of this one."""
Model = tuple[float, Sequence[float]]
"""The bias, and the weights of the features."""
_WORDS_ALONE: Model = BIAS, [WEIGHTS[name] for name in FEATURES]


class Candidate(NamedTuple):
    """One memory that a search found, not yet checked for validity; `text` is the passage that would be served.

    `all_odds` are its odds of answering each clause, against "none of them", and `features` its features for each
    clause; `clause` is the number of the clause that it counts for, and `probability` that of being the one
    answer to it among the trusted candidates and itself: the odds of other untrusted ones do not count.
    """

    memory: MemoryRecord
    text: str
    store: Store
    all_odds: tuple[float, ...] = (1.0,)
    features: tuple[tuple[float, ...], ...] = ()
    clause: int = 0
    probability: float = 1.0

    @property
    def rank(self) -> int:
        """The trust rank of the memory."""
        return self.memory.rank

    @property
    def odds(self) -> float:
        """The odds that it answers its clause."""
        return self.all_odds[self.clause]

    def for_likeliest_clause(self, totals: Sequence[float]) -> Candidate:
        """Return it for the clause that it answers with the largest probability.

        `totals` are 1 and the odds of all trusted candidates, for each clause.
        """
        own = self.all_odds if self.rank == NOT_TRUSTED else (0.0,) * len(totals)
        shares = [odds / (total + more) for odds, total, more in zip(self.all_odds, totals, own, strict=True)]
        clause = max(range(len(shares)), key=shares.__getitem__)
        return self._replace(clause=clause, probability=shares[clause])

    @property
    def coverage(self) -> float:
        """The share of its clause that its words cover, and with less weight its neighbours."""
        return self.features[self.clause][FEATURES.index("text")]

    @property
    def has_phrase(self) -> bool:
        """Whether it has a pair of adjacent words of the question."""
        return self.features[self.clause][FEATURES.index("phrases")] > 0

    @property
    def tie_break(self) -> tuple[float, float, float, str]:
        """Sorts equals by rank, importance and time, best first."""
        memory = self.memory
        importance = memory.importance if isinstance(memory, Fact) else DEFAULT_IMPORTANCE
        return -memory.rank, -importance, -memory.origin.time, memory.id


class Recalled(NamedTuple):
    """One recalled memory: text, provenance, store, probability that it answers, notes (untrusted, unverifiable)."""

    text: str
    origin: Provenance
    store: Store
    score: float
    notes: tuple[str, ...] = ()


class Question:
    """One question to the stores; `limit` is the most candidates of each store, for trusted and for other sources."""

    def __init__(self, text: str, stores: Stores, limit: int = CANDIDATES) -> None:
        self.words = question_stems(text)
        self.text = text
        self._stores = stores
        self._limit = limit
        self._most_found = 0  # by one search of one store
        self._encoder = stores.vectors.encoder
        self._model = model_for(self._encoder.name) if self._encoder else _WORDS_ALONE

    def wider(self) -> Question | None:
        """Return the question with a larger search limit; None if there cannot be more candidates."""
        if self._limit >= MAX_LIMIT or self._most_found < self._limit:
            return None
        return Question(self.text, self._stores, min(MAX_LIMIT, LIMIT_GROWTH * self._limit))

    @cached_property
    def candidates(self) -> Sequence[Candidate]:
        """The candidates, best first."""
        found = [one for one in starmap(self._to_candidate, self._found) if one]
        trusted = [one.all_odds for one in found if one.rank > NOT_TRUSTED]
        totals = [1 + sum(odds[number] for odds in trusted) for number in range(len(self.clauses))] if found else []
        candidates = [one.for_likeliest_clause(totals) for one in found]
        return sorted(candidates, key=lambda one: (-one.probability, *one.tie_break))

    @cached_property
    def clauses(self) -> list[Clause]:
        """The clauses of the question; the whole question if it has only one."""
        (episodes, texts), (facts, statements) = (
            store.frequency(self.words) for store in (self._stores.episodes, self._stores.facts)
        )
        names = self._stores.episodes.speakers(self.words)
        frequency = Counter(episodes) + Counter(facts)
        return Clause.split(self.text, self.words, names, frequency, texts + statements)

    @cached_property
    def _weights(self) -> Weights:
        """The weight of each word of the question in its own clause."""
        return {word: max(clause.weights[word] for clause in self.clauses) for word in self.clauses[0].weights}

    @cached_property
    def _similar(self) -> Similar:
        """The memories nearest to the question by their vectors; none without an encoder."""
        return self._stores.vectors.search(self.text)

    @cached_property
    def _found(self) -> list[tuple[MemoryRecord, Store, Hit]]:
        """The memories found for each clause, each once, with its store and the words of its neighbours."""
        found: dict[tuple[Store, str, str], tuple[MemoryRecord, Store, Hit]] = {}
        for clause in self.clauses if self.words else ():
            words = [word for word in clause.weights if word in clause.own_words]
            facts = self._stores.facts.search(words, self._limit)
            episodes = self._stores.episodes.search(words, self._limit)
            self._most_found = max(self._most_found, len(facts), len(episodes))
            for one in facts:
                found["semantic", one.id, one.text] = one, "semantic", ALONE
            for episode, hit in episodes:
                found["episodic", episode.id, episode.text] = episode, "episodic", hit
        for near in self._similar.nearest:
            store: Store = "semantic" if isinstance(near, Fact) else "episodic"
            found.setdefault((store, near.id, near.text), (near, store, ALONE))
        return [*found.values(), *((one, "procedural", ALONE) for one in self._stores.skills.all())]

    def _to_candidate(self, memory: MemoryRecord, store: Store, hit: Hit) -> Candidate | None:
        """Return a memory as a candidate; without an encoder, None if neither it nor a neighbour has a word.

        The kind of an episode ("deploy") counts as one of its words.
        """
        text = memory.text if memory.rank > NOT_TRUSTED else without_instructions(memory.text)
        served = excerpt(text, self._weights)
        read = served if isinstance(memory, Episode) else f"{served} {memory.heading}"
        held = stem_set(read) | (stem_set(memory.kind) if isinstance(memory, Episode) else frozenset())
        if not self._encoder and held.isdisjoint(self.words) and not any(hit.near):
            return None
        found = MemoryText(read, held, memory.rank, len(text), memory.origin.time, hit.near)
        more = (self._similar.cosine(memory),) if self._encoder else ()
        features = tuple((*clause.features(found), *more) for clause in self.clauses)
        success = math.log((memory.succeeded + 1) / (memory.used + 1)) if isinstance(memory, Skill) else 0.0
        odds = tuple(math.exp(log_odds(one, self._model) + success) for one in features)
        return Candidate(memory, served, store, odds, features)


def model_for(encoder: str) -> Model:
    """Return the bias and the weights of the ranking with an encoder."""
    weights = ENCODED.get(encoder, ENCODED[ANY_ENCODER])
    return weights["bias"], [weights[name] for name in (*FEATURES, SIMILARITY)]


def log_odds(features: Sequence[float], model: Model) -> float:
    """Return the log-odds of a candidate with these features, against "none of them"."""
    bias, weights = model
    found: float = bias + sum(map(mul, weights, features))
    return found
