"""How much code one decision walks through: modules, functions and the depth of calls.

Decides `git status` for a recorded payload of Claude Code, from the adapter to the record in the
store, in a temporary home. Only this package's own code is counted. Another call is decided first,
so that tables that are loaded once do not count.

    python tools/trace_call.py [-v] [COMMAND]
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType

import automode

PACKAGE = os.path.dirname(automode.__file__) + os.sep
WARM_UP = "git log -1"


class Trace:
    """Counts calls of functions of this package while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.calls: Counter[CodeType] = Counter()
        self.depth = 0
        self.deepest: list[str] = []

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        if not self.on or event != "call" or not counts(frame.f_code):
            return
        self.calls[frame.f_code] += 1
        stack = []
        above: FrameType | None = frame
        while above is not None:
            if counts(above.f_code):
                stack.append(shown(above.f_code))
            above = above.f_back
        if len(stack) > self.depth:
            self.depth, self.deepest = len(stack), stack[::-1]

    @property
    def modules(self) -> Counter[str]:
        return Counter(code.co_filename.removeprefix(PACKAGE) for code in self.calls)


def counts(code: CodeType) -> bool:
    """Comprehensions are no functions to a reader."""
    return code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<")


def shown(code: CodeType) -> str:
    return f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_qualname}"


def payload(command: str, project: str) -> dict[str, object]:
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "3c1d",
        "cwd": project,
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "look"},
        "tool_use_id": f"toolu_{abs(hash(command))}",
    }


async def decide(folder: Path, trace: Trace, command: str) -> str:
    """The answer to the agent. Everything is imported here: `HOME` is set before."""
    from automode.agents.claude_code.payloads import ClaudeCode
    from automode.agents.events import CallProposed
    from automode.assemble import build_service, own_folders
    from automode.config.places import Places
    from automode.store.folder import StateFolder
    from automode.store.writer import Writer

    project = folder / "project"
    state = StateFolder(str(folder / "state")).prepared()

    def places(root: str | None) -> Places:
        return Places.of(home=folder, environment={}, project=root, config_folder=folder / "config")

    async with Writer(state) as writer:
        decisions = build_service(
            writer,
            places=places,
            key=b"k" * 32,
            account="tracer",
            environment={},
            folders=own_folders(places(None), state.path),
            home=str(folder),
        )
        adapter, answer = ClaudeCode(), None
        for text in (WARM_UP, command):
            trace.on = text == command
            event = adapter.parse(payload(text, str(project)))
            if not isinstance(event, CallProposed):
                raise SystemExit("the payload proposes no call")
            ruling = await decisions.decide(event, adapter.name, seconds=30)
            answer = adapter.render(event, ruling.decision)
        trace.on = False
        await decisions.close()
    return "" if answer is None else answer.stdout


def in_new_home(work: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "project" / ".git").mkdir(parents=True)
        (folder / "project" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / "project" / ".git" / "config").write_text("[core]\n\tbare = false\n")
        (folder / "project" / ".git" / "objects").mkdir()
        (folder / "project" / ".git" / "refs").mkdir()
        os.environ.pop(
            "HOME", None
        )  # with another home than the account's each call is judged twice
        work(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="?", default="git status")
    parser.add_argument("-v", "--verbose", action="store_true", help="list them all")
    options = parser.parse_args()
    trace = Trace()

    def work(folder: Path) -> None:
        threading.setprofile(trace)
        sys.setprofile(trace)
        try:
            answer = asyncio.run(decide(folder, trace, options.command))
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        with suppress(ValueError):
            answer = json.loads(answer)["hookSpecificOutput"]["permissionDecision"]
        print(f"{options.command}: {answer}")

    in_new_home(work)
    if options.verbose:
        for name, count in sorted(trace.modules.items()):
            print(f"  {name}: {count}")
            for code, calls in trace.calls.items():
                if code.co_filename.removeprefix(PACKAGE) == name:
                    print(f"      {code.co_qualname} {calls}")
        print("deepest:", *trace.deepest, sep="\n  ")
    rooms = Counter(name.partition(os.sep)[0] for name in trace.modules)
    print(", ".join(f"{room} {count}" for room, count in sorted(rooms.items())))
    print(f"modules {len(trace.modules)}, functions {len(trace.calls)}, depth {trace.depth}")


if __name__ == "__main__":
    main()
