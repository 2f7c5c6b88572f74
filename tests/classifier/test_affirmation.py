"""A bare affirmation, in the languages people write."""

# ruff: noqa: RUF001 - words of many languages

from automode.classifier.transcript import bare_affirmation
from tests.rows import each_row

AFFIRM = (
    *("yes", "Yes.", "YES!!", "y", "ok", "OK, go ahead", "yes please", "sure, do it", "go for it"),
    *("sounds good, proceed", "Let’s do it", "lgtm", "yep", "ja", "Ja, mach das", "oui, vas-y"),
    *("sí, adelante", "sim, pode fazer", "да, давай", "好的", "好的，继续", "はい、お願いします"),
    *("네", "evet", "👍", "👍🏽", "✅", "ok 👍", "+1", "please continue", "yes, do that please"),
)
SAY_MORE = (
    *("", " ", "yes?", "no", "ok but not main", "yes to the first one", "please", "thanks"),
    *("yes, and also push", "go to the other folder", "don't do it", "not ok", "nein", "yesterday"),
    *("okra", "ok " * 40, "do the release", "y tho", "好的吗？", "不可以", "stop", "do this"),
)


@each_row("text", AFFIRM)
def test_saying_nothing_but_yes_is_a_bare_affirmation(text: str) -> None:
    assert bare_affirmation(text)


@each_row("text", SAY_MORE)
def test_words_of_their_own_and_questions_are_none(text: str) -> None:
    assert not bare_affirmation(text)
