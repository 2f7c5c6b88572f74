"""Layer: asks before a program opens that the agent would type into without any hook."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Required, TypedDict

from automode.core.call import Shell
from automode.core.decision import ask
from automode.core.session import Session
from automode.gate.layer import Answer, Trail
from automode.guards.guard import words
from automode.programs.call_facts import CallFacts
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Command, Script

HOSTS = frozenset({"codex"})
"""Agents that were measured to type without a hook."""
SOURCE = "typed-session"
ADVICE = "give it everything at once: as a script, an option, a here-document or a pipe"

_TYPED = frozenset({"-", "/dev/stdin", "/dev/tty", "/dev/fd/0", "/proc/self/fd/0"})
_LED_IN = ("<", "<<", "<<<", "<>", "<&")
_PASSING = words("cat tee dd pv")
_LONG = words(
    "--command --execute --eval --file --batch --print --query --version --help --list --json-lines"
)


class _Program(TypedDict, total=False):
    programs: Required[str]
    operands: int
    giving: str
    values: str


@cache
def _programs() -> Mapping[str, _Program]:
    text = files("automode.guards").joinpath("typed_session.toml").read_text("utf-8")
    kinds: Mapping[str, _Program] = tomllib.loads(text)
    return {name: kind for kind in kinds.values() for name in kind["programs"].split()}


def _waits(command: Command, kind: _Program) -> bool:
    given = arguments(command.args, Spec(values=kind.get("values", "")))
    if given.has("-i", "--interactive"):
        return True
    if given.has(*(f"-{letter}" for letter in kind.get("giving", "")), *_LONG):
        return False
    operands = kind.get("operands", 1)
    return not operands or len(_operands(given)) < operands


class TypedSession:
    name = SOURCE

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if session.host not in HOSTS or not isinstance(facts.call.action, Shell):
            return None
        opened = next(_typed_programs(facts.script), None)
        if opened is None:
            return None
        reason = f"what is typed into `{opened}` would not be decided by automode"
        return ask(SOURCE, reason, ADVICE, clearable=False)


def _typed_programs(script: Script) -> Iterator[str]:
    first = {one.pipeline: one for one in script.commands if one.position == 0}
    for command in script.commands:
        kind = _programs().get(command.name)
        if kind is not None and _takes_typing(command, first) and _waits(command, kind):
            yield command.name


def _takes_typing(command: Command, first: Mapping[int, Command]) -> bool:
    """Whether its input is that of the session: nothing else is led into it, or something that
    passes on what is typed."""
    if command.fed is not None or any(one.op in _LED_IN for one in command.redirects):
        return False
    source = first.get(command.pipeline)
    if command.position == 0 or source is None:
        return True
    passes = source.name in _PASSING and not _operands(arguments(source.args, Spec()))
    return passes and _takes_typing(source, first)


def _operands(given: Arguments) -> list[str]:
    return [word.text for word in given.operands if word.text not in _TYPED]
