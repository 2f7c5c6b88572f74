"""Server-sent events are read alike however they were cut, and written unambiguously."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.proxy.upstream import Event, Events, Unreachable
from tests.rows import each_row

STREAMS = {
    # stream                                   payloads
    b"data: one\n\n": [b"one"],
    b"event: message\ndata: one\nid: 7\n\n": [b"one"],
    b"data: one\r\n\r\ndata: two\r\n\r\n": [b"one", b"two"],
    b"data: one\r\rdata: two\r\r": [b"one", b"two"],
    b": ping\n\ndata:one\ndata:  two\n\n": [b"", b"one\n two"],
    b"\xef\xbb\xbfdata: one\n\n": [b"one"],
    b"data: cut off\n": [],
}


def read(stream: bytes, cuts: list[int]) -> list[Event]:
    events, before = Events(), 0
    found: list[Event] = []
    for cut in [*sorted(one % (len(stream) + 1) for one in cuts), len(stream)]:
        found += events.feed(stream[before:cut])
        before = cut
    return [*found, *events.feed(b"", last=True)]


@given(st.sampled_from(list(STREAMS)), st.lists(st.integers(0, 200), max_size=6))
def test_cuts_change_nothing(stream: bytes, cuts: list[int]) -> None:
    found = read(stream, cuts)

    assert [one.payload for one in found] == STREAMS[stream]


def test_all_but_the_payload_of_a_changed_event_stays() -> None:
    (event,) = read(b"id: 7\nevent: message\ndata: one\ndata: two\n\n", [])

    assert event.payload == b"one\ntwo"
    assert event.with_payload(b"new") == b"id: 7\nevent: message\ndata: new\n\n"


@each_row("end", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_a_line_that_only_some_readers_see_is_noticed_and_left_out(end: str) -> None:
    (event,) = read(f": a{end}data: hidden{end}{end}\nid: 7\ndata: one\n\n".encode(), [])

    assert event.with_payload(b"one") == b"id: 7\ndata: one\n\n"


def test_a_mark_counts_at_the_start_of_a_stream_only() -> None:
    first, second = read(b"\xef\xbb\xbfdata: one\n\n\xef\xbb\xbfdata: two\n\n", [])

    assert (first.payload, second.payload, second.head) == (b"one", b"", b"")


def test_an_event_without_end_is_not_waited_for_for_ever() -> None:
    with pytest.raises(Unreachable):
        list(Events(longest=10).feed(b"data: more than ten bytes"))
