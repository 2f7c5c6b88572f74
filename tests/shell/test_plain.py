"""The plainest part of bash, read by patterns: never otherwise than shfmt reads it."""

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.facts.reader import by_shfmt
from automode.shell.plain import LONGEST, plain_script
from automode.shell.syntax import Node, Param, Pipe, Redir, Seq, Simple, Text
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))

PLAIN: dict[str, Node] = {
    "ls -la src/*.py": Simple(((Text("ls"),), (Text("-la"),), (Text("src/*.py"),))),
    "cat 'a b' \"c $D\"": Simple(
        (
            (Text("cat"),),
            (Text("a b", quoted=True),),
            (Text("c ", quoted=True), Param("D", "$D", quoted=True)),
        )
    ),
    "a 2>&1 | b >out; c": Seq(
        (
            Pipe(
                (
                    Simple(((Text("a"),),), (), (Redir(">&", (Text("1"),), "2"),)),
                    Simple(((Text("b"),),), (), (Redir(">", (Text("out"),)),)),
                )
            ),
            Simple(((Text("c"),),)),
        ),
        (";", ";"),
    ),
    "a && b || c\n# why\n\nd;": Seq(
        tuple(Simple(((Text(name),),)) for name in "abcd"), (";", "&&", "||", ";")
    ),
    "find . ! -name x \\\n  -exec rm {} \\;": Simple(
        (
            *((Text(word),) for word in ("find", ".", "!", "-name", "x", "-exec", "rm", "{}")),
            (Text(";", quoted=True),),
        )
    ),
}


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_is_read(text: str) -> None:
    assert plain_script(text) == PLAIN[text]


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

    assert found is None or found == by_shfmt(text.encode(), time.monotonic() + 5)
