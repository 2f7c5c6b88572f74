"""Frames of servers: what a model reads of them, and how a warning comes in front."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.transcript import Outcome
from automode.proxy.results import Reply, answered, negotiated

IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": "hello"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "inside", "blob": "eA=="}}
READ = {
    # result                                            what a model reads of it
    '{"content":[]}': "",
    json.dumps({"content": [IMAGE, TEXT]}): "image\nimage/png\ntext\nhello",
    json.dumps({"content": [RESOURCE]}): "file:///a\ninside",
    '{"structuredContent":{"a":["deep"]}}': "deep",
}


def frame(result: object, identity: object = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode()


def replies(data: bytes, *awaited: str) -> list[Reply]:
    found = answered(data)
    assert found is not None
    return list(found.replies(dict.fromkeys(awaited, None)))


@pytest.mark.parametrize("result", READ)
def test_every_text_of_a_result_is_read(result: str) -> None:
    (reply,) = replies(frame(json.loads(result)))

    assert sorted(reply.text.split("\n")) == sorted(READ[result].split("\n"))


def test_a_result_of_a_tool_is_read_whatever_request_it_claims_to_answer() -> None:
    assert [one.key for one in replies(frame({"content": [TEXT]}, "other"))] == ["other"]


def test_an_error_is_read_where_a_call_waits_for_it() -> None:
    data = b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":"why"}}'

    assert replies(data) == []
    (reply,) = replies(data, "1")
    assert (sorted(reply.text.split("\n")), reply.outcome) == (["no", "why"], Outcome.ERROR)


def test_other_answers_are_nobodys_to_read() -> None:
    others: list[object] = [{"tools": []}, {"contents": [{"text": "x"}]}, {"messages": []}, {}]

    assert [replies(frame(result)) for result in others] == [[]] * len(others)


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

    told = json.loads(found.warned({0: "W"}))

    blocks = told["result"].pop("content")
    assert [one.get("text", one["type"]) for one in blocks] == expected
    assert told == {"jsonrpc": "2.0", "id": 1, "result": {"isError": False}}


def test_structured_content_gets_the_warning_too_because_some_clients_show_nothing_else() -> None:
    structured = {"n": 1, "rows": [{"k": "b"}, ["a longer text"]], "none": None}
    found = answered(frame({"content": [], "structuredContent": structured}))
    assert found is not None

    told = json.loads(found.warned({0: "W"}))["result"]

    assert told["structuredContent"] == {**structured, "rows": [{"k": "b"}, ["W\na longer text"]]}
    assert told["content"] == [{"type": "text", "text": "W"}]


def test_the_warning_about_an_error_stands_in_its_message() -> None:
    found = answered(b'{"id":1,"error":{"code":-1,"message":"no"}}')
    assert found is not None

    assert json.loads(found.warned({0: "W"}))["error"] == {"code": -1, "message": "W\nno"}


def test_a_key_that_stands_twice_is_noticed() -> None:
    found = answered(b'{"id":1,"result":{"content":[]},"result":{"content":[{"text":"x"}]}}')

    assert found is not None
    assert found.twice
    assert json.loads(found.warned({})) == {"id": 1, "result": {"content": [{"text": "x"}]}}


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
