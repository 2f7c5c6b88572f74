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


def test_tokens_outlive_the_daemon_that_made_them(folder: StateFolder) -> None:
    given_out = [token_of(folder, right) for right in Right]

    known = Tokens.of(folder)

    assert all(known.over_loopback(one) for one in given_out)
    assert len(set(given_out)) == len(Right)


def test_the_files_are_for_their_owner_alone(folder: StateFolder) -> None:
    Tokens.of(folder)

    modes = {stat.S_IMODE(os.stat(folder.token(right)).st_mode) for right in Right}

    assert modes == {0o600}


def test_a_token_that_others_can_read_is_not_used(folder: StateFolder) -> None:
    Tokens.of(folder)
    os.chmod(folder.token("person"), 0o644)

    with pytest.raises(BadFolder, match="open to other accounts"):
        Tokens.of(folder)


def test_tokens_are_not_printed(folder: StateFolder) -> None:
    tokens = Tokens.of(folder)

    assert token_of(folder, Right.PERSON) not in repr(tokens)


KNOWN = tuple((right, (b"%02d" % place) * 32) for place, right in enumerate(Right))


@given(st.text(max_size=100) | st.text("0123", max_size=70))
def test_no_other_text_has_a_right(text: str) -> None:
    rights = Tokens(KNOWN).rights(text)

    known = [known for right, known in KNOWN if right is not Right.HTTP]
    assert bool(rights) == (text.encode("utf-8", "replace") in known)


def test_the_token_of_http_hooks_is_worth_a_decision_on_loopback_and_nothing_else(
    folder: StateFolder,
) -> None:
    tokens, token = Tokens.of(folder), token_of(folder, Right.HTTP)

    taken_for = tokens.over_loopback(token)

    assert tokens.rights(token) == set()
    assert taken_for == token_of(folder, Right.DECIDE)


@pytest.mark.parametrize("right", [Right.DECIDE, Right.PROMPT, Right.PERSON])
def test_other_tokens_stay_what_they_are_over_loopback(folder: StateFolder, right: Right) -> None:
    token = token_of(folder, right)

    assert Tokens.of(folder).over_loopback(token) == token


@given(st.text(max_size=100))
def test_no_other_text_opens_loopback(text: str) -> None:
    opened = Tokens(KNOWN).over_loopback(text)

    assert (opened is not None) == (text.encode("utf-8", "replace") in [one for _, one in KNOWN])
