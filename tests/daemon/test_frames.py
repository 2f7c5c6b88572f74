"""The wire as bytes: what was sent arrives, however it is cut; what is not the wire is refused. And
four tokens: what each may do, and that they are made once for their owner alone."""

import os
import stat
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.config.places import VARIABLES
from automode.daemon.frames import (
    HEARD,
    LONGEST_DEADLINE_MS,
    LONGEST_LINE,
    LONGEST_PAYLOAD,
    USUAL_SETTINGS,
    BadFrame,
    Refused,
    Replies,
    Reply,
    Request,
    Requests,
    Right,
    Tokens,
    refusal,
    settings_word,
    token_of,
)
from automode.store.folder import StateFolder
from tests.rows import each_row

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789.-", min_size=1, max_size=32)
REQUESTS = st.builds(
    Request,
    op=st.sampled_from(["hook", "json"]),
    payload=st.binary(max_size=2000),
    token=st.text("0123456789abcdef", min_size=1, max_size=128) | st.just("-"),
    host=WORDS,
    moment=WORDS,
    deadline_ms=st.integers(0, LONGEST_DEADLINE_MS),
    version=st.sampled_from(["", "0.1.0", "2.0.0rc1+local"]),
    settings=st.sampled_from(["", USUAL_SETTINGS, settings_word("/home/x")]),
) | st.builds(
    Request,
    op=st.just("hook"),
    payload=st.binary(max_size=2000),
    settings=st.just(USUAL_SETTINGS),
    variables=st.lists(
        st.tuples(
            st.sampled_from(VARIABLES),
            st.text(st.characters(codec="utf-8", exclude_characters="\0")),
        ),
        max_size=2,
    ).map(tuple),
)
REPLIES = st.builds(
    Reply, exit=st.integers(0, 255), stdout=st.binary(max_size=500), stderr=st.binary(max_size=500)
)

NO_REQUESTS = {
    "nothing": b"\n",
    "another program": b"GET / HTTP/1.1\r\n",
    "another version of the wire": b"AM2 hook h m - 1 0\n",
    "another operation": b"AM1 shell h m - 1 0\n",
    "a word too few": b"AM1 hook h m - 1\n",
    "a word too many": b"AM1 hook h m - 1 0 1.0 more\n",
    "two blanks": b"AM1 hook  h m - 1 0\n",
    "a length that is no number": b"AM1 hook h m - 1 many\n",
    "a negative length": b"AM1 hook h m - 1 -5\n",
    "a token that is no hex": b"AM1 hook h m ../../x 1 0\n",
    "a path for a host": b"AM1 hook ../h m - 1 0\n",
    "a carriage return": b"AM1 hook h m - 1 0\r\n",
    "more variables than payload": b"AM1 hook h m - 1 5 1.0 - 6\n",
    "a length past the limit": b"AM1 hook h m - 1 16777217\n",
    "a line without end": b"A" * LONGEST_LINE,
    "bytes that are no letters": b"\xff\xfe\x00\n",
}


@each_row("data", NO_REQUESTS.values())
def test_what_is_no_request_is_refused(data: bytes) -> None:
    requests = Requests()
    requests.feed(data)

    with pytest.raises(BadFrame):
        requests.next()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(ends)]


CUTS = st.lists(st.integers(0, 10_000), max_size=8)


@given(st.lists(REQUESTS, min_size=1, max_size=4), st.lists(REPLIES, min_size=1, max_size=4), CUTS)
def test_requests_and_replies_arrive_as_they_were_sent_however_they_are_cut(
    requests: list[Request], replies: list[Reply], places: list[int]
) -> None:
    for frames, sent, before in ((Requests(), requests, b""), (Replies(), replies, HEARD)):
        arrived: list[object] = []
        for chunk in cut(b"".join(before + one.encode() for one in sent), places):
            frames.feed(chunk)
            while (one := frames.next()) is not None:
                arrived.append(one)
        assert arrived == sent
        assert not isinstance(frames, Requests) or frames.waiting == 0


@given(st.binary(max_size=2000))
def test_no_bytes_crash_either_end(data: bytes) -> None:
    for decoder in (Requests(), Replies()):
        decoder.feed(data)
        try:
            found = decoder.next()
        except (BadFrame, Refused):
            continue
        assert found is None or data.startswith(b"AM1 ")


def test_a_refusal_is_one_line_whatever_its_sentence_holds() -> None:
    line = refusal("no\nAM1 0 0 0\n é \x00" + "x" * 1000)

    replies = Replies()
    replies.feed(line)
    with pytest.raises(Refused, match=r"^no\?AM1 0 0 0\? "):
        replies.next()
    assert line.count(b"\n") == 1
    assert len(line) <= LONGEST_LINE


@pytest.mark.parametrize("answer", [b"AM1 maybe\n", b"HTTP/1.1 200 OK\r\n", b"AM1 0 16777216 1\n"])
def test_an_answer_that_is_none_is_no_answer(answer: bytes) -> None:
    replies = Replies()
    replies.feed(answer)

    with pytest.raises(BadFrame):
        replies.next()


@pytest.mark.parametrize(
    "request_",
    [
        Request("json", b"", host="two words"),
        Request("json", b"", host="a\nb"),
        Request("json", b"", token="é"),
        Request("json", b"x" * (LONGEST_PAYLOAD + 1)),
        Request("json", b"", deadline_ms=-1),
    ],
    ids=["a blank", "a new line", "no hex", "too large", "no time"],
)
def test_a_request_that_could_not_be_read_is_not_sent(request_: Request) -> None:
    with pytest.raises(BadFrame):
        request_.encode()


def test_a_deadline_is_bounded() -> None:
    requests = Requests()
    requests.feed(b"AM1 json - - - 9999999 0\n")

    request = requests.next()
    assert request is not None
    assert request.deadline_ms == LONGEST_DEADLINE_MS


RIGHTS = {
    Right.DECIDE: {Right.DECIDE},
    Right.PROMPT: {Right.DECIDE, Right.PROMPT},
    Right.PERSON: {Right.DECIDE, Right.PERSON},
    Right.HTTP: set(),
}


@pytest.mark.parametrize("right", Right)
def test_a_token_has_its_rights_and_no_other(folder: StateFolder, right: Right) -> None:
    assert Tokens.of(folder).rights(token_of(folder, right)) == RIGHTS[right]


def test_tokens_outlive_the_daemon_that_made_them_for_their_owner_alone(
    folder: StateFolder,
) -> None:
    given_out = [token_of(folder, right) for right in Right]

    known = Tokens.of(folder)

    assert all(known.over_loopback(one) for one in given_out)
    assert len(set(given_out)) == len(Right)
    assert {stat.S_IMODE(os.stat(folder.token(right)).st_mode) for right in Right} == {0o600}
    assert not any(one in repr(known) for one in given_out)


KNOWN = tuple((right, (b"%02d" % place) * 32) for place, right in enumerate(Right))


@given(st.text(max_size=100) | st.text("0123", max_size=70))
def test_no_other_text_has_a_right_or_opens_loopback(text: str) -> None:
    tokens, offered = Tokens(KNOWN), text.encode("utf-8", "replace")

    right = next((right for right, known in KNOWN if offered == known), None)
    assert bool(tokens.rights(text)) == (right not in (None, Right.HTTP))
    assert (tokens.over_loopback(text) is not None) == (right is not None)


def test_over_loopback_the_http_token_decides_and_others_stay_what_they_are(
    folder: StateFolder,
) -> None:
    tokens, decide = Tokens.of(folder), token_of(folder, Right.DECIDE)

    assert tokens.over_loopback(token_of(folder, Right.HTTP)) == decide
    for right in (Right.DECIDE, Right.PROMPT, Right.PERSON):
        assert tokens.over_loopback(token_of(folder, right)) == token_of(folder, right)
