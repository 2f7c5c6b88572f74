"""The JSON Schema of settings files, and the page that documents every setting."""

import json
import sys
from collections.abc import Iterable

from automode.config.jsonc import DEEPEST, LARGEST_BYTES, MOST_VALUES
from automode.config.keys import (
    DEFAULTS,
    IGNORED,
    PROVIDER_NAME,
    ROWS,
    Endpoint,
    Row,
    Rules,
    Schema,
)
from automode.config.settings import Source

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema(rows: Iterable[Row] = ROWS) -> Schema:
    """Pass SHARED_ROWS for the schema of a shared project file."""
    tree: dict[str, object] = {}
    for row in rows:
        *sections, name = row.key.split(".")
        _descend(tree, sections)[name] = _setting(row)
    return {
        "$schema": DRAFT,
        "title": "automode settings",
        **_object(tree, {key: {"type": "string"} for key in IGNORED}),
    }


def _descend(tree: dict[str, object], sections: list[str]) -> dict[str, object]:
    for section in sections:
        below = tree.setdefault(section, _Section())
        if not isinstance(below, _Section):
            raise TypeError(f"`{section}` is a setting and a section")
        tree = below
    return tree


class _Section(dict[str, object]):
    """A part of the tree that is no setting yet."""


def _object(tree: dict[str, object], extra: Schema) -> Schema:
    if list(tree) == ["<name>"]:
        return {
            "type": "object",
            "propertyNames": PROVIDER_NAME.schema(),
            "additionalProperties": tree["<name>"],
        }
    properties = {
        name: _object(below, {}) if isinstance(below, _Section) else below
        for name, below in tree.items()
    }
    return {"type": "object", "properties": extra | properties, "additionalProperties": False}


def _setting(row: Row) -> Schema:
    described = row.kind.schema() | {"description": row.meaning}
    match row.kind:
        case Rules(built_in=built_in):
            return described | {"default": [DEFAULTS] if built_in else []}
        case Endpoint():
            return described
        case _:
            return described if row.default is None else described | {"default": row.default}


_HEAD = f"""# Settings

<!-- Generated from the table of settings. Change the table, then run
     python -m automode.config.schema > docs/reference/config.md -->

Settings are JSON; `//` and `/* */` comments and trailing commas are allowed. A file has at most
{LARGEST_BYTES:,} bytes, {MOST_VALUES:,} values and {DEEPEST} levels. `automode schema` prints the JSON Schema.

## Where settings come from

Weakest first:

| source | where | what it may say |
| --- | --- | --- |
| built-in | | the defaults below |
| user | `~/.config/automode/config.json` (under `XDG_CONFIG_HOME` if that is set); Pi: `~/.pi/agent/automode.json` | everything |
| project-local | `.automode/config.local.json`; Pi: `.pi/automode.local.json` | everything but `autoMode.providers`, `trustEnvironment`, `store` and `autoMode.audit`, once you have trusted the file with `automode trust`; a changed file is untrusted again |
| environment | `AUTOMODE_SETTINGS_JSON`; Pi: `PI_AUTOMODE_SETTINGS_JSON` | what tightens, and the model; everything but `trustEnvironment`, `store` and `autoMode.audit` if your own file says `"trustEnvironment": true` |
| managed | `/etc/automode/config.json` | everything but `trustEnvironment`; nobody can remove its entries |
| shared project | `.automode/config.json`; Pi: `.pi/automode.json` | `permissions.deny` and `permissions.ask`, nothing else |

`~` is the home that the account database names, whatever `HOME` says: a repository's environment must not move the gate's
settings. `--config-folder` names another folder; hooks and daemons do not look at `XDG_CONFIG_HOME` either.

## How they are merged

- Of single values the later source wins.
- Lists of rules are put one after the other, without duplicates. `"$defaults"` stands for the
  built-in entries, in place. They stay unless the strongest source that sets the list leaves
  `"$defaults"` out. An empty list switches them off, and is reported.
- A key that stands twice in one object is reported, and the stricter reading counts.

## What is wrong in a file

Each finding names the file, the line and the key; the rest of the file still counts. A malformed
entry of `permissions.deny`, `permissions.ask` or `autoMode.hard_deny`, and a file that is there but
cannot be read, **close** the gate: calls are asked about, or denied when nobody is there, until it
is put right.

## Settings

The column "environment" says what an environment may do that you do not trust.
"""  # noqa: E501 - rows of a table do not wrap


def page() -> str:
    """The whole page."""
    spellings = [f"| `{spelling}` | `{row.key}` |" for row in ROWS for spelling in _spellings(row)]
    return "\n".join(
        [
            _HEAD,
            "| key | holds | default | environment | meaning |",
            "| --- | --- | --- | --- | --- |",
            *(_line(row) for row in ROWS),
            "",
            "## Earlier spellings",
            "",
            "These are understood and applied, with a finding that names the key to write.",
            "",
            "| written | means |",
            "| --- | --- |",
            *spellings,
            "",
        ]
    )


def _spellings(row: Row) -> tuple[str, ...]:
    words = row.key.split("_")
    camel = "".join([words[0], *(word.capitalize() for word in words[1:])])
    return row.spellings if camel == row.key else (*row.spellings, camel)


def _line(row: Row) -> str:
    default = row.absent or f"`{json.dumps(row.default)}`"
    cells = (f"`{row.key}`", row.kind.expects, default, _environment(row), row.meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _environment(row: Row) -> str:
    if Source.ENVIRONMENT not in row.sources:
        return "no"
    if not isinstance(row.kind, Rules):
        return row.order.words
    if not row.kind.tightens:
        return "no"
    return "adds entries" + (", the built-in ones stay" if row.kind.built_in else "")


if __name__ == "__main__":
    sys.stdout.write(page())
