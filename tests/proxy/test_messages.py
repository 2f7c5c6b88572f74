"""Frames of clients: what is a call, what passes, and what could be read in two ways."""

import json

from hypothesis import given
from hypothesis import strategies as st

from automode.proxy.messages import (
    CALLING,
    NOT_JSON,
    Call,
    Frame,
    on_one_line,
    read_frame,
)
from tests.rows import each_row, rows

CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"a":1}}}'
PASSES = {
    '{"jsonrpc":"2.0","id":1,"method":"ping"}': Frame(ids=(1,), method="ping"),
    '{"jsonrpc":"2.0","method":"notifications/x"}': Frame(method="notifications/x"),
    '{"jsonrpc":"2.0","id":9,"result":{"role":"assistant"}}': Frame(),
    '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}': Frame(),
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"result":{}}]': Frame(
        ids=(1,), batch=True
    ),
    '{"method":"notifications/cancelled","params":{"requestId":7}}': Frame(
        method="notifications/cancelled", cancels=7
    ),
    CALL: Frame((Call(7, "t", {"a": 1}),), (7,), CALLING, name="t"),
    '{"method":"tools/call","params":{"name":"t"}}': Frame(
        (Call(None, "t", {}),), method=CALLING, name="t"
    ),
    f'[{CALL},{{"id":8,"method":"ping"}},{{"method":"notifications/x"}}]': Frame(
        (Call(7, "t", {"a": 1}),), (7, 8), batch=True
    ),
}


@each_row("frame", PASSES)
def test_calls_and_what_waits_for_an_answer_are_read(frame: str) -> None:
    assert read_frame(frame.encode()) == PASSES[frame]


@each_row("frame, waiting", [*rows("proxy", "refused-frames"), ("[" * 100_000, [])])
def test_what_could_be_read_in_two_ways_is_refused(frame: str, waiting: list[object]) -> None:
    found = read_frame(frame.encode())

    assert found.refusal
    assert list(found.ids) == waiting


def test_bytes_that_are_no_utf8_are_no_json() -> None:
    assert read_frame(CALL.encode("utf-16")).code == NOT_JSON


texts = st.text() | st.sampled_from(["tools/call", "\u2028", "\x85", "\r", "method", "\u2029{"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": st.integers() | texts,
        "method": texts | st.just(CALLING),
        "Method": st.just(CALLING),
        "params": values | st.fixed_dictionaries({"name": texts, "arguments": values}),
        "extra": values,
    },
)


def calls_in(text: str) -> int:
    """As the laxest of servers reads it: any line end, any spelling, any depth of a batch."""
    count = 0
    for line in text.splitlines():
        try:
            waiting: list[object] = [json.loads(line)]
        except ValueError:
            continue
        while waiting:
            one = waiting.pop()
            if isinstance(one, list):
                waiting += one
            elif isinstance(one, dict):
                named = [v for k, v in one.items() if k.casefold() == "method"]
                count += any(isinstance(v, str) and v.casefold() == CALLING for v in named)
    return count


@given(messages | st.lists(messages, min_size=1, max_size=3), st.sampled_from(["", "\r", "\u2028"]))
def test_no_server_finds_a_call_that_was_not_decided(message: object, blank: str) -> None:
    text = json.dumps(message, ensure_ascii=False, separators=(f",{blank}", f":{blank}"))
    try:
        frame = text.encode()
    except UnicodeEncodeError:
        return
    found = read_frame(frame)

    if not found.refusal:
        onward = on_one_line(frame).decode()
        assert calls_in(onward) == len(found.calls)
        assert len(onward.splitlines()) == 1
        assert json.loads(onward) == json.loads(text)


@given(values)
def test_a_frame_on_one_line_already_is_passed_to_the_byte(params: object) -> None:
    frame = json.dumps({"jsonrpc": "2.0", "method": "x", "params": params}).encode()

    assert on_one_line(frame + b"\r\n") == frame


def test_a_transport_learns_what_its_headers_need() -> None:
    meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
    frame = f'{{"id":1,"method":"tools/call","params":{{"name":"t",{meta}}}}}'
    found = read_frame(frame.encode())

    assert (found.method, found.ids, found.name, found.version) == (
        "tools/call",
        (1,),
        "t",
        "2026-07-28",
    )
