"""What a command runs out of a file, judged by what is in the file where that can be seen."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from automode.core.paths import absolute
from automode.core.session import Session
from automode.core.transcript import Outcome
from automode.core.workspace import Workspace
from automode.guards.session_files import executed_files
from automode.judge import javascript_code
from automode.judge.artefacts import LONGEST_FILE, Artefacts, artefacts, latest
from automode.judge.command_deeds import python_deeds
from automode.judge.deeds import Weight, deeds
from automode.judge.file_deeds import plain_words, touches
from automode.judge.mentions import Named
from automode.judge.needs import Need
from automode.judge.tasks import RUNS, USUAL, is_test
from automode.judge.tool_deeds import PATH_FIELDS
from automode.judge.words import patterns, word_lists
from automode.judge.written_tests import SOURCES, Own, only_tests
from automode.programs.call_facts import CallFacts
from automode.shell.script import Command, Script

_NEEDS_W = word_lists("needs")

_P = patterns("running")

UNREAD = "runs-unread"
_SHELL = (".sh", ".bash", ".zsh", ".ksh")
_SHEBANGS = ("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/env sh")
LONGEST_LINE = 400
# They do what the files of a folder say.
_BUILDERS = _NEEDS_W.project | frozenset(
    "docker docker-compose podman go deno swift zig bazel".split()
)


Within: TypeAlias = Callable[[str, CallFacts], tuple[str, ...] | None]
"""The deeds of a shell script that lies in a file."""


def running_deeds(
    facts: CallFacts, needs: Sequence[Need], named: Named, session: Session, within: Within
) -> Iterator[str]:
    """What the objects of a script make of it. A script that nobody named is what is in it, and so
    is a file that this session wrote."""
    place, script = session.workspace, facts.script
    for need in needs:
        if need.deed not in (RUNS, USUAL) and not need.met(named, place):
            yield need.deed
    run = [need for need in needs if need.deed in (RUNS, USUAL)]
    tests = any(_P.testing.search(command.text[:LONGEST_LINE]) for command in script.commands)
    edited = _edited_files(script, place.cwd)
    executed = [one for one in executed_files(facts, session) if one not in edited]
    built = [command for command in script.commands if command.program in _BUILDERS]
    if not run and not executed and not tests and not built:
        return
    written = artefacts(session, lambda text: facts.other(text).script)
    if built and _builds_foreign(script, written, place.cwd):
        yield "runs-cloned"
    for need in run:
        yield from _of_script(facts, within, need, written, named)
    if tests:
        executed += [one for one in written.texts if is_test(one) and one.endswith(SOURCES)]
    seen = _files_seen(session, named) if executed else frozenset[str]()
    for path in dict.fromkeys(executed):
        if not _seen_harmless(facts, within, path, written, seen):
            yield UNREAD


def _builds_foreign(script: Script, written: Artefacts, here: str) -> bool:
    """Whether a project is built or run that came from elsewhere, even by the script itself."""
    found = Artefacts(fetched=set(written.fetched))
    for command in script.commands:
        at = command.cwd or here
        folders = [at, *(absolute(one, at) for one in plain_words(command))]
        if command.program in _BUILDERS and any(map(found.came_from_elsewhere, folders)):
            return True
        found.add(command, here)
    return False


def _files_seen(session: Session, named: Named) -> frozenset[str]:
    """Files that are there: an earlier call read or changed them, or the user names them."""
    here = session.workspace.cwd
    found = {absolute(one, here) for one in _SOURCE.findall(named.told)}
    for one in latest(session):
        paths = (
            (one.input.get(name) for name in PATH_FIELDS)
            if one.outcome is not Outcome.ERROR
            else ()
        )
        found |= {absolute(path, here) for path in paths if isinstance(path, str)}
    return frozenset(found)


_SOURCE = re.compile(r"(?<![\w./~-])[\w-][\w./-]*\.py\b")


def _edited_files(script: Script, here: str) -> set[str]:
    """Files that perl edits in place: beside code on the command line they are no scripts."""
    return {
        absolute(touch.path, command.cwd or here)
        for command in script.commands
        if command.program == "perl"
        for touch in touches(command)
    }


def _of_script(
    facts: CallFacts, within: Within, need: Need, written: Artefacts, named: Named
) -> Iterator[str]:
    place = facts.workspace
    full = absolute(need.name, need.cwd)
    before = _before(full, facts.script, place.cwd)
    if written.came_from_elsewhere(full) or before.came_from_elsewhere(full):
        yield "runs-fetched"
    elif not need.met(named, place) and full not in written.built | before.built:
        yield from _of_file(facts, within, full, written)


def _before(full: str, script: Script, here: str) -> Artefacts:
    """What the script itself compiles and fetches before it runs `full`."""
    found = Artefacts()
    for command in script.commands:
        if command.words and absolute(command.words[0].text, command.cwd or here) == full:
            break
        found.add(command, here)
    return found


def _text(full: str, written: Artefacts, place: Workspace) -> str | None:
    """What is in the file now, or what this session is known to have put there."""
    now = place.files.text(full, LONGEST_FILE)
    return written.texts.get(full) if now is None else now


def _of_file(facts: CallFacts, within: Within, full: str, written: Artefacts) -> Iterator[str]:
    text = _text(full, written, facts.workspace)
    found = None if text is None else _of_text(facts, within, full, text)
    if found is None:
        yield RUNS
    else:
        yield from (name for name in found if deeds()[name].weight is not Weight.LIGHT)


def _of_text(facts: CallFacts, within: Within, full: str, text: str) -> tuple[str, ...] | None:
    place = facts.workspace
    if full.endswith(_SHELL) or text.startswith(_SHEBANGS):
        return within(text, facts)
    if full.endswith(".py"):
        return tuple(python_deeds(text, Command((), cwd=place.cwd), place))
    if full.endswith((".js", ".cjs")):
        return () if javascript_code.is_proved(text) else None
    return None


def _seen_harmless(
    facts: CallFacts, within: Within, full: str, written: Artefacts, seen: frozenset[str]
) -> bool:
    """Of a file that this session wrote and that runs now."""
    place = facts.workspace
    text = _text(full, written, place)
    if not text or written.came_from_elsewhere(full):
        return False
    if is_test(full) and only_tests(text, Own(place, full, frozenset(written.texts), seen)):
        return True  # it calls the project's own code, as tests do
    found = _of_text(facts, within, full, text)
    return found is not None and all(deeds()[name].weight < Weight.LASTING for name in found)
