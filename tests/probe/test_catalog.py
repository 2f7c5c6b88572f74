"""What each pattern says of itself: its examples are found, its look-alikes are not."""

import re

from automode.probe.catalog import PATTERNS
from automode.probe.folding import folded
from automode.probe.pattern import Pattern
from automode.probe.windows import Places, Span
from tests.rows import each_row

FINDS = [(pattern, text) for pattern in PATTERNS for text in pattern.finds]
PASSES = [(pattern, text) for pattern in PATTERNS for text in pattern.passes]
_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")


def names(rows: list[tuple[Pattern, str]]) -> list[str]:
    return [f"{pattern.kind}: {text[:40]!a}" for pattern, text in rows]


def spans(pattern: Pattern, text: str) -> list[Span]:
    plain = folded(text)
    return list(pattern.spans(Places(plain.wide if pattern.wide else plain.text)))


@each_row("pattern, text", FINDS)
def test_an_example_is_found(pattern: Pattern, text: str) -> None:
    assert spans(pattern, text)


@each_row("pattern, text", PASSES)
def test_a_look_alike_is_not(pattern: Pattern, text: str) -> None:
    assert spans(pattern, text) == []


@each_row("pattern, text", FINDS)
def test_an_example_is_found_in_the_middle_of_a_long_text(pattern: Pattern, text: str) -> None:
    around = "x = compute(1, 2)\n" * 2000

    assert spans(pattern, f"{around}\n\n{text}\n\n{around}")


@each_row("pattern", PATTERNS)
def test_a_pattern_has_examples_a_kind_and_a_sentence(pattern: Pattern) -> None:
    assert pattern.finds
    assert pattern.passes
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", pattern.kind)
    assert pattern.what[0].islower()
    assert not pattern.what.endswith(".")
    assert pattern.points > 0


@each_row("pattern", PATTERNS)
def test_no_expression_can_repeat_without_a_bound(pattern: Pattern) -> None:
    bare = _CLASS.sub("x", pattern.expression.pattern).replace("}+", "}")

    assert re.findall(r".{0,20}[*+]", bare) == []


@each_row("pattern", PATTERNS)
def test_words_are_looked_for_as_they_stand_in_folded_text(pattern: Pattern) -> None:
    assert [word for word in pattern.words if word != word.lower()] == []
