"""Modules of the project that Python code on a command line uses: they are the project's code."""

from functools import partial

from automode.core.paths import absolute, exactly_within
from automode.core.session import Session
from automode.core.workspace import Kind
from automode.guards.session_files import written_by, written_by_code
from automode.judge.calls.code_deeds import module_folders, proved_python
from automode.judge.calls.needs import Named
from automode.judge.runs.artefacts import Artefacts, artefacts
from automode.judge.runs.own import Own
from automode.judge.runs.running import files_seen
from automode.programs.call_facts import CallFacts
from automode.programs.python_code import Proved
from automode.shell.script import Command

UNKNOWN, OWN = "imports-unknown", "runs-own"


def unless_own(
    deeds: tuple[str, ...], facts: CallFacts, session: Session, named: Named
) -> tuple[str, ...]:
    """The deeds again. What this session wrote of the modules is asked about by itself."""
    if UNKNOWN not in deeds:
        return deeds
    now = {*written_by(facts).values(), *written_by_code(facts)}
    if any(path.endswith(".py") for path in now):
        return deeds  # it may be what is used
    place = facts.workspace
    left = artefacts(facts, session).copy()
    left.touched = set()  # by this call alone
    for command in facts.script.commands:
        code = proved_python(command)
        if code is not None and code.unlisted:
            own = Own(place, "", seen=partial(_found_there, session, named, left))
            if not _are_own(code, command, own, left):
                return deeds
        left.add(command, place.cwd)
    return tuple(dict.fromkeys(OWN if one == UNKNOWN else one for one in deeds))


def _found_there(session: Session, named: Named, left: Artefacts) -> frozenset[str]:
    return files_seen(session, named).difference(left.texts)


def _are_own(code: Proved, command: Command, own: Own, left: Artefacts) -> bool:
    """Python looks for a module where the command runs, before it looks elsewhere. What this
    session put in another place may have the name of a library."""
    place, at = own.workspace, command.cwd
    if at is None or not exactly_within(at, place.root) or left.builds_foreign(at):
        return False
    if not own.is_there():
        return all(map(own.module, code.unlisted))
    first = {*module_folders(command, place), *(absolute(one, at) for one in code.folders)}

    def lies(folder: str, module: str) -> bool:
        paths = [f"{folder}/{module.replace('.', '/')}{end}" for end in (".py", "/__init__.py")]
        made = left.touched if folder in first else left.touched | left.texts.keys()
        there = any(place.files.kind(one) is Kind.FILE for one in paths)
        foreign = any(map(left.came_from_elsewhere, paths))
        return there and not foreign and made.isdisjoint(paths)

    folders = (*first, place.root, f"{place.root}/src")
    return all(any(lies(folder, one) for folder in folders) for one in code.unlisted)
