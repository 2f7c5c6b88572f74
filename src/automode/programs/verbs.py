"""The options of git, written as one line of text (`-la --json --depth=`)."""

from automode.shell.options import Spec


def spec(text: str, *, single_dash: bool = False, numbers: bool = False) -> Spec:
    """The options in `text`: `-abc` are three flags, `-n=` and `--depth=` take a value, `-i[=]` and
    `--color[=]` take one only when it is glued on."""
    short = {"": "", "=": "", "[=]": ""}
    long: dict[str, list[str]] = {"": [], "=": [], "[=]": []}
    for word in text.split():
        kind = next(mark for mark in ("[=]", "=", "") if word.endswith(mark))
        name = word.removesuffix(kind) if kind else word
        if name.startswith("--") or single_dash:
            long[kind].append(name)
        else:
            short[kind] += name[1:]
    return Spec(
        flags=short[""],
        values=short["="],
        maybe=short["[=]"],
        long_flags=tuple(long[""]),
        long_values=tuple(long["="]),
        long_maybe=tuple(long["[=]"]),
        single_dash=single_dash,
        numbers=numbers,
        abbreviates=False,
    )
