"""Windows of words: nothing stands outside of all, and kin are the same to the model."""

import pytest

from automode.probe.traits import STRIDE, WIDTH, Traits, starts


@pytest.mark.parametrize("count", [1, STRIDE, WIDTH, WIDTH + 1, 5 * WIDTH + 3])
def test_every_word_stands_in_a_window(count: int) -> None:
    covered = {at for start in starts(count) for at in range(start, min(count, start + WIDTH))}
    assert covered == set(range(count))


def touched(traits: Traits, *words: str) -> set[int]:
    [(_, cells)] = traits.windows(words, [0])
    return cells


def test_kin_share_traits_that_strangers_do_not() -> None:
    traits = Traits({"send": 1, "transmit": 1, "read": 2})

    alike = touched(traits, "send", "it") & touched(traits, "transmit", "it")
    unlike = touched(traits, "send", "it") & touched(traits, "read", "it")
    assert len(alike) > len(unlike)


def test_the_order_of_words_counts() -> None:
    traits = Traits({})

    assert touched(traits, "a", "b", "c") != touched(traits, "c", "b", "a")


def test_a_word_said_twice_counts_once() -> None:
    assert touched(Traits({}), "x", "x", "x") >= touched(Traits({}), "x", "x")
    assert len(touched(Traits({}), *["x"] * 20)) <= 6
