"""The reference pages of the guards, made from the guards and their examples."""

import tomllib
from importlib.resources import files

from automode.guards.floor.layer import GUARDS
from automode.guards.guard import Guard

_INDEX = """\
# Guards

The floor denies what these guards see. Nobody may permit it: no rule, no approval,
no classifier. A decision of a guard has the source `floor.` and the guard's id.
This page and the pages behind it are made from the guards; edit those.

| guard | what it stops |
| --- | --- |
{rows}
"""
_PAGE = """\
# `{guard.id}`

{about}

- reason: {guard.reason}
- instead: {instead}

Stops:

```text
{stops}
```

Lets pass (other layers still decide):

```text
{passes}
```
"""


def _instead(guard: Guard) -> str:
    person = f"a person can {guard.remedy}" if guard.remedy else ""
    return "; ".join(part for part in (guard.advice, person) if part)


def guard_pages() -> dict[str, str]:
    """By the path below `docs/reference`."""
    examples = tomllib.loads(
        files("automode.guards.floor").joinpath("examples.toml").read_text("utf-8")
    )
    rows = (f"| [`{guard.id}`](guards/{guard.id}.md) | {guard.reason} |" for guard in GUARDS)
    found = {"guards.md": _INDEX.format(rows="\n".join(rows))}
    for guard in GUARDS:
        row = examples[guard.id]
        stops, passes = ("\n".join(row[kind]) for kind in ("stops", "passes"))
        found[f"guards/{guard.id}.md"] = _PAGE.format(
            guard=guard, about=row["about"], stops=stops, passes=passes, instead=_instead(guard)
        )
    return found
