"""Frames of servers: what a model reads of them, and how a warning comes in front."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.transcript import Outcome
from automode.proxy.results import Answered, Reply, answered, mute, negotiated
from tests.rows import each_row

IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": "hello"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "inside", "blob": "eA=="}}
READ = {
    # result                                            what a model reads of it
    '{"content":[]}': "",
    json.dumps({"content": [IMAGE, TEXT]}): "image\nimage/png\ntext\nhello",
    json.dumps({"content": [RESOURCE]}): "resource\nfile:///a\ninside",
    '{"structuredContent":{"a":["deep"]}}': "deep",
    '{"structuredContent":{"data":"c29tZQ=="}}': "c29tZQ==",
    '{"structuredContent":{"a sentence":1}}': "a sentence",
    '{"content":"one text"}': "one text",
    '{"toolResult":{"old":"way"}}': "way",
    '{"content":[{"type":"image","data":"no base 64","mimeType":"image/png"}]}': (
        "image\nno base 64\nimage/png"
    ),
}


def frame(result: object, identity: object = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode()


def replies(data: bytes, *awaited: str) -> list[Reply]:
    found = answered(data)
    assert found is not None
    return list(found.replies(dict.fromkeys(awaited, None)))


def warned(found: Answered) -> dict[str, dict[str, object]]:
    whole = Reply(0, "1", "", Outcome.OK)
    told = json.loads(found.warned([(whole, "W")]) or b"")
    assert isinstance(told, dict)
    return told


@each_row("result", READ)
def test_every_text_of_a_result_is_read(result: str) -> None:
    (reply,) = replies(frame(json.loads(result)))

    assert sorted(reply.text.split("\n")) == sorted(READ[result].split("\n"))


def test_a_result_of_a_tool_is_read_whatever_request_it_claims_to_answer() -> None:
    assert [one.key for one in replies(frame({"content": [TEXT]}, "other"))] == ["other"]


def test_an_error_is_read_whoever_waits_for_it() -> None:
    data = b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":"why"}}'

    (reply,) = replies(data)
    assert (sorted(reply.text.split("\n")), reply.outcome) == (["no", "why"], Outcome.ERROR)
    assert len(replies(b'{"id":1,"result":{"content":[]},"error":{"message":"no"}}')) == 2


PARTS: dict[str, tuple[object, list[str]]] = {
    # answer to another request than a call                               its parts
    "tools": ({"tools": [{"name": "a", "description": "b"}, {"name": "c"}]}, ["a\nb", "c"]),
    "a resource": ({"contents": [{"uri": "u", "text": "x", "blob": "eA=="}]}, ["u\nx"]),
    "a prompt": ({"description": "d", "messages": [{"content": {"text": "x"}}]}, ["d", "x"]),
    "a greeting": ({"instructions": "do"}, ["do"]),
    "nothing": ({"tools": [], "nextCursor": ""}, []),
}


@pytest.mark.parametrize("name", PARTS)
def test_other_answers_are_read_and_warned_about_part_by_part(name: str) -> None:
    result, expected = PARTS[name]
    found = answered(frame(result))
    assert found is not None

    parts = list(found.replies({}))

    assert [one.text for one in parts] == expected
    told = json.loads(found.warned((one, "W") for one in parts) or b"")
    assert json.dumps(told).count("W\\n") == len(expected)


@pytest.mark.parametrize("result", ["alone", ["in a list"], {"odd": "shape"}, {"Content": ["x"]}])
def test_whatever_answers_a_call_is_read_and_can_be_warned_about(result: object) -> None:
    found = answered(frame(result))
    assert found is not None

    (reply,) = found.replies({"1": None})

    assert reply.text
    assert b"W" in (found.warned([(reply, "W")]) or b"")


@pytest.mark.parametrize("fault", ['"text"', '["text"]', '{"code":1,"data":"text"}'])
def test_an_error_in_any_shape_can_be_warned_about(fault: str) -> None:
    found = answered(b'{"id":1,"error":%s}' % fault.encode())
    assert found is not None

    told = warned(found)

    assert "W" in str(told["error"])
    assert "text" in str(told["error"])


RESULT = b'{"id":1,"result":{"content":[{"text":"x"}]}}'
DISPUTED = {
    # frame                                                    as every client is to read it
    "a byte that is no UTF-8": RESULT.replace(b"x", b"\xff"),
    "a mark in front": b"\xef\xbb\xbf" + RESULT,
    "a carriage return inside": RESULT.replace(b",", b",\r"),
    "a key that stands twice": RESULT.replace(b'"id":1', b'"id":1,"id":1'),
    "a key in capitals": RESULT.replace(b'"id":1', b'"id":1,"Re\xc5\xbfult":{"content":[]}'),
}


@pytest.mark.parametrize("name", DISPUTED)
def test_what_clients_could_read_in_another_way_is_read_and_written_again(name: str) -> None:
    found = answered(DISPUTED[name] + b"\r\n")

    assert found is not None
    assert found.disputed
    read = (found.warned([]) or b"").replace(b"\\ufffd", b"x")
    assert read == RESULT


def test_a_plain_frame_is_not_disputed() -> None:
    found = answered(RESULT + b"\r\n")

    assert found == Answered((json.loads(RESULT),))


@pytest.mark.parametrize("number", ["9" * 5000, "-" + "9" * 5000, "1e999"])
def test_a_number_of_any_length_can_be_read_and_written_again(number: str) -> None:
    found = answered(b'{"id":1,"result":{"content":[],"n":%s}}' % number.encode())

    assert found is not None
    assert abs(float(str(warned(found)["result"]["n"]))) > 1e300


@pytest.mark.parametrize(
    "data", [b"x\r" + RESULT, RESULT + b"x", RESULT + RESULT, RESULT.decode().encode("utf-16")]
)
def test_an_answer_that_nobody_can_read_is_no_mere_noise(data: bytes) -> None:
    assert answered(data) is None
    assert not mute(data)
    assert mute(b"a log line \xff")


@each_row("depth", range(700, 1000, 20))
def test_no_depth_breaks_the_writing(depth: int) -> None:
    deep = b'{"id":1,"id":1,"result":' + b"[" * depth + b"]" * depth + b"}"

    found = answered(deep)

    told = None if found is None else found.warned([])
    assert told is None or told.startswith(b'{"id":1,"result":[')


FRONTED = {
    # content before                 kinds after, the warning is the `text` named first
    "nothing": ([], ["W"]),
    "a text": ([TEXT], ["W", "hello"]),
    "a picture, then a text": ([IMAGE, TEXT], ["image", "W", "hello"]),
    "a picture": ([IMAGE], ["W", "image"]),
}


@pytest.mark.parametrize("name", FRONTED)
def test_the_warning_stands_in_front_of_the_first_text(name: str) -> None:
    content, expected = FRONTED[name]
    found = answered(frame({"content": content, "isError": False}))
    assert found is not None

    told = warned(found)

    blocks = told["result"].pop("content")
    assert isinstance(blocks, list)
    assert [one.get("text", one["type"]) for one in blocks] == expected
    assert told == {"jsonrpc": "2.0", "id": 1, "result": {"isError": False}}


def test_structured_content_gets_the_warning_too_because_some_clients_show_nothing_else() -> None:
    structured = {"n": 1, "rows": [{"k": "b"}, ["a longer text"]], "none": None}
    found = answered(frame({"content": [], "structuredContent": structured}))
    assert found is not None

    told = warned(found)["result"]

    assert told["structuredContent"] == {**structured, "rows": [{"k": "b"}, ["W\na longer text"]]}
    assert told["content"] == [{"type": "text", "text": "W"}]


def test_the_warning_about_an_error_stands_in_its_message() -> None:
    found = answered(b'{"id":1,"error":{"code":-1,"message":"no"}}')
    assert found is not None

    assert warned(found)["error"] == {"code": -1, "message": "W\nno"}


def test_a_key_that_stands_twice_is_noticed() -> None:
    found = answered(b'{"id":1,"result":{"content":[]},"result":{"content":[{"text":"x"}]}}')

    assert found is not None
    assert found.disputed
    assert json.loads(found.warned([]) or b"") == {"id": 1, "result": {"content": [{"text": "x"}]}}


def test_only_what_the_server_calls_destructive_itself_is() -> None:
    tools = [
        {"name": "a", "annotations": {"destructiveHint": True}},
        {"name": "b", "annotations": {"destructiveHint": "yes"}},
        {"name": "c"},
        "d",
    ]
    found = answered(frame({"tools": tools}))

    assert found is not None
    assert dict(found.destructive()) == {"a": True, "b": False, "c": False}


def test_the_version_both_sides_agree_on_is_found() -> None:
    assert negotiated(frame({"protocolVersion": "2025-06-18"})) == "2025-06-18"
    assert negotiated(frame({"content": []})) == ""
    assert negotiated(b"noise") == ""


@given(st.binary() | st.text().map(str.encode))
def test_no_bytes_of_a_server_break_the_reading(data: bytes) -> None:
    found = answered(data)

    assert found is None or list(found.replies({})) is not None
