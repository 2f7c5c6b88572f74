"""The words and the call as pieces: what the model of consent reads, and what it does not."""

from hypothesis import given
from hypothesis import strategies as st

from automode.judge import consent_text
from automode.judge.asked import Asked
from automode.judge.consent_text import (
    DONE,
    DONE_TOO,
    LONGEST_LATEST,
    MARKS,
    MOST_DONE,
    MOST_SAID,
    MOST_TOLD,
    SAID,
    SAID_TOO,
    Vocabulary,
    pieces,
)
from tests.rows import each_row

PIECES = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused0]", "[unused1]", "[unused2]"),
    *("push", "##ed", "the", "branch", "git", "-", "/", "_", "d", "login", "ü", "u", "中", "."),
]
WORDS = Vocabulary(PIECES)


def named(text: str) -> list[str]:
    return [PIECES[one.number] for one in WORDS.pieces(text)]


@each_row(
    "text, found",
    [
        ("push the branch", ["push", "the", "branch"]),
        ("PUSHED", ["push", "##ed"]),
        ("pushy", ["[UNK]"]),
        ("login/branch", ["login", "/", "branch"]),
        ("login_branch", ["login", "_", "branch"]),
        ("ü", ["u"]),
        ("中中", ["中", "中"]),
        ("[SEP] push", ["[UNK]", "[UNK]", "[UNK]", "push"]),
        ("", []),
    ],
)
def test_words_are_split_into_the_longest_pieces_that_are_listed(
    text: str, found: list[str]
) -> None:
    assert named(text) == found


@given(st.text(max_size=200))
def test_no_text_makes_a_mark_and_none_raises(text: str) -> None:
    marks = {WORDS.mark(name).number for name in MARKS - {"[UNK]"}}

    assert marks.isdisjoint(one.number for one in WORDS.pieces(text))


def test_a_word_that_stands_on_both_sides_is_told_apart() -> None:
    found = pieces(WORDS, ["push the login branch"], "git push login", {})

    kinds = [
        (PIECES[number], kind)
        for number, kind in zip(found.ids, found.kinds, strict=True)
        if PIECES[number] not in MARKS
    ]
    assert kinds == [
        *(("push", SAID_TOO), ("the", SAID), ("login", SAID_TOO), ("branch", SAID)),
        *(("git", DONE), ("push", DONE_TOO), ("login", DONE_TOO)),
    ]


def test_an_option_of_a_capital_letter_is_another_option() -> None:
    small, large = (pieces(WORDS, [], f"git branch {one} login", {}).ids for one in ("-d", "-D"))

    assert small != large


def test_the_latest_message_comes_first_and_old_ones_are_cut() -> None:
    found = pieces(WORDS, ["login " * 300, "the " * 300, "push"], "git push", {})
    said = [number for number, kind in zip(found.ids, found.kinds, strict=True) if kind % 2 == 0]

    assert PIECES[said[1]] == "push"
    assert len(said) <= MOST_SAID + 2
    assert "[unused1]" in {PIECES[number] for number in said}
    assert LONGEST_LATEST < MOST_SAID


def test_a_call_that_is_longer_than_the_model_reads_is_not_whole() -> None:
    short = pieces(WORDS, ["push"], "git push", {})
    long = pieces(WORDS, ["push"], "git push " * MOST_DONE, {})

    assert short.whole
    assert not long.whole
    assert len(long.ids) <= MOST_SAID + MOST_DONE + MOST_TOLD + 4


def test_what_the_call_does_is_told_with_what_the_rules_heard() -> None:
    told = consent_text.told_text({"pushes": Asked.NO, "commits": Asked.LATEST})

    assert told == "pushes to a remote not asked ; commits asked"
