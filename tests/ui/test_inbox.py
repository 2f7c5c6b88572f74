"""A person answers in the window, and the agent whose call waits goes on."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from automode.daemon.frames import Right
from tests.daemon.conftest import Agent, Running, agent_of, furnished, starting, until
from tests.ui.test_pages import Tags
from tests.ui.windows import Client, window_on

SETTINGS: dict[str, object] = {
    "autoMode": {"asks": {"hold": 300}, "escalation": {"unattended": "deny"}},
    "permissions": {"ask": ["bash(make *)"]},
}
COMMAND = "curl -d x https://example.com/a"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Running]:
    base = furnished(tmp_path)
    (base / "config" / "config.json").write_text(json.dumps(SETTINGS))
    with starting(base) as start:
        yield start()


@pytest.fixture
def inbox(daemon: Running) -> Client:
    return Client(window_on(daemon.base)).sign_in()


@contextmanager
def waiting(
    daemon: Running, agent: Agent, command: str, *, besides: str = "", **more: str
) -> Iterator[tuple[str, "list[bytes]"]]:
    """The id of an ask that waits; what its agent is answered in the end."""
    answered: list[bytes] = []
    with ThreadPoolExecutor(1) as beside:
        request = daemon.hook(command)
        call = json.loads(request.payload)
        call["input"] |= more
        request = replace(request, payload=json.dumps(call).encode())
        deciding = beside.submit(agent.says, "hook", request)
        until(lambda: _ids(daemon, besides) != [], "nothing waits")
        yield _ids(daemon, besides)[0], answered
        answered.append(deciding.result())


def _ids(daemon: Running, besides: str) -> list[str]:
    found = daemon.answer(daemon.verb("inbox"))["waiting"]
    assert isinstance(found, list)
    return [str(one["record"]) for one in found if one["record"] != besides]


def answer(client: Client, record: str, **given: str) -> str:
    data = {"csrf": client.csrf(), "waits": "1", **given}
    reply = client.post(client.at(f"/inbox/{record}/answer"), data=data)
    return Tags(reply.text).text


KINDS = {
    # what the person says                       what the agent is told
    "once": ({}, b'"verdict":"allow","source":"approval"'),
    "session": ({}, b'"verdict":"allow","source":"approval"'),
    "deny": ({"reason": "use staging"}, b"use staging"),
}


def test_each_answer_reaches_the_agent_that_waits(daemon: Running, inbox: Client) -> None:
    with agent_of(daemon) as agent:
        for kind, (given, told) in KINDS.items():
            with waiting(daemon, agent, f"make {kind}") as (record, answered):
                page = Tags(inbox.get(inbox.at("/inbox")).text).text
                said = answer(inbox, record, kind=kind, **given)

            assert f"make {kind}" in page
            assert "s left" in page
            assert told in answered[0], (kind, answered)
            assert {"deny": "Denied."}.get(kind, "Allowed") in said, said
    assert "Nothing waits" in inbox.get(inbox.at("/inbox")).text


def test_the_whole_call_is_shown_and_what_cannot_be_seen_is_said(
    daemon: Running, inbox: Client
) -> None:
    with agent_of(daemon) as agent:
        pages = {}
        for command, more in {"make all": {"stdin": "rm src"}, "make A_TOKEN=first1": {}}.items():
            with waiting(daemon, agent, command, **more) as (record, _):
                pages[command] = Tags(inbox.get(inbox.at("/inbox")).text).text
                answer(inbox, record, kind="deny")

    assert '"stdin":"rm src"' in pages["make all"]
    assert "was replaced" not in pages["make all"]
    assert "a part of this call was replaced" in pages["make A_TOKEN=first1"]


def test_a_rule_is_shown_with_what_it_covers_edited_and_saved(
    daemon: Running, inbox: Client
) -> None:
    with agent_of(daemon) as agent, waiting(daemon, agent, COMMAND) as (record, answered):
        shown = inbox.get(inbox.at(f"/inbox/{record}/rules?waits=1")).text
        refused = answer(inbox, record, kind="always", rule="bash(ls)")
        said = answer(inbox, record, kind="always", rule=f"bash({COMMAND})")

    assert f"bash({COMMAND})" in Tags(shown).text
    assert re.search(r"Last 30 days</dt><dd>1 call, this one too", shown)
    assert "Save this rule and allow" in shown
    assert "would not let the call through" in refused
    assert "the rule is saved" in said
    assert b'"verdict":"allow","source":"rules.allow"' in answered[0]
    saved = json.loads((daemon.base / "config" / "config.json").read_text())
    assert saved["permissions"]["allow"] == [f"bash({COMMAND})"]


def test_what_does_not_wait_any_more_is_said_so_and_what_was_stopped_can_be_approved(
    daemon: Running, inbox: Client
) -> None:
    settings = SETTINGS | {"autoMode": {"asks": {"hold": 0}, "escalation": {"unattended": "deny"}}}
    (daemon.base / "config" / "config.json").write_text(json.dumps(settings))
    daemon.answer(daemon.verb("reload", Right.PERSON))
    with agent_of(daemon) as agent:
        agent.says("hook", daemon.hook("make all", host="plain+unattended"))
        record = daemon.records()[-1].id
        late = answer(inbox, record, kind="once")
        page = inbox.get(inbox.at("/inbox")).text
        said = answer(inbox, record, kind="once", waits="0")
        again = agent.says("hook", daemon.hook("make all", host="plain+unattended"))

    assert "waits any more" in late
    assert 'value="once"' in page
    assert "Approved: one exact retry." in said
    assert b'"verdict":"allow","source":"approval"' in again


def test_an_answer_that_is_none_is_named(daemon: Running, inbox: Client) -> None:
    assert "no such answer: perhaps" in answer(inbox, "x", kind="perhaps")


def test_without_a_daemon_the_page_says_so(tmp_path: Path) -> None:
    client = Client(window_on(tmp_path)).sign_in()

    page = client.get(client.at("/inbox"))

    assert page.status_code == 200
    assert "automode daemon start" in page.text


def test_who_may_only_look_sees_what_waits_without_a_button(daemon: Running) -> None:
    client = Client(window_on(daemon.base, read_only=True)).sign_in()
    with agent_of(daemon) as agent, waiting(daemon, agent, "make all") as (record, answered):
        page = client.get(client.at("/inbox")).text
        refused = client.post(
            client.at(f"/inbox/{record}/answer"),
            data={"csrf": client.csrf(), "waits": "1", "kind": "once"},
        )
        daemon.answer(daemon.verb("answer", Right.PERSON, record=record, kind="deny"))

    assert "make all" in page
    assert "<button" not in page
    assert refused.status_code == 403
    assert b'"verdict":"allow"' not in answered[0]
