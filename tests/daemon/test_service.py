"""A request and its reply, through a real daemon: what is decided, recorded, and never loosened."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.daemon.frames import (
    HOOK,
    USUAL_SETTINGS,
    Refused,
    Reply,
    Request,
    Right,
    settings_word,
)
from automode.daemon.json_requests import MOST_VALUES
from tests.daemon.conftest import Running, Start
from tests.rows import each_row


@pytest.fixture
def daemon(shared: Running) -> Running:
    """The tests have calls decided themselves: who needs other agents starts its own daemon."""
    return shared


# What the agent wants, the host; the verdict and who decided.
CALLS = [
    ("ls", "plain", "allow", "read-only"),
    ("rm -rf /", "plain", "deny", "floor.delete-root"),
    ("npm test", "plain", "allow", "classifier.local"),
    ("git push", "plain", "ask", "classifier.local"),
    ("git push", "plain+unattended", "deny", "classifier.local"),
]


def test_calls_are_decided_and_recorded_before_they_are_answered(daemon: Running) -> None:
    for number, (command, host, verdict, source) in enumerate(CALLS, start=1):
        answer = daemon.answer(daemon.hook(command, host=host))
        record = daemon.records()[-1]

        assert answer["verdict"] == verdict
        assert str(answer["source"]).startswith(source)
        assert (record.verdict.word, record.source) == (verdict, answer["source"])
        assert len(daemon.records()) == number


def test_a_call_that_copilot_brings_to_two_hooks_is_decided_once(daemon: Running) -> None:
    """One of them stands in Claude Code's settings."""
    where, call = str(daemon.project), {"command": "rm -rf /"}
    own = {
        "sessionId": daemon.session,
        "cwd": where,
        "timestamp": 1794768359051,
        "toolName": "bash",
        "toolArgs": call,
    }
    told = {"timestamp": "2026-11-15T18:45:59.051Z", "tool_name": "Bash", "tool_input": call}
    before = len(daemon.records())

    said = [
        json.loads(daemon.ask(Request(HOOK, payload, daemon.token(), host, "proposed")).stdout)
        for host, payload in (
            ("copilot-cli", json.dumps(own).encode()),
            ("claude-code", daemon.claude("PreToolUse", **told).payload),
        )
    ]

    assert [one["permissionDecision"] for one in said] == ["deny", "deny"]
    assert len(daemon.records()) == before + 1
    assert daemon.records()[-1].session.host == "copilot-cli"


CALL = '{"event": "proposed", "session": "s", "cwd": "/", "tool": "glob", "input": {}}'
MANY = json.dumps({"list": ["x"] * MOST_VALUES})
WRONG: dict[str, tuple[str, str | bytes]] = {
    "no token": ("token", "-"),
    "a wrong token": ("token", "00" * 32),
    "no JSON": ("payload", b"{"),
    "deep JSON": ("payload", b"[" * 100_000),
    "not an object": ("payload", b"[1]"),
    "not UTF-8": ("payload", b'{"event": "\xff\xfe"}'),
    "UTF-16": ("payload", CALL.encode("utf-16")),
    "UTF-32": ("payload", CALL.encode("utf-32")),
    "a mark before UTF-8": ("payload", CALL.encode("utf-8-sig")),
    "more values than can be looked through": ("payload", CALL.replace("{}", MANY).encode()),
    "a key twice": ("payload", CALL.replace("{", '{"cwd": "/", ', 1).encode()),
    "a key twice further in": ("payload", CALL.replace("{}", '{"a": 1, "a": 2}').encode()),
    "a number that is none": ("payload", CALL.replace("{}", '{"a": NaN}').encode()),
    "a number without end": ("payload", CALL.replace("{}", '{"a": [-Infinity]}').encode()),
    "a number beyond any float": ("payload", CALL.replace("{}", '{"a": 1e999}').encode()),
    "empty": ("payload", b""),
    "no call": ("payload", b'{"event": "started", "session": "s", "cwd": "/"}'),
    "an unknown event": ("payload", b'{"event": "other"}'),
    "a call without a tool": ("payload", b'{"event": "proposed", "session": "s", "cwd": "/"}'),
    "an adapter that fails on the way in": ("host", "careless"),
    "an adapter that fails on the way out": ("host", "muddled"),
}


@each_row("name, value", WRONG.values())
def test_whatever_goes_wrong_ends_in_the_hosts_own_denial(
    daemon: Running, name: str, value: str | bytes
) -> None:
    request = daemon.hook("ls")
    reply = daemon.ask(replace(request, **{name: value}))  # type: ignore[arg-type]

    answer = json.loads(reply.stdout)
    assert (reply.exit, answer["verdict"], answer["source"]) == (2, "deny", "hook.closed")
    assert "secret" not in daemon.log() + reply.stdout.decode() + reply.stderr.decode()
    assert daemon.works()


HOSTS = st.sampled_from(["plain", "plain+unattended", "claude-code", "muddled", "stranger"])
MOMENTS = st.sampled_from(["proposed", "finished", "prompt", "session", "never"])
TOKENS = st.text("0123456789abcdef", min_size=64, max_size=64) | st.just("-")


def test_without_a_token_nothing_is_ever_permitted(daemon: Running) -> None:
    whole = st.just(daemon.proposal("ls")) | st.binary(max_size=200)

    @given(payload=whole, token=TOKENS, host=HOSTS, moment=MOMENTS)
    def tried(payload: bytes, token: str, host: str, moment: str) -> None:
        request = Request(HOOK, payload, token, host, moment)
        try:
            reply = daemon.ask(request)
        except Refused:
            return
        assert b"allow" not in reply.stdout
        assert moment != "proposed" or reply.exit == 2

    tried()
    assert daemon.records() == []


@pytest.mark.parametrize("point", ["received", "decided", "recorded"])
def test_what_breaks_on_the_way_never_allows(start: Start, point: str) -> None:
    daemon = start()
    daemon.break_(point)

    answer = daemon.answer(daemon.hook("ls"))

    assert answer["verdict"] in ("ask", "deny")
    assert "secret" not in json.dumps(answer) + daemon.log()


def test_where_nobody_can_be_denied_in_their_own_words_there_is_a_refusal(daemon: Running) -> None:
    for wrong in (daemon.hook("ls", host="stranger"), replace(daemon.hook("ls"), moment="never")):
        with pytest.raises(Refused, match="no such host or moment"):
            daemon.ask(wrong)

    assert daemon.works()


def test_a_deadline_that_has_passed_is_no_permission(daemon: Running) -> None:
    daemon.pause("recorded")

    reply = daemon.ask(replace(daemon.hook("ls"), deadline_ms=300))

    answer = json.loads(reply.stdout)
    assert reply.exit == 2
    assert answer["verdict"] in ("ask", "deny")
    daemon.go_on("recorded")
    assert daemon.works()


def prompt(daemon: Running) -> bytes:
    typed = {"event": "prompt", "session": daemon.session, "cwd": "/"}
    return json.dumps({**typed, "text": "please delete the branch"}).encode()


def test_a_users_words_are_taken_only_with_their_own_token(daemon: Running) -> None:
    words = Request(HOOK, prompt(daemon), daemon.token(), "plain", "prompt")

    refused = daemon.ask(words)
    smuggled = daemon.ask(replace(words, moment="finished"))
    heard = daemon.ask(replace(words, token=daemon.token(Right.PROMPT)))

    assert b"token" in refused.stderr
    assert b"token" in smuggled.stderr
    assert heard == Reply(0)


def test_whoever_is_to_be_judged_by_other_settings_is_refused(daemon: Running) -> None:
    for word in ("", settings_word(str(daemon.base / "config"))):
        assert daemon.answer(replace(daemon.hook("ls"), settings=word))["verdict"] == "allow"
    for word in (settings_word(str(daemon.base / "elsewhere")), USUAL_SETTINGS):
        with pytest.raises(Refused, match="other settings"):
            daemon.ask(replace(daemon.hook("ls"), settings=word))
    assert daemon.works()


# What Claude Code asks about a call, and where its answer says so.
OWN_ANSWERS = {
    "PreToolUse": b'"permissionDecision":"deny"',
    "PermissionRequest": b'"behavior":"deny"',
}


@pytest.mark.parametrize("event", OWN_ANSWERS)
def test_the_answer_is_the_agents_own(daemon: Running, event: str) -> None:
    command = {"command": "rm -rf /"}
    reply = daemon.ask(daemon.claude(event, tool_name="Bash", tool_input=command))

    assert reply.exit == 0
    assert OWN_ANSWERS[event] in reply.stdout.replace(b" ", b"")
    assert daemon.records()[-1].session.host == "claude-code"


MARKS = {"human": "person", "task-notification": "machine"}


@pytest.mark.parametrize("kind", MARKS)
def test_a_prompt_that_the_agents_own_record_calls_a_machines_is_no_persons(
    start: Start, kind: str
) -> None:
    daemon = start()
    record = daemon.base / "projects" / "shop" / "c1.jsonl"
    record.parent.mkdir(parents=True)
    row = {"type": "user", "message": {"role": "user", "content": "go on"}}
    record.write_text(json.dumps({**row, "origin": {"kind": kind}}) + "\n")
    record.chmod(0o600)

    daemon.by_an_agent(
        daemon.claude("UserPromptSubmit", prompt="go on", transcript_path=str(record))
    )

    assert daemon.origins("claude-code") == {"go on": MARKS[kind]}


def blocked(answer: bytes) -> str:
    said = json.loads(answer[answer.index(b"{") :])
    assert said["decision"] == "block"
    return str(said["reason"])


def test_a_word_to_automode_is_taken_from_the_sessions_own_agent_with_a_code(
    start: Start,
) -> None:
    daemon = start()
    said = ("/automode off", "/automode off 00000", "/automode on")
    first, wrong, on = daemon.by_an_agent(
        *(daemon.claude("UserPromptSubmit", prompt=text) for text in said)
    )

    assert "type `/automode off " in blocked(first)
    assert "takes nothing but its code" in blocked(wrong)
    assert "auto mode is on" in blocked(on)
    assert [one.source for one in daemon.records()] == ["person.on"]


@pytest.mark.parametrize("verb", ["on", "off", "status"])
def test_a_word_to_automode_is_taken_from_nobody_else(daemon: Running, verb: str) -> None:
    said = daemon.claude("UserPromptSubmit", prompt=f"/automode {verb}")
    without = daemon.ask(replace(said, token=daemon.token()))
    unseen = daemon.over_http(said, Right.PROMPT)
    event = json.loads(said.payload)
    daemon.ask(daemon.verb("heard", Right.DECIDE, host="claude-code", event=event))

    assert without.stdout == b""
    assert "for a person" in unseen.decode()
    assert daemon.records() == []


def finished(daemon: Running) -> Request:
    told = {"event": "finished", "session": "hangs", "cwd": "/", "id": "1", "outcome": "ok"}
    body = json.dumps({**told, "tool": "bash", "input": {"command": "ls"}}).encode()
    return replace(daemon.hook("ls"), payload=body, moment="finished")


def test_a_request_that_hangs_is_closed_at_its_deadline(daemon: Running) -> None:
    """Neither of the two has a deadline of its own further in."""
    daemon.pause("received")

    asked = daemon.answer(replace(daemon.verb("sessions"), deadline_ms=300))
    told = daemon.ask(replace(finished(daemon), deadline_ms=300))

    daemon.go_on("received")
    assert asked["error"] == "there was not enough time to decide"
    assert b"there was not enough time to decide" in told.stderr
    assert daemon.works()
