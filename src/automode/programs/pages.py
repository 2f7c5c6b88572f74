"""The reference pages of the table: every row, one page per family."""

from collections.abc import Iterator, Mapping

from automode.programs.row import OPTION_KEYS
from automode.programs.table import families

_INTRODUCTION = """\
# Programs

Made from the table of programs (`src/automode/programs/table/`); see [the table of
programs](../contributing/programs.md) for what a row means. A program without a row is unknown,
and so is an option that its row does not name. What is unknown is never allowed as "only reads".

| family | programs |
| --- | --- |
"""


def program_pages() -> dict[str, str]:
    """By the path below `docs/reference`."""
    found: dict[str, str] = {}
    lines: list[str] = []
    for family, rows in sorted(families().items()):
        names = sorted(name for key in rows if " " not in key for name in _names(key, rows[key]))
        lines.append(f"| [{family}](programs/{family}.md) | {' '.join(map(_code, names))} |")
        found[f"programs/{family}.md"] = _page(family, rows)
    found["programs.md"] = _INTRODUCTION + "\n".join(lines) + "\n"
    return found


def _names(key: str, row: Mapping[str, object]) -> list[str]:
    return [key, *str(row.get("also", "")).split()]


def _page(family: str, rows: Mapping[str, Mapping[str, object]]) -> str:
    parts = [
        f"# {family.replace('_', ' ').capitalize()}\n\nOne section per row. [All](../programs.md)\n"
    ]
    for key, row in rows.items():
        parts.append(f"\n## `{key}`\n\n" + "\n".join(_lines(row)) + "\n")
    return "".join(parts)


def _lines(row: Mapping[str, object]) -> Iterator[str]:
    if about := row.get("about"):
        yield f"{about}".capitalize() + ".\n"
    effect, why = str(row.get("effect", "reads")), str(row.get("why", ""))
    yield f"- does: {effect}" + (f" ({why})" if why else "")
    for key in ("also", "like", "program", "bare", "words", "language", "reads-with"):
        if value := str(row.get(key, "")):
            yield f"- {key}: {_code(' '.join(value.split()))}"
    for key in ("options", "more"):
        if value := str(row.get(key, "")):
            yield f"- {key}: {_code(' '.join(value.split()))}"
    for key in (
        *OPTION_KEYS,
        "everyday",
        "foreign",
        "settings",
        "loads",
        "variables",
        "starts",
        "keeps",
        "check",
    ):
        if value := str(row.get(key, "")):
            yield f"- {key}: {_code(' '.join(value.split()))}"
    flags = [key for key in ("complete", "connects", "at-files", "stops", "script") if row.get(key)]
    if flags:
        yield f"- {', '.join(flags)}"
    examples = row.get("examples", {})
    for kind, lines in examples.items() if isinstance(examples, dict) else ():
        yield f"- {kind}, for example: " + " · ".join(map(_code, lines[:3]))


def _code(text: str) -> str:
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}".replace("|", "\\|")
