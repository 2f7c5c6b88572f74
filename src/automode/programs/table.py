"""Reads the table: TOML files of rows, one file per family."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from automode.programs.program import Path, Program
from automode.programs.row import EFFECTS, OPTION_KEYS, PROGRAM_KINDS, BadRow, Row, Words
from automode.programs.use import READS, Effect, Use
from automode.shell.options import Spec

STYLES = ("getopt", "go", "one-dash")
_TEXTS = frozenset(
    """about effect why reads-with bare help verb-help words options foreign loads folder variables
    starts keeps check touches style also like program deed is picks""".split()
) | frozenset(OPTION_KEYS)
_FLAGS = frozenset(
    """complete connects at-files numbers globals-anywhere stops dash optional-values""".split()
)
_KEYS = _TEXTS | _FLAGS | {"examples", "deeds"}


@lru_cache(maxsize=1)
def programs() -> Mapping[str, Program]:
    """Every program that has a row, by each of its names."""
    found: dict[str, Program] = {}
    for family, given in sorted(families().items()):
        for name, program in _programs(family, given).items():
            if name in found:
                raise BadRow(f"`{name}` has rows in two places, one of them in `{family}.toml`")
            found[name] = program
    return found


def of_kind(kind: str) -> frozenset[str]:
    """The names of all programs whose row says that they are of this kind."""
    return frozenset(name for name, program in programs().items() if kind in program.row.kinds)


@lru_cache(maxsize=1)
def families() -> Mapping[str, Mapping[str, Mapping[str, object]]]:
    """The rows as they are written, by the family that a file holds."""
    folder = files("automode.programs").joinpath("table")
    return {
        one.name.removesuffix(".toml"): tomllib.loads(one.read_text("utf-8"))
        for one in folder.iterdir()
        if one.name.endswith(".toml")
    }


def _programs(family: str, given: Mapping[str, Mapping[str, object]]) -> dict[str, Program]:
    """`["gh pr|issue view"]` is a row of two sub-commands of `gh`."""
    roots: dict[str, Row] = {}
    subs: dict[str, dict[Path, Row]] = {}
    also: dict[str, list[str]] = {}
    for key, keys in given.items():
        name, *path = key.split()
        style = {"style": given[name]["style"]} if "style" in given.get(name, {}) else {}
        whole = {**style, **_inherited(family, given, keys), **keys}
        row = parse_row(f"{family}.toml", key, whole)
        if path:
            # On a sub-command `also` names further sub-commands, one a line.
            for words in (path, *(line.split() for line in str(keys.get("also", "")).splitlines())):
                one = tuple(tuple(word.split("|")) for word in words)
                subs.setdefault(name, {})[one] = row
        else:
            roots[name] = row
            also[name] = str(keys.get("also", "")).split()
    if missing := subs.keys() - roots.keys():
        raise BadRow(f"`{family}.toml`: `{min(missing)}` has sub-commands and no row of its own")
    found: dict[str, Program] = {}
    for name, row in roots.items():
        # A program that is like another one has its sub-commands too.
        own = {**subs.get(str(given[name].get("like")), {}), **subs.get(name, {})}
        below = {path: _below(row, sub) for path, sub in own.items()}
        if missing := {sub.program for sub in below.values()} - {"", *roots}:
            raise BadRow(f"`{family}.toml`: there is no row of the program `{min(missing)}`")
        found[name] = Program(row, below, frozenset((name, *also[name])), found)
    return {other: one for name, one in found.items() for other in (name, *also[name])}


def _below(outer: Row, row: Row) -> Row:
    """The row of a sub-command with what the program's row says of all of them, and with the
    program's own options, where they may stand after it. An option that both have means what the
    sub-command's row says."""
    row = replace(
        row,
        loads=(*outer.loads, *row.loads),
        folder=outer.folder | row.folder,
        connects=outer.connects or row.connects,
        at_files=outer.at_files or row.at_files,
        optional_values=outer.optional_values or row.optional_values,
    )
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


def _inherited(
    family: str, given: Mapping[str, Mapping[str, object]], keys: Mapping[str, object]
) -> dict[str, object]:
    """The keys of the row that this one is `like`."""
    like = keys.get("like")
    if like is None:
        return {}
    if not isinstance(like, str) or like not in given:
        raise BadRow(f"`{family}.toml`: there is no row `{like}` to be like")
    left = {key: one for key, one in given[like].items() if key not in ("also", "examples")}
    return {**_inherited(family, given, given[like]), **left}


def parse_row(file: str, name: str, given: Mapping[str, object]) -> Row:
    """One row. Raises BadRow, which names the file, the row and the key."""
    where = f"`{file}`, row `{name}`"
    for key, value in given.items():
        wanted = bool if key in _FLAGS else str if key in _TEXTS else dict
        if key not in _KEYS or not isinstance(value, wanted):
            raise BadRow(f"{where}: `{key}` is not a key of a row, or has the wrong type")

    def text(key: str) -> str:
        return str(given.get(key, ""))

    try:
        base = _effect(text("effect") or "reads", text("why"))
        words = Words.parse(text("words")) if "words" in given else None
        bare = _effect(text("bare"), text("why")) if "bare" in given else None
    except (KeyError, ValueError) as error:
        raise BadRow(f"{where}: {error} is not known") from error
    effects = {name: key for key in OPTION_KEYS for name in option_names(text(key), text("style"))}
    row = Row(
        name=name,
        about=text("about"),
        base=base,
        develops="develops" in text("effect").split(),
        installs="installs" in text("effect").split(),
        reads_with=frozenset(text("reads-with").split()),
        bare=bare,
        help=frozenset(text("help").split()),
        verb_help=frozenset(text("verb-help").split()),
        words=words,
        spec=_spec(given),
        effects=effects,
        foreign=frozenset(text("foreign").split()),
        optional_values=bool(given.get("optional-values")),
        complete=bool(given.get("complete")),
        connects=bool(given.get("connects")) or "remote-read" in given,
        at_files=bool(given.get("at-files")),
        loads=tuple(text("loads").split()),
        folder=frozenset(option_names(text("folder"), text("style"))),
        variables=tuple(text("variables").split()),
        starts=tuple(text("starts").split()),
        keeps=tuple(text("keeps").split()),
        dash=bool(given.get("dash")),
        globals_anywhere=bool(given.get("globals-anywhere")),
        check=text("check"),
        touches=text("touches"),
        kinds=frozenset(text("is").split()),
        picks=tuple(text("picks").split()),
        always=tuple(text("deed").split()),
        deeds=_texts(given.get("deeds")),
        program=text("program"),
    )
    if unknown := row.kinds - PROGRAM_KINDS.keys():
        raise BadRow(f"{where}: `{min(unknown)}` is no kind of program")
    if row.complete and any(EFFECTS[key] for key in effects.values()):
        raise BadRow(f"{where}: a complete row has only options that do no harm")
    return row


def _texts(given: object) -> tuple[tuple[str, str], ...]:
    return tuple((key, str(one)) for key, one in given.items()) if isinstance(given, dict) else ()


def _effect(text: str, why: str) -> Use:
    effect = Effect.NONE
    for word in text.split():
        effect |= EFFECTS[word]
    return Use(effect, why) if effect else READS


def _spec(given: Mapping[str, object]) -> Spec:
    style = str(given.get("style", "getopt"))
    if style not in STYLES:
        raise BadRow(f"`{style}` is not a style of options")
    text = " ".join(str(given.get(key, "")) for key in ("options", "folder", *OPTION_KEYS))
    return spec(text, style, numbers=bool(given.get("numbers")), stops=bool(given.get("stops")))


def spec(text: str, style: str = "getopt", *, numbers: bool = False, stops: bool = False) -> Spec:
    """The options in `text`: `-abc` are three flags, `-n=` and `--depth=` take a value, `-i[=]` and
    `--color[=]` take one only when it is glued on. In the style `go` a flag may be `--all=false`;
    in the style `one-dash` `-name` is one option."""
    short = {"": "", "=": "", "[=]": ""}
    long: dict[str, list[str]] = {"": [], "=": [], "[=]": []}
    for word in text.split():
        name, kind = _split(word)
        if name.startswith("--") or style == "one-dash":
            long[kind].append(name)
        elif kind and len(name) > 2:
            raise BadRow(f"`{word}` is one letter with a value, or the style is `one-dash`")
        else:
            short[kind] += name[1:]
    flags, maybe = long[""], long["[=]"]
    return Spec(
        flags=short[""],
        values=short["="],
        maybe=short["[=]"],
        long_flags=frozenset(() if style == "go" else flags),
        long_values=frozenset(long["="]),
        long_maybe=frozenset((*flags, *maybe) if style == "go" else maybe),
        single_dash=style == "one-dash",
        stops_at_operand=stops,
        numbers=numbers,
        abbreviates=False,
    )


def _split(word: str) -> tuple[str, str]:
    kind = next(mark for mark in ("[=]", "=", "") if word.endswith(mark))
    name = word.removesuffix(kind)
    if not name.startswith("-") or len(name) < 2:
        raise BadRow(f"`{word}` is no option")
    return name, kind


def option_names(text: str, style: str) -> Sequence[str]:
    """Each option by itself: `-abc` are three, unless the style is `one-dash`."""
    found: list[str] = []
    for word in text.split():
        name, _ = _split(word)
        single = name.startswith("--") or style == "one-dash"
        found += (name,) if single else (f"-{letter}" for letter in name[1:])
    return found
