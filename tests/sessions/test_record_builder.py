"""What is written down: short enough, without secrets, and enough to find a retry again."""

import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import SessionRef
from automode.assemble import READER
from automode.core.call import Other, ToolCall
from automode.core.decision import Remark, Verdict, allow, deny
from automode.core.record import LONGEST_ACTION, LONGEST_INPUT, Record, SessionKey
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.place import recorded_workspace
from automode.llm.ledger import Request, Total
from automode.llm.model import Usage
from automode.sessions.live_session import denial
from automode.sessions.record_builder import (
    LENGTH,
    LONGEST_ID,
    Circumstances,
    Ids,
    RecordBuilder,
    parent_id,
    session_key,
)
from automode.sessions.retries import canonical_json
from automode.sessions.usage import bill_of, request_of, spent
from automode.store.changes import Used, usage_of
from tests.rows import each_row
from tests.sessions.service_setup import HOST, Judging, Setup, said

KEY = SessionKey("plain", "s")
SECRET = "ghp_" + "a1B2" * 9
SESSION = Session("plain/s", recorded_workspace("/w/p", "/home/u"), host="plain")
NO = deny("classifier.deliberate", "not asked for", "ask", clearable=True)


def builder() -> RecordBuilder:
    return RecordBuilder(b"k" * 32, "tester", READER)


def recorded(
    call: ToolCall, *, by: RecordBuilder | None = None, verdict: Verdict = Verdict.DENY
) -> Record:
    writer = by or builder()
    made = Circumstances("id", 5.0, KEY, "top", SESSION, 12)
    decision = allow("read-only", "fine") if verdict is Verdict.ALLOW else NO
    return writer.record(call, writer.written(call), decision, made)


ACTIONS: dict[str, tuple[str, Mapping[str, object], str]] = {
    "a command": ("bash", {"command": "ls -la"}, "ls -la"),
    "a file": ("write", {"file_path": "a.py", "content": "x"}, "a.py"),
    "an address": ("web_fetch", {"url": "https://x.test/"}, "https://x.test/"),
    "a task": ("Task", {"prompt": "look around", "description": "d"}, "look around"),
    "another tool": ("mcp__x__y", {"b": 1, "a": "z"}, '{"a":"z","b":1}'),
}


@each_row("name", ACTIONS)
def test_the_action_says_what_the_call_does(name: str) -> None:
    tool, given_, action = ACTIONS[name]

    assert recorded(tool_call(tool, given_)).action == action


@pytest.mark.parametrize("more", [{}, {"background": True}])
def test_a_call_that_could_not_be_read_leaves_no_trace_on_one_that_can(
    more: Mapping[str, object],
) -> None:
    given_ = {"command": "ls -la", **more}
    unread, read = ToolCall("bash", Other(), given_), tool_call("bash", given_)
    writer = builder()

    assert recorded(unread, by=writer).action == canonical_json(given_)
    assert recorded(read, by=writer).action == "ls -la"
    assert writer.written(unread).own == writer.written(read).own


SECRETS: dict[str, tuple[str, Mapping[str, object]]] = {
    "in a command": ("bash", {"command": f"curl -H 'Authorization: Bearer {SECRET}' x.test"}),
    "in a field that says so": ("mcp__x__login", {"password": "hunter2-hunter2", "user": "u"}),
    "in a path": ("write", {"file_path": f"/tmp/{SECRET}", "content": "x"}),
    "in the name of the tool": (f"tool {SECRET}", {"a": "b"}),
    "in a content": ("write", {"file_path": "a", "content": f"TOKEN={SECRET}"}),
    "in a task": ("Task", {"prompt": f"use {SECRET}"}),
    "where a long text is cut": ("bash", {"command": "x " * 2900 + SECRET + " y" * 40_000}),
}


@each_row("name", SECRETS)
def test_no_secret_is_written_down(name: str) -> None:
    tool, given_ = SECRETS[name]

    record = recorded(tool_call(tool, given_))

    text = repr(record)
    assert SECRET not in text
    assert "hunter2" not in text
    assert not any(SECRET[:start] in text for start in range(12, len(SECRET)))


def test_reasons_and_remarks_are_written_without_secrets_and_cut() -> None:
    writer = builder()
    call = tool_call("bash", {"command": "ls"})
    told = deny("rules.deny", f"a rule forbids `{SECRET}` {'word ' * 50_000}", f"not {SECRET}")
    told = replace(told, trail=(Remark("layer", "mark", f"saw {SECRET}"),))

    record = writer.record(
        call, writer.written(call), told, Circumstances("id", 5.0, KEY, None, SESSION)
    )

    assert SECRET not in repr(record)
    assert record.trail[0].text.startswith("saw [secret:")
    assert len(record.reason) < 5000
    assert "characters cut" in record.reason


@given(st.text(max_size=200), st.integers(1, 400))
def test_summary_and_input_are_never_too_long_and_the_input_is_json(text: str, times: int) -> None:
    record = recorded(tool_call("mcp__x__y", {"a": text * times, "b": [text] * times}))

    assert len(record.action) <= LONGEST_ACTION
    assert len(record.input) <= LONGEST_INPUT
    assert isinstance(json.loads(record.input), dict)


def test_a_long_input_keeps_its_shape_and_its_names_as_far_as_it_can() -> None:
    wordy = recorded(tool_call("write", {"file_path": "a.py", "content": "word " * 100_000}))
    many = recorded(tool_call("mcp__x__y", {"rows": ["abc"] * 50_000}))

    kept = json.loads(wordy.input)
    assert kept["file_path"] == "a.py"
    assert "characters cut" in kept["content"]
    assert "characters cut" in json.loads(many.input)["cut"]


def test_the_same_call_has_the_same_name_and_another_has_another() -> None:
    writer = builder()
    names = [
        writer.written(tool_call(tool, given_)).own
        for tool, given_ in [
            ("bash", {"command": "ls", "timeout": 5}),
            ("bash", {"timeout": 5, "command": "ls"}),
            ("bash", {"command": "ls -a", "timeout": 5}),
            ("Bash", {"command": "ls", "timeout": 5}),
        ]
    ]

    assert names[0] == names[1]
    assert len(set(names)) == 3


values = st.one_of(st.booleans(), st.integers(0, 1), st.sampled_from([0.0, 1.0, None, "1", [1]]))
inputs = st.dictionaries(st.sampled_from(["a", "b"]), values, max_size=2)


@given(st.lists(inputs, min_size=2, max_size=6))
def test_only_inputs_that_are_written_alike_pass_for_the_same(
    every: list[dict[str, object]],
) -> None:
    writer = builder()

    found = [writer.written(tool_call("mcp__x__y", one)) for one in every]

    assert [one.input for one in found] == [canonical_json(one) for one in every]
    assert len({one.own for one in found}) == len({canonical_json(one) for one in every})


def test_a_denial_is_kept_with_its_kind_and_record_and_can_be_retried() -> None:
    record = recorded(tool_call("bash", {"command": "ls"}))
    found = denial(record)

    named = (found.tool, found.action, found.kind, found.record)
    assert named == ("bash", "ls", "classifier", "id")
    assert record.digest != ""
    allowed = recorded(tool_call("bash", {"command": "ls"}), verdict=Verdict.ALLOW)
    assert allowed.digest == ""


times = st.lists(st.floats(0, 4e9), min_size=1, max_size=30)


@given(times)
def test_every_id_is_larger_than_the_one_before_whatever_the_clock_does(
    readings: list[float],
) -> None:
    clock = iter(readings)
    ids = Ids(lambda: next(clock))

    made = [ids.new() for _ in readings]

    assert made == sorted(set(made))


def test_an_id_can_be_typed_and_many_within_a_millisecond_differ() -> None:
    ids = Ids(lambda: 1_700_000_000.0)
    made = ids.new()

    assert len(made) == LENGTH == 14
    assert made.isalnum()
    assert made == made.lower()
    assert not set("ilou") & set(made)
    assert len({ids.new() for _ in range(5000)}) == 5000


ROWS = [
    # session, parent, filed as, below
    ("S", None, "S", None),
    ("S/b", "S", "S/b", "S"),
    ("S/b", None, "S%2Fb", None),
    ("S%2Fb", None, "S%252Fb", None),
    ("S%/b", None, "S%25%2Fb", None),
    ("sub", "S", "sub", "S"),
    ("sub", "S/b", "sub", "S%2Fb"),
    ("S/b/c", "S/b", "S/b/c", "S/b"),
]


@each_row("session, parent, name, below", ROWS)
def test_a_session_has_a_name_of_its_own(
    session: str, parent: str | None, name: str, below: str | None
) -> None:
    ref = SessionRef(session, "/", parent)

    assert session_key(HOST, ref) == SessionKey(HOST, name)
    assert parent_id(ref) == below


@given(st.text(min_size=1), st.text(min_size=1, max_size=5), st.text(min_size=1, max_size=5))
def test_no_session_of_its_own_is_filed_as_a_sub_agent(one: str, above: str, agent: str) -> None:
    own = session_key(HOST, SessionRef(one, "/"))
    below = session_key(HOST, SessionRef(f"{above}/{agent}", "/", above))

    assert own != below


def test_long_names_are_short_and_stay_different() -> None:
    one, other = ("x" * 1_000_000 + end for end in "ab")
    keys = [session_key(HOST, SessionRef(name, "/", name + "p")) for name in (one, other)]

    assert keys[0] != keys[1]
    assert all(len(key.id) <= LONGEST_ID for key in keys)
    assert len(parent_id(SessionRef("s", "/", one)) or "") <= LONGEST_ID


async def test_a_session_called_like_a_sub_agent_cannot_use_its_approval(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny", session="S/b", parent="S")
    async with setup.open() as service:
        ruling = await service.decide(asked, HOST)
        assert ruling.record is not None
        await service.person.approve(ruling.record)

        assert await setup.says("deny", session="S/b") == ("deny", "classifier.deliberate")
        assert said(await service.decide(asked, HOST)) == ("allow", "approval")


CHILD = SessionKey("plain", "child")
REQUEST = Request(
    5.0, "plain/child", "plain/top", "fast", "a/m", Usage(1, 2, 3, 4), 7, Decimal("0.25")
)


def used(parent: str | None) -> Used:
    [row] = usage_of("r", REQUEST.at, CHILD, parent, [spent(REQUEST)])
    return row


def test_a_request_comes_back_from_the_store() -> None:
    assert request_of(used("top")) == REQUEST


def test_a_bill_counts_a_session_with_those_below_it() -> None:
    bill = bill_of([used("top")] * 3)

    assert bill.spent("plain/top") == Total(3, Usage(3, 6, 9, 12), 21, Decimal("0.75"))
    assert bill.sessions() == ("plain/child",)


@each_row("money", ["", "much", "NaN", "-1", "Infinity", None])
def test_what_is_no_amount_of_money_is_not_known(money: str | None) -> None:
    kept = replace(used(None), usd=money)

    assert request_of(kept).money is None
