"""Both parsers: where they differ, when they are stopped; what the reader keeps."""

import asyncio
import subprocess
import sys
import time

import pytest

from automode.core.call import Shell, ToolCall
from automode.core.workspace import Workspace
from automode.facts import child, reader
from automode.facts.files import Names
from automode.facts.reader import (
    SIZE_LIMIT_BYTES,
    UNCHECKED_LIMIT_BYTES,
    ShellReader,
    by_shfmt,
    by_tree_sitter,
)
from automode.shell.plain import plain_script
from automode.shell.script import Script
from automode.shell.syntax import Node, Seq, Simple, Text, Unread
from tests.reading import PATIENT_SECONDS
from tests.rows import each_row, texts

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


def test_a_reading_is_kept_for_the_same_text_and_place() -> None:
    shell = ShellReader(PATIENT_SECONDS)
    assert shell.full("ls", WORKSPACE) is shell.full("ls", WORKSPACE)


def test_a_reading_is_not_kept_for_another_place() -> None:
    shell = ShellReader(PATIENT_SECONDS)
    other = Workspace("/x", "/x", "/home/u", Names("/x"))
    assert shell.full("ls", WORKSPACE).commands[0].cwd == "/w"
    assert shell.full("ls", other).commands[0].cwd == "/x"


def test_one_parsers_reading_never_stands_for_both() -> None:
    shell = ShellReader(PATIENT_SECONDS)
    assert not shell.first("ls", WORKSPACE).complete
    assert shell.full("ls", WORKSPACE).complete


def test_a_script_that_is_too_long_is_not_parsed() -> None:
    reading = ShellReader(PATIENT_SECONDS).full("#" * (SIZE_LIMIT_BYTES + 1), WORKSPACE)
    assert reading.commands == ()
    assert not reading.complete


def test_a_script_inside_a_script_may_not_be_longer_either() -> None:
    assert (
        not ShellReader(PATIENT_SECONDS).full("bash -c '" + "é" * 31_000 + "'", WORKSPACE).complete
    )


def test_broken_text_is_only_shown_to_tree_sitter_while_it_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    def measured(source: bytes) -> Node:
        sizes.append(len(source))
        return reader.by_tree_sitter(source)

    monkeypatch.setattr(reader, "by_tree_sitter", measured)
    ShellReader(PATIENT_SECONDS).full("rm x; <" + "<" * UNCHECKED_LIMIT_BYTES, WORKSPACE)
    ShellReader(PATIENT_SECONDS).first("rm x; <" + "<" * UNCHECKED_LIMIT_BYTES, WORKSPACE)
    assert sizes == []


def test_danger_is_still_seen_in_short_broken_text() -> None:
    listed = ShellReader(PATIENT_SECONDS).full("rm -rf x\nif", WORKSPACE)
    assert not listed.complete
    assert any(command.program == "rm" for command in listed.commands)


@pytest.mark.parametrize("text", ["\ud800", "ls \udfff", "echo '\ud83d'"])
def test_text_that_is_no_unicode_is_incomplete(text: str) -> None:
    assert not ShellReader(PATIENT_SECONDS).full(text, WORKSPACE).complete


@each_row(
    "text",
    [
        *("ls\r", "ls\0", "ls \u200b", "ls\u00a0-l", "ls \u202e", "cat >&-x", "cat <& -x"),
        *('"$\\\n(ls)"', "ls 99999999999>x", "ls >2>&1", "a=()b=()", "$'\\x6cs'"),
    ],
)
def test_misleading_text_is_incomplete_also_inside_a_script(text: str) -> None:
    assert not ShellReader(PATIENT_SECONDS).full(text, WORKSPACE).complete
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\r", "\\r")
    assert not ShellReader(PATIENT_SECONDS).full(f"bash -c $'{escaped}'", WORKSPACE).complete


@each_row(
    "text, why",
    [
        ("echo a\u200bb", "it contains invisible or control characters"),
        ("echo a >&-b", "a closed descriptor is followed by a word"),
        ("echo a <& -b", "a closed descriptor is followed by a word"),
        ("a=()b=()", "a word follows an array without a blank"),
        ("echo 99999999999>f", "a number in front of a redirect is no descriptor"),
        ("cat 99999999999<f", "a number in front of a redirect is no descriptor"),
        ("echo a >2>f", "a number in front of a redirect is no descriptor"),
        ("cat <2<f", "a number in front of a redirect is no descriptor"),
        ('echo "$\\\n(rm x)"', "a line is joined in the middle of an operator"),
        ("$'\\x72m' x", "letters are written as numbers"),
    ],
)
def test_each_kind_of_misleading_text_is_named(text: str, why: str) -> None:
    assert why in ShellReader(PATIENT_SECONDS).first(text, WORKSPACE).gaps


def test_without_the_second_parser_nothing_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise reader.ShfmtMissing

    monkeypatch.setattr(reader, "_shfmt", missing)
    reading = ShellReader(PATIENT_SECONDS).full("rm x", WORKSPACE)
    assert not reading.complete
    assert reading.commands[0].program == "rm"
    assert not _script(ShellReader(PATIENT_SECONDS), "ls -la").complete


def test_past_the_deadline_nothing_is_complete() -> None:
    assert not ShellReader(-1.0).full("ls", WORKSPACE).complete


def _script(shell: ShellReader, text: str) -> Script:
    call = ToolCall("bash", Shell(text))
    return asyncio.run(shell.facts(call, WORKSPACE)).script


def test_plain_text_has_its_second_opinion_without_a_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = ShellReader(PATIENT_SECONDS)
    monkeypatch.setattr(reader, "run_bounded", None)

    assert _script(shell, "git log -3 | head -5 && ls 'a b'").complete


@pytest.mark.parametrize("text", ["ls } }\nrm x", "ls; a } }\nrm x"])
def test_plain_text_on_which_the_parsers_differ_is_incomplete(text: str) -> None:
    shell = ShellReader(PATIENT_SECONDS)
    assert plain_script(text) is not None

    assert not _script(shell, text).complete
    assert "rm" in [command.program for command in _script(shell, text).commands]


SCRIPTS = ["if x; then ls; fi", "cat <<E\nx\nE", "bash -c 'ls; rm x'", "ls (", "a | b &"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_full_reading_is_the_same_whether_a_quick_one_came_before(script: str) -> None:
    quick_first = ShellReader(PATIENT_SECONDS)
    quick_first.first(script, WORKSPACE)

    assert quick_first.full(script, WORKSPACE) == ShellReader(PATIENT_SECONDS).full(
        script, WORKSPACE
    )
    assert _script(ShellReader(PATIENT_SECONDS), script) == ShellReader(PATIENT_SECONDS).full(
        script, WORKSPACE
    )


def test_readings_that_are_kept_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "KEPT_CHARACTERS", 10)
    shell = ShellReader(PATIENT_SECONDS)
    for number in range(5):
        shell.full(f"ls {number}", WORKSPACE)

    assert len(shell._kept) == 2


def soon() -> float:
    return time.monotonic() + PATIENT_SECONDS


@each_row("script", texts("facts", "parsers-alike"))
def test_both_parsers_read_it_alike(script: str) -> None:
    """The grammar of tree-sitter takes `- <<` for a here-document, and loses a first empty line."""
    source = script.encode()
    assert by_tree_sitter(source) == by_shfmt(source, soon())


@pytest.mark.parametrize("script", ["ls } }\nrm x", 'echo `echo "a"`\n\necho ` rm "b"`'])
def test_what_one_parser_hides_the_other_shows(script: str) -> None:
    source = script.encode()
    assert by_tree_sitter(source) != by_shfmt(source, soon())


@pytest.mark.parametrize("script", ["if", "a | | b", "'open", "a )", "case x in", "a <<<"])
def test_shfmt_rejects_what_bash_rejects(script: str) -> None:
    assert isinstance(by_shfmt(script.encode(), soon()), Unread)


def test_broken_places_are_unread_and_the_rest_is_kept() -> None:
    node = by_tree_sitter(b"rm x\nif")
    assert isinstance(node, Seq)
    assert Simple(((Text("rm"),), (Text("x"),))) in node.items
    assert isinstance(node.items[-1], Unread)


def test_shfmt_is_not_started_past_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*given: object) -> tuple[int, int, int]:
        raise AssertionError

    monkeypatch.setattr(child, "_spawn", started)
    assert by_shfmt(b"ls", time.monotonic() - 1) == Unread("shfmt took too long")


def test_a_reply_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "REPLY_LIMIT_BYTES", 10)
    assert isinstance(by_shfmt(b"ls; ls; ls", soon()), Unread)


EVERY_KIND_OF_CHARACTER = """
from automode.facts.reader import by_tree_sitter
for number in [*range(0x100, 0x3000), *range(0x3000, 0x110000, 61)]:
    if not 0xD800 <= number < 0xE000:
        for text in ("{%s", "{%s..3}", "$%s", "<<%s\\nx\\n%s"):
            by_tree_sitter(text.replace("%s", chr(number)).encode())
print("all read")
"""


def test_no_character_takes_the_process_down() -> None:
    """In a process of its own: the grammar's scanner once read past its table."""
    done = subprocess.run(
        [sys.executable, "-c", EVERY_KIND_OF_CHARACTER], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, "all read\n")


NOT_MASKED = ["x=$((1 << SHIFT))\n\nrm -rf /\n", "echo 'a << B\n\nc'; rm -rf /\n", "cat <<E\n\nE\n"]


@pytest.mark.parametrize("text", NOT_MASKED)
def test_what_only_looks_like_a_here_document_hides_no_command(text: str) -> None:
    """Where a letter in place of a line's end reads otherwise, the parsers disagree."""
    ours, theirs = (by_tree_sitter(text.encode()), by_shfmt(text.encode(), soon()))

    assert ours != theirs or ("rm" in text) == ("rm" in repr(ours))
