"""The floor: deterministic hard denies that nobody may permit."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from automode.core.call import Fetch, Other, Read, Shell, Write
from automode.core.decision import Decision, deny
from automode.core.session import Session
from automode.core.tool_input import canonical
from automode.core.tools import meant_paths
from automode.gate.layer import Answer, Trail
from automode.guards.floor.agents import AGENT_PROGRAMS, sees_agent, sees_tmux
from automode.guards.floor.deletion import DELETERS, sees_deletion
from automode.guards.floor.machine import sees_bomb, sees_disk, sees_permissions, sees_setuid
from automode.guards.floor.network import (
    CONNECTORS,
    RUNNERS,
    sees_decoded,
    sees_remote_shell,
    sees_unchecked,
)
from automode.guards.floor.own_channel import sees_channel
from automode.guards.floor.own_settings import sees_settings, sees_transcripts
from automode.guards.floor.own_verbs import sees_verbs
from automode.guards.floor.rows import build_guard
from automode.guards.guard import CommandContext, Guard, Target, targets
from automode.guards.own_files import OwnFiles, OwnFolders, own_files
from automode.programs.call_facts import CallFacts
from automode.programs.inline_code import code_of_tool
from automode.shell.script import HOLE, Command, Script, Word

GUARDS: tuple[Guard, ...] = (
    build_guard("safety-files", sees_settings),
    build_guard("session-records", sees_transcripts),
    build_guard("own-verbs", sees_verbs),
    build_guard("own-channel", sees_channel),
    build_guard("other-terminal", sees_tmux),
    build_guard("unguarded-agent", sees_agent, AGENT_PROGRAMS),
    build_guard("delete-root", sees_deletion, DELETERS),
    build_guard("wipe-device", sees_disk),
    build_guard("fork-bomb", sees_bomb),
    build_guard("stop-machine"),
    build_guard("shell-profile"),
    build_guard("ssh-access"),
    build_guard("scheduled-job"),
    build_guard("account-rights"),
    build_guard("system-permissions", sees_permissions),
    build_guard("set-user-id", sees_setuid),
    build_guard("tls-verification", sees_unchecked),
    build_guard("trust-store"),
    build_guard("platform-security"),
    build_guard("decoded-script", sees_decoded, RUNNERS),
    build_guard("remote-shell", sees_remote_shell, CONNECTORS),
)


_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose"})
_NESTING = 4
"""How deep code inside code inside a command is followed."""


class Floor:
    """Asks every guard about every command that a call would run, and about every file it writes.

    Danger found in an incomplete reading is danger all the same."""

    name = "floor"

    def __init__(
        self,
        folders: OwnFolders | None = None,
        guards: tuple[Guard, ...] = GUARDS,
    ) -> None:
        """`folders` are automode's own, where they are not the usual ones alone."""
        self._folders = folders or OwnFolders()
        self._everywhere = tuple(guard for guard in guards if guard.everywhere)
        self._writing = tuple(guard for guard in guards if guard.writes)
        self._only_writing = tuple(guard for guard in self._writing if not guard.everywhere)
        self._by_program: dict[str, tuple[Guard, ...]] = {}
        for guard in guards:
            # Those that are asked everywhere need not be asked twice.
            for program in () if guard.everywhere else guard.programs:
                known = self._by_program.get(program, ())
                self._by_program[program] = (*known, guard)

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        return self.judge(facts)

    def judge(self, facts: CallFacts) -> Decision | None:
        match facts.call.action:
            case Shell():
                return facts.remember(self, self._script)
            case Write(paths=paths, removes=removes):
                lost = self._removal(paths, facts) if removes else None
                return self._files(paths, facts) if lost is None else lost
            case Read(paths=paths):
                return self._reads(facts.call.tool, paths, facts)
            case Fetch(url=url):  # free, but for the address at which the daemon hears hooks
                return self._like_command(facts, "curl", url)
            case Other():
                return self._code(facts)
            case _:
                return None

    def _code(self, facts: CallFacts) -> Decision | None:
        """Tools that run Python take it as `code`."""
        code = facts.call.input.get("code")
        if not isinstance(code, str) or "python" not in facts.call.tool.casefold():
            return None
        scripts = code_of_tool(code, facts.workspace)
        return self._scripts(facts.by_one_parser(scripts), facts, 1)

    def _script(self, facts: CallFacts) -> Decision | None:
        """One parser's reading is quick and may already show the danger."""
        first = facts.first
        found = self._read(first, facts)
        if found is not None or facts.script.commands == first.commands:
            return found
        return self._read(facts.script, facts)

    def _read(self, script: Script, facts: CallFacts, depth: int = 0) -> Decision | None:
        for command in script.commands:
            for variant in _variants(command, script):
                found = self._command(variant, script, facts)
                if found is not None:
                    return found
        if depth >= _NESTING:
            return None
        local = (command for command in script.commands if not command.remote)
        inner = (one for command in local for one in facts.inner(command))
        return self._scripts(inner, facts, depth + 1)

    def _scripts(self, scripts: Iterable[Script], facts: CallFacts, depth: int) -> Decision | None:
        found = (self._read(one, facts, depth) for one in scripts)
        return next((one for one in found if one is not None), None)

    def _command(self, command: Command, script: Script, facts: CallFacts) -> Decision | None:
        if command.remote and not _CONTAINERS.isdisjoint(command.via):
            return None  # what a container loses is the container's
        context = CommandContext(facts.of(command), script, self._own_files(facts))
        # A path on another machine is none of ours.
        written = () if command.remote else targets(context.facts)
        asked: list[Guard] = [*self._by_program.get(command.name, ()), *self._everywhere]
        if written:
            context = CommandContext(context.facts, script, context.own, written)
            asked += self._only_writing
        return _ask(context, asked)

    def _own_files(self, facts: CallFacts) -> OwnFiles:
        place = facts.workspace
        return own_files(place.home, (*place.folders, place.cwd), self._folders)

    def _like_command(self, facts: CallFacts, *texts: str) -> Decision | None:
        """What the floor says to a command that does what a tool does."""
        command = Command(tuple(map(Word, texts)), cwd=facts.workspace.cwd)
        return self._command(command, Script((command,)), facts)

    def _removal(self, paths: tuple[str, ...], facts: CallFacts) -> Decision | None:
        meant = (one for path in paths for one in meant_paths(path, facts.workspace))
        found = (self._like_command(facts, "rm", "-rf", one) for one in meant)
        return next((one for one in found if one is not None), None)

    def _files(self, paths: tuple[str, ...], facts: CallFacts) -> Decision | None:
        workspace = facts.workspace
        meant = (one for path in paths for one in meant_paths(path, workspace))
        found = tuple(Target(one, workspace.files.resolve(one) or one) for one in meant)
        command = Command((), cwd=workspace.cwd)
        context = CommandContext(
            facts.of(command), Script(()), self._own_files(facts), targets=found
        )
        return _ask(context, self._writing)

    def _reads(self, tool: str, paths: tuple[str, ...], facts: CallFacts) -> Decision | None:
        """Reads are allowed, except of what lets a caller act as the person."""
        meant = (one for path in paths for one in meant_paths(path, facts.workspace))
        return self._like_command(facts, "rg" if canonical(tool) == "grep" else "cat", *meant)


def _ask(context: CommandContext, guards: Iterable[Guard]) -> Decision | None:
    for guard in guards:
        if guard.remote or not context.command.remote:
            detail = guard.sees(context)
            if detail is not None:
                reason = f"{guard.reason}: {detail}"
                return deny(f"floor.{guard.id}", reason, guard.advice, remedy=guard.remedy)
    return None


def _variants(command: Command, script: Script) -> Iterator[Command]:
    """The command, and the command with words from standard input filled in where those are
    known: `echo / | xargs rm -rf`."""
    yield command
    if "xargs" not in command.via or all(word.value is not None for word in command.words):
        return
    given = tuple(Word(text) for text in _input(command, script).replace("\0", " ").split()[:64])
    if given:
        yield replace(command, words=tuple(_fill_words(command.words, given)))


def _input(command: Command, script: Script) -> str:
    """What the xargs around the command reads, where that is known."""
    for one in script.commands:
        here = one.pipeline == command.pipeline and one.position == command.position
        if here and one.fed is not None and one.program in ("xargs", "gxargs"):
            return one.fed
    return ""


def _fill_words(words: tuple[Word, ...], given: tuple[Word, ...]) -> Iterator[Word]:
    for word in words:
        if word.text == HOLE:
            yield from given
        elif HOLE in word.text:
            yield Word(word.text.replace(HOLE, given[0].text))
        else:
            yield word
