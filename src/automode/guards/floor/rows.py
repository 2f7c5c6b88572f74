"""Guards as rows of `floor.toml`: words a program must not get, paths nobody may write."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from importlib.resources import files
from typing import Required, TypeAlias, TypedDict
from urllib.parse import urlsplit

from automode.guards.floor.deletion import home_of
from automode.guards.guard import CommandContext, Guard, See, Target, excerpt, words
from automode.shell.script import HOLE

OFF = words("0 false no off never none null undefined")
_LOOPBACK = words("127.0.0.1 ::1 0.0.0.0 host.docker.internal")
_DISKS = (
    *("sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "sr"),
    *("ada", "da", "nvd", "zvol/", "nbd", "root", "block/", "sg"),
)
_MEMORY = words("mem kmem port")
_LETTERED = words("sd hd vd xvd")

Fits: TypeAlias = Callable[[str], re.Match[str] | None]


class _RowTable(TypedDict, total=False):
    programs: Required[str]
    words: list[str]
    text: str
    flags: str
    settings: str
    unless: str
    disk: bool
    abroad: bool
    given: bool
    detail: str


class _GuardTable(TypedDict, total=False):
    reason: Required[str]
    advice: str
    remedy: str
    programs: str
    writes: bool
    everywhere: bool
    remote: bool
    places: dict[str, str]
    rows: list[_RowTable]
    variables: dict[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """One way in which a program does what the guard stops; `floor.toml` explains the keys."""

    detail: str
    words: tuple[Fits, ...]
    unless: Fits
    text: Fits
    disk: bool
    abroad: bool
    given: bool

    def look(self, context: CommandContext) -> str | None:
        if any(map(self.unless, context.texts)) or (self.given and not _is_given(context)):
            return None
        word: str | None = ""
        for fits in self.words:
            word = next((t for t in context.texts if fits(t) or fits(t.casefold())), None)
            if word is None:
                return None
        found = self.text(" ".join(context.texts))
        if found is None or (self.abroad and _stays_here(context)):
            return None
        if self.disk:
            return _named_disk(context)
        word = next(filter(None, found.groups()), word)
        return self.detail.format(word=excerpt(word or ""), program=context.name)


@dataclass(frozen=True, slots=True)
class Places:
    """Paths that nobody may write, each in lower case."""

    detail: str
    anywhere: Fits
    below_home: Fits

    def look(self, context: CommandContext) -> str | None:
        for target in context.targets:
            for path in both(target):
                rest = below_home(path, context)
                if self.anywhere(path.casefold()) or (rest is not None and self.below_home(rest)):
                    return self.detail.format(path=excerpt(target.path))
        return None


def below_home(path: str, context: CommandContext) -> str | None:
    """The part of `path` below a home folder, in lower case; None outside of homes. A project's own
    dotfiles are ordinary files."""
    home = home_of(path, context.workspace)
    return None if home is None else path[len(home) :].lstrip("/").casefold()


def both(target: Target) -> tuple[str, ...]:
    """The path as typed and with links followed; macOS keeps `/etc` below `/private`."""
    found = dict.fromkeys((target.path, target.resolved))
    return tuple(path.removeprefix("/private") for path in found)


def build_guard(key: str, code: See | None = None, programs: Iterable[str] = ()) -> Guard:
    """The guard of this id. `code` is asked after its rows: about `programs`, and about those that
    the file names."""
    given, numbers = tables()[key], _numbers(key)

    def look(context: CommandContext) -> str | None:
        for place in _places(key) if context.targets else ():
            if detail := place.look(context):
                return detail
        name = context.name
        for number in (
            numbers.get(name) or numbers.get(name.partition(".")[0], ()) if numbers else ()
        ):
            if detail := _row(key, number).look(context):
                return detail
        return code(context) if code else None

    named = " ".join(
        (given.get("programs", ""), *(one["programs"] for one in given.get("rows", ())))
    )
    return Guard(
        key,
        given["reason"],
        given.get("advice", ""),
        look,
        words(named) | frozenset(programs),
        writes="places" in given or given.get("writes", False),
        everywhere=given.get("everywhere", False),
        remote=given.get("remote", False),
        remedy=given.get("remedy", ""),
    )


@cache
def tables() -> Mapping[str, _GuardTable]:
    found: Mapping[str, _GuardTable] = tomllib.loads(
        files("automode.guards.floor").joinpath("floor.toml").read_text("utf-8")
    )
    return found


@cache
def _places(key: str) -> tuple[Places, ...]:
    found = tables()[key].get("places", {})
    return tuple(
        Places(
            detail,
            _any(one for one in text.split() if one[0] == "/"),
            _any(one[2:] for one in text.split() if one[0] == "~"),
        )
        for detail, text in found.items()
    )


def _numbers(key: str) -> Mapping[str, tuple[int, ...]]:
    """By program, which of the guard's rows are about it. `mkfs.ext4` is `mkfs`."""
    found: dict[str, tuple[int, ...]] = {}
    for number, row in enumerate(tables()[key].get("rows", ())):
        for program in row["programs"].split():
            found[program] = (*found.get(program, ()), number)
    return found


@cache
def _row(key: str, number: int) -> Row:
    """Built when a command that it is about is first seen."""
    given = tables()[key]["rows"][number]
    text, detail = given.get("text", ""), given.get("detail", "")
    off = "|".join(sorted(OFF))
    if "flags" in given:
        names = "|".join(re.escape(one).replace(r"\*", "[^ =]*") for one in given["flags"].split())
        text = rf"(?:^| )({names})(?:=(?!(?:{off})(?: |$))[^ ]*)?(?: |$)"
        detail = "`{word}` does that"
    if "settings" in given:
        keys = "|".join(map(re.escape, given["settings"].split()))
        text = (
            rf"(?:^|[ =])((?:--)?(?:{keys})(?=[ =](?:{off})(?:[ =]|$))|--no-(?:{keys})(?=[ =]|$))"
        )
        detail = "`{word}` is switched off"
    return Row(
        detail,
        tuple(_any(one.split()) for one in given.get("words", ())),
        _any(given.get("unless", "").split()),
        re.compile(text, re.IGNORECASE).search,
        given.get("disk", False),
        given.get("abroad", False),
        given.get("given", False),
    )


def _any(globs: Iterable[str]) -> Fits:
    # Without any pattern it fits nothing.
    return re.compile("|".join(map(translate, globs)) or r"(?!)").match


def _is_given(context: CommandContext) -> bool:
    fed = context.command.position or any(r.op.startswith("<") for r in context.command.redirects)
    return bool(context.texts or fed)


def _stays_here(context: CommandContext) -> bool:
    addresses = [text for text in context.texts if "://" in text]
    return bool(addresses) and all(map(is_loopback, addresses))


def is_loopback(url: str) -> bool:
    """Whether a literal URL leads to this very machine: self-signed there is ordinary."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return False
    return host == "localhost" or host.endswith(".localhost") or host in _LOOPBACK


def _named_disk(context: CommandContext) -> str | None:
    """The first argument that is a disk; options may have their value glued on."""
    for text in context.texts:
        path = text.partition("=")[2] if text.startswith("-") else text
        if is_device(path):
            return f"`{excerpt(path)}` is a disk"
    return None


def is_device(path: str) -> bool:
    """Whether an absolute path names a disk, a part of one, or the machine's memory."""
    if path.startswith("\\\\.\\physicaldrive") or path.casefold().startswith("//./physicaldrive"):
        return True
    if not path.startswith("/dev/"):
        return False
    name = path[len("/dev/") :].casefold()
    if name in _MEMORY:
        return True
    return any(name.startswith(disk) and _rest(disk, name[len(disk) :]) for disk in _DISKS)


def _rest(disk: str, rest: str) -> bool:
    """Whether `rest` goes on as names of that kind do: `sda1`, `nvme0n1p2`, `mapper/data`."""
    if disk.endswith(("/", "-", "root")) or (disk == "disk" and rest.startswith("/")):
        return True
    if disk in _LETTERED:
        return rest[:1].isalpha() and len(rest) <= 5 and _ends_in_digits(rest)
    return (rest[:1].isdigit() and set(rest) <= set("0123456789nps")) or HOLE in rest


def _ends_in_digits(rest: str) -> bool:
    letters = rest.rstrip("0123456789")
    return (letters.isalpha() and len(letters) <= 2) or HOLE in rest
