"""The documentation pages of the guards, made from the guards and their examples."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
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

{examples.about}

- reason: {guard.reason}
- advice: {guard.advice}

Stops:

```text
{stops}
```

Lets pass (other layers still decide):

```text
{passes}
```
"""


@dataclass(frozen=True, slots=True)
class Examples:
    """`write: PATH` is a write of a file tool; any other example is a bash script."""

    about: str
    stops: tuple[str, ...]
    passes: tuple[str, ...]  # look-alikes that are not its business


@cache
def examples() -> Mapping[str, Examples]:
    """By the id of the guard. Not read when a call is decided."""
    text = files("automode.guards.floor").joinpath("examples.toml").read_text("utf-8")
    return {
        guard: Examples(row["about"], tuple(row["stops"]), tuple(row["passes"]))
        for guard, row in tomllib.loads(text).items()
    }


def guard_pages() -> Mapping[str, str]:
    """Page text by path below `docs/reference/`."""
    rows = (f"| [`{guard.id}`](guards/{guard.id}.md) | {guard.reason} |" for guard in GUARDS)
    pages = {f"guards/{guard.id}.md": _page(guard) for guard in GUARDS}
    return {"guards.md": _INDEX.format(rows="\n".join(rows)), **pages}


def _page(guard: Guard) -> str:
    found = examples()[guard.id]
    stops, passes = ("\n".join(some) for some in (found.stops, found.passes))
    return _PAGE.format(guard=guard, examples=found, stops=stops, passes=passes)
