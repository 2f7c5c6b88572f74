"""Protected names, however a disk lets them be spelled."""

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.protected import PROTECTED_PATHS, Protected
from tests.rows import each_row, texts

PROTECTED = Protected.of(PROTECTED_PATHS)

SPELLINGS = texts("guards", "protected-spellings")

ORDINARY = texts("guards", "protected-ordinary")


@each_row("path", SPELLINGS)
def test_a_protected_name_is_known_in_every_spelling(path: str) -> None:
    assert PROTECTED.matches(path)
    assert PROTECTED.covers(path, Workspace("/w", "/w", "/home/u", Names("/w")))


@each_row("path", ORDINARY)
def test_ordinary_names_are_not_protected(path: str) -> None:
    assert not PROTECTED.matches(path)
