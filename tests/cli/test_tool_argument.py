"""What typed words mean for each tool."""

from collections.abc import Mapping

import pytest

from automode.cli.call_input import TOOLS, typed_input
from automode.core.call import Other, Read
from automode.core.tools import canonical, tool_call

INPUTS: dict[tuple[str, ...], Mapping[str, object]] = {
    ("bash", "ls -l"): {"command": "ls -l"},
    ("bash", "git", "log", "a b"): {"command": ["git", "log", "a b"]},
    ("bash", "{ ls; }"): {"command": "{ ls; }"},
    ("Write", "a.py"): {"file_path": "a.py"},
    ("edit", "a.py", "b.py"): {"paths": ["a.py", "b.py"]},
    ("write", '{"path": "a"}'): {"path": "a"},
    ("ls",): {},
    ("fetch", "https://x"): {"url": "https://x"},
    ("web_search", "how", "to"): {"query": "how to"},
    ("task", "do it"): {"prompt": "do it"},
    ("mcp__x__y",): {},
    ("mcp__x__y", ' {"a": 1}'): {"a": 1},
}


@pytest.mark.parametrize(("words", "expected"), INPUTS.items())
def test_typed_words_become_an_input(
    words: tuple[str, ...], expected: Mapping[str, object]
) -> None:
    assert typed_input(words[0], words[1:]) == expected


@pytest.mark.parametrize("tool", TOOLS)
def test_every_completed_tool_is_a_name_that_rules_use(tool: str) -> None:
    call = tool_call(tool, typed_input(tool, ("word",)))

    assert canonical(tool) == tool
    assert tool == "web_search" or not isinstance(call.action, Other)
    assert isinstance(call.action, Read) == (tool in ("read", "grep", "find", "ls"))
