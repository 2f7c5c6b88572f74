"""What holds for any text: no error, bounded work, and no wrapping that makes an answer looser."""

# ruff: noqa: E501 - a row of a table is one script
import shlex
import signal
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from hypothesis import assume, given
from hypothesis import strategies as st

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.guards.reads.read_only import ReadOnly
from automode.programs.call_facts import CallFacts
from automode.shell.script import Script
from automode.shell.state import COMMAND_LIMIT
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))
WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))
WATCHDOG_SECONDS = 20  # of the processor: a busy machine is no reason to give up


READER = ShellReader()
READ_ONLY = ReadOnly()


@contextmanager
def watched() -> Iterator[None]:
    """Ends a test that hangs; far above anything that could be called a measurement."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, WATCHDOG_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def read(text: str) -> Script:
    with watched():
        return READER.full(text, WORKSPACE)


def allowed(text: str) -> bool:
    return isinstance(
        READ_ONLY.script(CallFacts(ToolCall("bash", Shell(text)), WORKSPACE, READER)), Decision
    )


TOKENS = st.sampled_from(
    r"""ls rm echo cat bash eval if then else fi for in do done while case esac function { } ( ) [[ ]]
    (( )) ; & && || | |& < > >> << <<- <<< <( >( $( ` " ' \ $ ${ } $x ${x} "$@" x= x+= a=( # ! time
    coproc select $' $" $(( {a,b} {1..9} * ? [ ] ~ -c -exec {} + \; EOF 2>&1 >& <& - = == =~ -eq""".split()
)
SOUP = st.lists(
    st.one_of(TOKENS, st.sampled_from([" ", "\n", "\t", "", "\\\n", "\r", "\0", "\u200b"])),
    max_size=60,
).map(lambda parts: " ".join(parts) if len(parts) % 2 else "".join(parts))


@given(st.one_of(st.text(max_size=200), SOUP, SOUP, st.binary(max_size=80).map(str)))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for reading in (read(text), READER.first(text, WORKSPACE)):
        assert len(reading.commands) <= COMMAND_LIMIT


@given(SOUP)
def test_one_parsers_reading_is_never_complete(text: str) -> None:
    assert not READER.first(text, WORKSPACE).complete


@given(SOUP)
def test_an_incomplete_reading_is_never_allowed(text: str) -> None:
    assume(not read(text).complete)
    assert not allowed(text)


def nested(opening: str, inside: str, closing: str, depth: int) -> str:
    return opening * depth + inside + closing * depth


HEAVY = [
    *(
        unit * (4_000 // len(unit))
        for unit in ("<", "((", "$((", "{", "<<A ", "a=(", ")", "`", "$[")
    ),
    *(unit * (30_000 // len(unit)) for unit in ("a b;", "{a,b}{c,d} ", "{1..100} ", "echo *(a);")),
    *(nested("(", "a", ")", n) for n in (40, 400, 4_000)),
    *(nested("a $(", "a", ")", n) for n in (40, 400, 4_000)),
    nested("if a; then ", "b", "; fi", 300),
    nested("for x in {1..16}; do ", "[[ a ]]", "; done", 8),
    nested("f() { ", "ls", "; }", 60),
    "x= 2>&1  ",
    "x=aaaaaaaa;" + "x=$x$x;" * 60 + 'bash -c "$x"',
    "x='" + "a " * 4_000 + "'; echo " + "$x " * 2_000,
    ";".join(f"bash -c 'ls {number}'" for number in range(300)),
    "sudo " * 3_000 + "ls",
    "echo a " + "| xargs " * 2_000 + "ls",
    "echo " + "QUFB" * 10_000 + " | base64 -d | base64 -d | sh",
    "echo {1.." + "9" * 5_000 + "}",
]


@each_row("text", HEAVY)
def test_heavy_scripts_are_given_up_in_bounded_work(text: str) -> None:
    assert len(read(text).commands) <= COMMAND_LIMIT


PLAIN = ROWS["wrapped-scripts"]
WRAPPINGS = ROWS["wrappings"]


def wrapped(shape: str, script: str) -> str:
    return (
        shape.replace("{q}", shlex.quote(script))
        .replace("{{", "{")
        .replace("}}", "}")
        .replace("{}", script)
    )


@each_row("shape", WRAPPINGS)
def test_wrapping_never_makes_the_answer_looser(shape: str) -> None:
    refused = [script for script in PLAIN if not allowed(script)]
    assert refused
    assert [script for script in refused if allowed(wrapped(shape, script))] == []


@given(st.sampled_from(PLAIN), st.lists(st.sampled_from(WRAPPINGS), min_size=1, max_size=3))
def test_wrapping_several_times_never_makes_the_answer_looser(
    script: str, shapes: list[str]
) -> None:
    assume(not allowed(script))
    text = script
    for shape in shapes:
        assume("`" not in text or "`" not in shape)  # backticks do not nest: they end each other
        text = wrapped(shape, text)
    assert not allowed(text)


ODD = ROWS["odd-programs"]


@each_row("odd", ODD)
def test_odd_spelling_of_a_program_is_not_allowed(odd: str) -> None:
    assert not allowed(odd)
