"""The log is only ever added to, and whatever is torn off its end or breaks in it, the rest survives."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st
from profiles import property_settings
from stories import Move, stories, tell
from strategies import again, opened, texts

from memlab.memory import Provenance, Refused
from memlab.memory.text import replace_surrogates


@property_settings
@given(
    st.lists(texts, max_size=6),
    st.integers(0, 200),
    st.sampled_from([b"", b"", b"\0\0\0", b"\xff\xfe", b'"x', b"x" * 99]),
)
def test_the_log_survives_the_loss_of_any_part_of_its_end(details: list[str], torn: int, garbage: bytes) -> None:
    with opened() as mix:
        ends = [0]
        path = mix.directory / "episodes.jsonl"
        for detail in details:
            mix.log_episode("turn", detail)
            ends.append(path.stat().st_size)
        mix.close()
        if details:
            keep = max(0, ends[-1] - torn)
            path.write_bytes(path.read_bytes()[:keep] + garbage * (torn > 0))
            survived = sum(end <= keep or (end == keep + 1 and not garbage) for end in ends[1:])
            later = again(mix)
            later.log_episode("turn", "after the crash")
            assert [one.detail for one in later.episodes.replay()] == [
                *map(replace_surrogates, details[:survived]),
                "after the crash",
            ]
            later.close()


@property_settings
@given(st.integers(2, 300), st.integers(0, 300))
def test_episodes_written_after_a_lost_end_of_the_log_are_found_and_the_lost_ones_are_not(
    lost: int, longer: int
) -> None:
    with opened() as mix:
        mix.log_episode("turn", "The lamp has word1.", origin=Provenance(id="kept"))
        mix.log_episode("turn", "The lamp has word2.", origin=Provenance(id="taken"))
        assert len(mix.recall("what has the lamp")) == 2
        mix.close()
        path = mix.directory / "episodes.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(lines[0] + lines[1][: -min(lost, len(lines[1]))])
        later = again(mix)
        later.log_episode("turn", f"The lamp has word3 {'x' * longer}")
        assert {found.text[:18] for found in later.recall("what has the lamp")} == {
            "The lamp has word1",
            "The lamp has word3",
        }
        assert later.episodes.get("taken") is None
        later.close()


@property_settings
@given(st.lists(texts, min_size=1, max_size=5), st.integers(0, 5), st.binary(max_size=30))
def test_a_line_that_is_no_record_hides_no_other(details: list[str], place: int, garbage: bytes) -> None:
    with opened() as mix:
        for detail in details:
            mix.log_episode("turn", detail)
        mix.close()
        path = mix.directory / "episodes.jsonl"
        lines = path.read_bytes().split(b"\n")
        lines.insert(min(place, len(details)), b"[" + garbage.replace(b"\n", b""))
        path.write_bytes(b"\n".join(lines))
        later = again(mix)
        assert [one.detail for one in later.episodes.replay()] == list(map(replace_surrogates, details))
        assert [one.detail for one in later.episodes.recent()] == list(map(replace_surrogates, reversed(details)))
        assert all(later.episodes.get(one.id) == one for one in later.episodes.replay())
        later.close()


@property_settings
@given(stories)
def test_whatever_happens_the_log_only_grows_at_its_end(story: list[Move]) -> None:
    with opened() as mix:
        path = mix.directory / "episodes.jsonl"
        before = b""
        for place in range(len(story)):
            with suppress(Refused):
                tell(mix, story, place)
            mix.recall("the colour of the lamp")
            now = path.read_bytes() if path.exists() else b""
            assert now.startswith(before)
            before = now


@property_settings
@given(st.lists(texts, max_size=8))
def test_episodes_are_replayed_in_writing_order_and_the_latest_are_recent(details: list[str]) -> None:
    with opened() as mix:
        for place, detail in enumerate(details):
            mix.log_episode("turn", detail, origin=Provenance("tool", f"s{place}", 1000.0 + place, f"id{place}"))
        for one in (mix, again(mix)):
            replayed = list(one.episodes.replay())
            assert [episode.detail for episode in replayed] == list(map(replace_surrogates, details))
            assert [episode.id for episode in replayed] == [f"id{place}" for place in range(len(details))]
            assert list(one.episodes.recent()) == replayed[::-1]
