"""What is copied field by field, for speed: none may be forgotten when one is added."""

from dataclasses import fields

from automode.shell.script import Assignment, Elsewhere, Origin, Redirect, Word
from automode.shell.state import Frame, Outside, State
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
FRAME = Frame(
    via=("sudo",),
    redirects=(Redirect(">", A_WORD),),
    assignments=(Assignment("e", A_WORD),),
    remote=True,
    elevated=True,
    pipeline=1,
    position=1,
    fed="text",
    input_plain=True,
    defining=("f",),
    depth=1,
)


def test_the_examples_leave_no_field_at_its_default() -> None:
    plain_state, plain_frame = State("/", "/"), Frame()

    for one in fields(State):
        assert getattr(STATE, one.name) != getattr(plain_state, one.name), one.name
    for one in fields(Frame):
        assert getattr(FRAME, one.name) != getattr(plain_frame, one.name), one.name


def test_a_copied_state_holds_all_of_it_and_shares_nothing_that_changes() -> None:
    copied = STATE.copy()

    assert copied == STATE
    for one in fields(State):
        value = getattr(STATE, one.name)
        if isinstance(value, (dict, set)):
            assert getattr(copied, one.name) is not value, one.name


def test_a_stage_of_a_pipeline_keeps_whatever_it_is_not_told() -> None:
    stage = FRAME.stage(2, 3, "other", input_plain=False)

    assert (stage.pipeline, stage.position, stage.fed, stage.input_plain) == (2, 3, "other", False)
    told = {"pipeline", "position", "fed", "input_plain"}
    for one in fields(Frame):
        if one.name not in told:
            assert getattr(stage, one.name) == getattr(FRAME, one.name), one.name
