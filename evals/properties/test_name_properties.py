"""Names are safe, whatever they are made of: a name that is no slug is refused and leaves no file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from profiles import cheap_settings, property_settings
from strategies import HOSTILE, opened, sources

from memlab.memory import MemoryMix, Provenance, Refused
from memlab.memory.text import slug

WORDS = [*HOSTILE, "lamp", "-", "_", "..", "/", "../", "~", "con", ".md", "[x](y)", "LAMP", "\uff4camp", "a" * 64]
names = st.text(st.characters(), max_size=80) | st.lists(st.sampled_from(WORDS), max_size=5).map("".join)


@cheap_settings
@given(names)
def test_a_name_becomes_a_slug_that_leads_nowhere_else_or_is_refused(name: str) -> None:
    safe, refused = "", "a name is a slug"
    try:
        safe = slug(name)
    except Refused as refusal:
        refused = str(refusal)
    assert "a name is a slug" in refused
    assert refused.isascii()
    if not safe:
        return
    assert slug(safe) == safe
    assert Path(f"{safe}.md").name == f"{safe}.md"
    assert 1 <= len(safe) <= 64
    assert not set(safe) - set("abcdefghijklmnopqrstuvwxyz0123456789-_")


@property_settings
@given(names.filter(bool), st.sampled_from(["fact", "skill", "rule"]), sources)
def test_a_refused_name_leaves_no_file_and_a_safe_one_none_outside_its_folder(
    name: str, what: str, source: str
) -> None:
    with opened() as mix:
        outside = set(mix.directory.parent.iterdir())
        refused = refusal_of(lambda: keep(mix, what, name, Provenance(source)))
        assert not refusal_of(lambda: slug(name)) or "a name is a slug" in refused or "only the user" in refused
        if "a name is a slug" in refused:
            assert not [path for path in mix.directory.rglob("*") if path.is_file() and path.stat().st_size]
        assert {path for path in mix.directory.parent.iterdir() if path.name.startswith(mix.directory.name)} <= outside
        stems = {path.parent.name for path in mix.directory.glob("skills/*/*")}
        assert all(slug(stem) == stem for stem in stems)


def refusal_of(attempt: Callable[[], object]) -> str:
    """Give what an attempt was refused with; nothing if it was not."""
    try:
        attempt()
    except Refused as refusal:
        return str(refusal)
    return ""


def keep(mix: MemoryMix, what: str, name: str, origin: Provenance) -> None:
    if what == "fact":
        mix.write_fact(name, "", "The lamp is red.", origin=origin)
    elif what == "skill":
        mix.write_skill(name, "Light the lamp.", origin=origin)
    else:
        mix.write_rule("Light no lamp.", name, origin)
