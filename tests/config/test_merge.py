"""How lists and values of several sources become one."""

from automode.config.merge import Listed, distinct, rules
from automode.config.settings import Rule, Source
from tests.rows import each_row


def listed(*texts: str, source: Source = Source.USER, keeps: bool | None = None) -> Listed:
    says = "$defaults" in texts if keeps is None else keeps
    return Listed(tuple(Rule(text, source) for text in texts), says)


NO_SAY = Listed((Rule("n", Source.ENVIRONMENT),), None)

MERGES = [
    # the lists, weakest first; the outcome, with built-in entries X and Y
    ([], "X Y"),
    ([listed("a")], "a"),
    ([listed()], ""),
    ([listed("$defaults")], "X Y"),
    ([listed("a", "$defaults", "b")], "a X Y b"),
    ([listed("$defaults", "a"), listed("b")], "a b"),
    ([listed("a"), listed("$defaults", "b")], "a X Y b"),
    ([listed("a", "$defaults"), listed("b", "$defaults", "c")], "a X Y b c"),
    ([listed("$defaults", "a"), listed()], "a"),
    ([listed("a", "b"), listed("b", "c")], "a b c"),
    ([listed("$defaults", "X", "a")], "X Y a"),
    ([listed("Y", "$defaults")], "Y X"),
    ([NO_SAY], "X Y n"),
    ([listed("a"), NO_SAY], "a n"),
    ([listed("a", "$defaults"), NO_SAY], "a X Y n"),
    ([listed("$defaults", "$defaults")], "X Y"),
]


@each_row("lists, outcome", MERGES)
def test_lists_are_joined_and_the_strongest_decides_about_the_built_ins(
    lists: list[Listed], outcome: str
) -> None:
    assert " ".join(rule.text for rule in rules(lists, ("X", "Y"))) == outcome


def test_an_entry_of_the_administrator_stays_the_administrators() -> None:
    user, managed = Rule("a", Source.USER, "u", 1), Rule("a", Source.MANAGED, "m", 2)
    other = Rule("b", Source.USER)

    assert distinct([user, other, managed]) == (managed, other)
    assert distinct([managed, other, user]) == (managed, other)
