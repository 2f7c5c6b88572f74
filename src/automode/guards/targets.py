"""Which paths a command would create, change or remove, as far as its words tell."""

from collections.abc import Iterator

from automode.guards.guard import Sight, Target
from automode.programs.row import Kind
from automode.programs.table import programs
from automode.programs.use import Invocation
from automode.shell.options import Spec, arguments
from automode.shell.script import Word

_CHANGING = (Kind.WRITES, Kind.DELETES, Kind.MOVES)


def targets(sight: Sight) -> tuple[Target, ...]:
    """Everything the command writes, by redirect or by what its program does."""
    command = sight.command
    found: list[tuple[str, bool]] = [
        (redirect.target.text, False) for redirect in command.redirects if redirect.writes
    ]
    found += _touched(sight)
    if not found:
        return ()
    return tuple(target for text, whole in found for target in aimed(sight, text, whole=whole))


def _touched(sight: Sight) -> Iterator[tuple[str, bool]]:
    command = sight.command
    program = programs().get(sight.name)
    if program is None:
        yield from ((word.text, False) for word in edited_in_place(sight.name, command.args))
        return
    for touch in program.touches(Invocation(sight.name, command.args, command, sight.workspace)):
        if touch.kind in _CHANGING:
            yield touch.word.text, touch.whole and touch.kind is not Kind.WRITES


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


_IN_PLACE = Spec(
    values="eflE",
    maybe="i",
    long_values=("--expression", "--file"),
    long_maybe=("--in-place",),
)
_EDITS_IN_PLACE = frozenset(("sed", "gsed", "perl", "ruby"))


def edited_in_place(name: str, args: tuple[Word, ...]) -> Iterator[Word]:
    """The files that `sed -i` and `perl -i` rewrite; the first one may be the script. These
    programs have no row of the table yet."""
    if name not in _EDITS_IN_PLACE:
        return
    given = arguments(args, _IN_PLACE)
    bundled = any(word.text[:1] == "-" != word.text[1:2] and "i" in word.text for word in args)
    if bundled or given.has("-i", "--in-place"):
        yield from given.operands
