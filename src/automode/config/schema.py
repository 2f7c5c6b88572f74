"""The JSON Schema of settings files, made from the table of settings."""

from collections.abc import Iterable

from automode.config.keys import IGNORED, ROWS
from automode.config.kinds import DEFAULTS, PROVIDER_NAME, Endpoint, Rules, Schema
from automode.config.row import Row

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
