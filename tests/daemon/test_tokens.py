"""Four tokens: what each may do, and that they are made once for their owner alone."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.daemon.frames import Right, Tokens, token_of
from automode.store.folder import BadFolder, StateFolder

RIGHTS = {
    Right.DECIDE: {Right.DECIDE},
    Right.PROMPT: {Right.DECIDE, Right.PROMPT},
    Right.PERSON: {Right.DECIDE, Right.PERSON},
    Right.HTTP: set(),
}


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(str(tmp_path / "state")).prepared()


@pytest.mark.parametrize("right", Right)
def test_a_token_has_its_rights_and_no_other(folder: StateFolder, right: Right) -> None:
    assert Tokens.of(folder).rights(token_of(folder, right)) == RIGHTS[right]


def test_tokens_outlive_the_daemon_that_made_them_for_their_owner_alone(
    folder: StateFolder,
) -> None:
    given_out = [token_of(folder, right) for right in Right]

    known = Tokens.of(folder)

    assert all(known.over_loopback(one) for one in given_out)
    assert len(set(given_out)) == len(Right)
    assert {stat.S_IMODE(os.stat(folder.token(right)).st_mode) for right in Right} == {0o600}
    assert not any(one in repr(known) for one in given_out)


def test_a_token_that_others_can_read_is_not_used(folder: StateFolder) -> None:
    Tokens.of(folder)
    os.chmod(folder.token("person"), 0o644)

    with pytest.raises(BadFolder, match="open to other accounts"):
        Tokens.of(folder)


KNOWN = tuple((right, (b"%02d" % place) * 32) for place, right in enumerate(Right))


@given(st.text(max_size=100) | st.text("0123", max_size=70))
def test_no_other_text_has_a_right_or_opens_loopback(text: str) -> None:
    tokens, offered = Tokens(KNOWN), text.encode("utf-8", "replace")

    right = next((right for right, known in KNOWN if offered == known), None)
    assert bool(tokens.rights(text)) == (right not in (None, Right.HTTP))
    assert (tokens.over_loopback(text) is not None) == (right is not None)


def test_over_loopback_the_http_token_decides_and_others_stay_what_they_are(
    folder: StateFolder,
) -> None:
    tokens, decide = Tokens.of(folder), token_of(folder, Right.DECIDE)

    assert tokens.over_loopback(token_of(folder, Right.HTTP)) == decide
    for right in (Right.DECIDE, Right.PROMPT, Right.PERSON):
        assert tokens.over_loopback(token_of(folder, right)) == token_of(folder, right)
