from __future__ import annotations

import hashlib

import pytest

from memlab.memory.text import LONGEST_SLUG, Refused, digest, replace_surrogates, slug


def test_a_name_may_be_64_characters_long_and_no_longer() -> None:
    assert slug("a" * 64) == "a" * 64
    with pytest.raises(Refused):
        slug("a" * 65)


@pytest.mark.parametrize("name", ["../lamp", "Lamp Oil", "a" * 63 + "!", "l\u00e5mp\n"])
def test_a_refusal_shows_the_name_as_it_was_given_with_the_rule_and_a_name_that_will_do(name: str) -> None:
    with pytest.raises(Refused) as refusal:
        slug(name)
    assert str(refusal.value) == (
        f"name {name!a}: a name is a slug, 1 to 64 of a-z and 0-9 in words joined by '-' or '_'; "
        "choose one such as 'deploy-script'"
    )
    assert slug("deploy-script") == "deploy-script"


def test_a_refusal_shows_of_a_long_name_its_beginning_and_that_it_goes_on() -> None:
    with pytest.raises(Refused, match=rf"^name '{'a' * LONGEST_SLUG}\.\.\.': a name is"):
        slug("a" * 300)


def test_a_digest_is_16_hex_digits_of_sha_256_because_files_contain_them() -> None:
    assert digest("lamp", "red") == hashlib.sha256(b"lamp\0red").hexdigest()[:16] == "d76f392aa7a11c53"


def test_a_text_split_into_other_parts_has_another_digest() -> None:
    contents = [("ab",), ("a", "b"), ("", "ab"), ("ab", ""), ("b", "a")]
    assert len({digest(*parts) for parts in contents}) == len(contents)


def test_surrogates_have_distinct_digests_and_are_stored_as_replacement_characters() -> None:
    assert digest("lamp \ud800") != digest("lamp \ud801")
    assert replace_surrogates("lamp \ud800") == "lamp \ufffd"
