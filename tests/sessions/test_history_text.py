"""Counters and denials survive a restart as JSON."""

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Verdict
from automode.core.history import MOST_DENIALS, Denial, History
from automode.sessions.event_text import encode
from automode.sessions.history_text import Remembered, remembered, remembered_text

texts = st.text(max_size=20)
counts = st.integers(0, 10_000)
denials = st.builds(Denial, st.floats(0, 4e9), texts, texts, texts, texts, texts)
histories = st.builds(
    History,
    checked=counts,
    blocked=counts,
    classifier_allowed=counts,
    classifier_denied=counts,
    last_verdict=st.sampled_from([None, *Verdict]),
    last_reason=texts,
    last_source=texts,
    last_denial=texts,
    row=counts,
    total=counts,
    unavailable=counts,
    denials=st.lists(denials, max_size=MOST_DENIALS).map(tuple),
)


def plain(text: str) -> str:
    return text


@given(
    st.builds(
        Remembered,
        histories,
        st.dictionaries(texts, texts, max_size=4),
        unattended=st.booleans(),
        switched=texts,
        suspect=texts,
    )
)
def test_what_a_session_remembers_comes_back(known: Remembered) -> None:
    assert remembered(remembered_text(known, plain)) == known


def test_the_text_is_the_same_as_if_it_were_written_in_one_piece() -> None:
    denied = Denial(1.5, "bash", 'a "quoted" reason', "rm \u2028", "hard-deny", "r1")
    history = History(4, 3, 2, 1, Verdict.DENY, "why \ud800", "floor.x", "\n", 1, 2, 0, (denied,))
    known = Remembered(history, {"t1": "own", "t0": "other"}, unattended=True, suspect="s")
    first = asdict(history)
    denials = first.pop("denials")
    rest = {"asked": known.asked, "unattended": True, "suspect": "s"}

    whole = encode({**first, "last_verdict": "deny", **rest, "denials": denials})

    assert remembered_text(known, plain) == whole


def test_reasons_are_kept_without_secrets() -> None:
    history = History(last_reason="it has secret", last_denial="secret too")

    known = Remembered(history, suspect="it asks for the secret")
    text = remembered_text(known, lambda one: one.replace("secret", "*"))

    assert "secret" not in text


@pytest.mark.parametrize("text", ["", "{", "[]", "5", '{"row": "many", "denials": [5, {}]}'])
def test_what_cannot_be_read_counts_as_nothing(text: str) -> None:
    assert remembered(text).history == History()


@pytest.mark.parametrize("value", ['"true"', "1", "null", "{}"])
def test_whether_somebody_is_there_is_never_guessed(value: str) -> None:
    assert remembered(f'{{"unattended":{value}}}').unattended is False
    assert remembered('{"unattended":true}').unattended is True


def test_no_count_is_negative_and_no_more_denials_than_the_most_come_back() -> None:
    one = {"at": 1, "tool": "t", "reason": "", "action": "", "kind": "", "record": ""}
    text = json.dumps({"row": -5, "denials": [one] * 50})

    history = remembered(text).history

    assert (history.row, len(history.denials)) == (0, MOST_DENIALS)
