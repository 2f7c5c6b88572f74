"""Which turn a scripted model gives in which conversation."""

from automode.agents.scripted.wire import LAST, Script, ToolUse, saying, turn_for, using

FIRST, SECOND = using(ToolUse("bash", {"command": "ls"})), saying("done")
BELOW = saying("from below")
SCRIPTS = (Script((FIRST, SECOND)), Script((BELOW,), opening="the part"))


def test_turns_come_one_after_the_other_and_then_the_last_one_for_ever() -> None:
    assert [turn_for(SCRIPTS, "please", number) for number in range(4)] == [
        FIRST,
        SECOND,
        LAST,
        LAST,
    ]


def test_a_script_that_names_its_opening_goes_first() -> None:
    assert turn_for(SCRIPTS, "do the part of it", 0) == BELOW


def test_without_a_script_there_is_nothing_to_do() -> None:
    assert turn_for((), "please", 0) == LAST
    assert turn_for((Script((FIRST,), opening="the part"),), "please", 0) == LAST
