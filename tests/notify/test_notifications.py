"""From an ask that waits to a phone and back: only the genuine, fresh answer is one."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conformance.scripted_ntfy import NotThere, NtfyServer, button, press
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.config.settings import Asks, FromPhone, Rule, Source
from automode.core.errors import AutomodeError
from automode.core.record import Record
from automode.notify.addresses import Ntfy, read_address
from automode.notify.notifications import (
    MOST_APART,
    PAUSE_SECONDS,
    REFUSED_ANSWER,
    REFUSED_PER_PAUSE,
    Notifications,
)
from automode.notify.tokens import AnswerTokens
from automode.sessions.decision_service import DecisionService, Ruling
from automode.sessions.person import NO_SESSION
from automode.sessions.waiting import AnswerKind, PersonsAnswer, Via
from tests.notify.test_ntfy import read_topic
from tests.notify.test_others import Receiver
from tests.sessions.service_setup import HOST, Judging, Setup, records, said

KEY = bytes(range(32))
TOPIC = "hidden-topic"
PATIENCE = 60.0
EndedWith = Callable[[], bool]


@pytest.fixture
def server() -> Iterator[NtfyServer]:
    with NtfyServer() as made:
        yield made


def asks(*addresses: str, **changed: object) -> Asks:
    rules = tuple(Rule(one, Source.USER) for one in addresses)
    return replace(Asks(hold=600, notify=rules), **changed)  # type: ignore[arg-type]


class Life:
    """A service in which calls wait, and what tells of them."""

    def __init__(self, service: DecisionService, notifications: Notifications, setup: Setup):
        self.service, self.notifications, self.setup = service, notifications, setup

    def propose(self, command: str = "make all", session: str = "s") -> "asyncio.Task[Ruling]":
        event = self.setup.bash(command, session, attended=False)
        return asyncio.ensure_future(self.service.decide(event, HOST))

    async def until(self, holds: EndedWith) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await asyncio.sleep(0.01)

    async def refusals(self) -> list[Record]:
        found = await records(self.service, NO_SESSION)
        return [one for one in found if one.source == f"gate.{REFUSED_ANSWER}"]

    async def decline_all(self) -> None:
        for ask in self.service.waiting.list():
            no = PersonsAnswer(AnswerKind.DENY, Via.TERMINAL)
            await self.service.waiting.answer(ask.record.id, no)


@asynccontextmanager
async def living(tmp_path: Path, told: Asks, **changed: object) -> AsyncIterator[Life]:
    setup = Setup(tmp_path)
    setup.layers, setup.holds = [Judging()], True
    setup.settings = {"autoMode": {"asks": {"hold": 600}}, "permissions": {"ask": ["bash(make *)"]}}
    async with setup.open() as service:
        notifications = Notifications(
            service.waiting,
            lambda: told,
            AnswerTokens(KEY),
            lambda said: service.person.record_notice(REFUSED_ANSWER, said),
            batch_seconds=0.05,
            retry_seconds=0.05,
            **changed,  # type: ignore[arg-type]
        )
        notifications.start()
        try:
            yield Life(service, notifications, setup)
        finally:
            await notifications.close()


def reply_topic(server: NtfyServer) -> str:
    found = read_address(server.address(TOPIC))
    assert isinstance(found, Ntfy)
    return found.reply_topic(KEY)


@pytest.mark.parametrize(
    ("label", "verdict", "source"),
    [("Allow once", "allow", "approval"), ("Deny", "deny", "person.decline")],
)
async def test_a_button_answers_the_call_that_waits(
    server: NtfyServer, tmp_path: Path, label: str, verdict: str, source: str
) -> None:
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        deciding = life.propose()
        (message,) = await asyncio.to_thread(server.wait_for, TOPIC)
        await asyncio.to_thread(press, message, label)

        assert said(await deciding) == (verdict, source)
        assert "make all" in str(message["message"])
        assert await life.refusals() == []
        assert life.notifications.notices() == ()


async def test_it_listens_only_while_something_waits(server: NtfyServer, tmp_path: Path) -> None:
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        assert server.requests == []
        deciding = life.propose()
        await asyncio.to_thread(server.wait_for_streams, 1)

        await life.decline_all()
        await deciding
        await asyncio.to_thread(server.wait_for_streams, 0)


async def test_an_answer_that_was_published_before_we_listened_counts(
    server: NtfyServer, tmp_path: Path
) -> None:
    """A connection that breaks off loses nothing, and brings nothing twice."""
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        server.noise = b"garbage\n"
        deciding = life.propose()
        (message,) = await asyncio.to_thread(server.wait_for, TOPIC)
        once = button(message, "Allow once")["body"]
        server.publish(reply_topic(server), str(once))

        assert said(await deciding) == ("allow", "approval")


async def test_a_second_press_changes_nothing_and_is_recorded(
    server: NtfyServer, tmp_path: Path
) -> None:
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        first = life.propose("make all")
        (message,) = await asyncio.to_thread(server.wait_for, TOPIC)
        token = str(button(message, "Allow once")["body"])
        await life.notifications.take(token, Via.PHONE)
        assert said(await first) == ("allow", "approval")

        again = life.propose("make all")
        await asyncio.to_thread(server.wait_for, TOPIC, 2)
        with pytest.raises(AutomodeError, match="answered before"):
            await life.notifications.take(token, Via.PHONE)
        assert len(life.service.waiting.list()) == 1
        (refused,) = await life.refusals()
        assert "answered before" in refused.reason
        assert token not in refused.reason
        await life.decline_all()
        await again


async def test_an_answer_to_a_call_that_waits_no_more_changes_nothing(
    server: NtfyServer, tmp_path: Path
) -> None:
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        deciding = life.propose()
        (message,) = await asyncio.to_thread(server.wait_for, TOPIC)
        await life.decline_all()
        assert said(await deciding)[0] == "deny"

        with pytest.raises(AutomodeError, match="waits any more"):
            await life.notifications.take(str(button(message, "Allow once")["body"]), Via.PHONE)
        assert len(await life.refusals()) == 1
        again = life.propose()
        await life.until(lambda: len(life.service.waiting.list()) == 1)
        await life.decline_all()
        assert said(await again)[0] == "deny"


@settings(max_examples=15)
@given(st.data())
def test_no_sequence_of_other_tokens_allows(data: st.DataObject) -> None:
    """Two calls wait; whatever else is said on the reply topic, both go on waiting."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, NtfyServer() as server:
        asyncio.run(_attack(Path(folder), server, data))


async def _attack(folder: Path, server: NtfyServer, data: st.DataObject) -> None:
    async with living(folder, asks(server.address(TOPIC))) as life:
        deciding = [life.propose("make all"), life.propose("make more", "s2")]
        messages = await asyncio.to_thread(server.wait_for, TOPIC, 2)
        genuine = [
            str(button(one, label)["body"]) for one in messages for label in ("Allow once", "Deny")
        ]
        parts = [token.split(".") for token in genuine]
        pieces = [st.sampled_from([one[at] for one in parts]) for at in range(6)]
        mixed = st.tuples(*pieces).map(".".join)
        cut = st.tuples(mixed, st.integers(0, 100)).map(lambda one: one[0][: one[1]])
        forged = st.one_of(mixed, cut, st.text(max_size=300)).filter(lambda one: one not in genuine)
        said_there = data.draw(st.lists(forged, max_size=12))
        for text in said_there:
            with pytest.raises(AutomodeError):
                await life.notifications.take(text, Via.PHONE)

        assert len(life.service.waiting.list()) == 2
        assert life.notifications.refused.total == len(said_there)
        assert bool(await life.refusals()) is bool(said_there)
        await life.notifications.take(genuine[0], Via.PHONE)
        await life.notifications.take(genuine[3], Via.PHONE)
        both = {said(await one) for one in deciding}
        assert both == {("allow", "approval"), ("deny", "person.decline")}


async def test_a_flood_on_the_reply_topic_leaves_the_call_waiting(
    server: NtfyServer, tmp_path: Path
) -> None:
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        deciding = life.propose()
        (message,) = await asyncio.to_thread(server.wait_for, TOPIC)
        for number in range(50):
            server.publish(reply_topic(server), f"am1.once.garbage.{number}")
        await life.until(lambda: life.notifications.refused.total == 50)

        assert len(life.service.waiting.list()) == 1
        assert len(await life.refusals()) == 1
        await asyncio.to_thread(press, message, "Allow once")
        assert said(await deciding) == ("allow", "approval")


async def test_thousands_of_forged_answers_hold_up_a_genuine_one_by_few_pauses(
    server: NtfyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def counted(seconds: float) -> None:
        if seconds == PAUSE_SECONDS:
            pauses.append(seconds)
        await sleep(0 if seconds == PAUSE_SECONDS else seconds)

    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        deciding = life.propose()
        (message,) = await asyncio.to_thread(server.wait_for, TOPIC)
        monkeypatch.setattr(asyncio, "sleep", counted)
        for number in range(3000):
            server.publish(reply_topic(server), f"am1.once.garbage.{number}")
        await asyncio.to_thread(press, message, "Allow once")

        assert said(await deciding) == ("allow", "approval")
        assert life.notifications.refused.total == 3000
        assert len(pauses) == 3000 // REFUSED_PER_PAUSE


async def test_calls_that_come_together_share_a_message_beyond_a_few(
    server: NtfyServer, tmp_path: Path
) -> None:
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        deciding = [life.propose(f"make {number}", f"s{number}") for number in range(6)]
        messages = await asyncio.to_thread(server.wait_for, TOPIC, MOST_APART + 1)

        assert [len(list(_labels(one))) for one in messages] == [2, 2, 2, 0]
        assert messages[-1]["title"] == "automode asks: 3 calls wait"
        await life.decline_all()
        await asyncio.gather(*deciding)


def _labels(message: dict[str, object]) -> Iterator[str]:
    actions = message.get("actions")
    assert isinstance(actions, list)
    yield from (one["label"] for one in actions)


async def test_other_services_get_one_message_for_calls_together(tmp_path: Path) -> None:
    with Receiver() as receiver:
        async with living(tmp_path, asks(receiver.address().text)) as life:
            deciding = [life.propose(f"make {number}", f"s{number}") for number in range(2)]
            await life.until(lambda: bool(receiver.posted))
            await life.decline_all()
            await asyncio.gather(*deciding)
    (posted,) = receiver.posted
    assert posted["title"] == "automode asks: 2 calls wait"
    assert "once" not in posted


async def test_a_bridge_answers_by_the_webhook(tmp_path: Path) -> None:
    with Receiver() as receiver:
        async with living(tmp_path, asks(receiver.address().text, webhook=True)) as life:
            assert not life.notifications.webhook
            deciding = life.propose()
            await life.until(lambda: bool(receiver.posted))
            (posted,) = receiver.posted

            assert life.notifications.webhook
            await life.notifications.take(posted["once"], Via.WEBHOOK)
            assert said(await deciding) == ("allow", "approval")


@pytest.mark.parametrize(
    ("may", "command", "labels"),
    [
        (FromPhone.ONCE, "make all", ["Allow once", "Deny"]),
        (FromPhone.DENY, "make all", ["Deny"]),
        (FromPhone.NONE, "make all", []),
        (FromPhone.ONCE, f"make {'x' * 600}", ["Deny"]),
    ],
    ids=["once", "deny", "none", "cut"],
)
async def test_only_what_was_read_whole_and_is_permitted_can_be_allowed(
    server: NtfyServer, tmp_path: Path, may: FromPhone, command: str, labels: Sequence[str]
) -> None:
    async with living(tmp_path, asks(server.address(TOPIC), from_phone=may)) as life:
        deciding = life.propose(command)
        (message,) = await asyncio.to_thread(server.wait_for, TOPIC)

        assert list(_labels(message)) == labels
        await life.decline_all()
        await deciding


async def test_nothing_is_sent_in_quiet_hours_or_past_the_limit(
    server: NtfyServer, tmp_path: Path
) -> None:
    quiet = asks(server.address(TOPIC), quiet_hours="00:00-23:59")
    async with living(tmp_path / "quiet", quiet, clock=lambda: 0.0) as life:
        deciding = life.propose()
        await life.until(lambda: len(life.service.waiting.list()) == 1)
        await asyncio.gather(*life.notifications._tasks)
        assert server.requests == []
        await life.decline_all()
        await deciding
    async with living(tmp_path / "full", asks(server.address(TOPIC), notify_per_hour=1)) as life:
        deciding = life.propose()
        await asyncio.to_thread(server.wait_for, TOPIC)
        more = life.propose("make more", "s2")
        await life.until(lambda: life.notifications.limit.held_back == 1)

        assert len(server.messages(TOPIC)) == 1
        assert "1 calls were not told" in life.notifications.notices()[0]
        await life.decline_all()
        await asyncio.gather(deciding, more)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"status": 500}, "refused (500)"),
        ({"leads_to": "http://127.0.0.1:1/"}, "leads elsewhere"),
    ],
    ids=["refuses", "leads elsewhere"],
)
async def test_a_failure_is_a_notice_and_the_call_goes_on_waiting(
    server: NtfyServer, tmp_path: Path, wrong: dict[str, object], why: str
) -> None:
    for name, value in wrong.items():
        setattr(server, name, value)
    async with living(tmp_path, asks(server.address(TOPIC))) as life:
        deciding = life.propose()
        await life.until(lambda: len(life.notifications.notices()) == 2)

        assert len(life.service.waiting.list()) == 1
        told = " ".join(life.notifications.notices())
        assert why in told
        assert TOPIC not in told
        server.status, server.leads_to = 200, ""
        await asyncio.to_thread(server.wait_for_streams, 1)
        await life.until(lambda: len(life.notifications.notices()) == 1)
        await life.decline_all()
        await deciding


async def test_an_address_that_nobody_can_read_is_a_notice(
    server: NtfyServer, tmp_path: Path
) -> None:
    told = asks("hidden", "ntfy://hidden/a/b", server.address(TOPIC))
    async with living(tmp_path, told) as life:
        deciding = life.propose()
        await asyncio.to_thread(server.wait_for, TOPIC)

        notices = life.notifications.notices()
        assert len(notices) == 2
        assert "hidden" not in str(notices)
        await life.decline_all()
        await deciding


async def test_settings_that_raise_are_a_notice(server: NtfyServer, tmp_path: Path) -> None:
    async with living(tmp_path, asks(server.address(TOPIC), quiet_hours="noon")) as life:
        deciding = life.propose()
        await life.until(lambda: bool(life.notifications.notices()))

        assert life.notifications.notices() == ("a notification failed: no hours: `noon`",)
        await life.decline_all()
        await deciding


@pytest.mark.real
async def test_a_call_is_answered_over_a_real_server(real_server: Ntfy, tmp_path: Path) -> None:
    address = real_server.server.replace("http://", "ntfy://me:hidden@") + "/t"
    async with living(tmp_path / "life", asks(address)) as life:
        deciding = life.propose()
        messages: list[dict[str, object]] = []
        async with asyncio.timeout(PATIENCE):
            while not messages:
                messages = await asyncio.to_thread(read_topic, real_server)
        await asyncio.to_thread(press, messages[0], "Allow once")

        assert said(await deciding) == ("allow", "approval")
        assert life.notifications.notices() == ()


def test_a_phone_finds_no_button_that_is_not_there() -> None:
    with pytest.raises(NotThere):
        button({"actions": [{"label": "Deny"}]}, "Allow once")
