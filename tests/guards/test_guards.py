"""Every guard's own examples, decided by the whole floor."""

from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall, Write
from automode.core.decision import Decision, Verdict
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.floor.layer import GUARDS, Floor
from automode.guards.floor.pages import examples, guard_pages
from automode.guards.guard import Guard
from tests.reading import facts_of
from tests.rows import each_row

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGES = guard_pages()


@each_row("name", sorted(PAGES))
def test_a_page_is_up_to_date(name: str) -> None:
    assert (REFERENCE / name).read_text() == PAGES[name]


def test_there_is_a_page_for_every_guard_and_no_other() -> None:
    found = {page.stem for page in (REFERENCE / "guards").glob("*.md")}
    assert found == {guard.id for guard in GUARDS}


WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))
FLOOR = Floor()


def decided(example: str, floor: Floor = FLOOR) -> Decision | None:
    """A floor's answer to an example as guards write them."""
    if example.startswith("write: "):
        call = ToolCall("write", Write((example.removeprefix("write: "),)))
    else:
        call = ToolCall("bash", Shell(example))
    return floor.judge(facts_of(call, WORKSPACE))


each_guard = pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.id)


@each_guard
def test_it_stops_what_it_says_it_stops(guard: Guard) -> None:
    alone = Floor(guards=(guard,))
    for example in examples()[guard.id].stops:
        decision = decided(example)
        assert decision is not None, example
        assert decision.verdict is Verdict.DENY, example
        assert not decision.clearable, example
        assert decision.advice, example
        by_itself = decided(example, alone)
        assert by_itself is not None, example
        assert by_itself.source == f"floor.{guard.id}", example


@each_guard
def test_it_lets_look_alikes_pass(guard: Guard) -> None:
    assert [
        example for example in examples()[guard.id].passes if decided(example) is not None
    ] == []


@each_guard
def test_every_guard_has_enough_examples_of_both_kinds(guard: Guard) -> None:
    assert len(examples()[guard.id].stops) >= 6
    assert len(examples()[guard.id].passes) >= 6
    assert examples()[guard.id].about
    assert guard.reason == guard.reason.strip(". ")


def test_ids_are_unique() -> None:
    assert len({guard.id for guard in GUARDS}) == len(GUARDS)
