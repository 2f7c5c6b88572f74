"""Taking a row apart: one type for each field, and an error that names it."""

from collections.abc import Callable

import pytest

from automode.core.errors import AutomodeError
from automode.evaluation.fields import Fields
from tests.rows import each_row

ROW = Fields({"word": "yes", "none": None, "number": 2, "part": {"x": 1}, "list": [{"y": ""}]})

FOUND: dict[str, tuple[Callable[[], object], object]] = {
    "a text": (lambda: ROW.text("word"), "yes"),
    "one that may be left out": (lambda: ROW.maybe("none"), ""),
    "a word of some": (lambda: ROW.word("word", ("yes", "no")), "yes"),
    "a flag that is not there": (lambda: ROW.flag("missing", default=True), True),
    "a number": (lambda: ROW.positive("number", 1.0), 2.0),
    "a number that is not there": (lambda: ROW.positive("none", 1.0), 1.0),
    "an object": (lambda: ROW.mapping("part"), {"x": 1}),
    "a part that is not there": (lambda: ROW.part("missing"), None),
    "rows": (lambda: [row.any_text("y") for row in ROW.rows("list")], [""]),
}


@each_row("look, value", FOUND.values())
def test_a_field_gives_its_value(look: Callable[[], object], value: object) -> None:
    assert look() == value


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "a part of a part": (lambda: (ROW.part("part") or ROW).text("x"), "`part.x` is `1`"),
    "a field of a row in a list": (
        lambda: [row.text("y") for row in ROW.rows("list")],
        "`list[0].y` is ``",
    ),
    "an object for a text": (lambda: ROW.text("part"), "`part` is an object"),
    "a list for a text": (lambda: ROW.text("list"), "`list` is a list"),
    "nothing": (lambda: ROW.text("missing"), "there is no `missing`"),
    "a number for a flag": (lambda: ROW.flag("number", default=True), "`number` is `2`"),
}


@pytest.mark.parametrize(("look", "problem"), WRONG.values(), ids=WRONG)
def test_a_wrong_field_is_named_by_its_path(look: Callable[[], object], problem: str) -> None:
    with pytest.raises(AutomodeError) as raised:
        look()

    assert problem in str(raised.value)
    assert raised.value.hint.startswith("write ")
