"""Reads the table: TOML files of rows, one file per family."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from automode.programs.program import Program
from automode.programs.row import (
    EFFECTS,
    OPTION_KEYS,
    Refusal,
    Row,
    Words,
)
from automode.programs.subcommands import Path
from automode.programs.use import READS, Effect, Use
from automode.shell.options import Spec, each_option, option_names, parse_spec, split_option

_KEYS = ("also", "is", "like", "picks", "starts", "keeps")
_HEAD = re.compile(
    rf'''^(?:\["?([^\]"]+)"?\]|({"|".join(_KEYS)}) = ("""|")(.*?)\3)''', re.MULTILINE | re.DOTALL
)


class Table(Mapping[str, Program]):
    """Every program that has a row, by each of its names. The rows of a family are read when one
    of its programs is asked for: to read all of them takes a tenth of a second."""

    def __init__(self) -> None:
        self.built: dict[str, Program] = {}

    def __getitem__(self, name: str) -> Program:
        if name not in self.built:
            self.built |= _programs(rows_of(family_names()[name]))
        return self.built[name]

    def __contains__(self, name: object) -> bool:
        return name in family_names()

    def __iter__(self) -> Iterator[str]:
        return iter(family_names())

    def __len__(self) -> int:
        return len(family_names())


@lru_cache(maxsize=1)
def programs() -> Table:
    return Table()


@lru_cache(maxsize=1)
def family_names() -> Mapping[str, str]:
    """The family of every program, by each of its names."""
    return {
        name: family
        for family, given in heads().items()
        for key, row in given.items()
        for name in (() if " " in key else (key, *str(row.get("also", "")).split()))
    }


def of_kind(kind: str) -> frozenset[str]:
    """The names of all programs whose row says that they are of this kind."""
    return frozenset(name for name, kinds in written_under("is").items() if kind in kinds)


@cache
def written_under(key: str) -> Mapping[str, tuple[str, ...]]:
    """The words under one of `_KEYS` in the rows of programs, by each name of a program that has
    any."""
    if key not in _KEYS:
        raise KeyError(key)
    found: dict[str, tuple[str, ...]] = {}
    for given in heads().values():
        for name, row in given.items():
            whole = {} if " " in name else {**_inherit(given, row), **row}
            if words := tuple(str(whole.get(key, "")).split()):
                found |= dict.fromkeys((name, *str(row.get("also", "")).split()), words)
    return found


@lru_cache(maxsize=1)
def heads() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """What every process asks of all rows, by family and row. A test compares it with the rows."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for file in _folder().iterdir():
        rows = found[file.name.removesuffix(".toml")] = {}
        row: dict[str, str] = {}
        for name, key, _, value in _HEAD.findall(file.read_text("utf-8")):
            if name:
                row = rows[name] = {}
            else:
                row[key] = value
    return found


def rows_of(family: str) -> Mapping[str, Mapping[str, object]]:
    """The rows as they are written."""
    return tomllib.loads(_folder().joinpath(f"{family}.toml").read_text("utf-8"))


def families() -> Mapping[str, Mapping[str, Mapping[str, object]]]:
    """The rows of all families."""
    return {family: rows_of(family) for family in heads()}


def _folder() -> Traversable:
    return files("automode.programs").joinpath("table")


def _programs(given: Mapping[str, Mapping[str, object]]) -> dict[str, Program]:
    """`["gh pr|issue view"]` is a row of two sub-commands of `gh`."""
    roots: dict[str, Row] = {}
    subs: dict[str, dict[Path, Row]] = {}
    also: dict[str, list[str]] = {}
    for key, keys in given.items():
        name, *path = key.split()
        outer = given.get(name, {})
        style = {"style": outer["style"]} if "style" in outer else {}
        whole = {**style, **_with_more(_inherit(given, keys), keys)}
        whole["glues"] = outer.get("glues", False)
        row = parse_row(key, whole)
        if path:
            # On a sub-command `also` names further sub-commands, one a line.
            for words in (path, *(line.split() for line in str(keys.get("also", "")).splitlines())):
                one = tuple(tuple(word.split("|")) for word in words)
                subs.setdefault(name, {})[one] = row
        else:
            roots[name] = row
            also[name] = str(keys.get("also", "")).split()
    found: dict[str, Program] = {}
    for name, row in roots.items():
        # A program that is like another one has its sub-commands too.
        own = {**subs.get(str(given[name].get("like")), {}), **subs.get(name, {})}
        below = {path: _inherit_row(row, sub) for path, sub in own.items()}
        sure = _with_sure_help(row, below.values())
        found[name] = Program(sure, below, frozenset((name, *also[name])), found)
    found |= {other: found[name] for name in roots for other in also[name]}
    return found


def _with_more(base: Mapping[str, object], keys: Mapping[str, object]) -> dict[str, object]:
    """A row with `more` has the options of the row that it is like, and those. What it says of an
    option goes before what the other row says."""
    whole = {**base, **keys}
    if "more" not in keys:
        return whole
    style = str(whole.get("style", ""))
    own = {
        name
        for key in ("more", *OPTION_KEYS)
        for name in option_names(str(keys.get(key, "")), style)
    }
    for key in ("options", *OPTION_KEYS):
        if key in base and key not in keys:
            words = (one for word in str(base[key]).split() for one in each_option(word, style))
            whole[key] = " ".join(one for one in words if split_option(one)[0] not in own)
    return {**whole, "options": f"{whole.get('options', '')} {keys['more']}"}


def _inherit(
    given: Mapping[str, Mapping[str, object]], keys: Mapping[str, object]
) -> dict[str, object]:
    """The keys of the row that this one is `like`."""
    if "like" not in keys:
        return {}
    like = given[str(keys["like"])]
    left = {key: one for key, one in like.items() if key not in ("also", "examples")}
    return {**_inherit(given, like), **left}


def _with_sure_help(row: Row, below: Iterable[Row]) -> Row:
    """What runs the code of a project may do so before it prints its version: its help is proved
    where the row says what it loads, or that it prints first."""
    develops = any(one.develops or one.installs for one in (row, *below))
    if not develops or row.loads or row.help_first:
        return row
    return replace(row, help=frozenset(), verb_help=frozenset())


def _inherit_row(outer: Row, row: Row) -> Row:
    """The row of a sub-command with what the program's row says of all of them, and with the
    program's own options, where they may stand after it. An option that both have means what the
    sub-command's row says."""
    row = replace(
        row,
        loads=(*outer.loads, *row.loads),
        opens=(*outer.opens, *row.opens),
        folder=outer.folder | row.folder,
        connects=outer.connects or row.connects,
        at_files=outer.at_files or row.at_files,
        optional_values=outer.optional_values or row.optional_values,
        touches=row.touches or outer.touches,
    )
    if outer.spec.sure_names:
        row = replace(row, spec=replace(row.spec, sure_names=True))
    if not outer.globals_anywhere:
        return row
    own, given = row.spec, outer.spec
    letters = own.flags + own.values + own.maybe
    longs = {*own.long_flags, *own.long_values, *own.long_maybe}

    def free(text: str) -> str:
        return "".join(letter for letter in text if letter not in letters)

    spec = replace(
        own,
        flags=own.flags + free(given.flags),
        values=own.values + free(given.values),
        maybe=own.maybe + free(given.maybe),
        long_flags=frozenset(own.long_flags) | (frozenset(given.long_flags) - longs),
        long_values=frozenset(own.long_values) | (frozenset(given.long_values) - longs),
        long_maybe=frozenset(own.long_maybe) | (frozenset(given.long_maybe) - longs),
    )
    named = longs | {f"-{letter}" for letter in letters}
    theirs = {name: key for name, key in outer.effects.items() if name not in named}
    return replace(row, spec=spec, effects={**theirs, **row.effects})


def parse_row(name: str, given: Mapping[str, object]) -> Row:
    """One row. That each has no other keys than these is for the tests to say."""

    def text(key: str) -> str:
        return str(given.get(key, ""))

    effects = {name: key for key in OPTION_KEYS for name in option_names(text(key), text("style"))}
    return Row(
        name=name,
        base=_effect(text("effect") or "reads", text("why")),
        develops="develops" in text("effect").split(),
        contents="contents" in text("effect").split(),
        installs="installs" in text("effect").split(),
        reads_with=frozenset(text("reads-with").split()),
        everyday=_names(given, "everyday"),
        bare=_effect(text("bare"), text("why")) if "bare" in given else None,
        help=frozenset(text("help").split()),
        verb_help=frozenset(text("verb-help").split()),
        help_first=bool(given.get("help-first")),
        words=Words.parse(text("words")) if "words" in given else None,
        spec=_spec(given),
        effects=effects,
        language=text("language"),
        script=bool(given.get("script")),
        foreign=frozenset(text("foreign").split()),
        optional_values=bool(given.get("optional-values")),
        complete=bool(given.get("complete")),
        connects=bool(given.get("connects")) or "remote-read" in given,
        at_files=bool(given.get("at-files")),
        loads=tuple(text("loads").split()),
        opens=tuple(text("opens").split()),
        folder=frozenset(option_names(text("folder"), text("style"))),
        settings=frozenset(text("settings").split()) if "settings" in given else None,
        dash=bool(given.get("dash")),
        globals_anywhere=bool(given.get("globals-anywhere")),
        refuses=tuple(map(_refusal, refusals_of(given.get("refuses", [])))),
        check=text("check"),
        touches=text("touches"),
        always=tuple(text("deed").split()),
        deeds=_texts(given.get("deeds")),
        program=text("program"),
    )


def refusals_of(given: object) -> Iterator[Mapping[str, object]]:
    """The lines of a row under `refuses`, with those of `refusals.toml` that it names."""
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict):
            yield one
        else:
            yield from written_refusals()[str(one)]


@lru_cache(maxsize=1)
def written_refusals() -> Mapping[str, list[Mapping[str, object]]]:
    """Lines that several rows name."""
    return tomllib.loads(files("automode.programs").joinpath("refusals.toml").read_text("utf-8"))


def _refusal(line: Mapping[str, object]) -> Refusal:
    texts = {key: str(line[key]) for key in ("like", "unlike") if key in line}
    flags = {key: line.get(key) is True for key in ("unknown", "numbers", "needs", "bare")}
    some = texts or {"past", "needs"} & line.keys()
    places = str(line.get("in", "operands" if some else "")).split()
    return Refusal(
        _effect(str(line["effect"]), str(line.get("why", ""))),
        tuple(places),
        texts.get("like"),
        texts.get("unlike"),
        past=int(str(line.get("past", 0))),
        given=frozenset(str(line.get("given", "")).split()),
        unless=frozenset(str(line.get("unless", "")).split()),
        **flags,
    )


def _texts(given: object) -> tuple[tuple[str, str], ...]:
    return tuple((key, str(one)) for key, one in given.items()) if isinstance(given, dict) else ()


def _effect(text: str, why: str) -> Use:
    effect = Effect.NONE
    for word in text.split():
        effect |= EFFECTS[word]
    return Use(effect, why) if effect else READS


def _names(given: Mapping[str, object], key: str) -> frozenset[str] | None:
    text, style = given.get(key), str(given.get("style", ""))
    return None if text is None else frozenset(option_names(str(text), style))


def _spec(given: Mapping[str, object]) -> Spec:
    style = str(given.get("style", "getopt"))
    text = " ".join(
        str(given.get(key, "")) for key in ("options", "folder", "everyday", *OPTION_KEYS)
    )
    found = parse_spec(
        text, style, numbers=bool(given.get("numbers")), stops=bool(given.get("stops"))
    )
    ends = frozenset(option_names(str(given.get("ends", "")), style))
    glues, sure_names = bool(given.get("glues")), bool(given.get("sure-names"))
    return replace(found, ends=ends, glues=glues, sure_names=sure_names)
