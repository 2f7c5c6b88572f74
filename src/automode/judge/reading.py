"""From a call to its deeds, with what the rest of the judge wants to know of the script."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from automode.core.call import Fetch, Other, Shell, ToolCall
from automode.core.session import Session
from automode.core.tool_input import input_texts
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge.calls import command_deeds, databases, needs, shown_files, tool_deeds
from automode.judge.calls.code_deeds import steers
from automode.judge.calls.needs import (
    REACHES,
    Named,
    is_met,
    named_by,
    needs_of,
    patch_needs,
    remote_hosts,
    secrets_in,
)
from automode.judge.calls.network import (
    files_in,
    machines,
    reached_hosts,
    without_scheme,
)
from automode.judge.calls.packages import Need, put_scripts
from automode.judge.calls.tasks import RUNS
from automode.judge.calls.tool_deeds import server_of, tool_words
from automode.judge.consent.requests import UsersWords
from automode.judge.hosts import host_of, is_here
from automode.judge.places import where
from automode.judge.runs.artefacts import latest, unless_made
from automode.judge.runs.commits import UnaskedCommits
from automode.judge.runs.git_losses import GitLosses
from automode.judge.runs.inside import Work
from automode.judge.runs.processes import unless_own, with_numbers
from automode.judge.runs.running import running_deeds
from automode.judge.runs.served import unless_served
from automode.judge.runs.written_code import READ
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.programs.javascript_code import reached_from_page
from automode.programs.row import Kind
from automode.programs.table import programs
from automode.programs.use import Effect
from automode.shell.script import HOLE, Command, Script

_W = word_lists("reading")
_P = patterns("reading")
MOST_COMMANDS = 60
MOST_IN_FILE = 400
LONGEST_TEXT = 12_000
_CHANGES = frozenset(
    {"changes-service", "deletes-in-service", "messages", "pays", "grants", "edits-protected"}
)
_FILES = frozenset("upload file files".split())


@dataclass(frozen=True, slots=True)
class Reading:
    deeds: tuple[str, ...]  # names, each once
    script: Script | None  # None where no script is read
    effects: Effect
    unread: bool = False  # parts of it were not looked at: nothing can be said for it
    each: tuple[tuple[str, ...], ...] = ()  # the deeds of each of the first commands
    machines: frozenset[str] = frozenset()  # that the script reaches, in small letters
    unmet: tuple[Need, ...] = ()  # what the user did not name, with the deed that it makes
    runs_task: bool = False  # a script, target or program that not every project has


@dataclass(frozen=True, slots=True)
class _Work:
    """What a script does, whoever runs it."""

    deeds: tuple[str, ...]
    effects: Effect
    needs: tuple[Need, ...]
    each: tuple[tuple[str, ...], ...]  # of each command
    secrets: tuple[str, ...]  # in commands that reach another machine, in small letters
    machines: frozenset[str]


@dataclass(frozen=True, slots=True)
class CallReader:
    """Reads a call with what this installation knows."""

    known: frozenset[str] = frozenset()  # machines that the person's settings name
    commits: UnaskedCommits = field(default_factory=UnaskedCommits)
    losses: GitLosses = field(default_factory=GitLosses)

    def __call__(self, facts: CallFacts, session: Session, words: UsersWords) -> Reading:
        named = named_by(words.messages, self.known | remote_hosts(session.workspace))
        match facts.call.action:
            case Shell(command, "bash"):
                return self._read(command, facts, session, named)
            case Shell(command, "powershell"):
                read = self._read(command, facts, session, named)
                looks = command_deeds.text_deeds(command[:LONGEST_TEXT])
                shown = [name for name in looks if read.unread or name not in _W.by_commands]
                return replace(read, deeds=_once((*read.deeds, *shown)))
            case Shell(text):
                found = command_deeds.text_deeds(text[:LONGEST_TEXT])
                return Reading(_once(found), None, Effect.UNKNOWN, unread=True)
            case _:
                wanted = needs.tool_needs_of(facts.call, session.workspace)
                unmet = tuple(_unmet(wanted, named, session.workspace))
                told = _once(_of_tool(facts, session, named))
                return Reading(told, None, Effect.UNKNOWN, unmet=unmet)

    def _read(self, command: str, facts: CallFacts, session: Session, named: Named) -> Reading:
        facts = with_numbers(facts, session)
        script = facts.script
        done = facts.remember("work", _work_of)
        unread = not script.understood or len(script.commands) > MOST_COMMANDS
        unread = unread or len(command) > LONGEST_TEXT or _P.spare.search(command) is not None
        found = unless_served(unless_made(done.deeds, facts, session), facts, session)
        found = self.losses.unless_kept(found, done.each, facts, session)
        found, effects = unless_own(found, done.effects, done.each, facts, session)
        unmet = tuple(running_deeds(facts, done.needs, named, session, within))
        read = _reads_what_acts(facts, done, unmet, named)
        if read or _names_all_it_runs(script, done.needs, named, session.workspace):
            found = tuple(name for name in found if name != "acts-unknown")
        leaks = any(one not in named.said for one in done.secrets)
        running = (need.deed for need in unmet)
        found = _once((*found, *running, *(("leaks",) if leaks else ())))
        own = any(need.deed == RUNS for need in done.needs)
        return Reading(found, script, effects, unread, done.each, done.machines, unmet, own)


def _of_tool(facts: CallFacts, session: Session, named: Named) -> Iterator[str]:
    call, place = facts.call, session.workspace
    found = on_own_page(call, tool_deeds.deeds_of(call, place), session)
    yield from found
    changes = isinstance(call.action, Other) and not _CHANGES.isdisjoint(found)
    if changes and not needs.names_object(call, named):
        yield "changes-unnamed"
    yield from (need.deed for need in _unmet(needs.tool_needs_of(call, place), named, place))
    if isinstance(call.action, Other | Fetch):
        text = "\n".join(input_texts(call.input, keys=True))
        yield from ("leaks",) if any(one not in named.said for one in secrets_in(text)) else ()
        yield from _address_deeds(call, named, place)
    for text in tool_deeds.commands_in(call, programs()):
        done = _work_of(facts.other(text))
        yield from done.deeds
        yield from (need.deed for need in _unmet(done.needs, named, place))


def within(inner: CallFacts) -> Work:
    """What a script does that lies in a file."""
    done = _work_of(inner, MOST_IN_FILE)
    whole = inner.script.understood and len(inner.script.commands) <= MOST_IN_FILE
    return Work(done.deeds, done.needs, whole)


def started_by_code(text: str, facts: CallFacts) -> tuple[str, ...] | None:
    """The deeds of what code starts; None where it is not read in full, or nobody can tell which
    files it names."""
    inner = facts.other(text)
    work = within(inner)
    if not work.whole or not all(_names_files(inner.of(one)) for one in inner.script.commands):
        return None
    return (*work.deeds, *(need.deed for need in work.needs if need.deed))


def _names_files(known: CommandFacts) -> bool:
    """Whether every file is known by its name, or lies in what git keeps: `git show x:$path`."""
    words = [word.text for word in known.command.args]
    if known.command.program == "git" and _W.git_keeps.intersection(words[:1]):
        return not any(HOLE in one for one in words if one[:1] == "-")
    if any(HOLE in one for one in words) and known.effect is not Effect.NONE:
        return False  # it may tell somebody what it is given
    files = known.touched_files
    return not any(HOLE in one.word.text and one.kind is not Kind.NAMES for one in files)


def script_deeds(facts: CallFacts) -> tuple[str, ...]:
    """What the commands of a script do, whoever runs it."""
    return facts.remember("work", _work_of).deeds


def _work_of(facts: CallFacts, most: int = MOST_COMMANDS) -> _Work:
    text = facts.call.action.command if isinstance(facts.call.action, Shell) else ""
    effects = Effect.NONE
    each: list[tuple[str, ...]] = []
    needs: dict[Need, None] = {}
    started = partial(started_by_code, facts=facts)
    for command in facts.script.commands[:most]:
        known = facts.of(command)
        needs |= dict.fromkeys(needs_of(known))
        effects |= known.effect
        own = tuple(command_deeds.deeds_of(known, started))
        put = put_scripts(command)
        if put is not None:  # they are read as if they ran now
            inner = [within(facts.other(text)) for text in put]
            whole = all(one.whole for one in inner)
            own = tuple("writes-here" if whole and x == "configures" else x for x in own)
            own += tuple(name for one in inner for name in one.deeds)
            needs |= dict.fromkeys(need for one in inner for need in one.needs)
        each.append(own)
    needs |= dict.fromkeys(patch_needs(facts.script.commands[:most], facts.workspace))
    for at in shown_files.shows_found(facts):
        each[at : at + 1] = [(*own, "reads-secret") for own in each[at : at + 1]]
    found = [name for own in each for name in own]
    if "$" in text and _P.shown.search(text[:LONGEST_TEXT]):
        found.append("reads-secret")
    if any(
        steers(given, one, facts.workspace)
        for one in facts.script.steering
        for given in one.assignments
    ):
        found.append("computes-program")
    commands, place = facts.script.commands[:most], facts.workspace
    if shown_files.follows_new_link(commands):
        found.append("collects")
    if databases.follows_new_link(commands):
        found.append("changes-database")
    found_there = command_deeds.writes_what_is_found(commands, place)
    if found_there or command_deeds.writes_where_told(commands, place):
        found.append("writes-outside")
    secrets, reached = tuple(_told_secrets(facts.script)), machines(facts.script)
    return _Work(_once(found), effects, tuple(needs), tuple(each), secrets, reached)


def _address_deeds(call: ToolCall, named: Named, place: Workspace) -> Iterator[str]:
    """What an address makes of a call: that of a file is a read, one without a scheme a machine."""
    for text in input_texts(call.input):
        for path in files_in(text):
            inside = where(path, Command(()), place) in ("here", "generated", "scratch")
            if not inside or may_be_credential(path, place.home):
                yield "reads-secret"
        host = without_scheme(text)
        if host and not named.host(host):
            yield REACHES


def _unmet(needs: Iterable[Need], named: Named, workspace: Workspace) -> Iterator[Need]:
    return (need for need in needs if not is_met(need, named, workspace))


def _reads_what_acts(facts: CallFacts, done: _Work, unmet: Sequence[Need], named: Named) -> bool:
    """Whether each program whose words speak of an act lies in a file that was read in full."""
    if any(need.deed for need in unmet):
        return False
    for command, own in zip(facts.script.commands, done.each, strict=False):
        sources = (
            need.line[1:2] == ("-m",) or need.name.endswith(READ)
            for need in needs_of(facts.of(command))
            if need.deed == RUNS and not is_met(need, named, facts.workspace)
        )
        if "acts-unknown" in own and not any(sources):
            return False
    return True


def _names_all_it_runs(
    script: Script, needs: Iterable[Need], named: Named, place: Workspace
) -> bool:
    """Whether it is one command, and the user named the script that it runs, and what the script is
    told to do: who speaks of a program asks for no `login`."""
    run = [need for need in needs if need.deed == RUNS]
    own = [command for command in script.commands if not command.transparent]
    return (
        len(own) == 1
        and bool(run)
        and all(is_met(need, named, place) for need in run)
        and all(map(named.word, command_deeds.acting_words(own[0])))
    )


def _told_secrets(script: Script) -> Iterator[str]:
    """The secrets in commands that reach another machine."""
    for command in script.commands:
        reaches = next(reached_hosts(command), None) is not None
        if reaches or command.program in command_deeds.CLIENTS:
            yield from secrets_in(command.text)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def has_holes(script: Script) -> bool:
    """Whether a word of it can only be known when it runs."""
    return any(HOLE in word.text for one in script.commands for word in one.words)


def on_own_page(call: ToolCall, found: Iterable[str], session: Session) -> tuple[str, ...]:
    """The deeds again: what stays on a page of this machine only looks at it."""
    deeds = tuple(found)
    words = set(tool_words(call.tool))
    if "acts-in-browser" not in deeds or words & _FILES or not _is_open(call.tool, session):
        return deeds
    if not words & _W.scripts:
        excused = frozenset({"acts-in-browser"})
    elif _stays(call.input.values()):
        excused = _W.by_code
    else:
        return deeds
    return (*(name for name in deeds if name not in excused), "browses")


def _stays(values: Iterable[object]) -> bool:
    """Whether every text may be run: which field holds the script differs from tool to tool."""
    texts = [value for value in values if isinstance(value, str)]
    code = [text for text in texts if any(mark in text for mark in "(=.;")]
    return bool(code) and all(map(stays_on_page, code))


def stays_on_page(code: str) -> bool:
    """Whether code of a page of this machine looks, clicks, fills in and asks this machine: nothing
    in it leads to another one."""
    reached = reached_from_page(code, acting=True)
    return reached is not None and all(one[:1] == "/" or is_here(host_of(one)) for one in reached)


def _is_open(tool: str, session: Session) -> bool:
    """Whether the last page that the same browser was sent to is one of this machine."""
    server = server_of(tool)
    for one in latest(session):
        if server_of(one.tool) != server:
            continue
        address = one.input.get("url")
        if isinstance(address, str):
            web = address.casefold().startswith(("http://", "https://"))
            return web and is_here(host_of(address)) and one.outcome is not Outcome.ERROR
        if not _keeps_page(one):
            return False
    return False


def _keeps_page(one: PriorCall) -> bool:
    words = set(tool_words(one.tool))
    if words & _W.scripts:
        return _stays(one.input.values())
    return words.isdisjoint(_W.chooses)
