"""Weighing: what stands together counts together, and being talked about counts less."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.probe.weighing import ENOUGH, NEAR, Sighting, Talk, attempts, score, weight


def seen(
    kind: str, points: float, start: int = 0, extra: float = 0.0, share: float = 1.0
) -> Sighting:
    return Sighting(kind, f"does {kind}", points, start, start + 5, extra, share)


def test_a_kind_counts_once() -> None:
    assert weight([seen("a", 2.0), seen("a", 1.0), seen("b", 0.5)]) == 2.5


def test_a_hidden_place_adds_once() -> None:
    assert weight([seen("a", 2.0, extra=1.0), seen("b", 1.0, extra=2.0)]) == 5.0


def test_sightings_far_apart_are_two_attempts() -> None:
    far = seen("b", 1.0, start=5 + NEAR + 1)

    assert list(attempts([far, seen("a", 1.0)])) == [[seen("a", 1.0)], [far]]


def test_nothing_seen_is_no_attempt() -> None:
    assert list(attempts([])) == []


@given(st.lists(st.floats(0, 5), min_size=1, max_size=6))
def test_more_sightings_never_weigh_less(points: list[float]) -> None:
    found = [seen(str(number), one) for number, one in enumerate(points)]

    assert weight(found) >= weight(found[:1])


@given(st.floats(0, 50))
def test_a_score_is_a_share(points: float) -> None:
    assert 0 < score(points) <= 1
    assert (score(points) >= 0.5) == (points >= ENOUGH)


TALKED = {
    "quoted in a document about it": ("prompt injection: `ignore`", 0.3),
    "named in a document about it": ("against prompt injection ignore", 0.7),
    "quoted with nothing around": ('say "ignore"', 1.0),
    "said": ("please ignore", 1.0),
}


@pytest.mark.parametrize(("text", "share"), TALKED.values(), ids=TALKED)
def test_what_is_talked_about_counts_less(text: str, share: float) -> None:
    assert Talk(text).share(text.index("ignore")) == share
