"""The embedded model: its words, its windows, its weights, and the orders it finds."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.probe.folding import fold
from automode.probe.model import (
    ADDRESS,
    FILE,
    KIND,
    MAGIC,
    MAILBOX,
    PATH,
    PAUSE,
    SHORT,
    STRIDE,
    SWITCH,
    TABLE_BITS,
    WIDTH,
    BrokenWeights,
    Model,
    Traits,
    orders,
    shipped_model,
    starts,
    tokens,
    unpack,
    words,
)
from automode.probe.screening import ENOUGH, decide, find_matches
from tests.rows import each_row


def read_words(text: str) -> list[str]:
    plain = fold(text).text
    return words(plain, 0, len(plain))


READ = {
    "a sentence": ("Send the file now.", ["send", "file", "now", PAUSE]),
    "an address": ("POST to https://x.example/in?a=1", ["post", ADDRESS]),
    "a mailbox": ("mail eve@x.example", ["mail", MAILBOX]),
    "a path and a switch": ("rm --force ~/.ssh/id", ["rm", SWITCH, PATH]),
    "a listing": ("  12\u2192// run it\n  13\u2192// twice", ["run", PAUSE, "twice"]),
    "a comment that does not show": ("<!-- run it -->", ["run"]),
    "lines without words": ("run\n\n\n---\n\nstop", ["run", PAUSE, "stop"]),
}


@each_row("text, read", READ.values())
def test_a_text_is_read_as_words(text: str, read: list[str]) -> None:
    assert read_words(text) == read


@given(st.text(max_size=200))
def test_every_word_says_where_it_stands(text: str) -> None:
    plain = fold(text).text
    last = 0

    for word, start, end in tokens(plain, 0, len(plain)):
        assert last <= start < end <= len(plain)
        assert word[0] in "<|" or plain[start:end].startswith(word)
        last = end


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from([*"a.\n/-@:;", "to", "www.", "://"])).map("".join)
)
def test_words_with_and_without_places_are_the_same(text: str) -> None:
    plain = fold(text).text

    assert words(plain, 0, len(plain)) == [word for word, _, _ in tokens(plain, 0, len(plain))]


@each_row("count", [1, STRIDE, WIDTH, WIDTH + 1, 5 * WIDTH + 3])
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


def test_the_order_of_words_counts_and_a_word_said_twice_counts_once() -> None:
    traits = Traits({})

    assert touched(traits, "a", "b", "c") != touched(traits, "c", "b", "a")
    assert len(touched(traits, *["x"] * 20)) <= 6


WORDS = "send the keys to eve".split()
LARGEST_BYTES = 3 * 1024 * 1024


def small() -> Model:
    table = bytes((at * 7919) % 256 for at in range(1 << TABLE_BITS))
    return Model(table, 0.01, -2.5, 12, {"send": 1, "transmit": 1, "keys": 2})


PACKED = small().pack()


def test_a_model_that_was_packed_gives_the_same_scores() -> None:
    read = unpack(PACKED)

    assert [*read.scores(WORDS)] == [*small().scores(WORDS)]
    assert (read.kin, read.gate, read.pack()) == (small().kin, 12, PACKED)


@given(st.integers(0, len(PACKED) - 1), st.integers(1, 255))
def test_one_wrong_byte_anywhere_is_noticed(at: int, by: int) -> None:
    broken = PACKED[:at] + bytes([PACKED[at] ^ by]) + PACKED[at + 1 :]

    with pytest.raises(BrokenWeights, match=r"planted\.bin"):
        unpack(broken)


CUT = [
    (b"", "not the file"),
    (MAGIC, "not the file"),
    (PACKED[: len(PACKED) // 2], "not the file"),
    (b"PK\x03\x04" + PACKED, "not the file"),
    (Model(bytes(16), 0.01, 0.0, 0, {}).pack(), "another version"),
]


@each_row("data, told", CUT)
def test_what_is_no_model_is_an_error_with_a_way_out(data: bytes, told: str) -> None:
    with pytest.raises(BrokenWeights, match=told) as caught:
        unpack(data)

    assert "install automode again" in caught.value.hint


def test_the_shipped_weights_are_whole_and_small() -> None:
    data = files("automode.probe.weights").joinpath(FILE).read_bytes()

    assert isinstance(shipped_model(), Model)
    assert len(data) <= LARGEST_BYTES


def test_words_never_met_are_remembered_only_so_far() -> None:
    model = small()

    for number in range(70_000):
        assert isinstance(model.leaning[f"word{number}"], int)
    assert len(model.leaning) <= 1 << 16


CODE = "    for row in rows:\n        total += row.count  # each row once\n"
PROSE = "The parser reads one line after the other and keeps what it needs. Then it goes on.\n"


def model() -> Model:
    found = shipped_model()
    assert isinstance(found, Model)
    return found


TEXTS = tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8"))
FOUND, CLEAN = TEXTS["orders"], TEXTS["instructions"]


@each_row("order", FOUND.values())
@each_row("around", [CODE, PROSE])
def test_an_order_in_ordinary_words_is_found_where_it_stands(order: str, around: str) -> None:
    text = around * 20 + order + "\n" + around * 20
    found = decide(find_matches(text, model()))

    assert found.suspect
    assert any(one.kind == KIND for one in found.findings)
    first = min(one.start for one in found.findings)
    last = max(one.end for one in found.findings)
    assert first < len(around) * 20 + len(order)
    assert last > len(around) * 20


@each_row("text", CLEAN.values())
def test_honest_instructions_are_clean(text: str) -> None:
    assert not decide(find_matches(text, model())).suspect


def test_a_short_text_is_read_whole_and_a_long_one_where_the_gate_opens() -> None:
    known, order = model(), FOUND["a quiet upload"].lower()
    shut = Model(known.table, known.scale, known.bias, 1 << 30, known.kin)
    long = CODE * 3000 + order + "\n" + CODE * 3000

    assert [*orders(order, shut)] == [*orders(order, known)] != []
    assert [*orders(order + CODE * SHORT, shut)] == []
    assert [*orders("", shut)] == []
    for text in (order, long):
        assert max(one.points for one in orders(text, known)) >= ENOUGH


@given(st.lists(st.sampled_from([*FOUND.values(), *CLEAN.values(), CODE, "\ud800", "\0"])))
def test_the_model_only_ever_adds_to_the_patterns(pieces: list[str]) -> None:
    text = "\n".join(pieces)

    with_model, alone = decide(find_matches(text, model())), decide(find_matches(text, None))

    assert with_model.score >= alone.score
    assert all(0 <= one.start < one.end <= len(text) for one in with_model.findings)
