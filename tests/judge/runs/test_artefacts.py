"""What the calls of a session left behind."""

from dataclasses import replace

from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Outcome, PriorCall, Transcript
from automode.judge.runs.artefacts import _LEFT, MOST_CALLS, STEP, Artefacts, artefacts
from tests.judge.sessions import WORKSPACE
from tests.reading import facts_of


def _left(*calls: PriorCall, cwd: str = WORKSPACE.cwd) -> Artefacts:
    place = replace(WORKSPACE, cwd=cwd)
    session = Session("left", place, transcript=Transcript(calls))
    return artefacts(facts_of(tool_call("bash", {"command": "true"}), session), session)


def test_what_calls_left_is_told_alike_call_by_call_and_at_once() -> None:
    calls = [
        *(
            PriorCall("Bash", {"command": f"mkdir d{one} && echo {one} > d{one}/f"})
            for one in "abc"
        ),
        PriorCall("Bash", {"command": "rm -r da"}, Outcome.OK),
        PriorCall("Write", {"file_path": "../x.py", "content": "1"}, Outcome.OK),
        PriorCall("Bash", {"command": "curl -o y.sh https://example.org/y"}, Outcome.OK),
    ]
    for end in range(len(calls) + 1):
        step = _left(*calls[:end])
        assert step == _left(*calls[:end])
        assert step == _fresh(*calls[:end])
    # What was proposed has ended since, and the agent went elsewhere.
    denied = [replace(calls[0], outcome=Outcome.DENIED), *calls[1:]]
    assert _left(*denied) == _fresh(*denied) != _left(*calls)
    assert _left(*calls, cwd="/w/elsewhere") == _fresh(*calls, cwd="/w/elsewhere")


def test_of_a_long_session_the_newest_calls_count() -> None:
    calls = [
        PriorCall("Bash", {"command": f"echo 1 > f{one}"}) for one in range(MOST_CALLS + 2 * STEP)
    ]
    for end in (MOST_CALLS, MOST_CALLS + 1, MOST_CALLS + STEP, len(calls)):
        found = _left(*calls[:end])
        assert found == _fresh(*calls[:end])
        assert MOST_CALLS <= len(found.touched) < MOST_CALLS + STEP


def _fresh(*calls: PriorCall, cwd: str = WORKSPACE.cwd) -> Artefacts:
    """As nobody remembers any of it."""
    _LEFT.clear()
    return _left(*calls, cwd=cwd)
