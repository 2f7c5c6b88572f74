"""HTTP on loopback: the same decisions, no browsers, no strangers, no patience for the slow."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from typing import cast

import pytest

from automode.daemon.frames import (
    HOOK,
    JSON,
    LONGEST_PAYLOAD,
    SETTINGS_HEADERS,
    Request,
    Right,
    settings_word,
)
from automode.daemon.loopback import LONGEST_HEAD
from tests.daemon.conftest import PATIENCE, Running, Start, until
from tests.notify.test_others import Receiver
from tests.rows import each_row


@pytest.fixture
def daemon(shared: Running) -> Running:
    return shared


@pytest.fixture
def http(daemon: Running) -> Iterator[HTTPConnection]:
    connection = HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)
    yield connection
    connection.close()


def posted(
    http: HTTPConnection,
    daemon: Running,
    path: str,
    body: bytes,
    token: str | None = None,
    **headers: str,
) -> tuple[int, dict[str, object]]:
    token = daemon.token() if token is None else token
    all_headers = {"Authorization": f"Bearer {token}", **headers}
    http.request("POST", path, body, all_headers)
    return read(http.getresponse())


def read(response: HTTPResponse) -> tuple[int, dict[str, object]]:
    found: object = json.loads(response.read())
    assert isinstance(found, dict)
    return response.status, found


def test_calls_are_decided_over_one_kept_connection(daemon: Running, http: HTTPConnection) -> None:
    verdicts = []
    for command in ("ls", "rm -rf /", "git push"):
        status, answer = posted(http, daemon, "/hook/plain/proposed", daemon.proposal(command))
        verdicts.append((status, answer["verdict"]))

    started = b'{"event": "started", "session": "s", "cwd": "/"}'
    assert posted(http, daemon, "/hook/plain/session", started) == (200, {})  # no opinion
    assert verdicts == [(200, "allow"), (200, "deny"), (200, "ask")]
    assert [one.verdict.word for one in daemon.records()] == ["allow", "deny", "ask"]


@pytest.mark.parametrize(("header", "variable"), SETTINGS_HEADERS.items())
def test_settings_of_the_agents_environment_come_in_a_header_and_status_tells_of_them(
    daemon: Running, http: HTTPConnection, header: str, variable: str
) -> None:
    rules = '{"permissions": {"deny": ["bash(ls)"], "allow": ["bash(git push)"]}}'
    verdicts = []
    for command, given in (("ls", rules), ("git push", rules), ("ls", ""), ("pwd", "{")):
        path, body = "/hook/plain/proposed", daemon.proposal(command)
        _, answer = posted(http, daemon, path, body, **{header: given})
        verdicts.append(answer["verdict"])

    assert verdicts == ["deny", "ask", "allow", "ask"]
    listed = cast(list[dict[str, object]], daemon.answer(daemon.verb("sessions"))["sessions"])
    (own,) = (one["environment"] for one in listed if one["session"] == daemon.session)
    assert isinstance(own, list)
    assert own[0] == variable
    assert own[1].startswith(variable)


def test_the_token_of_http_hooks_has_calls_decided_and_does_nothing_else(
    daemon: Running, http: HTTPConnection
) -> None:
    """It stands in the agent's own settings: whoever finds it there gets no further with it."""
    token, body = daemon.token(Right.HTTP), daemon.proposal("ls")
    words = b'{"event": "prompt", "session": "s", "cwd": "/", "text": "yes, do it"}'

    decided = posted(http, daemon, "/hook/plain/proposed", body, token)
    heard, _ = posted(http, daemon, "/hook/plain/prompt", words, token)
    on_the_socket = daemon.answer(Request(HOOK, body, token, "plain", "proposed"))
    verbs = [
        daemon.ask(Request(JSON, json.dumps({"do": one}).encode(), token))
        for one in ("ping", "status", "stop", "reload")
    ]

    assert (decided[0], decided[1]["verdict"]) == (200, "allow")
    assert heard == 500
    assert on_the_socket["verdict"] == "deny"
    assert [one.exit for one in verbs] == [1, 1, 1, 1]
    assert daemon.works()


def test_whoever_means_other_settings_is_denied(daemon: Running, http: HTTPConnection) -> None:
    """A hook that is refused on the socket decides alone; a web request cannot."""
    own = settings_word(str(daemon.base / "config"))
    told = {}
    for name, word in {"own": own, "other": settings_word("/elsewhere"), "usual": "-"}.items():
        path = f"/hook/plain/proposed?settings={word}"
        status, answer = posted(http, daemon, path, daemon.proposal("ls"))
        told[name] = (status, answer["verdict"])

    assert told == {"own": (200, "allow"), "other": (200, "deny"), "usual": (200, "deny")}


OTHER_QUERIES = (
    "?",
    "?settings=",
    "?settings=x",
    "?other=1",
    "?settings=-&a=b",
    "?deadline=1",
    "?settings=-&deadline=x",
)


@each_row("path", ["stranger/proposed", *(f"plain/proposed{one}" for one in OTHER_QUERIES)])
def test_any_other_host_or_query_is_not_found(
    daemon: Running, http: HTTPConnection, path: str
) -> None:
    path = f"/hook/{path}"

    status, answer = posted(http, daemon, path, daemon.proposal("ls"))

    assert status == 404
    assert "error" in answer


CLOSING = {
    "no token": ("-", b"{}"),
    "a wrong token": ("00" * 32, b"{}"),
    "no JSON": (None, b"{"),
    "no call": (None, b'{"event": "ended", "session": "s", "cwd": "/"}'),
    "nothing": (None, b""),
}


@each_row("token, body", CLOSING.values())
def test_for_a_known_host_every_failure_is_its_own_denial(
    daemon: Running, http: HTTPConnection, token: str | None, body: bytes
) -> None:
    """With 200: some agents take any other status for "go on"."""
    status, answer = posted(http, daemon, "/hook/plain/proposed", body, token)

    assert (status, answer["verdict"]) == (200, "deny")


ELSEWHERE = {
    "another path": ("POST", "/", {}, 404),
    "an answer, where none is taken": ("POST", "/answer", {}, 404),
    "an unknown host": ("POST", "/hook/stranger/proposed", {}, 401),
    "a path that climbs": ("POST", "/hook/../../etc/passwd", {}, 404),
    "a page of a browser": ("POST", "/hook/plain/proposed", {"Origin": "http://evil.test"}, 403),
    "a page of this machine": ("POST", "/hook/plain/proposed", {"Origin": "null"}, 403),
    "a name that was rebound": ("POST", "/hook/plain/proposed", {"Host": "evil.test"}, 403),
    "another name with a port": ("POST", "/hook/plain/proposed", {"Host": "evil.test:80"}, 403),
    "a look": ("GET", "/", {}, 404),
    "a question before": ("OPTIONS", "/hook/plain/proposed", {"Origin": "http://x.test"}, 403),
}


@each_row("method, path, headers, expected", ELSEWHERE.values())
def test_everything_else_is_turned_away(
    http: HTTPConnection, method: str, path: str, headers: dict[str, str], expected: int
) -> None:
    http.request(method, path, headers=headers)
    response = http.getresponse()

    assert response.status == expected
    assert "error" in json.loads(response.read())
    assert "access-control-allow-origin" not in {name.lower() for name in response.headers}


def raw(daemon: Running, data: bytes) -> bytes:
    """All that comes back until the daemon hangs up."""
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        got = b""
        try:
            while part := connection.recv(65_536):
                got += part
        except ConnectionResetError:
            pass
        return got


GARBAGE = {
    "no HTTP": b"AM1 hook plain proposed - 1 0\n\n\n",
    "zeros": b"\0" * 1000,
    "two lengths": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
    b"Content-Length: 2\r\n\r\n",
    "a length and chunks": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    "a head without end": b"POST / HTTP/1.1\r\nX: " + b"x" * (2 * LONGEST_HEAD),
}


@each_row("garbage", GARBAGE.values())
def test_garbage_is_answered_with_an_error_and_the_end(daemon: Running, garbage: bytes) -> None:
    got = raw(daemon, garbage)

    assert got.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5"))
    assert daemon.works()


def head_of(daemon: Running, *more: str, token: str | None = None) -> bytes:
    lines = [
        "POST /hook/plain/proposed HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {token or daemon.token()}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def test_a_body_past_the_limit_is_denied_and_without_a_token_it_is_not_waited_for(
    daemon: Running,
) -> None:
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    sent = {
        "too long": head_of(daemon, f"Content-Length: {LONGEST_PAYLOAD + 1}"),
        "growing": head_of(daemon, "Transfer-Encoding: chunked") + 17 * chunk,
        "no token": head_of(daemon, "Content-Length: 1000000", token="00" * 32),
    }
    for name, data in sent.items():
        said = raw(daemon, data)
        assert said.startswith(b"HTTP/1.1 200"), name
        assert b'"verdict":"deny"' in said, name
    assert daemon.works()


def test_a_slow_client_is_cut_off(start: Start) -> None:
    daemon = start(request_seconds=0.3)
    slow = {
        "nothing": b"",
        "half a head": b"POST /hook/plain/proposed HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "half a body": head_of(daemon, "Content-Length: 100") + b"{",
    }

    assert {name: raw(daemon, begun) for name, begun in slow.items()} == dict.fromkeys(slow, b"")
    assert daemon.works()


def test_a_connection_that_is_not_used_is_closed(start: Start) -> None:
    daemon = start(kept_seconds=0.3)
    body = daemon.proposal("ls")

    said = raw(daemon, head_of(daemon, f"Content-Length: {len(body)}") + body)

    assert b'"verdict":"allow"' in said


def test_strangers_who_fill_the_network_door_leave_the_socket_free(start: Start) -> None:
    daemon = start(network_connections=2, request_seconds=60)
    held = [socket.create_connection(("127.0.0.1", daemon.port)) for _ in range(10)]

    assert daemon.works()

    for connection in held:
        connection.close()
    until(lambda: b"200" in raw_ping(daemon), "no room at the network door")


def raw_ping(daemon: Running) -> bytes:
    body = daemon.proposal("ls")
    return raw(daemon, head_of(daemon, f"Content-Length: {len(body)}", "Connection: close") + body)


def test_a_port_that_somebody_else_has_is_a_notice_and_not_another_port(start: Start) -> None:
    first = start()
    port = first.port
    first.end()
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        squatter.bind(("127.0.0.1", port))
        squatter.listen()
        second = start()
        told = second.answer(second.verb("status"))

        assert "no hooks over HTTP" in str(told["notices"])
        assert second.log().count("no hooks over HTTP") == 1
        assert second.answer(second.verb("ping"))["http_port"] is None
        assert second.works()

    until(lambda: second.answer(second.verb("ping"))["http_port"] == port, "the port is free again")


def test_a_port_file_that_holds_no_port_is_a_notice_and_not_the_end(start: Start) -> None:
    first = start()
    first.end()
    with open(first.folder.http_port, "w") as file:
        file.write("http")

    second = start()

    assert "holds no port" in str(second.answer(second.verb("status"))["notices"])
    assert second.works()


def answer(daemon: Running, token: str, method: str = "POST") -> tuple[int, dict[str, object]]:
    http = HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)
    http.request(method, "/answer", token)
    found = read(http.getresponse())
    http.close()
    return found


def test_a_bridge_answers_with_a_token_alone(start: Start) -> None:
    daemon = start()
    with Receiver() as receiver, ThreadPoolExecutor(1) as beside:
        told = {"hold": 300, "webhook": True, "notify": [receiver.address().text, "slack://hidden"]}
        configured = {"autoMode": {"asks": told}, "permissions": {"ask": ["bash(make *)"]}}
        (daemon.base / "config" / "config.json").write_text(json.dumps(configured))
        daemon.answer(daemon.verb("reload", Right.PERSON))
        deciding = beside.submit(daemon.ask, daemon.hook("make all"))
        until(lambda: bool(receiver.posted), "no message came")
        [posted] = receiver.posted
        forged = posted["once"][:-1] + ("0" if posted["once"][-1] != "0" else "1")

        refused = [answer(daemon, one)[0] for one in (forged, "x" * 1025, "", "{}")]
        refused += [answer(daemon, posted["once"], "PUT")[0]]
        taken = answer(daemon, posted["once"])
        again = answer(daemon, posted["once"])
        decided = deciding.result()

    assert refused == [403, 413, 413, 403, 405]
    assert taken[0] == 200
    assert taken[1]["in_time"] is True
    assert again[0] == 403
    assert b'"verdict":"allow","source":"approval"' in decided.stdout
    sources = [one.source for one in daemon.records()]
    assert sources.count("gate.refused-answer") == 1  # the others within the same minute
    status = daemon.answer(daemon.verb("status"))
    assert "Apprise does not understand this address" in str(status["notices"])
    assert "hidden" not in str(status["notices"]) + daemon.log()
