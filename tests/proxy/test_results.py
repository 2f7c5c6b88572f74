"""Frames of servers: what a model reads of them, and how a warning comes first wherever a client
looks for the answer."""

import json

from hypothesis import given
from hypothesis import strategies as st

from automode.core.transcript import Outcome
from automode.proxy.results import (
    Reply,
    ServerAnswer,
    add_warning,
    read_answer,
)
from tests.rows import each_row, rows

IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": "hello"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "inside", "blob": "eA=="}}


def frame(result: object, identity: object = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode()


def read(data: bytes) -> ServerAnswer:
    found = read_answer(data)
    assert found is not None
    return found


def replies(data: bytes) -> list[Reply]:
    return list(read(data).replies({}))


def warned(data: bytes) -> dict[str, dict[str, object]]:
    whole = Reply(0, "1", "", Outcome.OK)
    told = json.loads(read(data).with_warnings([(whole, "W")]) or b"")
    assert isinstance(told, dict)
    return told


@each_row("result, text", rows("proxy", "read-results"))
def test_every_text_of_a_result_is_read(result: str, text: str) -> None:
    (reply,) = replies(frame(json.loads(result)))

    assert sorted(reply.text.split("\n")) == sorted(text.split("\n"))


def test_a_result_of_a_tool_is_read_whatever_request_it_claims_to_answer() -> None:
    assert [one.key for one in replies(frame({"content": [TEXT]}, "other"))] == ["other"]


def test_an_error_is_read_whoever_waits_for_it() -> None:
    data = b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":"why"}}'

    (reply,) = replies(data)
    assert (sorted(reply.text.split("\n")), reply.outcome) == (["no", "why"], Outcome.ERROR)
    assert len(replies(b'{"id":1,"result":{"content":[]},"error":{"message":"no"}}')) == 2


@each_row("result, expected", rows("proxy", "parts-of-answers"))
def test_other_answers_are_read_and_warned_about_part_by_part(
    result: str, expected: list[str]
) -> None:
    found = read(frame(json.loads(result)))

    parts = list(found.replies({}))

    assert [one.text for one in parts] == expected
    told = json.loads(found.with_warnings((one, "W") for one in parts) or b"")
    assert json.dumps(told).count("W\\n") == len(expected)


@each_row("result", ["alone", ["in a list"], {"odd": "shape"}, {"Content": ["x"]}])
def test_whatever_answers_a_call_is_read_and_can_be_warned_about(result: object) -> None:
    found = read(frame(result))

    (reply,) = found.replies({"1": None})

    assert reply.text
    assert b"W" in (found.with_warnings([(reply, "W")]) or b"")


RESULT = b'{"id":1,"result":{"content":[{"text":"x"}]}}'
DISPUTED = {
    # frame                                                    as every client is to read it
    "a byte that is no UTF-8": RESULT.replace(b"x", b"\xff"),
    "a mark in front": b"\xef\xbb\xbf" + RESULT,
    "a carriage return inside": RESULT.replace(b",", b",\r"),
    "a key that stands twice": RESULT.replace(b'"id":1', b'"id":1,"id":1'),
    "another answer under the same key": RESULT[:-1] + b',"result":{"content":[{"text":"x"}]}}',
    "a key in capitals": RESULT.replace(b'"id":1', b'"id":1,"Re\xc5\xbfult":{"content":[]}'),
}


@each_row("name", DISPUTED)
def test_what_clients_could_read_in_another_way_is_read_and_written_again(name: str) -> None:
    found = read(DISPUTED[name] + b"\r\n")

    assert found.disputed
    assert (found.with_warnings([]) or b"").replace(b"\\ufffd", b"x") == RESULT
    assert read(RESULT + b"\r\n") == ServerAnswer((json.loads(RESULT),))


@each_row("number", ["9" * 5000, "-" + "9" * 5000, "1e999"])
def test_a_number_of_any_length_can_be_read_and_written_again(number: str) -> None:
    data = b'{"id":1,"result":{"content":[],"n":%s}}' % number.encode()

    assert abs(float(str(warned(data)["result"]["n"]))) > 1e300


@each_row("depth", range(700, 1000, 20))
def test_no_depth_breaks_the_writing(depth: int) -> None:
    deep = b'{"id":1,"id":1,"result":' + b"[" * depth + b"]" * depth + b"}"

    found = read_answer(deep)

    told = None if found is None else found.with_warnings([])
    assert told is None or told.startswith(b'{"id":1,"result":[')


@each_row("content, expected", rows("proxy", "fronted-contents"))
def test_the_warning_stands_in_front_of_the_first_text(content: str, expected: list[str]) -> None:
    data = frame({"content": json.loads(content), "isError": False})

    told = warned(data)

    blocks = told["result"].pop("content")
    assert isinstance(blocks, list)
    assert [one.get("text", one["type"]) for one in blocks] == expected
    assert told == {"jsonrpc": "2.0", "id": 1, "result": {"isError": False}}


def test_structured_content_gets_the_warning_too_because_some_clients_show_nothing_else() -> None:
    structured = {"n": 1, "rows": [{"k": "b"}, ["a longer text"]], "none": None}
    data = frame({"content": [], "structuredContent": structured})

    told = warned(data)["result"]

    assert told["structuredContent"] == {**structured, "rows": [{"k": "b"}, ["W\na longer text"]]}
    assert told["content"] == [{"type": "text", "text": "W"}]


def test_the_version_both_sides_agree_on_is_found() -> None:
    assert read(frame({"protocolVersion": "2025-06-18"})).version == "2025-06-18"
    assert read(frame({"content": []})).version == ""


@given(st.binary() | st.text().map(str.encode))
def test_no_bytes_of_a_server_break_the_reading(data: bytes) -> None:
    found = read_answer(data)

    assert found is None or list(found.replies({})) is not None


@each_row("message, expected", rows("proxy", "warned-shapes"))
def test_the_warning_comes_first_in_every_shape_of_an_answer(message: str, expected: str) -> None:
    assert add_warning(json.loads(message), "W") == json.loads(expected)
