"""`automode hook-alone`: what a hook is answered when there is no daemon."""

import json

import pytest
from click.testing import CliRunner, Result

from automode.agents.catalog import ADAPTERS
from automode.agents.events import Moment
from automode.cli.main import cli
from automode.daemon.frames import LONGEST_PAYLOAD, Replies, Reply
from tests.hook.conftest import Live


def alone(live: Live, payload: bytes, host: str = "plain", moment: str = "proposed") -> Result:
    folders = ["--state-folder", str(live.place.state), "--config-folder", str(live.config)]
    return CliRunner().invoke(cli, ["hook-alone", host, moment, *folders], input=payload)


def reply(done: Result) -> Reply:
    replies = Replies()
    replies.feed(done.stdout_bytes)
    found = replies.next()
    assert found is not None
    assert replies.waiting == 0
    return found


def verdict(live: Live, call: str) -> tuple[str, str]:
    answer = json.loads(reply(alone(live, live.payload(call))).stdout)
    return (answer["verdict"], answer["source"])


UNREADABLE = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[]",
    "no text": b"\xff\xfe",
    "nested too deeply": b"[" * 100_000,
    "no call": b'{"event":"ended","session":"s1","cwd":"/"}',
    "no folder": b'{"event":"proposed","session":"s1","tool":"bash","input":{}}',
    "too much": b" " * (LONGEST_PAYLOAD + 1),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_gets_the_closing_answer(live: Live, name: str) -> None:
    done = reply(alone(live, UNREADABLE[name]))

    reason = done.stderr.decode().partition(": ")[2].removesuffix("\n")
    closed = ADAPTERS["plain"].closing_answer(Moment.PROPOSED, reason)
    assert (done.exit, done.stdout.decode()) == (closed.exit, closed.stdout)


@pytest.mark.parametrize(
    ("host", "moment"), [("nobody", "proposed"), ("plain", "finished"), ("plain", "propose")]
)
def test_there_is_no_answer_to_what_nobody_decides(live: Live, host: str, moment: str) -> None:
    done = alone(live, live.payload("a read"), host, moment)

    assert (done.exit_code, done.stdout) == (2, "")
    assert "no such host, or nothing to decide" in done.stderr


def test_the_persons_own_rules_hold_without_a_daemon(live: Live) -> None:
    (live.config / "config.json").write_text('{"permissions": {"deny": ["mcp__mail__send"]}}')

    assert verdict(live, "a tool nobody knows") == ("deny", "rules.deny")
    assert verdict(live, "a read") == ("allow", "read-only")


def test_what_no_model_could_judge_names_the_way_out(live: Live) -> None:
    answer = json.loads(reply(alone(live, live.payload("a tool nobody knows"))).stdout)

    assert (answer["verdict"], answer["source"]) == ("ask", "gate.undecided")
    assert "`automode daemon start`" in answer["advice"]
