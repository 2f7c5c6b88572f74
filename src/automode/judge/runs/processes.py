"""Processes that this session started: by the number that the shell told, by their port, or by the
command that started them. To look at one or to end it is part of the work."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import or_

from automode.core.call import Shell, Write
from automode.core.session import Session
from automode.judge.runs.artefacts import latest
from automode.judge.runs.served import served_ports, starting
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.programs.use import Effect
from automode.shell.script import HOLE, Command

KILLS = frozenset({"kills", "kills-by-name"})
OWN = "kills-own"
_P = patterns("processes")
_W = word_lists("processes")
_NUMBER = "4000000007"  # no process has it; it stands for those of this session
_SHORTEST = 6  # characters of a command by which processes are found
_TRICK = re.compile(r"\[(\w)\]|\\(?=\W)")


def with_numbers(facts: CallFacts, session: Session) -> CallFacts:
    """The call with a number wherever it says which process of this session is meant, as far as
    anybody can tell before it runs: `$!`, `$(cat server.pid)`, `$(lsof -ti :3000)`."""
    action = facts.call.action
    if not isinstance(action, Shell) or action.dialect != "bash":
        return facts
    text = action.command
    if not _P.about.search(text) or _NUMBER in text:
        return facts
    known = _Known.of(text, facts, session)
    told = known.spelled(text)
    if told == text:
        return facts
    call = replace(facts.call, action=replace(action, command=told))
    return CallFacts(call, facts.workspace, facts.reader)


def unless_own(
    deeds: tuple[str, ...],
    effects: Effect,
    each: Sequence[tuple[str, ...]],
    facts: CallFacts,
    session: Session,
) -> tuple[tuple[str, ...], Effect]:
    """The deeds and effects again, where all that is ended was started by this session. `facts`:
    with the numbers."""
    commands = facts.script.commands
    ending = [one for one, own in zip(commands, each, strict=False) if KILLS & set(own)]
    action = facts.call.action
    if not ending or not isinstance(action, Shell):
        return deeds, effects
    known = _Known.of(action.command, facts, session)
    if not all(map(known.ends_own, ending)):
        return deeds, effects
    others = [facts.of(one).effect for one in commands if one not in ending]
    found = dict.fromkeys(OWN if one in KILLS else one for one in deeds)
    return tuple(found), reduce(or_, others, Effect.NONE)


@dataclass(frozen=True, slots=True)
class _Known:
    """What this session started, the call itself counted in."""

    files: frozenset[str]  # as written, with the number of a process and nothing else
    ports: frozenset[str]
    commands: tuple[str, ...]

    @staticmethod
    def of(text: str, facts: CallFacts, session: Session) -> "_Known":
        return facts.once(("processes", text), lambda: _known(text, facts, session))

    def spelled(self, text: str) -> str:
        return _P.piped.sub(self._piped, _P.told.sub(self._number, text))

    def _number(self, found: re.Match[str]) -> str:
        return _NUMBER if self._is_own(found) else found[0]

    def _piped(self, found: re.Match[str]) -> str:
        return f"kill{found['flags']} {_NUMBER}" if self._is_own(found) else found[0]

    def _is_own(self, found: re.Match[str]) -> bool:
        given = found.groupdict()
        file, line = given["file"], given["line"]
        port = given["port"] or given.get("seen")
        if file:
            return file in self.files
        if port:
            stages = re.findall(r"\|\s*(\S+)", given.get("rest") or "")
            return port in self.ports and _W.filters.issuperset(stages)
        return self.has(line) if line else True

    def has(self, pattern: str) -> bool:
        """Whether such a pattern finds what a command of this session started, and is more than the
        name of a program."""
        plain = _TRICK.sub(r"\1", pattern.strip("\"'^$"))
        telling = len(plain) >= _SHORTEST and _P.telling.search(plain) is not None
        return telling and any(plain in one for one in self.commands)

    def ends_own(self, command: Command) -> bool:
        texts = [word.text for word in command.args]
        if (
            any(HOLE in one for one in texts)
            or not _W.around.issuperset(command.via)
            or command.remote
            or command.elevated
        ):
            return False
        flags = [one for one in texts if one[:1] == "-"]
        plain = [one for one in texts if one[:1] != "-"]
        if command.program == "kill":
            signals = {b for a, b in pairwise(texts) if a in ("-s", "-n")}
            ended = [one for one in plain if one not in signals]
            return "-0" in flags or all(_P.ours.fullmatch(one) for one in ended or [""])
        if len(plain) != 1 or not all(map(_P.flags.fullmatch, flags)):
            return False
        if command.program == "fuser":
            port, _, kind = plain[0].partition("/")
            return kind == "tcp" and port in self.ports
        if command.program != "pkill":
            return False
        return plain[0] == _NUMBER if "-P" in flags else "-f" in flags and self.has(plain[0])


def _known(text: str, facts: CallFacts, session: Session) -> _Known:
    texts = [text, *_earlier(session)]
    started = tuple(starting(facts, session))
    files = {path for one in texts for path in _P.kept.findall(one)}
    written = {path for call in latest(session) for path in _paths(call.call and call.call.action)}
    own = frozenset(
        path
        for path in files
        if _writes(path, texts) == sum(_P.kept.findall(one).count(path) for one in texts)
        and not any(one.endswith(path.lstrip("./")) for one in written)
    )
    return _Known(own, frozenset(served_ports(facts, session)), started)


def _earlier(session: Session) -> Iterator[str]:
    for call in latest(session):
        action = call.call.action if call.call else None
        if isinstance(action, Shell):
            yield action.command


def _paths(action: object) -> tuple[str, ...]:
    return tuple(action.paths) if isinstance(action, Write) else ()


def _writes(path: str, texts: Sequence[str]) -> int:
    """How often something is written to it."""
    pattern = re.compile(
        rf"(?:>|\btee(?:\s+-a)?\s|\b(?:cp|mv|ln)\s[^;&|\n]*\s)\s*[\"']?{re.escape(path)}(?![\w./-])"
    )
    return sum(len(pattern.findall(one)) for one in texts)
