"""Looks where automode is registered with Gemini CLI and Qwen Code, and what is wrong there."""

import shlex
from collections import Counter
from collections.abc import Iterator

from automode.agents.installing import claude_hooks
from automode.agents.installing.apply import present
from automode.agents.installing.claude_settings import ours, root_of
from automode.agents.installing.found import Registration, misled_words
from automode.agents.installing.gemini_settings import Relative
from automode.agents.installing.plan import CannotInstall, Scope
from automode.agents.installing.site import Program, Site
from automode.core.errors import BadSettings


def in_relative(relative: Relative, site: Site, program: Program) -> tuple[Registration, ...]:
    """Every place, the person's own first. A file that cannot be read is a place with something
    wrong: the agent may read it."""
    found = (_at(relative, scope, site, program) for scope in (Scope.USER, Scope.MANAGED))
    return tuple(one for one in found if one is not None)


def _at(relative: Relative, scope: Scope, site: Site, program: Program) -> Registration | None:
    path = relative.settings(site, scope)
    try:
        text = (present(path)[1] or b"").decode()
        if not text.strip():
            return None
        found = list(ours(root_of(text)))
    except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
        return Registration(relative.agent, scope, path, wrong=(f"cannot be read: {error}",))
    if not found:
        return None
    here = program.for_every_account() if scope is Scope.MANAGED else program
    return Registration(
        relative.agent,
        scope,
        path,
        claude_hooks.version_of(found[0][1]),
        wrong=tuple(dict.fromkeys(_wrong(relative, found, here))),
    )


def _wrong(
    relative: Relative, found: list[tuple[str, dict[str, object]]], program: Program
) -> Iterator[str]:
    counted = Counter(event for event, _ in found)
    wanted = relative.handlers(program)
    for event in wanted:
        if counted[event] == 0:
            yield f"no hook for {event}"
        elif counted[event] > 1:
            yield f"{counted[event]} hooks for {event}: each call is decided as often"
    for event, handler in found:
        if handler != wanted.get(event):
            yield from _changed(event, handler, program)


def _changed(event: str, handler: dict[str, object], program: Program) -> Iterator[str]:
    """One that another release wrote may look otherwise; that alone is no fault."""
    try:
        words = shlex.split(str(handler.get("command", "")), comments=True)
    except ValueError:
        words = []
    misled = [*misled_words(words, program)]
    yield from misled
    if not misled and claude_hooks.version_of(handler) == program.version:
        yield f"the hook for {event} was changed: it may not close when something fails"
