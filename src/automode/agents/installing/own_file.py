"""Plans how a file that only automode writes is put beside an agent's, and removed again."""

from collections.abc import Callable
from dataclasses import dataclass

from automode.agents.installing.apply import present
from automode.agents.installing.extension_file import paths_in
from automode.agents.installing.plan import CannotInstall, Change, Placed, Scope, Transport
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program


def _is_extension(data: bytes) -> bool:
    return paths_in(data) is not None


@dataclass(frozen=True, slots=True)
class OwnFile:
    """`named` is what the agent calls it. `is_ours` tells it from what others may have put there;
    without a word it is an extension that knows its paths."""

    agent: str
    scope: Scope
    named: str
    is_ours: Callable[[bytes], bool] = _is_extension
    transport: Transport = Transport.EXTENSION
    mode: int = 0o600


def plan_file(file: OwnFile, after: bytes, program: Program) -> tuple[Change, ...]:
    """Nothing where it stands there already. Raises CannotInstall."""
    path, before = present(file.named)
    _need_ours(file, path, before)
    if after == before:
        return ()
    placed = Placed(file.agent, file.scope, file.named, path, before)
    return (placed.change(after, program.version, file.transport, mode=file.mode),)


def plan_no_file(file: OwnFile, receipts: Receipts) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Also what the person should know. Raises CannotInstall."""
    path, before = present(file.named)
    receipt = receipts.find(file.agent, path)
    if before is None:
        # An installation that was cut off leaves a receipt, and may leave folders.
        return (() if receipt is None else (Change(path, None, None),)), ()
    _need_ours(file, path, before)
    changed = receipt is not None and not receipt.knows(before)
    notes = ("it was changed by hand; the state folder keeps a copy",) if changed else ()
    return (Change(path, before, None),), notes


def _need_ours(file: OwnFile, path: str, data: bytes | None) -> None:
    if data is not None and not file.is_ours(data):
        raise CannotInstall(
            f"`{path}` was left alone: automode did not write it", "move it away, then try again"
        )
