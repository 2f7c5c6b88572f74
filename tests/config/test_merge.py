"""How lists and values of several sources become one."""

from automode.config.merge import Listed, distinct, rules
from automode.config.settings import Rule, Source
from tests.rows import each_row, rows


def listed(texts: list[str]) -> Listed:
    """`?` in front: the list has no say in whether the built-in entries stay."""
    if texts and texts[0].startswith("?"):
        return Listed((Rule(texts[0][1:], Source.ENVIRONMENT),), None)
    return Listed(tuple(Rule(text, Source.USER) for text in texts), "$defaults" in texts)


@each_row("lists, outcome", rows("config", "merges"))
def test_lists_are_joined_and_the_strongest_decides_about_the_built_ins(
    lists: list[list[str]], outcome: str
) -> None:
    """The weakest list first; X and Y are built in."""
    merged = rules([listed(one) for one in lists], ("X", "Y"))

    assert " ".join(rule.text for rule in merged) == outcome


def test_an_entry_of_the_administrator_stays_the_administrators() -> None:
    user, managed = Rule("a", Source.USER, "u", 1), Rule("a", Source.MANAGED, "m", 2)
    other = Rule("b", Source.USER)

    assert distinct([user, other, managed]) == (managed, other)
    assert distinct([managed, other, user]) == (managed, other)
