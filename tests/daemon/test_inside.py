"""A person speaks through the agent of a session: about that session, from that very process."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from automode.daemon.frames import Request, Right
from tests.daemon.conftest import Agent, Running, agent_of
from tests.rows import each_row


class Person:
    """One process that speaks for its session itself, as Pi does, with a person before it."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.daemon = agent, agent.daemon
        self.name = f"pi/{self.daemon.session}"

    def answer(self, role: str, request: Request) -> dict[str, object]:
        found = self.agent.says(role, request)
        told: dict[str, object] = json.loads(found[found.index(b"{") :])
        return told

    def says(self, event: str, **more: object) -> None:
        self.agent.says("itself", self.daemon.pi(event, **more))

    def calls(self, command: str, *, host: str = "pi", call: str = "c1") -> dict[str, object]:
        given = {"command": command}
        made = self.daemon.pi("tool_call", toolName="bash", toolCallId=call, input=given)
        return self.answer("itself", replace(made, host=host))

    def asks(self, verb: str, **more: object) -> dict[str, object]:
        return self.answer("itself", self.daemon.verb(verb, Right.PERSON, **more))


@pytest.fixture
def person(daemon: Running) -> Iterator[Person]:
    with agent_of(daemon) as agent:
        yield Person(agent)


def test_a_person_switches_and_resets_their_session_through_its_agent(person: Person) -> None:
    denied = person.calls("rm -rf /")
    off = person.asks("mode", session=person.name, mode="off")
    while_off = person.calls("rm -rf /")
    on = person.asks("mode", session=person.name, mode="on")
    again = person.calls("rm -rf /")
    reset = person.asks("reset", session=person.name)

    assert (denied["verdict"], while_off["verdict"], again["verdict"]) == ("deny", None, "deny")
    assert off == on == reset == {"sessions": [person.name]}
    assert person.asks("reload", session=person.name) == {}


INSIDE: dict[str, dict[str, object]] = {
    "mode": {"mode": "off"},
    "reset": {},
    "approve": {"record": "1"},
    "reload": {},
    "model": {"model": "anthropic/claude-sonnet-4-5"},
    "lend": {"provider": "anthropic", "key": "lent"},
}


def test_what_the_agent_starts_is_no_person(person: Person) -> None:
    person.says("session_start")
    for verb, given in INSIDE.items():
        asked = person.daemon.verb(verb, Right.PERSON, session=person.name, **given)
        refused = person.answer("tool", asked)
        assert "only a person may do this" in str(refused["error"]), verb
        assert person.calls("rm -rf /", call=verb)["verdict"] == "deny", verb


OTHERS = ["pi/p2", "plain/s1", "pi/", "s1", "pi", "", "nobody/s1"]


def test_nobody_speaks_for_another_session(person: Person) -> None:
    """Another process speaks for p2; and a host with hooks has no agent that speaks itself."""
    person.daemon.by_an_agent(person.daemon.hook("ls"))
    person.says("session_start")
    refused = [
        person.asks(verb, session=session, **INSIDE[verb]) for verb in INSIDE for session in OTHERS
    ]
    refused.append(person.asks("mode", all=True, mode="off"))
    refused += [person.asks(verb, session=person.name, all=True) for verb in ("stop", "purge")]
    both = person.asks("mode", all=True, session=person.name, mode="off")

    assert {"only a person may do this" in str(one["error"]) for one in refused} == {True}
    assert "name one `session`" in str(both["error"])


def test_a_person_approves_a_denied_call_through_its_agent(person: Person) -> None:
    person.calls("git push", host="pi+unattended")
    record = person.daemon.records()[-1].id
    person.says("session_start")

    approved = person.asks("approve", session=person.name, record=record)
    again = person.calls("git push", call="c2")

    assert (approved["record"], approved["session"]) == (record, person.name)
    assert (again["verdict"], again["source"]) == ("allow", "approval")


def test_only_denials_of_the_session_itself_are_approved_inside(person: Person) -> None:
    person.daemon.by_an_agent(person.daemon.hook("npm publish"))
    foreign = person.daemon.records()[-1].id
    person.says("session_start")

    for record in (foreign, foreign[:4]):
        refused = person.asks("approve", session=person.name, record=record)
        assert "no single denial of this session" in str(refused["error"])


def test_the_model_is_saved_in_the_persons_own_file(person: Person, base: Path) -> None:
    person.says("session_start")
    saved, unknown, unreadable = (
        person.asks("model", session=person.name, model=name)
        for name in ("anthropic/claude-sonnet-4-5", "nobody/x", "nonsense")
    )
    model = person.asks("inspect", session=person.name)["model"]

    file = base / "config" / "config.json"
    assert saved == {"saved": model, "file": str(file), "in_force": model, "decides": None}
    assert json.loads(file.read_text())["autoMode"]["classifierModel"] == model
    assert "no provider is called `nobody`" in str(unknown["error"])
    assert "`nonsense`" in str(unreadable["error"])


KEY = {"provider": "anthropic", "key": "sekret-key"}
OWN_ADDRESS = "https://api.anthropic.com/v1"
LOANS = [
    (KEY, ""),
    (KEY | {"baseUrl": OWN_ADDRESS}, ""),
    (KEY | {"baseUrl": "https://evil.example"}, "only ever sent to `api.anthropic.com`"),
    (KEY | {"provider": "nobody"}, "unknown provider: `nobody`"),
    (KEY | {"key": "sekret\nkey"}, "is no key"),
    (KEY | {"provider": "ollama"}, "takes no lent key"),
]


@each_row("fields, error", LOANS)
def test_a_key_is_lent_to_its_own_provider_and_written_nowhere(
    person: Person, fields: dict[str, object], error: str
) -> None:
    person.says("session_start")
    answer = person.asks("lend", session=person.name, **fields)
    decided = person.calls("git push")

    kept = [path.read_bytes() for path in person.daemon.base.rglob("*") if path.is_file()]
    assert error in str(answer.get("error", ""))
    assert (answer == {}) == (error == "")
    assert decided["verdict"] == "ask"
    assert not any(b"sekret" in one for one in kept)
    assert "sekret" not in str(answer)


def chosen(daemon: Running) -> None:
    user = daemon.base / "config" / "config.json"
    user.write_text(json.dumps({"autoMode": {"classifierModel": "anthropic/x"}}))


def judge(daemon: Running) -> dict[str, object]:
    """Who judges, as the daemon sees it."""
    return daemon.answer(daemon.verb("judge", root=str(daemon.project)))


def test_who_starts_an_agent_with_a_key_lends_it_until_the_session_ends(daemon: Running) -> None:
    chosen(daemon)
    with agent_of(daemon, {"ANTHROPIC_API_KEY": "sekret-key"}) as agent:
        before = judge(daemon)
        agent.says("itself", daemon.pi("session_start"))
        during = judge(daemon)
        agent.says("itself", daemon.pi("session_shutdown"))
        after = judge(daemon)

    kept = [path.read_bytes() for path in daemon.base.rglob("*") if path.is_file()]
    assert during["lent"] == 1
    assert "(agents that run and lend one: 1)" in str(during["problem"])
    assert before == after
    assert (before["ready"], before["lent"]) == (False, 0)
    assert "automode key set anthropic" in str(before["problem"])
    assert not any(b"sekret" in one for one in kept)


def test_a_key_ends_with_an_agent_that_died_also_where_its_session_is_taken_up_again(
    daemon: Running,
) -> None:
    chosen(daemon)
    with agent_of(daemon, {"ANTHROPIC_API_KEY": "sekret-key"}) as agent:
        agent.says("itself", daemon.pi("session_start"))
        during = judge(daemon)
    with agent_of(daemon) as agent:
        agent.says("itself", daemon.pi("session_start"))
        after = judge(daemon)

    assert (during["lent"], after["lent"]) == (1, 0)


def test_what_a_project_gives_to_hooks_and_tools_lends_nothing(person: Person) -> None:
    chosen(person.daemon)
    person.says("session_start")
    for request in (person.daemon.pi("session_start"), person.daemon.hook("ls")):
        person.agent.says("project", request)

    judged = judge(person.daemon)
    assert (judged["ready"], judged["lent"]) == (False, 0)


def test_a_person_at_a_terminal_lends_nothing(shared: Running) -> None:
    lend = shared.verb("lend", Right.PERSON, provider="anthropic", key="k", session="pi/s1")

    assert "only the agent of a session lends a key" in str(shared.answer(lend)["error"])


def test_an_agent_sees_why_it_was_denied_and_what_would_clear_it(person: Person) -> None:
    for command in ("ls", "rm -rf /"):
        person.calls(command)

    seen = person.daemon.answer(person.daemon.verb("inspect", session=person.name))

    match seen:
        case {"recentDenials": [{"tool": "bash", "reason": str(reason), "cleared_by": str(way)}]}:
            assert "root folder" in reason
            assert way == "nothing: nobody may permit it"
        case _:
            pytest.fail(f"no denials: {seen}")
    assert (seen["mode"], seen["checkedActions"], seen["blockedActions"]) == ("enforce", 2, 1)


def test_a_session_that_nobody_knows_is_named(shared: Running) -> None:
    assert "`nobody`" in str(shared.answer(shared.verb("inspect", session="nobody"))["error"])


def test_only_what_its_own_process_reports_as_typed_is_a_persons(person: Person) -> None:
    person.says("input", text="itself", source="interactive")
    person.says("input", text="extension", source="extension")
    person.agent.says("tool", person.daemon.pi("input", text="child", source="interactive"))

    found = person.daemon.origins("pi")
    assert found == {"itself": "person", "extension": "machine", "child": "machine"}
