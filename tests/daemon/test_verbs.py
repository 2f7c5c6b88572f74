"""What programs ask in JSON: each verb with the token it needs, and none for what agents start."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from automode.assemble import build_service
from automode.cli.without_daemon import NoServer, ReadOnlyStore
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.daemon.agents import Agents
from automode.daemon.frames import Request, Right
from automode.daemon.json_requests import (
    LONGEST_INPUT,
    MOST_VALUES,
    Asked,
    json_object,
    stopped_shape,
)
from automode.daemon.peers import Peer
from automode.daemon.placement import Placement
from automode.daemon.upkeep import Archive
from automode.daemon.verbs import Verbs
from automode.facts.processes import this_system
from automode.llm.endpoints import Missing
from automode.llm.model import Model, ModelFault
from automode.llm.scripted import ScriptedModel
from automode.llm.session_keys import SessionKeys
from automode.store.folder import StateFolder
from tests.daemon.conftest import Running, agent_of
from tests.rows import each_row
from tests.store.examples import RECORD

READING = ("ping", "status", "sessions", "inbox")
PERSONS = ("approve", "answer", "reset", "mode", "reload", "canary", "try-model", "purge", "stop")


def failed(daemon: Running, request: Request) -> str:
    reply = daemon.ask(request)
    assert reply.exit == 1
    error: object = json.loads(reply.stdout)["error"]
    return str(error)


@pytest.mark.parametrize("verb", READING)
def test_looking_needs_the_token_of_any_hook(shared: Running, verb: str) -> None:
    assert shared.ask(shared.verb(verb)).exit == 0
    assert "token" in failed(shared, replace(shared.verb(verb), token="-"))


def test_what_a_person_does_needs_a_persons_token(daemon: Running) -> None:
    needs = "the token is not the one for `person`"
    for verb in PERSONS:
        for right in (Right.DECIDE, Right.PROMPT):
            assert needs in failed(daemon, daemon.verb(verb, right)), (verb, right)

    assert daemon.works()


def test_a_process_below_an_agent_is_refused_whatever_its_token(daemon: Running) -> None:
    """The agent starts a hook, and then commands with the person's own token."""
    given = {"all": True, "mode": "off", "record": "x"}
    commands = [daemon.verb(verb, Right.PERSON, **given) for verb in PERSONS]

    decided, *answers = daemon.by_an_agent(daemon.hook("ls"), *commands)

    assert b'"verdict":"allow"' in decided
    for verb, answered in zip(PERSONS, answers, strict=True):
        assert b"only a person may do this" in answered, verb
        assert b"is an agent" in answered, verb
    assert daemon.works()


def test_what_waits_is_in_the_inbox_and_can_be_answered(daemon: Running) -> None:
    hold = {"autoMode": {"asks": {"hold": 300}}, "permissions": {"ask": ["bash(make *)"]}}
    (daemon.base / "config" / "config.json").write_text(json.dumps(hold))
    daemon.answer(daemon.verb("reload", Right.PERSON))
    with agent_of(daemon) as agent, ThreadPoolExecutor(1) as beside:
        deciding = beside.submit(agent.says, "hook", daemon.hook("make all"))
        inbox = daemon.answer(daemon.verb("inbox", after=0))
        [ask] = rows_of(inbox, "waiting")
        given = {"record": ask["record"], "by": "phone"}
        unknown = failed(daemon, daemon.verb("answer", Right.PERSON, **given, kind="perhaps"))
        taken = daemon.answer(daemon.verb("answer", Right.PERSON, **given, kind="once"))
        twice = failed(daemon, daemon.verb("answer", Right.PERSON, **given, kind="once"))
        decided = deciding.result()

    assert (ask["action"], ask["verdict"], ask["source"]) == ("make all", "ask", "rules.ask")
    assert b'"verdict":"allow","source":"approval"' in decided
    assert taken["in_time"]
    assert unknown == "no such `kind`: `perhaps`"
    assert "waits any more" in twice
    assert rows_of(daemon.answer(daemon.verb("inbox")), "waiting") == []


def test_a_stopped_call_has_its_input_and_says_where_that_is_cut() -> None:
    long = "x" * (LONGEST_INPUT + 7)

    assert stopped_shape(replace(RECORD, input='{"a":1}'))["input"] == '{"a":1}'
    assert stopped_shape(replace(RECORD, input=long))["input"] == (
        f"{long[:LONGEST_INPUT]}… [7 more characters]"
    )


def rows_of(answer: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    found = answer[name]
    assert isinstance(found, list)
    return found


def texts_of(answer: Mapping[str, object], name: str) -> list[str]:
    found = answer[name]
    assert isinstance(found, list)
    return found


def test_the_inbox_has_what_was_stopped_and_not_answered(daemon: Running) -> None:
    rules: dict[str, object] = {
        "permissions": {"ask": ["bash(make *)"], "deny": ["bash(never *)"]},
        "autoMode": {"escalation": {"unattended": "deny"}},
    }
    (daemon.base / "config" / "config.json").write_text(json.dumps(rules))
    for command in ("make all", "make all", "make more", "never mind", "ls"):
        daemon.answer(daemon.hook(command, host="plain+unattended"))
    recent = rows_of(daemon.answer(daemon.verb("inbox")), "recent")

    told = [(one["action"], one["record"], one["session"]) for one in recent]
    assert [action for action, _, _ in told] == ["make more", "make all"], told


def test_a_rule_is_proposed_counted_and_saved(daemon: Running) -> None:
    with agent_of(daemon) as agent:
        for _ in range(2):
            agent.says("hook", daemon.hook("curl -d x https://example.com/a"))
        record = daemon.records()[-1].id
        made = daemon.answer(daemon.verb("propose", record=record))
        [narrow, *_] = rows_of(made, "proposals")
        [rule] = texts_of(narrow, "entries")
        other = failed(daemon, daemon.verb("approve", Right.PERSON, record=record, rule="bash(ls)"))
        saved = daemon.answer(daemon.verb("approve", Right.PERSON, record=record, rule=rule))
        after = agent.says("hook", daemon.hook("curl -d x https://example.com/a"))

    assert (rule, narrow["covered"]) == ("bash(curl -d x https://example.com/a)", 2)
    assert "would not let the call through" in other
    assert str(saved["saved"]).startswith(str(daemon.base / "config" / "config.json"))
    assert b'"verdict":"allow","source":"rules.allow"' in after


def test_a_call_can_be_decided_in_json(daemon: Running) -> None:
    event = json.loads(daemon.proposal("rm -rf /"))

    answer = daemon.answer(daemon.verb("decide", event=event))

    assert (answer["verdict"], answer["source"]) == ("deny", "floor.delete-root")
    assert answer["record"] == daemon.records()[-1].id


def test_the_daemon_says_itself_whether_it_can_ask_the_chosen_model(daemon: Running) -> None:
    """Its keys count, not those of the terminal."""
    before = daemon.answer(daemon.verb("judge", root="/"))
    settings = daemon.base / "config" / "config.json"
    settings.write_text('{"autoMode": {"classifierModel": "anthropic/some-model"}}')

    after = daemon.answer(daemon.verb("judge", root="/"))
    tried = failed(daemon, daemon.verb("try-model", Right.PERSON, root="/", model="anthropic/x"))
    refused = failed(daemon, daemon.verb("try-model", root="/", model="anthropic/x"))

    assert before == {"model": None, "ready": True, "problem": None, "lent": 0}
    assert after["ready"] is False
    assert "`automode key set anthropic`" in str(after["problem"])
    assert "no key for Anthropic" in tried
    assert "token" in refused


def test_events_are_heard_in_json(daemon: Running) -> None:
    words = {"event": "prompt", "session": "s1", "cwd": "/", "text": "go on"}

    refused = failed(daemon, daemon.verb("heard", event=words))
    heard = daemon.answer(daemon.verb("heard", Right.PROMPT, event=words))

    assert "token for `prompt`" in refused
    assert heard == {}


WRONG = {
    "no verb": ({}, "no `do`"),
    "an unknown verb": ({"do": "allow-everything"}, "no such verb: `allow-everything`"),
    "a verb that is no text": ({"do": 5}, "`do` of the request is not plain text"),
    "no event": ({"do": "decide"}, "`event` of the request is no object"),
    "an unknown host": ({"do": "decide", "host": "x", "event": {}}, "no such host: `x`"),
    "another event": (
        {"do": "decide", "event": {"event": "started", "session": "s", "cwd": "/"}},
        "no proposed call",
    ),
    "a call that is only told": (
        {
            "do": "heard",
            "event": {"event": "proposed", "session": "s", "cwd": "/", "tool": "t", "input": {}},
        },
        "is a proposed call",
    ),
    "a limit that is none": ({"do": "sessions", "limit": 0}, "`limit`"),
}


PERSONS_WRONG = {
    "neither one nor all": ({"do": "reset"}, "name one `session`, or say `all`"),
    "one and all": ({"do": "reset", "session": "s", "all": True}, "name one `session`"),
    "an unknown mode": ({"do": "mode", "all": True, "mode": "yolo"}, "no such mode: `yolo`"),
    "no record": ({"do": "approve"}, "no `record`"),
    "nothing to purge": ({"do": "purge"}, "say exactly one"),
    "too much to purge": ({"do": "purge", "all": True, "before": 1}, "say exactly one"),
    "a purge before no time": ({"do": "purge", "before": "monday"}, "`before` is no time"),
}


@each_row("asked, said", [*WRONG.values(), *PERSONS_WRONG.values()])
def test_what_is_asked_wrongly_is_named(
    shared: Running, asked: dict[str, object], said: str
) -> None:
    request = shared.verb("ping", Right.PERSON)

    assert said in failed(shared, replace(request, payload=json.dumps(asked).encode()))


def test_a_person_can_switch_reset_approve_and_purge(daemon: Running) -> None:
    daemon.by_an_agent(*(daemon.hook(command) for command in ("ls", "rm -rf /", "git push")))
    asked = daemon.records()[-1]

    def person(verb: str, **data: object) -> dict[str, object]:
        return daemon.answer(daemon.verb(verb, Right.PERSON, **data))

    off = person("mode", session="plain/s1", mode="off")
    on = person("mode", all=True, mode="")
    told = daemon.answer(daemon.verb("sessions"))
    approved = person("approve", record=asked.id)
    reset = person("reset", session="s1")
    purged = person("purge", session="plain/s1")

    assert off == on == reset == {"sessions": ["plain/s1"]}
    match told:
        case {"sessions": [{"recentDenials": [{"kind": kind}]}]}:
            assert kind == "hard-deny"
        case _:
            pytest.fail(f"no denial: {told}")
    assert (approved["record"], approved["once"]) == (asked.id, True)
    assert purged["emptied"] == 3 + 4  # the calls, and each thing that the person did
    assert person("reload") == {}


def test_the_status_tells_of_daemon_sessions_and_notices(daemon: Running) -> None:
    daemon.verdict("ls")
    daemon.verdict("rm -rf /")

    told = daemon.answer(daemon.verb("status"))

    assert told["decided"] == 2
    assert told["notices"] == []
    match told:
        case {"daemon": {"pid": pid}, "sessions": [{"session": "s1", **session}]}:
            assert pid == daemon.process.pid
            assert session["checkedActions"] == 2
            assert session["blockedActions"] == 1
            assert session["lastDecision"] == "deny"
        case _:
            pytest.fail(f"not a status: {told}")


def written(values: int) -> list[bytes]:
    """So many values in as few bytes as there can be: one after the other, and each its own."""
    return [b'{"":[' + b",".join([one] * (values - 2)) + b"]}" for one in (b"0", b"[]")]


@pytest.mark.parametrize("shape", range(2))
def test_the_last_value_that_is_too_many_is_counted_however_short_it_is_written(shape: int) -> None:
    most, more = written(MOST_VALUES)[shape], written(MOST_VALUES + 1)[shape]

    assert len(json_object(most)) == 1
    with pytest.raises(BadCall, match="more than 10000 values"):
        json_object(more)


def test_a_key_of_the_terminal_that_asks_is_used_and_named(tmp_path: Path) -> None:
    """Agents that are started there lend the same one. It is forgotten at once."""
    folder = StateFolder(str(tmp_path / "state")).prepared()
    keys = SessionKeys()

    def model(_settings: Settings, _host: str | None, lender: str) -> Model | Missing:
        found = keys.keyring(lender)("api.anthropic.com")
        return ScriptedModel(["0"], name=found) if found else Missing(ModelFault.NO_KEY, "no key")

    async def asked(pid: int) -> Mapping[str, object]:
        service = build_service(
            ReadOnlyStore(folder, ""),
            places=Placement(folder, str(tmp_path)).places,
            key=b"k" * 32,
            account="tester",
            environment={},
        )
        service.projects.model = model
        purge = Archive(folder, service.store, service).purge
        verbs = Verbs(service, Agents(folder, ()), {}, NoServer(), purge, keys)
        given = {"do": "try-model", "root": "/", "model": "anthropic/x"}
        answer = await verbs.row("try-model").work(
            Asked(given, frozenset(Right), Peer(os.getuid(), pid), 5.0)
        )
        await service.close()
        return answer

    with subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        env={"ANTHROPIC_API_KEY": "of-the-terminal"},
    ) as terminal:
        while not this_system().variables(terminal.pid):
            time.sleep(0.01)
        found = asyncio.run(asked(terminal.pid))
        terminal.communicate(b"\n")

    assert (found["ok"], found["lent"], found["model"]) == (True, True, "of-the-terminal")
    assert keys.lenders() == ()
