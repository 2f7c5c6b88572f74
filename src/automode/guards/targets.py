"""Which paths a command would create, change or remove, as far as its words tell."""

from collections.abc import Iterator

from automode.guards.guard import Sight, Target
from automode.programs.row import Kind

_CHANGING = (Kind.WRITES, Kind.DELETES, Kind.MOVES)


def targets(sight: Sight) -> tuple[Target, ...]:
    """Everything the command writes, by redirect or by what its program does."""
    command = sight.command
    found: list[tuple[str, bool]] = [
        (redirect.target.text, False) for redirect in command.redirects if redirect.writes
    ]
    for touch in sight.facts.guarded_touches:
        if touch.kind in _CHANGING:
            found.append((touch.word.text, touch.whole and touch.kind is not Kind.WRITES))
    if not found:
        return ()
    return tuple(target for text, whole in found for target in aimed(sight, text, whole=whole))


def aimed(sight: Sight, text: str, *, whole: bool) -> Iterator[Target]:
    """The typed path as a target; none when the folder it starts from is not known."""
    if text.startswith("~/"):
        text = sight.workspace.home + text[1:]
    path = sight.path(text)
    if path is None:
        return
    folder, _, name = path.rpartition("/")
    if whole and folder and not text.endswith("/"):
        # A link goes away by itself; what it leads to stays.
        yield Target(path, f"{sight.resolved(folder)}/{name}", whole)
    else:
        yield Target(path, sight.resolved(path), whole)
