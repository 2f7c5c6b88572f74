"""Which paths a command would create, change or remove, as far as its words tell."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from automode.guards.guard import Sight, Target
from automode.programs.row import Kind
from automode.programs.table import programs
from automode.programs.use import Invocation
from automode.shell.options import Spec, arguments
from automode.shell.script import Word

Writer: TypeAlias = Callable[[tuple[Word, ...]], Iterator[tuple[str, bool]]]
"""Arguments to (typed path, whether it goes away as a whole)."""

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
        writer = WRITERS.get(sight.name)
        yield from () if writer is None else writer(command.args)
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


def _operands(args: tuple[Word, ...], values: str = "", long: tuple[str, ...] = ()) -> list[str]:
    given = arguments(args, Spec(values=values, long_values=long))
    return [word.text for word in given.operands]


def _rsync(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    given = _operands(args, "eBTfM", ("--rsh", "--exclude", "--include", "--filter"))
    if len(given) < 2 or ":" in given[-1].split("/", 1)[0]:
        return
    place = given[-1]
    yield place, False
    for source in given[:-1]:
        name = posixpath.basename(source)
        if name:
            yield posixpath.join(place, name), False


def in_place(flag: str) -> Writer:
    """`sed -i` and `perl -i`: operands are rewritten, the first one may be the script."""

    def write(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
        spec = Spec(
            values="eflE", maybe=flag, long_values=("--expression", "--file"),
            long_maybe=("--in-place",),
        )  # fmt: skip
        given = arguments(args, spec)
        bundled = any(
            word.text[:1] == "-" and word.text[:2] != "--" and flag in word.text for word in args
        )
        if given.has(f"-{flag}", "--in-place") or bundled:
            for word in given.operands:
                yield word.text, False

    return write


def option(*names: str, values: str = "") -> Writer:
    """Programs that write the file named by an option: `curl -o FILE`."""
    letters = "".join(name[1] for name in names if not name.startswith("--"))
    long = tuple(name for name in names if name.startswith("--"))
    spec = Spec(values=letters + values, long_values=long)

    def write(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
        for found in arguments(args, spec).options:
            if found.name in names and found.value is not None:
                yield found.value.text, False

    return write


def _last(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    given = _operands(args, "mo")
    if given:
        yield given[-1], False


WRITERS: Mapping[str, Writer] = {
    "rsync": _rsync,
    "sed": in_place("i"),
    "gsed": in_place("i"),
    "perl": in_place("i"),
    "ruby": in_place("i"),
    "curl": option("-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header",
                   values="AbdeEFHKmPQrtTuUwxXyYzC"),
    "wget": option("-O", "--output-document", "-o", "--output-file", "-a",
                   values="etTwQPUiBADIXl"),
    "aria2c": option("-o", "--out"),
    "scp": _last,
}  # fmt: skip
"""Programs that have no row of the table yet."""
