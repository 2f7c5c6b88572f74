"""What one-liners in other languages hand to a shell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Shell, ToolCall
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.floor.layer import Floor
from automode.programs.inline_code import shell_calls
from tests.reading import facts_of
from tests.rows import each_row

FLOOR = Floor()
WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


@each_row(
    "code, found",
    [
        ('system("rm -rf /")', ["rm -rf /"]),
        ("exec 'rm', '-rf'", ["rm", "-rf"]),
        ("print `id`", ["id"]),
        ("qx{id}; qx(ls)", ["id", "ls"]),
        ("%x(ls -la)", ["ls -la"]),
        ('os.execute("id")', ["id"]),
        ('BEGIN{system("a \\"b\\"")}', ['a "b"']),
        ('do shell script "id"', ["id"]),
        ('print "system"; "x"', []),
        ('say "hello"', []),
    ],
)
def test_literal_commands_are_found(code: str, found: list[str]) -> None:
    assert list(shell_calls(code)) == found


@each_row(
    "command",
    [
        "perl -e 'system(\"rm -rf /\")'",
        "ruby -e '`rm -rf ~`'",
        "php -r 'shell_exec(\"rm -rf /\");'",
        "awk 'BEGIN{system(\"rm -rf ~\")}'",
        "lua -e 'os.execute(\"rm -rf /\")'",
        "osascript -e 'do shell script \"rm -rf ~\"'",
        "vim -c ':!rm -rf ~' -c ':q'",
        "sqlite3 x.db '.shell rm -rf ~'",
        "psql -c '\\! rm -rf ~'",
        "gdb -batch -ex 'shell rm -rf ~'",
        "ed -s f <<< '!rm -rf ~'",
    ],
)
def test_the_floor_sees_through_them(command: str) -> None:
    decision = FLOOR.judge(facts_of(ToolCall("bash", Shell(command)), WORKSPACE))

    assert decision is not None
    assert decision.source == "floor.delete-root"


@pytest.mark.parametrize("command", ["perl -e 'print \"rm -rf /\"'", "awk '/rm -rf/ {print}' log"])
def test_mere_text_is_not_a_command(command: str) -> None:
    assert FLOOR.judge(facts_of(ToolCall("bash", Shell(command)), WORKSPACE)) is None


@given(st.text(max_size=80))
def test_no_text_raises(code: str) -> None:
    assert all(isinstance(text, str) for text in shell_calls(code))
