"""The reference pages of the table: every row, one page per family."""

from collections.abc import Iterator, Mapping

from automode.programs.deeds import written_deeds
from automode.programs.row import OPTION_KEYS, PROGRAM_KINDS
from automode.programs.table import families, refusals_of

_INTRODUCTION = """\
# Programs

Made from the table of programs (`src/automode/programs/table/`); see [the table of
programs](../contributing/programs.md) for what a row means. A program without a row is unknown,
and so is an option that its row does not name. What is unknown is never allowed as "only reads".

| family | programs |
| --- | --- |
"""


_SHOWN = (
    *("also", "like", "program", "bare", "words", "language", "reads-with", "options", "more"),
    *OPTION_KEYS,
    *("everyday", "foreign", "settings", "loads", "opens", "picks", "variables", "starts"),
    *("keeps", "check"),
)


def program_pages() -> dict[str, str]:
    """By the path below `docs/reference`."""
    found: dict[str, str] = {}
    lines: list[str] = []
    for family, rows in sorted(families().items()):
        names = sorted(name for key in rows if " " not in key for name in _names(key, rows[key]))
        lines.append(f"| [{family}](programs/{family}.md) | {' '.join(map(_code, names))} |")
        found[f"programs/{family}.md"] = _page(family, rows)
    lines.append("| | [deeds that programs share](programs/deeds.md) |")
    found["programs/deeds.md"] = _deeds_page()
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
    for key in _SHOWN:
        if value := str(row.get(key, "")):
            yield f"- {key}: {_code(' '.join(value.split()))}"
    refusals = refusals_of(row.get("refuses", []))
    if whys := [str(one["why"]) for one in refusals if "why" in one]:
        yield "- objections: " + " · ".join(dict.fromkeys(whys))
    yield from _for_layers(row)
    flags = [
        key
        for key in ("complete", "connects", "at-files", "stops", "script", "glues")
        if row.get(key)
    ]
    if flags:
        yield f"- {', '.join(flags)}"
    examples = row.get("examples", {})
    for kind, lines in examples.items() if isinstance(examples, dict) else ():
        yield f"- {kind}, for example: " + " · ".join(map(_code, lines[:3]))


def _for_layers(row: Mapping[str, object]) -> Iterator[str]:
    """What guards and judge ask a row for."""
    for word in str(row.get("is", "")).split():
        yield f"- {_code(word)}: {PROGRAM_KINDS[word]}"
    if deed := str(row.get("deed", "")):
        yield f"- deed {_code(deed)}, whatever follows"
    deeds = row.get("deeds", {})
    yield from _deeds(deeds) if isinstance(deeds, dict) else ()


def _deeds(deeds: Mapping[str, str]) -> Iterator[str]:
    for deed, text in deeds.items():
        if deed in ("like", "programs"):
            names = text.split()
            links = (
                f"[{name}](deeds.md#{name})" if deed == "like" else _code(name) for name in names
            )
            yield f"- {deed if deed == 'programs' else 'deeds'}: " + " ".join(links)
        else:
            lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
            yield f"- deed {_code(deed)}: " + " · ".join(map(_code, lines))


_DEEDS = """\
# Deeds that programs share

What words and options make a command to the judge, for rows that say so and for programs without a
row. [All](../programs.md)
"""


def _deeds_page() -> str:
    written = written_deeds()
    parts = [
        f"\n## {name}\n\n" + "\n".join(_deeds(one)) + "\n"
        for name, one in written["shared"].items()
    ]
    always = [
        f"- {_code(deed)}: " + " ".join(map(_code, one["programs"].split()))
        for deed, one in written["always"].items()
    ]
    return _DEEDS + "".join(parts) + "\n## Whatever follows\n\n" + "\n".join(always) + "\n"


def _code(text: str) -> str:
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}".replace("|", "\\|")
