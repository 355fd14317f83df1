"""Every number of documents 001 and 003 is in a file of the row that the document describes."""

from __future__ import annotations

from pathlib import Path

import pytest

import memlab.systems.documents

FOLDER = Path(memlab.systems.documents.__file__).parent
NUMBERS = {
    "001, SentenceTransformer('all-MiniLM-L6-v2')": ("parts/fact_table.py", "of all-MiniLM-L6-v2 in the document"),
    "001, importance REAL NOT NULL DEFAULT 0.5": ("parts/fact_table.py", "importance REAL NOT NULL DEFAULT 0.5"),
    "001, def add(..., importance: float = 0.5)": ("parts/fact_table.py", "DEFAULT_IMPORTANCE = 0.5"),
    "001, brute-force cosine over a few thousand facts": ("parts/fact_table.py", "for a few thousand facts"),
    "001, 'minimum': 0, 'maximum': 1": ("parts/fact_table.py", "a minimum of 0 and a maximum of 1"),
    "001, model='claude-sonnet-4-5'": ("lesson_sqlite.py", "of claude-sonnet-4-5"),
    "001, max_tokens=1024": ("lesson_sqlite.py", "MOST_TOKENS = 1024"),
    "001, temperature=0": ("lesson_sqlite.py", "at temperature 0"),
    "001, transcripts fail three ways": (
        "transcript_rag.py",
        "transcripts are mostly noise, contradictions\nhave no current version, and nothing says where",
    ),
    "003, three durable kinds, one transient": ("typed/memories.py", "Three durable kinds; the fourth"),
    "003, salience=0.7": ("typed/memories.py", "CONCLUSION_SALIENCE = 0.7"),
    "003, infer up to 3 durable conclusions": ("typed/memories.py", "MOST_CONCLUSIONS = 3"),
    "003, every N new episodes, or a threshold": ("typed/memories.py", "NEW_EPISODES, MOST_EPISODES = 50, 500"),
    "003, rewritten each turn, ~300 tok cap": ("typed/scratchpad.py", "MOST_TOKENS = 300"),
    "003, the last few raw turns": ("typed/system.py", "RAW_TURNS = 3"),
    "003, Park et al., 2023": ("generative_agents.py", "Park et al. 2023"),
}
"""What a document says, the file of its row, and the words of the file."""


@pytest.mark.parametrize("said", NUMBERS)
def test_a_number_of_the_document_is_in_the_file_of_its_row(said: str) -> None:
    file, words = NUMBERS[said]
    assert words in (FOLDER / file).read_text(encoding="utf-8")
