"""Both parsers: what they accept, where they differ, and when they are stopped."""

import subprocess
import sys
import time

import pytest

from automode.facts import reader
from automode.facts.reader import by_shfmt, by_tree_sitter
from automode.shell.syntax import Seq, Simple, Text, Unread
from tests.rows import each_row


def soon() -> float:
    return time.monotonic() + 5


@each_row(
    "script",
    [
        *("ls -l 'a b' | wc", "a && b || c; d & e", "if a; then b; else c; fi", "f() { a; }"),
        *("for x in 1 2; do a $x; done", "case x in a|b) c;; esac", "a <<E\n$(b)\nE", "! a | b"),
        *(
            "[[ -f x && $y == z ]]",
            "((1 + 2))",
            "x=1 c",
            "y=(a b)",
            "a > b 2>&1",
            "a <<< c",
            "time a",
        ),
        *('"${x:-$(a)}" $((1+2))', "while a; do b; done > c", "(a; { b; }) &", "export A=1 B"),
    ],
)
def test_both_parsers_read_it_alike(script: str) -> None:
    source = script.encode()
    assert by_tree_sitter(source) == by_shfmt(source, soon())


@pytest.mark.parametrize("script", ["echo ==\nrm x", 'echo `echo "a"`\n\necho ` rm "b"`'])
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
    def started() -> str:
        raise AssertionError

    monkeypatch.setattr(reader, "_shfmt", started)
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


def test_rare_characters_stay_what_they_are() -> None:
    assert by_tree_sitter("echo 'ž{🚀' ñandú".encode()) == by_shfmt(
        "echo 'ž{🚀' ñandú".encode(), time.monotonic() + 60
    )


READ_ALIKE = [
    "python3 - <<'PY'\nprint(1)\nPY\n",
    "git commit -q -F - <<'EOF'\na message\nEOF\n",
    "cat >> a.go <<'EOF'\n\n// a test\nfunc x() {}\nEOF\n",
    "cat <<EOF > a\n\n\n$(date)\nEOF\nls\n",
    "cat <<-EOF\n\n\tx\n\tEOF\n",
]


@pytest.mark.parametrize("text", READ_ALIKE)
def test_both_parsers_read_a_here_document_alike(text: str) -> None:
    """The grammar of tree-sitter takes `- <<` for one, and loses a first empty line."""
    assert by_tree_sitter(text.encode()) == by_shfmt(text.encode(), time.monotonic() + 60)


NOT_MASKED = ["x=$((1 << SHIFT))\n\nrm -rf /\n", "echo 'a << B\n\nc'; rm -rf /\n", "cat <<E\n\nE\n"]


@pytest.mark.parametrize("text", NOT_MASKED)
def test_what_only_looks_like_a_here_document_hides_no_command(text: str) -> None:
    """Where a letter in place of a line's end reads otherwise, the parsers disagree."""
    ours, theirs = (by_tree_sitter(text.encode()), by_shfmt(text.encode(), time.monotonic() + 60))

    assert ours != theirs or ("rm" in text) == ("rm" in repr(ours))
