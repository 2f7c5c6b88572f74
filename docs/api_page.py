"""The reference of the Python names, made from their signatures and docstrings."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from enum import Enum

import automode

_HEAD = """\
# Python API

The public names of `automode`, from their docstrings: `make docs` writes this page.
[Python](../guides/python.md) shows how they are used, also with frameworks.
"""
_FIELD = re.compile(r"^    (\w+): ([^=#\n]+?)(?: = ([^#\n]+?))?(?:  # (.+))?$", re.MULTILINE)
_MODULE = re.compile(r"\b(?:\w+\.)+(?=[A-Z])")


def api_page() -> str:
    return "\n".join([_HEAD, *(_entry(name) for name in sorted(automode.__all__, key=str.lower))])


def _entry(name: str) -> str:
    thing = getattr(automode, name)
    if inspect.isfunction(thing):
        return f"## `{name}`\n\n{_code(name, thing)}\n{_doc(thing)}\n"
    parts = [f"## `{name}`", _doc(thing)]
    fields = list(_fields(thing))
    if fields:
        parts.append("\n".join(["| field | type | meaning |", "| --- | --- | --- |", *fields]))
    if "__init__" in vars(thing) and not fields:
        parts.append(_code(name, thing.__init__).rstrip())
    return "\n\n".join([*parts, *_members(thing)]) + "\n"


def _fields(thing: type) -> Iterator[str]:
    """Of a dataclass, with the remark beside each."""
    known = getattr(thing, "__dataclass_fields__", {})
    for name, kind, _, note in _FIELD.findall(inspect.getsource(thing)):
        if name in known:
            plain = kind.strip().replace("|", "\\|")
            yield f"| `{name}` | `{plain}` | {note} |"


def _members(thing: type) -> Iterator[str]:
    if issubclass(thing, Enum):
        yield "Members: " + ", ".join(f"`{one.name}`" for one in thing) + "."
    for name, member in vars(thing).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"### `{name}`\n\n{_doc(member)}"
        elif inspect.isfunction(member):
            yield f"### `{name}`\n\n{_code(name, member)}\n{_doc(member)}".rstrip()


def _code(name: str, function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    kept = [one for one in signature.parameters.values() if one.name != "self"]
    text = str(signature.replace(parameters=kept)).removesuffix(" -> None")
    start = "await " if inspect.iscoroutinefunction(function) else ""
    shown = f"{start}{name}{_MODULE.sub('', text)}"
    if len(shown) > 90:
        shown = shown.replace("(", "(\n    ", 1).replace(", ", ",\n    ")
        shown = re.sub(r"\) ->", "\n) ->", shown) if ") ->" in shown else f"{shown[:-1]}\n)"
        shown = re.sub(r"\[(\w+),\n    ", r"[\1, ", shown)
    return f"```python\n{shown}\n```\n"


def _doc(thing: object) -> str:
    return textwrap.dedent(inspect.getdoc(thing) or "")
