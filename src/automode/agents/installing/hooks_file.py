"""Plans how automode's hooks go into a JSON file that lists hooks by event, and out of it again.

The agents that have such files agree on their shape: `hooks`, then an event, then groups of hooks.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from automode.agents.installing.apply import present
from automode.agents.installing.claude_settings import (
    Entries,
    ours,
    status_lines,
    variables,
    with_entries,
    without_entries,
)
from automode.agents.installing.plan import (
    OWNER_ONLY,
    CannotInstall,
    Change,
    Placed,
    Receipt,
    Scope,
    Transport,
)
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program
from automode.config.json_edit import Edited, root_of
from automode.config.jsonc import MARK, content
from automode.config.places import content as file_content
from automode.core.errors import BadSettings

EVERYBODY_READS = 0o644


@dataclass(frozen=True, slots=True)
class HooksFile:
    """`named` is what the agent calls it; it may be a link."""

    agent: str
    scope: Scope
    named: str
    comments: bool = False
    """Whether the agent reads a file with comments in it."""
    transport: Transport = Transport.COMMAND


def plan_hooks(
    file: HooksFile, entries: Entries, program: Program, receipts: Receipts
) -> tuple[Change, ...]:
    """Nothing where exactly these hooks stand there already. Raises CannotInstall."""
    path, before = present(file.named)
    base = base_of(path, before, receipts.find(file.agent, path), comments=file.comments)
    try:
        edited = with_entries(base, entries)
    except BadSettings as error:
        raise left_alone(path, error) from error
    if before is not None and before.strip() and _is_there(before, entries, edited):
        return ()
    mode = EVERYBODY_READS if file.scope is Scope.MANAGED else OWNER_ONLY
    change = Placed(file.agent, file.scope, file.named, path, before).change(
        edited.text.encode(),
        program.version,
        file.transport,
        base,
        pieces=edited.pieces,
        made=edited.made,
        mode=mode,
    )
    return (change,)


def plan_no_hooks(file: HooksFile, receipts: Receipts) -> tuple[Change, ...]:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    path, before = present(file.named)
    receipt = receipts.find(file.agent, path)
    try:
        blank = before is None or not before.strip()
        after = before if before is None or blank else without_entries(before, receipt)
    except (BadSettings, UnicodeDecodeError) as error:
        raise left_alone(path, error) from error
    unchanged = after == before and receipt is None
    return () if unchanged else (Change(path, before, after),)


def base_of(
    path: str, before: bytes | None, receipt: Receipt | None, *, comments: bool = False
) -> bytes | None:
    """The settings without us, as the agent can read them."""
    if before is None:
        return None
    try:
        base = without_entries(before, receipt) if before.strip() else before
        if not comments:
            need_strict_json(base or b"")
    except (BadSettings, UnicodeDecodeError) as error:
        raise left_alone(path, error) from error
    return base


def _is_there(data: bytes, entries: Entries, edited: Edited) -> bool:
    """Whether exactly these entries stand there, however they are laid out."""
    root = root_of(data.decode())
    shown = [content(line.value) for _, line in status_lines(root)]
    status = entries.status_line is None or entries.status_line in shown
    spared = variables(root) == variables(root_of(edited.text))
    return status and spared and has_hooks(data, entries)


def has_hooks(data: bytes, entries: Entries) -> bool:
    """Whether exactly these hooks stand there, however they are laid out."""
    found = sorted(ours(root_of(data.decode())), key=lambda row: row[0])
    return found == sorted(_wanted(entries.hooks), key=lambda row: row[0])


def _wanted(hooks: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for event, group in hooks.items():
        match group:
            case {"hooks": [handler]}:
                yield event, handler
            case _:
                yield event, None


def need_strict_json(data: bytes) -> None:
    """One comment, and the agent takes nothing from the file: no hook either."""
    text = data.decode().removeprefix(MARK)
    if not text.strip():
        return
    root_of(text)
    try:
        json.loads(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        raise BadSettings(
            f"line {line}: a comment or a last comma, and so the agent ignores the whole file",
            "take it out, then install again",
        ) from error


def left_alone(path: str, error: BadSettings | UnicodeDecodeError) -> CannotInstall:
    if isinstance(error, UnicodeDecodeError):
        return CannotInstall(f"`{path}` was left alone: it is not UTF-8", "mend it by hand")
    return CannotInstall(f"`{path}` was left alone: {error}", error.hint or "mend it by hand")


def settings_in(path: str) -> Mapping[str, object]:
    """What another settings file says; nothing where it says nothing that counts."""
    try:
        found = content(root_of((file_content(path) or b"{}").decode()))
    except (BadSettings, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
