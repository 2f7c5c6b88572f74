"""What the plugin says inside the real OpenCode, recorded there, and what it is answered."""

from pathlib import Path

import pytest

from automode.adapters.opencode import OpenCode
from automode.adapters.seam import CallProposed, PromptTyped
from automode.core.errors import BadCall
from tests.adapters.recordings import replayed

RECORDED = sorted((Path(__file__).parent / "opencode").glob("*.json"))
CALL = {
    "event": "tool_call",
    "session": "s2",
    "parent": "s1",
    "cwd": "/home/dev/shop",
    "toolName": "bash",
    "toolCallId": "c1",
    "input": {"command": "ls"},
}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_payload_gets_its_answer(path: Path) -> None:
    now, recorded = replayed(path)

    assert now == recorded


def test_a_sub_agent_is_known_by_the_session_above_it() -> None:
    event = OpenCode().parse(CALL)

    assert isinstance(event, CallProposed)
    assert (event.speaker.session, event.speaker.parent) == ("s2", "s1")


def test_what_a_sub_agent_is_told_is_no_persons() -> None:
    event = OpenCode().parse({**CALL, "event": "input", "text": "go", "source": "extension"})

    assert isinstance(event, PromptTyped)
    assert event.machine


def test_what_cannot_be_read_says_how_to_get_a_plugin_that_can() -> None:
    with pytest.raises(BadCall) as caught:
        OpenCode().parse({**CALL, "input": "ls"})

    assert "OpenCode" in str(caught.value)
    assert "automode install opencode" in caught.value.hint
