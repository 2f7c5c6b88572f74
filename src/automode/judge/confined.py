"""Layer: a shell call that nothing proves and that needs nothing outside of the workspace may run
under the kernel's guard.

The kernel keeps it from the network, from credentials and from writing elsewhere. It does not keep
it from deleting or overwriting work inside of the workspace: a call that is known to do so, or of
which that cannot be told, is for the judge.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Protocol

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision, Remark, Verdict, allow, ask
from automode.core.paths import exactly_within, locate, within
from automode.core.session import Mode, Session
from automode.core.tool_input import plain_command
from automode.core.transcript import UserMessage
from automode.core.workspace import Kind, Workspace
from automode.gate.layer import Answer, Layer, Trail
from automode.guards.reads.read_only import possible_worlds, secret_reasons
from automode.guards.session_files import executed_files
from automode.guards.workspace_edits import too_wide
from automode.judge.calls.network import reached_hosts
from automode.judge.calls.tasks import is_test
from automode.judge.consent.requests import MOST_HEARD, users_words
from automode.judge.deeds import deeds
from automode.judge.reading import CallReader
from automode.judge.runs.artefacts import artefacts
from automode.judge.runs.own import LONGEST_FILE
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.programs.table import programs
from automode.programs.use import Effect
from automode.shell.script import Command, Script, Word

SOURCE = "confine"
LIMITS = "writes only in the workspace, no network, no credentials, no services"
"""What a call runs under, for people."""
CONFINED = f"needs nothing outside of the workspace, so it runs confined: {LIMITS}"
_NOT_CONFINED, _ASKED = "not-confined", "asked"

DEEDS = frozenset(
    "develops writes-here makes-runnable runs-own runs-made runs-unnamed runs-unread".split()
)
"""What a confined call may be. Every other deed needs something outside, or may hurt inside: a
program that no row knows, and code in the call, may delete work."""

_DELETES = re.compile(
    r"rmtree|unlink|removedirs|rmdir|remove_dir_all|remove_file|RemoveAll|rimraf|emptyDir"
    r"|fs\.(?:promises\.)?rm|\bos\.(?:remove|rename|replace|truncate)|\bRemove\(|\btruncate\b"
    r"|deleteSync|shutil\.move|\brm\s+-|[\"']rm[\"']"
    r"|\bgit[\s\"',]+(?:clean|reset|checkout|restore|stash|rm)\b"
)
"""Hints in what this session wrote that it deletes work."""

_OUTSIDE = Effect.REMOTE_READ | Effect.REMOTE_WRITE | Effect.SECRETS | Effect.SYSTEM
_BACKGROUND = re.compile(r"(?<![&>|<\\])&(?![&>])")
_LATER = frozenset("nohup setsid disown bg fg jobs wait screen tmux daemonize at batch".split())
_MOVES = frozenset("cd pushd popd".split())
_FIRST_MOVE = re.compile(r"\s*cd\s[^;&|\n]*(?:&&|;|\n)")
_OF_SHELL = frozenset(
    "export declare typeset readonly unset alias unalias source . set shopt ulimit umask trap"
    " enable hash exec eval local".split()
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_LOCAL_ADDRESS = re.compile(r"file://", re.IGNORECASE)
_P, _W = patterns("confined"), word_lists("confined")
_BACKGROUND_FIELDS = ("run_in_background", "background", "is_background", "isBackground")
_NOBODY = users_words(())


class NotConfinable(Exception):
    """Why a call cannot run confined here, as `str()`."""


class Prepare(Protocol):
    """Writes down what a call may do. Returns the command that runs it so. Raises NotConfinable,
    and whatever goes wrong."""

    async def __call__(self, facts: CallFacts, session: Session, moved: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Confining:
    """`unavailable`: why the platform has no guard; empty where it has one."""

    prepare: Prepare
    unavailable: Callable[[], str]
    reader: CallReader

    def objection(self, facts: CallFacts, session: Session) -> str | None:
        """Why a call cannot run confined; None where it can."""
        if not session.confines:
            return "the agent cannot run another command in its place"
        found = self.unavailable() or need_outside(facts, session, self.reader)
        place = session.workspace
        if found or not place.other_home:
            return found
        # The gate asks a judge about one home; here both have to be fine.
        other = replace(place, home=place.other_home, other_home=place.home)
        there = CallFacts(facts.call, other, facts.reader)
        return need_outside(there, replace(session, workspace=other), self.reader)

    async def apply(
        self, decision: Decision, facts: CallFacts, session: Session
    ) -> Decision | Remark:
        """The decision to run the call confined; in shadow mode nothing is prepared."""
        if session.mode is not Mode.ENFORCE:
            return decision
        moved = final_folder(facts, session) or ""
        try:
            command = await self.prepare(facts, session, moved)
        except NotConfinable as error:
            return _not_confined(str(error))
        return replace(decision, rewritten=command)


@dataclass(frozen=True, slots=True)
class ConfinedDoor:
    """The last door before the judge. `judged`: only what that would ask about runs confined.
    Then this says what cannot, and asks about a call that has met the guard."""

    confining: Confining
    judged: bool = False
    name: str = SOURCE

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        action = facts.call.action
        if not isinstance(action, Shell):
            return None
        objection = _boundary(session) or self.confining.objection(facts, session)
        if objection:
            return _not_confined(objection)
        if session.ran_confined:
            return ask(SOURCE, session.ran_confined)
        if self.judged:
            return None
        return await self.confining.apply(allow(SOURCE, CONFINED), facts, session)


@dataclass(frozen=True, slots=True)
class AlsoConfined:
    """Another layer. Its shell calls with `verdict` run confined where they can: those that it
    allows, or, in place of the question, those that it asks about."""

    layer: Layer
    confining: Confining
    verdict: Verdict = Verdict.ALLOW

    @property
    def name(self) -> str:
        return self.layer.name

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        answer = await self.layer(facts, session, trail)
        if not isinstance(answer, Decision) or not isinstance(facts.call.action, Shell):
            return answer
        if answer.verdict is not self.verdict or self._is_barred(facts, session, trail):
            return answer
        decision = answer
        if self.verdict is Verdict.ASK:
            says = f"{CONFINED}; else {answer.source} would ask: {answer.reason}"
            decision = allow(SOURCE, says)
        confined = await self.confining.apply(decision, facts, session)
        return confined if isinstance(confined, Decision) else answer

    def _is_barred(self, facts: CallFacts, session: Session, trail: Trail) -> bool:
        if self.verdict is Verdict.ALLOW:
            return bool(session.ran_confined or self.confining.objection(facts, session))
        # Behind an ask of a wall nothing opens; the door has told what cannot run confined.
        return any(remark.mark in (_NOT_CONFINED, _ASKED) for remark in trail)


def _not_confined(why: str) -> Remark:
    return Remark(SOURCE, _NOT_CONFINED, why)


def _boundary(session: Session) -> str | None:
    """What the user said that only a judge can weigh: a word that forbids, unless it is known to
    speak of something else than running, that wants to be asked, or that asks for no deed."""
    said = [one.text for one in session.transcript.entries if isinstance(one, UserMessage)]
    words = users_words(session.transcript.entries)
    if words.no_change or words.limited or words.looks or any(map(_limits, said)):
        return "the user's words set a limit"
    return None


@lru_cache(maxsize=MOST_HEARD)
def _limits(message: str) -> bool:
    """Also in the middle of a long message."""
    limits = (_P.no_runs, _P.foreign, _P.asks_first, _P.own_hands, _P.talks_only)
    if any(one.search(message) for one in limits):
        return True
    verbs = ((one["verb"] or one["doing"]).casefold() for one in _P.forbids.finditer(message))
    return any(one not in _W.other for one in verbs)


def need_outside(facts: CallFacts, session: Session, reader: CallReader) -> str | None:
    """What the reading finds that a confined call must not or could not do; None: nothing."""
    return next(_needs(facts, session, reader), None)


def _needs(facts: CallFacts, session: Session, reader: CallReader) -> Iterator[str]:
    call, place = facts.call, session.workspace
    if not isinstance(call.action, Shell) or call.action.dialect != "bash":
        yield "it is no script for bash"
        return
    script = facts.script
    if not script.complete:
        yield f"not fully understood: {script.gaps[0]}"
    yield from _about_place(call, place)
    yield from _about_shell(call, script, facts, session)
    for command in script.commands:
        yield from _about_command(command, facts)
    for world in possible_worlds(script, place):
        for command in world.commands:
            yield from filter(None, secret_reasons(facts.of(command)))
    yield from _about_deeds(facts, session, reader)


def _about_place(call: ToolCall, place: Workspace) -> Iterator[str]:
    if plain_command(call.input) is None:
        yield "its input is not one text"
    if any(call.input.get(field) for field in _BACKGROUND_FIELDS):
        yield "it goes on in the background"
    if too_wide(place):
        yield f"the workspace `{place.root}` holds a home folder"
    real, root = place.files.resolve(place.cwd), place.files.resolve(place.root)
    if real is None or root is None or not exactly_within(real, root):
        yield "it does not begin in the workspace"


def _about_shell(
    call: ToolCall, script: Script, facts: CallFacts, session: Session
) -> Iterator[str]:
    """What has to outlive the call: processes, and what the host's shell keeps."""
    text = plain_command(call.input) or ""
    if _BACKGROUND.search(text) or any(one.program in _LATER for one in script.commands):
        yield "it may leave processes behind"
    if session.confines != "nothing" and final_folder(facts, session) is None:
        yield "it moves the agent's shell to a folder that is not known beforehand"
    if session.confines == "shell" and any(_changes_shell(one) for one in script.commands):
        yield "it changes the agent's shell"


def _changes_shell(command: Command) -> bool:
    return command.program in _OF_SHELL or (not command.words and bool(command.assignments))


def final_folder(facts: CallFacts, session: Session) -> str | None:
    """The folder in which the call leaves the agent's shell, where that keeps it; empty: where it
    is now; None: not known beforehand."""
    if session.confines == "nothing":
        return ""
    moves = [one for one in facts.script.commands if one.program in _MOVES]
    if not moves:
        return ""
    text = plain_command(facts.call.input) or ""
    match moves:
        case [Command(words=(_, Word() as folder), cwd=str(at))] if _FIRST_MOVE.match(text):
            pass
        case _:
            return None
    if (
        folder.value is None
        or folder.value.startswith(("-", "~"))
        or facts.script.commands[0] is not moves[0]
    ):
        return None
    files, place = session.workspace.files, session.workspace
    found = files.resolve(folder.value if folder.value.startswith("/") else f"{at}/{folder.value}")
    inside = found is not None and within(found, files.resolve(place.root) or place.root)
    return found if inside and found and files.kind(found) is Kind.FOLDER else None


def _about_command(command: Command, facts: CallFacts) -> Iterator[str]:
    place = facts.workspace
    if command.elevated or command.remote:
        yield "it runs with other rights or on another machine"
    if command.words and command.words[0].value is None:
        yield "a program is not known beforehand"
    use = facts.of(command).effect
    if Effect.WRITES in use and Effect.DEVELOPMENT not in use:
        yield "it changes files, and the kernel does not tell which of them are work"
    if next(reached_hosts(command), None) is not None:
        yield "it names another machine"
    texts = [
        *(word.text for word in command.words),
        *(one.target.text for one in command.redirects if not one.feeds),
        *(one.value.text for one in chain(command.assignments, command.environment)),
    ]
    for text in texts:
        if _ADDRESS.search(_LOCAL_ADDRESS.sub("", text)):
            yield "it names an address"
        if any(f"{folder}/" in f"{text}/" for folder in place.temporary):
            yield "it names a temporary folder, which a confined call has for itself"


def _about_deeds(facts: CallFacts, session: Session, reader: CallReader) -> Iterator[str]:
    """By a list of what is known to stay inside, whatever the user asked for."""
    reading = reader(facts, session, _NOBODY)
    if reading.unread:
        yield "not all of it was read"
    known = DEEDS | {"runs-unknown"} if _runs_own_alone(facts) else DEEDS
    yield from (f"it {deeds()[name].told}" for name in reading.deeds if name not in known)
    if "runs-unread" in reading.deeds and any(map(_DELETES.search, _run_texts(facts, session))):
        yield "what this session wrote may delete work"
    if reading.effects & _OUTSIDE:
        yield "it reaches a service, a credential or the system"


def _runs_own_alone(facts: CallFacts) -> bool:
    """Whether every program that no row knows is a file of the workspace."""
    files, root = facts.workspace.files, facts.workspace.files.resolve(facts.workspace.root)
    for command in facts.script.commands:
        if not command.words or command.name in programs():
            continue
        first = command.words[0].value
        if first is None or "/" not in first or command.cwd is None or root is None:
            return False
        place = files.resolve(locate(first, command.cwd, files))
        if place is None or not exactly_within(place, root):
            return False
    return True


def _run_texts(facts: CallFacts, session: Session) -> Iterator[str]:
    """What is in the files of this session that the call runs, as far as it is known."""
    written, files = artefacts(facts, session).texts, facts.workspace.files
    executed = executed_files(facts, session)
    for path in dict.fromkeys((*executed, *filter(is_test, written))):
        yield files.text(path, LONGEST_FILE) or written.get(path) or ""
