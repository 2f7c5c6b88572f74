"""What a name alone says of a tool, and what its input proves."""

import asyncio
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Action, Other, Read, ToolCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.gate.layer import Trail
from automode.programs.call_facts import CallFacts
from automode.sessions.layers import NamedOnly, proved
from tests.reading import facts_of
from tests.rows import each_row

PROVED: list[tuple[str, Mapping[str, object], bool]] = [
    ("read_file", {"path": "a", "offset": 1, "limit": 2}, True),
    ("read_files", {"paths": ["a", "b"]}, True),
    ("grep", {"pattern": "x", "-n": True, "-A": 3}, True),
    ("find", {"pattern": "*.py", "path": None}, True),
    ("str_replace_editor", {"command": "view", "path": "a", "view_range": [1, 2]}, True),
    ("list", {"command": "view", "path": "a"}, False),
    ("list", {"pattern": ["a", {"then": "delete"}]}, False),
    ("list", {"path": ".", "depth": "; rm -rf /"}, False),
    ("read_file", {"path": "a", "mode": "w"}, False),
    ("todo_write", {}, False),
    ("Task-Update", {"path": "a"}, False),
]


@each_row("tool, given_input, expected", PROVED)
def test_only_paths_patterns_and_numbers_prove_that_a_tool_reads(
    tool: str, given_input: Mapping[str, object], expected: bool
) -> None:
    assert proved(tool_call(tool, given_input)) is expected


@given(st.text(), st.text(min_size=1))
def test_no_text_in_a_field_that_nobody_knows_is_proof(field: str, text: str) -> None:
    assert not proved(ToolCall("list", Read((".",)), {"path": ".", f"{field}-then": text}))


class Shown:
    """Remembers what it was shown."""

    name = "shown"

    def __init__(self) -> None:
        self.action: Action | None = None

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> None:
        self.action = facts.call.action


def test_a_layer_goes_by_the_name_in_every_session_but_the_doubted_one() -> None:
    place = Workspace("/p", "/p", "/home/nobody", Disk())
    call = tool_call("task_update", {})
    found = []
    for session in ("python/own", "python/other"):
        shown = Shown()
        asyncio.run(
            NamedOnly(shown, "python/own")(facts_of(call, place), Session(session, place), ())
        )
        found.append(shown.action)

    assert found == [Other(), Read()]
