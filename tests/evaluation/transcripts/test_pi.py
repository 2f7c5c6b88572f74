"""Pi's session files, recorded from the real one and written by hand."""

import pytest

from automode.evaluation.transcripts.finding import calls_in
from automode.evaluation.transcripts.pi import calls
from tests.evaluation.transcripts.written_sessions import PI, Row, told, words_before

HEADER: Row = {"type": "session", "version": 3, "id": "p1", "cwd": "/home/dev/parrot"}


def message(role: str, **fields: object) -> Row:
    return {"type": "message", "message": {"role": role, **fields}}


def test_every_call_of_a_real_session_comes_with_what_became_of_it() -> None:
    found = list(calls_in(str(PI)))

    assert [told(call) for call in found] == [
        ("bash", "ls -la", "ran"),
        ("read", None, "ran"),
        ("bash", "cat no-such-file", "ran"),
        ("write", None, "ran"),
        ("bash", "git push -f origin main", "ran"),
    ]
    assert {(call.host, call.cwd, call.parent) for call in found} == {
        ("pi", "/home/dev/parrot", None)
    }
    assert words_before(found[-1]) == [
        ("look after the parrot, please", ""),
        ("yes", "Shall I push it?"),
    ]


ENDS = {
    "it worked": (False, "fine", "ran"),
    "it failed": (True, "exit 1", "ran"),
    "automode said no": (True, "automode (rules.deny): no.", "refused"),
    "automode could not say": (True, "automode could not decide, so …", "refused"),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_call_is_read_from_its_result(name: str) -> None:
    failed, text, then = ENDS[name]
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "make"}}
    result = message(
        "toolResult", toolCallId="c", isError=failed, content=[{"type": "text", "text": text}]
    )

    (found,) = calls([HEADER, message("assistant", content=[call]), result])

    assert found.then.value == then
