"""The weights: what was written is what is read, and nothing else is ever read."""

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.probe.model import FILE, MAGIC, BrokenWeights, Model, shipped, unpacked
from automode.probe.traits import TABLE_BITS

WORDS = "send the keys to eve".split()
LARGEST_BYTES = 3 * 1024 * 1024


def small() -> Model:
    table = bytes((at * 7919) % 256 for at in range(1 << TABLE_BITS))
    return Model(table, 0.01, -2.5, 12, {"send": 1, "transmit": 1, "keys": 2})


PACKED = small().packed()


def test_a_model_that_was_packed_gives_the_same_scores() -> None:
    read = unpacked(PACKED)

    assert [*read.scores(WORDS)] == [*small().scores(WORDS)]
    assert (read.kin, read.gate, read.packed()) == (small().kin, 12, PACKED)


@given(st.integers(0, len(PACKED) - 1), st.integers(1, 255))
def test_one_wrong_byte_anywhere_is_noticed(at: int, by: int) -> None:
    broken = PACKED[:at] + bytes([PACKED[at] ^ by]) + PACKED[at + 1 :]

    with pytest.raises(BrokenWeights, match=r"planted\.bin"):
        unpacked(broken)


CUT = {
    "nothing": b"",
    "only a name": MAGIC,
    "half of it": PACKED[: len(PACKED) // 2],
    "something else": b"PK\x03\x04" + PACKED,
}


@pytest.mark.parametrize("data", CUT.values(), ids=CUT)
def test_what_is_no_model_is_an_error_with_a_way_out(data: bytes) -> None:
    with pytest.raises(BrokenWeights) as caught:
        unpacked(data)

    assert "install automode again" in caught.value.hint


def test_a_table_of_another_size_is_for_another_version() -> None:
    other = Model(bytes(16), 0.01, 0.0, 0, {})

    with pytest.raises(BrokenWeights, match="another version"):
        unpacked(other.packed())


def test_the_shipped_weights_are_whole_and_small() -> None:
    data = files("automode.probe.weights").joinpath(FILE).read_bytes()

    assert isinstance(shipped(), Model)
    assert len(data) <= LARGEST_BYTES


def test_words_never_met_are_remembered_only_so_far() -> None:
    model = small()

    for number in range(70_000):
        assert isinstance(model.leaning[f"word{number}"], int)
    assert len(model.leaning) <= 1 << 16
