"""Reading patterns, and which calls they speak of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Other, Read, Shell, ToolCall, Write
from automode.core.errors import BadPattern
from automode.core.tools import tool_call
from automode.rules.pattern import MAX_CHARACTERS, Pattern, Rule, parse
from tests.rows import each_row

READ = {
    "bash": ("bash", None),
    "Bash": ("bash", None),
    "bash()": ("bash", None),
    "bash(*)": ("bash", None),
    " run_shell_command( git push * ) ": ("bash", "git push *"),
    "@bash(ls)": ("bash", "ls"),
    "bash(echo (a))": ("bash", "echo (a)"),
    "bash(a\nb)": ("bash", "a\nb"),
    "write(src/**)": ("write", "src/**"),
    "write(**)": ("write", "**"),
    "mcp__github__*": ("mcp__github__*", None),
    "mcp:github/create": ("mcp__github__create", None),
    "web_fetch(domain:example.com)": ("web_fetch", "domain:example.com"),
    "*": ("*", None),
}

UNREADABLE = [
    *("", " ", "()", "bash(", "bash(ls", "bash ls", "bash)ls(", "git push(x)", "bash(a\0)"),
    "bash(" + "x" * MAX_CHARACTERS + ")",
]


@each_row("text, parts", READ.items())
def test_a_pattern_is_a_tool_and_maybe_an_argument(
    text: str, parts: tuple[str, str | None]
) -> None:
    assert parse(Rule(text)) == Pattern(Rule(text), *parts)


@each_row("text", UNREADABLE)
def test_what_is_no_pattern_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(BadPattern) as refused:
        parse(Rule(text))

    assert refused.value.hint


@given(st.text(max_size=50))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tool = parse(Rule(text)).tool
    except BadPattern as refused:
        tool = refused.hint

    assert tool


@each_row(
    "text, call, about, permits",
    [
        ("shell", tool_call("Bash", {"command": "ls"}), True, True),
        ("bash", ToolCall("my_console", Shell("ls")), True, True),
        ("my_console", ToolCall("my_console", Shell("ls")), True, False),
        ("bash", tool_call("PowerShell", {"command": "ls"}), False, False),
        ("edit", tool_call("Write", {"path": "a"}), True, False),
        ("write", tool_call("apply_patch", {"input": "*** Add File: a"}), True, False),
        ("read", tool_call("Grep", {"path": "a"}), True, False),
        ("read", tool_call("Glob", {"path": "a"}), False, False),
        ("read", tool_call("str_replace_editor", {"command": "view", "path": "a"}), True, False),
        ("read", ToolCall("peek", Read(("a",))), True, True),
        ("write", ToolCall("poke", Write(("a",))), True, True),
        ("mcp__x__*", tool_call("mcp:X/Y", {}), True, True),
        ("read", tool_call("mcp__x__read", {}), False, False),
        ("read", ToolCall("read", Other()), True, False),
        ("run_*", tool_call("run_shell_command", {"command": "ls"}), True, False),
        ("*", tool_call("TodoWrite", {}), True, True),
    ],
)
def test_rules_that_tighten_know_every_name_and_rules_that_allow_only_one(
    text: str, call: ToolCall, *, about: bool, permits: bool
) -> None:
    pattern = parse(Rule(text))

    assert (pattern.about(call), pattern.permits(call)) == (about, permits)
