"""The wire: bounded in time and size, never redirected, closed when cancelled."""

import asyncio
import socket

import pytest

from automode.llm.endpoints import Endpoint
from automode.llm.hosted import RESPONSE_BYTES_LIMIT, HostedModel, Wire
from automode.llm.model import Ask, ModelFault
from automode.llm.providers import PROVIDERS
from tests.llm.conftest import ASK, KEY, PROMPT, Play, Replay, at, failure, run

HURRIED = Ask(max_tokens=16, timeout_seconds=0.3)
FINE = b'{"choices": [{"message": {"content": "0"}, "finish_reason": "stop"}]}'


PLAYS = [
    (Play(body=FINE[:20], declared=len(FINE), hangs=True), ModelFault.TIMEOUT, "0.3 s"),
    (Play(body=FINE[:20], declared=len(FINE)), ModelFault.UNREACHABLE, "the answer broke off"),
    (
        Play(body=b" " * (RESPONSE_BYTES_LIMIT + 1)),
        ModelFault.UNREADABLE,
        str(RESPONSE_BYTES_LIMIT),
    ),
    (
        Play(body=FINE, headers={"content-encoding": "gzip"}),
        ModelFault.UNREADABLE,
        "compressed",
    ),
]


@pytest.mark.parametrize(("play", "kind", "words"), PLAYS)
def test_an_answer_is_bounded_in_time_and_size_and_never_unpacked(
    replay: Replay, play: Play, kind: ModelFault, words: str
) -> None:
    replay.plays.append(play)

    error = failure(at(replay.url, "openai"), HURRIED if play.hangs else ASK)

    assert error.kind is kind
    assert words in str(error)


def test_a_server_that_never_answers_runs_into_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"

        assert failure(at(url, "openai"), HURRIED).kind is ModelFault.TIMEOUT


def test_a_refused_connection_names_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"

    error = failure(at(f"http://{address}", "openai"))

    assert error.kind is ModelFault.UNREACHABLE
    assert address in str(error)
    assert error.__cause__ is None


def test_a_name_that_does_not_exist_is_unreachable() -> None:
    assert failure(at("http://model.invalid", "openai")).kind is ModelFault.UNREACHABLE


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(replay: Replay, status: int) -> None:
    with Replay() as elsewhere:
        elsewhere.plays.append(Play(body=FINE))
        replay.plays.append(Play(status, headers={"location": f"{elsewhere.url}/v1"}))

        error = failure(at(replay.url, "openai"))

    assert error.kind is ModelFault.UNREADABLE
    assert elsewhere.got == []


def test_cancelling_ends_the_request(replay: Replay) -> None:
    replay.plays.append(Play(hangs=True, declared=10))

    async def cancelled() -> None:
        task = asyncio.create_task(at(replay.url, "openai").complete(PROMPT, ASK))
        while not replay.got:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        run(cancelled())


@pytest.mark.parametrize("trusted", [False, True])
def test_a_proxy_of_the_environment_counts_only_when_trusted(
    replay: Replay, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    replay.plays.append(Play(body=FINE))
    monkeypatch.setenv("http_proxy", replay.url)
    monkeypatch.setenv("no_proxy", "")
    endpoint = Endpoint(PROVIDERS["openai"], "http://model.invalid/v1", KEY)
    model = HostedModel(endpoint, "gpt-4o", Wire(trust_environment=trusted))

    if trusted:
        assert run(model.complete(PROMPT, ASK)).text == "0"
    else:
        assert failure(model).kind is ModelFault.UNREACHABLE
        assert replay.got == []


@pytest.mark.parametrize(("keep_alive", "connections"), [(True, 1), (False, 3)])
def test_connections_are_kept_only_on_request(
    replay: Replay, keep_alive: bool, connections: int
) -> None:
    replay.plays.append(Play(body=FINE))
    wire = Wire(keep_alive=keep_alive)
    model = HostedModel(Endpoint(PROVIDERS["openai"], f"{replay.url}/v1", KEY), "gpt-4o", wire)

    async def three() -> None:
        for _ in range(3):
            await model.complete(PROMPT, ASK)
        await wire.close()

    run(three())

    assert len(replay.got) == 3
    assert len(replay.connections) == connections


def test_a_certificate_that_nobody_vouches_for_is_refused(self_signed: str) -> None:
    endpoint = Endpoint(PROVIDERS["openai"], self_signed, KEY)

    error = failure(HostedModel(endpoint, "gpt-4o", Wire()))

    assert error.kind is ModelFault.UNREACHABLE
