"""automode's own JSON: what goes in, what comes out."""

import json
from collections.abc import Mapping

import pytest

from automode.agents.events import (
    CallFinished,
    CallProposed,
    Feedback,
    HostEvent,
    SessionEnded,
    SessionRef,
    SessionStarted,
)
from automode.agents.plain.payloads import Plain
from automode.core.decision import Decision, Verdict, allow, ask, deny
from automode.core.transcript import Outcome
from tests.rows import each_row

WHO = {"session": "s1", "cwd": "/srv/shop"}
LS: Mapping[str, object] = {"tool": "bash", "input": {"command": "ls"}}
SPEAKER = SessionRef("s1", "/srv/shop")
EVENTS: dict[str, tuple[Mapping[str, object], HostEvent]] = {
    "proposed": (
        {"event": "proposed", **WHO, **LS, "id": "7"},
        CallProposed(SPEAKER, "bash", {"command": "ls"}, "7"),
    ),
    "finished": (
        {"event": "finished", **WHO, **LS, "id": "7", "outcome": "error", "result": "no"},
        CallFinished(SPEAKER, "7", "bash", {"command": "ls"}, Outcome.ERROR, "no"),
    ),
    "started": (
        {"event": "started", **WHO, "parent": "s0", "attended": False, "model": "openai/gpt-4o"},
        SessionStarted(SessionRef("s1", "/srv/shop", "s0", attended=False, model="openai/gpt-4o")),
    ),
    "ended, perhaps attended": (
        {"event": "ended", **WHO, "attended": "yes"},
        SessionEnded(SessionRef("s1", "/srv/shop", attended=False)),
    ),
}


@each_row("name", EVENTS)
def test_an_event_is_read(name: str) -> None:
    payload, event = EVENTS[name]

    assert Plain().parse(payload) == event


ANSWERS: dict[str, tuple[Decision | None, object, int]] = {
    "no opinion": (None, None, 0),
    "allow": (allow("read-only", "only reads"), "allow", 0),
    "ask": (ask("rules.ask", "a rule asks"), "ask", 2),
    "deny": (deny("rules.deny", "a rule denies"), "deny", 2),
    "halt": (Decision(Verdict.HALT, "breaker.total", "20 denials"), "halt", 2),
    "deny in shadow mode": (Decision(Verdict.DENY, "rules.deny", "no", enforced=False), "deny", 0),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_decision_is_told_by_answer_and_exit_status(name: str) -> None:
    decision, word, status = ANSWERS[name]

    answer = Plain().render(CallProposed(SPEAKER, "bash", {}), decision)

    assert (json.loads(answer.stdout)["verdict"], answer.exit) == (word, status)
    assert bool(answer.stderr) is (status != 0)


def test_the_record_of_a_decision_is_told_where_there_is_one() -> None:
    proposed, asked = CallProposed(SPEAKER, "bash", {}), ask("rules.ask", "a rule asks")

    kept = Plain().render(proposed, asked, Feedback(record="r1"))
    unkept = Plain().render(proposed, asked)

    assert json.loads(kept.stdout) == {**json.loads(unkept.stdout), "record": "r1"}
    assert "record" not in json.loads(unkept.stdout)
