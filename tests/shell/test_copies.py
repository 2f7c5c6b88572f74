"""What is copied field by field, for speed: none may be forgotten when one is added."""

from dataclasses import fields

from automode.shell.script import Assignment, Elsewhere, Origin, Word
from automode.shell.state import Outside, State
from automode.shell.variables import Changes

A_WORD = Word("value", Origin.LITERAL)
STATE = State(
    cwd="/project",
    home="/home/somebody",
    variables={"a": A_WORD},
    numbers={"n"},
    exported={"e": Assignment("e", A_WORD)},
    functions={"f"},
    perhaps={"g"},
    calls=Changes(frozenset({"c"}), moves=True),
    fixed={"r"},
    arrays={"l"},
    in_function=True,
    in_loop=True,
    elsewhere=(Elsewhere("/a", ("/b",)),),
    failed=(Elsewhere("/c"),),
    outside=Outside({"t"}),
    warn=print,
)


def test_the_examples_leave_no_field_at_its_default() -> None:
    for one in fields(State):
        assert getattr(STATE, one.name) != getattr(State("/", "/"), one.name), one.name


def test_a_copied_state_holds_all_of_it_and_shares_nothing_that_changes() -> None:
    copied = STATE.copy()

    assert copied == STATE
    for one in fields(State):
        value = getattr(STATE, one.name)
        if isinstance(value, (dict, set)):
            assert getattr(copied, one.name) is not value, one.name
