"""The plainest part of bash, read by patterns: never otherwise than shfmt reads it."""

import time
import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.facts.reader import by_shfmt
from automode.shell.plain import LONGEST, plain_script
from tests.reading import PATIENT_SECONDS
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))


@each_row("text", ROWS["plain"])
def test_plain_text_is_read_as_shfmt_reads_it(text: str) -> None:
    found = plain_script(text)

    assert found is not None
    assert found == by_shfmt(text.encode(), time.monotonic() + PATIENT_SECONDS)


@each_row("text", ROWS["not-plain"])
def test_what_is_not_plain_to_the_last_character_has_no_reading(text: str) -> None:
    assert plain_script(text) is None


def test_a_long_text_has_no_reading() -> None:
    assert plain_script("a" * LONGEST) is not None
    assert plain_script("a" * (LONGEST + 1)) is None


@given(
    st.lists(
        st.tuples(st.sampled_from(ROWS["plain-fragments"]), st.sampled_from((" ", " ", ""))),
        min_size=1,
        max_size=8,
    )
)
def test_what_is_plain_shfmt_reads_alike(pieces: list[tuple[str, str]]) -> None:
    text = "".join(fragment + blank for fragment, blank in pieces)

    found = plain_script(text)

    assert found is None or found == by_shfmt(text.encode(), time.monotonic() + PATIENT_SECONDS)
