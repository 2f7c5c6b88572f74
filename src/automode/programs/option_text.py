"""The options of a row as they are written: `-la --json --depth=`."""

from collections.abc import Sequence

from automode.programs.row import BadRow
from automode.shell.options import Spec

STYLES = ("getopt", "go", "one-dash", "words")


def spec(text: str, style: str = "getopt", *, numbers: bool = False, stops: bool = False) -> Spec:
    """The options in `text`: `-abc` are three flags, `-n=` and `--depth=` take a value, `-i[=]` and
    `--color[=]` take one only when it is glued on, `--arg==` takes two. In the style `go` a flag
    may be `--all=false`; in the style `one-dash` `-name` is one option."""
    short = {"": "", "=": "", "[=]": ""}
    long: dict[str, list[str]] = {"": [], "=": [], "[=]": [], "==": []}
    for word in text.split():
        name, kind = split_option(word)
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
        long_pairs=frozenset(long["=="]),
        single_dash=style == "one-dash",
        only_words=style == "words",
        stops_at_operand=stops,
        numbers=numbers,
        abbreviates=False,
    )


def split_option(word: str) -> tuple[str, str]:
    kind = next(mark for mark in ("[=]", "==", "=", "") if word.endswith(mark))
    name = word.removesuffix(kind)
    if not name.startswith("-") or len(name) < 2:
        raise BadRow(f"`{word}` is no option")
    return name, kind


def option_names(text: str, style: str) -> Sequence[str]:
    """Each option by itself: `-abc` are three, unless the style is `one-dash`."""
    found: list[str] = []
    for word in text.split():
        name, _ = split_option(word)
        single = name.startswith("--") or style == "one-dash"
        found += (name,) if single else (f"-{letter}" for letter in name[1:])
    return found


def each_option(word: str, style: str) -> list[str]:
    """`-ab=` is `-a=` and `-b=`."""
    mark = split_option(word)[1]
    return [f"{name}{mark}" for name in option_names(word, style)]
