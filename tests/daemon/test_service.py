"""A request and its reply, through a real daemon: what is decided, recorded, and never loosened."""

import json
import subprocess
import sys
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.record import SessionKey
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
from automode.store.open import reading
from automode.store.tables import events
from tests.daemon.conftest import PATIENCE, Running, Start, until


@pytest.fixture
def daemon(shared: Running) -> Running:
    """The tests have calls decided themselves: who needs other agents starts its own daemon."""
    return shared


# What the agent wants → the verdict and who decided.
CALLS = {
    "ls": ("allow", "read-only"),
    "rm -rf /": ("deny", "floor.delete-root"),
    "npm test": ("allow", "classifier.local"),
    "git push": ("ask", "classifier.local"),
}


def test_calls_are_decided_and_recorded_before_they_are_answered(daemon: Running) -> None:
    for number, (command, (verdict, source)) in enumerate(CALLS.items(), start=1):
        answer = daemon.answer(daemon.hook(command))
        record = daemon.records()[-1]

        assert answer["verdict"] == verdict
        assert str(answer["source"]).startswith(source)
        assert (record.verdict.word, record.source) == (verdict, answer["source"])
        assert len(daemon.records()) == number


def claude(daemon: Running, event: str, **more: object) -> bytes:
    head = {"session_id": daemon.session, "cwd": str(daemon.project), "hook_event_name": event}
    return json.dumps({**head, **more}).encode()


def test_the_answer_is_the_agents_own(daemon: Running) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    payload = claude(daemon, "PreToolUse", **call)

    reply = daemon.ask(Request(HOOK, payload, daemon.token(), "claude-code", "proposed"))

    said = json.loads(reply.stdout)["hookSpecificOutput"]
    assert (reply.exit, said["permissionDecision"]) == (0, "deny")
    assert daemon.records()[-1].session.host == "claude-code"


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
            ("claude-code", claude(daemon, "PreToolUse", **told)),
        )
    ]

    assert [one["permissionDecision"] for one in said] == ["deny", "deny"]
    assert len(daemon.records()) == before + 1
    assert daemon.records()[-1].session.host == "copilot-cli"


def test_with_nobody_there_asking_is_denying(daemon: Running) -> None:
    answer = daemon.answer(daemon.hook("git push", host="plain+unattended"))

    assert answer["verdict"] == "deny"


CALL = '{"event": "proposed", "session": "s", "cwd": "/", "tool": "glob", "input": {}}'
MANY = json.dumps({"list": ["x"] * MOST_VALUES})
WRONG = {
    "no token": {"token": "-"},
    "a wrong token": {"token": "00" * 32},
    "no JSON": {"payload": b"{"},
    "deep JSON": {"payload": b"[" * 100_000},
    "not an object": {"payload": b"[1]"},
    "not UTF-8": {"payload": b'{"event": "\xff\xfe"}'},
    "UTF-16": {"payload": CALL.encode("utf-16")},
    "UTF-32": {"payload": CALL.encode("utf-32")},
    "a mark before UTF-8": {"payload": CALL.encode("utf-8-sig")},
    "more values than can be looked through": {"payload": CALL.replace("{}", MANY).encode()},
    "a key twice": {"payload": CALL.replace("{", '{"cwd": "/", ', 1).encode()},
    "a key twice further in": {"payload": CALL.replace("{}", '{"a": 1, "a": 2}').encode()},
    "empty": {"payload": b""},
    "no call": {"payload": b'{"event": "started", "session": "s", "cwd": "/"}'},
    "an unknown event": {"payload": b'{"event": "other"}'},
    "a call without a tool": {"payload": b'{"event": "proposed", "session": "s", "cwd": "/"}'},
    "an adapter that fails on the way in": {"host": "careless"},
    "an adapter that fails on the way out": {"host": "muddled"},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_whatever_goes_wrong_ends_in_the_hosts_own_denial(
    daemon: Running, wrong: dict[str, object]
) -> None:
    reply = daemon.ask(_replaced(daemon.hook("ls"), wrong))

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


def _replaced(request: Request, wrong: dict[str, object]) -> Request:
    match wrong:
        case {"token": str(token)}:
            return replace(request, token=token)
        case {"payload": bytes(payload)}:
            return replace(request, payload=payload)
        case {"host": str(host)}:
            return replace(request, host=host)
        case _:
            raise AssertionError(wrong)


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


def origins(daemon: Running) -> list[str]:
    with reading(daemon.folder) as db:
        found = events(db, SessionKey("plain", daemon.session))
    return [json.loads(one.event).get("origin", "") for one in found]


def test_words_count_as_a_persons_only_from_an_agent_that_can_be_seen(start: Start) -> None:
    daemon = start()
    token, words = daemon.token(Right.PROMPT), prompt(daemon)
    daemon.by_an_agent(daemon.hook("ls"), Request(HOOK, words, token, "plain", "prompt"))
    port = daemon.answer(daemon.verb("ping"))["http_port"]
    network = HTTPConnection("127.0.0.1", int(str(port)), timeout=PATIENCE)
    network.request("POST", "/hook/plain/prompt", words, {"Authorization": f"Bearer {token}"})
    status = network.getresponse().status
    network.close()

    assert status == 200
    assert [one for one in origins(daemon) if one] == ["person", "machine"]


def test_other_events_are_heard_and_answered_with_nothing(daemon: Running) -> None:
    for event in ("started", "ended"):
        payload = json.dumps({"event": event, "session": daemon.session, "cwd": "/"}).encode()

        assert daemon.ask(Request(HOOK, payload, daemon.token(), "plain", "session")) == Reply(0)


def install(base: Path, version: str) -> Path:
    """A folder in which the package says that it has this version."""
    described = base / "installed" / "automode-0.dist-info"
    described.mkdir(parents=True, exist_ok=True)
    text = f"Metadata-Version: 2.1\nName: automode\nVersion: {version}\n"
    (described / "METADATA").write_text(text)
    return described.parent


def test_a_newer_release_on_disk_retires_the_daemon_after_its_answer(
    base: Path, start: Start
) -> None:
    daemon = start({"PYTHONPATH": str(install(base, "1.0"))})
    install(base, "99.0")

    reply = daemon.ask(replace(daemon.hook("ls"), version="99.0"))

    assert json.loads(reply.stdout)["verdict"] == "allow"
    assert daemon.process.wait(60) == 0


def test_a_number_in_a_request_retires_nobody(daemon: Running) -> None:
    daemon.ask(replace(daemon.hook("ls"), version="99.0"))

    assert daemon.works()


def test_nobody_without_a_token_retires_the_daemon(base: Path, start: Start) -> None:
    daemon = start({"PYTHONPATH": str(install(base, "1.0"))})
    install(base, "99.0")

    daemon.ask(replace(daemon.hook("ls"), version="99.0", token="-"))

    assert daemon.works()


# How the sender names its settings → whether it is answered.
SETTINGS = {"": True, "the same": True, "another": False, USUAL_SETTINGS: False}


@pytest.mark.parametrize("named", SETTINGS)
def test_whoever_is_to_be_judged_by_other_settings_is_refused(daemon: Running, named: str) -> None:
    folders = {"the same": daemon.base / "config", "another": daemon.base / "elsewhere"}
    word = settings_word(str(folders[named])) if named in folders else named
    request = replace(daemon.hook("ls"), settings=word)

    if SETTINGS[named]:
        assert daemon.answer(request)["verdict"] == "allow"
    else:
        with pytest.raises(Refused, match="other settings"):
            daemon.ask(request)
    assert daemon.works()


def test_a_hook_of_an_older_release_does_not(daemon: Running) -> None:
    daemon.ask(replace(daemon.hook("ls"), version="0.0.1"))

    assert daemon.works()


def finished(daemon: Running, command: str, call: str) -> bytes:
    return daemon.proposal(command, event="finished", id=call, outcome="ok", result="")


@pytest.mark.parametrize("door", ["socket", "network"])
def test_that_a_person_said_yes_is_believed_of_the_sessions_own_agent_alone(
    daemon: Running, door: str
) -> None:
    """Three denials in a row: the next call is asked, and when it ran a person has said yes."""
    for _ in range(3):
        daemon.verdict("rm -rf /")
    asked = replace(daemon.hook("ls"), payload=daemon.proposal("ls", id="7"))
    before = daemon.answer(asked)["source"]
    if door == "socket":
        told = finished(daemon, "ls", "7")
        daemon.ask(Request(HOOK, told, daemon.token(), "plain", "finished"))
    else:
        port = daemon.answer(daemon.verb("ping"))["http_port"]
        network = HTTPConnection("127.0.0.1", int(str(port)), timeout=PATIENCE)
        bearer = {"Authorization": f"Bearer {daemon.token()}"}
        network.request("POST", "/hook/plain/finished", finished(daemon, "ls", "7"), bearer)
        assert network.getresponse().status == 200
        network.close()

    after = daemon.answer(daemon.hook("ls"))

    assert before == "breaker.consecutive"
    assert after["verdict"] == ("allow" if door == "socket" else "ask")


def test_an_agent_that_is_about_to_ask_its_user_is_told_what_was_decided(daemon: Running) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    payload = claude(daemon, "PermissionRequest", **call)

    reply = daemon.ask(Request(HOOK, payload, daemon.token(), "claude-code", "proposed"))

    said = json.loads(reply.stdout)["hookSpecificOutput"]
    assert said["decision"]["behavior"] == "deny"


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
    typed = claude(daemon, "UserPromptSubmit", prompt="go on", transcript_path=str(record))
    token = daemon.token(Right.PROMPT)

    daemon.by_an_agent(Request(HOOK, typed, token, "claude-code", "prompt"))

    with reading(daemon.folder) as db:
        found = events(db, SessionKey("claude-code", daemon.session))
    assert [json.loads(one.event)["origin"] for one in found] == [MARKS[kind]]


def blocked(answer: bytes) -> str:
    said = json.loads(answer[answer.index(b"{") :])
    assert said["decision"] == "block"
    return str(said["reason"])


def test_a_word_to_automode_is_taken_from_the_sessions_own_agent_with_a_code(
    start: Start,
) -> None:
    daemon = start()
    token = daemon.token(Right.PROMPT)

    def said(text: str) -> Request:
        payload = claude(daemon, "UserPromptSubmit", prompt=text)
        return Request(HOOK, payload, token, "claude-code", "prompt")

    first, wrong, on = daemon.by_an_agent(
        said("/automode off"), said("/automode off 00000"), said("/automode on")
    )

    assert "type `/automode off " in blocked(first)
    assert "takes nothing but its code" in blocked(wrong)
    assert "auto mode is on" in blocked(on)
    assert [one.source for one in daemon.records()] == ["person.on"]


@pytest.mark.parametrize("verb", ["on", "off", "status"])
def test_a_word_to_automode_is_taken_from_nobody_else(daemon: Running, verb: str) -> None:
    payload = claude(daemon, "UserPromptSubmit", prompt=f"/automode {verb}")
    without = daemon.ask(Request(HOOK, payload, daemon.token(), "claude-code", "prompt"))
    port = daemon.answer(daemon.verb("ping"))["http_port"]
    network = HTTPConnection("127.0.0.1", int(str(port)), timeout=PATIENCE)
    bearer = {"Authorization": f"Bearer {daemon.token(Right.PROMPT)}"}
    network.request("POST", "/hook/claude-code/prompt", payload, bearer)
    unseen = network.getresponse().read()
    network.close()
    event = json.loads(payload)
    daemon.ask(daemon.verb("heard", Right.DECIDE, host="claude-code", event=event))

    assert without.stdout == b""
    assert "for a person" in unseen.decode()
    assert daemon.records() == []


HANDED_ON = """
import json, os, socket, sys, time
path, decide, person, done = sys.argv[1:]
line = socket.socket(socket.AF_UNIX)
line.connect(path)

def ask(token, **what):
    body = json.dumps(what).encode()
    line.sendall(f"AM1 json - - {token} 5000 {len(body)}\\n".encode() + body)
    while not (said := line.recv(65536)).endswith(b"}"):
        pass
    return said.decode()

first = ask(decide, do="ping")
maker = os.getpid()
if os.fork():
    os._exit(0)
while os.path.exists(f"/proc/{maker}"):
    time.sleep(0.01)
again, off = ask(decide, do="ping"), ask(person, do="mode", all=True, mode="off")
with open(done + ".new", "w") as file:
    json.dump([first, again, off], file)
os.rename(done + ".new", done)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="NO /proc: another system")
def test_a_line_whose_maker_has_ended_still_decides_and_brings_no_persons_word(
    start: Start, tmp_path: Path
) -> None:
    daemon = start()
    done = tmp_path / "done"
    words = [daemon.folder.socket, daemon.token(), daemon.token(Right.PERSON), str(done)]

    subprocess.run([sys.executable, "-c", HANDED_ON, *words], check=True)
    until(done.exists, "the one that was left the line has not asked")

    first, again, off = json.loads(done.read_text())
    assert '"pid"' in first
    assert '"pid"' in again
    assert "only a person may do this" in off
