"""The development samples beside the repository are read completely. They are not part of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.harness.datasets.catalogue import load
from memlab.harness.datasets.judging import judge
from memlab.harness.datasets.rounds import ConversationRound

SAMPLES = Path(__file__).parents[3].parent / "shared" / "data"
FILES = {  # conversations, and questions with evidence
    "locomo/locomo-dev5.json": (5, 760),
    "beam/beam-100k-dev8.json": (8, 144),
    "factconsolidation/dev.json": (2, 198),
    "poisonedrag/hotpotqa.json": (2, 200),
    "poisonedrag/msmarco.json": (2, 200),
    "memshield/dev.jsonl": (1, 109),
}


@pytest.fixture(params=FILES)
def sample(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if not (SAMPLES / name).exists():
        pytest.skip(f"../shared/data/{name} is absent: memlab contains no data sets")
    return name


def test_every_conversation_and_question_of_a_development_sample_is_read(sample: str) -> None:
    found = load(sample.partition("/")[0], SAMPLES / sample)
    evidence = sum(bool(question.evidence) for one in found for question in one.questions)
    assert (len(found), evidence) == FILES[sample]


def test_the_oracle_finds_the_evidence_of_a_development_sample_and_null_finds_none(sample: str) -> None:
    name = sample.partition("/")[0]
    for conversation in load(name, SAMPLES / sample)[:1]:
        oracle, null = ConversationRound(name, conversation, ("oracle", "null")).play()
        recalls = [judge(one)["recall@10"] for one in oracle if one.key.expect]
        assert sum(recalls) / len(recalls) > 0.95
        assert not any(judge(one)["recall@2000t"] > 0 for one in null)
