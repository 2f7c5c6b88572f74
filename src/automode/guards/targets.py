"""Which paths a command would create, change or remove, as far as its words tell."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from automode.guards.guard import Sight, Target, words
from automode.shell.options import Spec, arguments
from automode.shell.script import Word

Writer: TypeAlias = Callable[[tuple[Word, ...]], Iterator[tuple[str, bool]]]
"""Arguments to (typed path, whether it goes away as a whole)."""


def targets(sight: Sight) -> tuple[Target, ...]:
    """Everything the command writes, by redirect or by what its program does."""
    command = sight.command
    found: list[tuple[str, bool]] = [
        (redirect.target.text, False) for redirect in command.redirects if redirect.writes
    ]
    writer = WRITERS.get(sight.name)
    if writer is not None:
        found += writer(command.args)
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


def _operands(args: tuple[Word, ...], values: str = "", long: tuple[str, ...] = ()) -> list[str]:
    given = arguments(args, Spec(values=values, long_values=long))
    return [word.text for word in given.operands]


def every(values: str = "", *, whole: bool = False, skip: int = 0) -> Writer:
    """A program that writes each of its operands, after the first `skip`."""

    def write(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
        for text in _operands(args, values)[skip:]:
            yield text, whole

    return write


def _rm(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    """Without `-r` a folder stays, with all that is in it."""
    spec = Spec(flags="rRfidvPIWx", long_flags=("--recursive", "--force", "--dir", "--verbose"))
    given = arguments(args, spec)
    whole = given.has("-r", "-R", "--recursive")
    for word in given.operands:
        yield word.text, whole


_COPY = Spec(
    values="tSgmo",
    long_values=("--target-directory", "--suffix", "--owner", "--group", "--mode"),
)


def copying(*, moves: bool = False, links: bool = False) -> Writer:
    """`cp`, `mv`, `ln`, `install`: the last operand, or a file of the same name inside it.

    Moving takes the sources away. A link is a second name for its source: what is written to the
    one is written to the other, and a later command of the same script may do just that."""

    def write(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
        given = arguments(args, _COPY)
        folder = given.value("-t", "--target-directory")
        sources = [word.text for word in given.operands]
        if folder is not None:
            place = folder.text
        elif len(sources) > 1:
            place = sources.pop()
        else:
            place = "."
        yield place, False
        for source in sources:
            yield posixpath.join(place, posixpath.basename(source.rstrip("/")) or "."), False
            if moves or links:
                yield source, moves

    return write


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


def _dd(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    for word in args:
        if word.text.startswith("of="):
            yield word.text[3:], False


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


def _patch(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    given = arguments(args, Spec(values="poidDrBzFVYg"))
    for word in given.operands[:1]:
        yield word.text, False
    output = given.value("-o")
    if output is not None:
        yield output.text, False


def _find(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    for index, word in enumerate(args[:-1]):
        if word.text in ("-fprint", "-fprintf", "-fprint0", "-fls"):
            yield args[index + 1].text, False


def _editor(args: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    for text in _operands(args, "cSsTuUw"):
        if not text.startswith("+"):
            yield text, False
    # `-c "w FILE"` and `+"w FILE"` write elsewhere than to what was opened.
    for word in args:
        command = word.text.lstrip("+:").split()
        if len(command) > 1 and command[0] in ("w", "w!", "write", "saveas", "wq"):
            # Editors expand `~` themselves, in a word that no shell expands.
            yield command[-1], False


_EDITORS = words("ed red ex vi vim nvim view nano pico emacs emacsclient micro joe kak hx")

WRITERS: Mapping[str, Writer] = {
    "tee": every(),
    "sponge": every(),
    "truncate": every("sr"),
    "touch": every("dtr"),
    "fallocate": every("lo"),
    "cp": copying(),
    "gcp": copying(),
    "install": copying(),
    "ginstall": copying(),
    "mv": copying(moves=True),
    "gmv": copying(moves=True),
    "ln": copying(links=True),
    "link": copying(links=True),
    "rsync": _rsync,
    "sed": in_place("i"),
    "gsed": in_place("i"),
    "perl": in_place("i"),
    "ruby": in_place("i"),
    "dd": _dd,
    "curl": option("-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header",
                   values="AbdeEFHKmPQrtTuUwxXyYzC"),
    "wget": option("-O", "--output-document", "-o", "--output-file", "-a",
                   values="etTwQPUiBADIXl"),
    "aria2c": option("-o", "--out"),
    "sort": option("-o", "--output", values="kStT"),
    "scp": _last,
    "objcopy": _last,
    "patch": _patch,
    "find": _find,
    "rm": _rm,
    "grm": _rm,
    "unlink": every(whole=True),
    "srm": every(whole=True),
    "shred": every("nsx", whole=True),
    "trash": every(whole=True),
    "rimraf": every(whole=True),
    "chattr": every(),
    "sd": every(skip=2),
    **dict.fromkeys(_EDITORS, _editor),
}  # fmt: skip
