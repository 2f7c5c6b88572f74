"""Patterns mean the same to every Python that we run on."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]

import automode


def patterns() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """All that stand in our modules, but for those that need a framework which is not here."""
    for found in pkgutil.walk_packages(automode.__path__, "automode.", onerror=lambda _: None):
        if found.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(found.name)
        except ImportError:
            continue
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield f"{found.name}.{name}", value


def groups_repeated_possessively(parsed: object) -> Iterator[object]:
    """Bodies that are more than one character, anywhere in a parsed pattern."""
    match parsed:
        case (_constants.POSSESSIVE_REPEAT, (_, _, _parser.SubPattern(data=[(kind, _)]))) if (
            kind in _ONE
        ):
            return
        case (_constants.POSSESSIVE_REPEAT, (_, _, body)):
            yield body
        case _parser.SubPattern(data=[*parts]) | [*parts]:
            for part in parts:
                yield from groups_repeated_possessively(part)
        case _:
            return


_ONE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}


def test_no_group_is_repeated_possessively() -> None:
    """Where a round of such a repetition fails, Python before 3.11.5 keeps what it had consumed: a
    comment's end was taken for a command. Single characters are safe."""
    seen = dict(patterns())
    wrong = [
        name
        for name, pattern in seen.items()
        if any(groups_repeated_possessively(_parser.parse(pattern.pattern, pattern.flags)))
    ]
    assert len(seen) > 200
    assert wrong == []


def test_nor_is_one_in_a_pattern_that_is_made_later() -> None:
    """As far as it shows in the text of our modules."""
    shown = re.compile(r"\)(?:[*+?]|\{\{?[0-9,]*\}\}?)\+[^+]")
    files = Path(str(automode.__file__)).parent.rglob("*.py")
    assert [file.name for file in files if shown.search(file.read_text("utf-8"))] == []


def test_the_search_finds_one() -> None:
    found = [
        bool([*groups_repeated_possessively(_parser.parse(one))]) for one in ("(?:a|bc)*+", "a*+")
    ]
    assert found == [True, False]
