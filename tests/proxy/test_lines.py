"""Lines are cut out of what arrives, and none is too long to be looked at."""

import asyncio
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.proxy.lines import Lines, StandardInput, StandardOutput, TooLong, frames


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_cuts_change_nothing(chunks: list[bytes]) -> None:
    lines = Lines()

    found = [line for chunk in chunks for line in lines.feed(chunk)]

    assert b"".join([*found, lines.rest()]) == b"".join(chunks)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in found)


def test_a_line_without_end_is_not_waited_for_for_ever() -> None:
    lines = Lines(longest=10)

    assert list(lines.feed(b"12345678\n")) == [b"12345678\n"]
    with pytest.raises(TooLong):
        list(lines.feed(b"more than ten bytes"))


def test_this_process_takes_and_gives_frames() -> None:
    async def copied() -> list[bytes]:
        (source, fill), (drain, sink) = os.pipe(), os.pipe()
        os.write(fill, b"one\n\n \ntwo\nlast")
        os.close(fill)
        out = StandardOutput(sink)
        async for frame in frames(StandardInput(source).read):
            await out.write(frame)
        os.close(sink)
        return os.read(drain, 100).splitlines(keepends=True)

    assert asyncio.run(copied()) == [b"one\n", b"two\n", b"last\n"]
