"""Servers that this session started, with their ports: a change in one of them is a try-out of the
project."""

import re
from collections.abc import Iterable, Iterator

from automode.core.call import Shell
from automode.core.session import Session
from automode.judge.calls import network
from automode.judge.runs.artefacts import latest
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.shell.script import Command, Script

CHANGES, SENDS = "changes-here", "sends-here"
_P = patterns("served")
_W = word_lists("served")
_NUMBER = re.compile(r"(?<![\w.])\d{4,5}(?![\w.])")
_PORT = re.compile(r"[\w.\[\]-]+:(\d{2,5})(?:[/?#].*)?", re.DOTALL)
_BACKGROUND = re.compile(r"(?<![&>|])&(?![&>])")
LONGEST_ENV = 4_000
_LATER = ("run_in_background", "is_background", "background")


def unless_served(deeds: tuple[str, ...], facts: CallFacts, session: Session) -> tuple[str, ...]:
    """The deeds again: a change in a server of this machine is none where this session, or the
    script itself, started a server at that port."""
    if CHANGES not in deeds:
        return deeds
    asked = set(_asked_ports(facts.script.commands))
    if "" in asked or not asked <= set(served_ports(facts, session)):
        return deeds
    return tuple(dict.fromkeys(SENDS if one == CHANGES else one for one in deeds))


def _asked_ports(commands: Iterable[Command]) -> Iterator[str]:
    """The port of each request to this machine; empty where it is not known or not told."""
    for command in commands:
        if command.program in network.CLIENTS:
            for one in network.targets(command):
                found = _PORT.fullmatch(one.partition("://")[2] or one)
                yield found[1] if found else ""


def served_ports(facts: CallFacts, session: Session) -> Iterator[str]:
    """Those that a command which starts a server names, and those that servers listen at where
    nobody says so. What others usually listen at is never counted."""
    for command in _servers(facts, session):
        given = (*command.assignments, *command.environment)
        values = " ".join(one.value.text for one in given)
        words = command.text.replace("=", " ").replace(":", " ")
        named = set(_NUMBER.findall(f"{words} {values}"))
        yield from (named or _W.usual | _told_ports(facts)) - _W.others


def _told_ports(facts: CallFacts) -> set[str]:
    """What the call, or a file of variables, says that a server is to listen at."""
    place = facts.workspace
    env = place.files.text(f"{place.root}/.env", LONGEST_ENV) or ""
    action = facts.call.action
    text = action.command if isinstance(action, Shell) else ""
    return {port for one in (text, env) for port in _P.port.findall(one)}


def starting(facts: CallFacts, session: Session) -> Iterator[str]:
    """The commands that started servers, as they were written."""
    return (one.text for one in _servers(facts, session))


def _servers(facts: CallFacts, session: Session) -> Iterator[Command]:
    action = facts.call.action
    if isinstance(action, Shell):
        yield from _servers_in(facts.script, action.command, later=False)
    for call in latest(session):
        if call.call is None or not isinstance(call.call.action, Shell):
            continue
        text = call.call.action.command
        if _P.starts.search(text):
            later = any(call.input.get(one) is True for one in _LATER)
            script = facts.reader.first(text, facts.workspace)
            yield from _servers_in(script, text, later=later)


def _servers_in(script: Script, text: str, *, later: bool) -> Iterator[Command]:
    """`later`: the tool leaves it running."""
    if later or _BACKGROUND.search(text):
        for command in script.commands:
            if command.program in _W.servers and _P.starts.search(command.text):
                yield command
