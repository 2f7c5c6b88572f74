"""How an agent has to be started so that nothing in a project can take the gate away."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from automode.agents.installing.found import Registration
from automode.agents.installing.plan import CannotInstall, Scope
from automode.agents.installing.site import Site
from automode.facts.switches import switches

_OF_TWO_LETTERS = ("-np",)
"""Pi's for no templates of prompts: no two options in one word."""


@dataclass(frozen=True, slots=True)
class Launch:
    """`words` follow the program's name. `file`: what has to lie where before it starts."""

    words: tuple[str, ...]
    file: tuple[str, bytes] | None = None
    variables: tuple[tuple[str, str], ...] = ()


def nobody_there(alone: Sequence[str], arguments: Sequence[str], *, terminal: bool) -> bool:
    """`alone`: words of this agent's with which it asks nobody anything."""
    return not terminal or any(_means(word, alone) for word in options(arguments))


def _means(word: str, alone: Sequence[str]) -> bool:
    """Short options may be written together, and with their value: `-cp TEXT`, `-pTEXT`."""
    name = word.partition("=")[0]
    together = name[:1] == "-" != name[1:2] and name not in _OF_TWO_LETTERS
    letters = name[1:].partition(" ")[0] if together else ""
    return name in alone or any(one[1:] in letters for one in alone if len(one) == 2)


def refuse(arguments: Sequence[str], refused: Sequence[str], what: str) -> None:
    for word in options(arguments):
        if word.partition("=")[0] in refused:
            raise CannotInstall(
                f"with `{word}` the agent runs no {what}, and so it would not be guarded",
                "leave it out, or start the agent itself",
            )


def options(arguments: Sequence[str]) -> list[str]:
    """What stands behind `--` is a prompt."""
    words = list(arguments)
    return words[: words.index("--")] if "--" in words else words


def taken(arguments: Sequence[str], option: str) -> tuple[list[str], list[str]]:
    """The values of `option`, and the words without it."""
    given = options(arguments)
    rest = list(arguments[len(given) :])
    values: list[str] = []
    kept: list[str] = []
    words = iter(given)
    for word in words:
        name, equals, value = word.partition("=")
        if name == option:
            values.append(value if equals else next(words, ""))
        else:
            kept.append(word)
    return values, [*kept, *rest]


def is_whole(one: Registration) -> bool:
    return not one.wrong and one.scope is not Scope.PROJECT


def refuse_where_switched_off(agent: str, site: Site) -> None:
    """Also with a person there: they would work without a gate. Raises CannotInstall."""
    known = switches(os.getcwd(), home=site.home, agent=agent, environment=site.environment)
    found = [one for one in known if not one.digest]  # who trusts others is asked elsewhere
    if found:
        said = "; ".join(f"{one.path}: {one.what}" for one in found)
        raise CannotInstall(f"hooks are switched off here: {said}", found[0].fix)
