"""Layer: what nobody need review. Read-only tools, and scripts proved to only read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from automode.core.call import Read, Shell, ToolCall
from automode.core.decision import Remark, allow
from automode.core.paths import alternatives, may_match, normal, within
from automode.core.session import Session
from automode.core.tool_input import canonical, globs, squash
from automode.core.tools import meant_paths
from automode.core.workspace import Kind as FileKind
from automode.core.workspace import Workspace
from automode.gate.layer import Answer, Trail
from automode.guards.guard import excerpt, is_pattern
from automode.guards.reads.committed import committed_objection, pattern_objection
from automode.guards.reads.credentials import (
    holds_token,
    is_credential,
    is_credential_word,
    may_be_credential,
    may_hold_token,
    may_name_credential,
    repository_configs,
)
from automode.guards.reads.found_names import found_objection
from automode.guards.reads.secret_reads import (
    file_objection,
    folder_objection,
    is_private_setting,
    value_objection,
    word_objection,
)
from automode.guards.reads.trees import Names, match_objection, tree_objection
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.programs.powershell_code import proof_objection
from automode.programs.row import Kind
from automode.programs.use import READS, Effect, Use, unknown
from automode.shell.script import Command, Origin, Redirect, Script, Word
from automode.shell.variables import only_presents

_SHOWS_NAMES = ("ls", "find")
_OF_CLAUDE_CODE = "Grep"


def tool_objection(call: ToolCall, action: Read, workspace: Workspace) -> str | None:
    """Why the call may show a credential that no path of it names."""
    kind = canonical(call.tool)
    if kind in _SHOWS_NAMES:
        return None
    if kind == "grep":
        return _search_objection(call, action, workspace)
    places = (full for path in action.paths for full in meant_paths(path, workspace))
    if any(may_hold_token(workspace.files.resolve(one) or one, workspace.files) for one in places):
        return "a file of settings may hold a credential"
    reasons = (_pattern_objection(path, workspace) for path in _patterns(action))
    return next(filter(None, reasons), None)


def _patterns(action: Read) -> Iterator[str]:
    for path in action.paths:
        yield from (one for one in alternatives(path) if one != path or is_pattern(one))


def _pattern_objection(pattern: str, workspace: Workspace) -> str | None:
    if may_name_credential(pattern):
        return f"`{excerpt(pattern)}` may stand for a credential"
    reasons = (
        match_objection(pattern, full, Names((full.rpartition("/")[2],)), workspace)
        for full in meant_paths(pattern, workspace)
    )
    return next(filter(None, reasons), None)


def _search_objection(call: ToolCall, action: Read, workspace: Workspace) -> str | None:
    """Such a tool reads what `rg --hidden` would read: so the hosts start it."""
    wanted = list(_name_globs(call))
    for glob in wanted:
        if glob[:1] != "!" and may_name_credential(glob):
            return f"`{excerpt(glob)}` may stand for a credential"
    folders = [
        full
        for path in action.paths
        if not is_pattern(path)
        for full in meant_paths(path, workspace)
    ]
    if _shows_repository(call, wanted) and any(
        holds_token(one, workspace.files) for at in folders for one in repository_configs(at)
    ):
        return "reads the configuration of the repository, which holds a credential"
    chosen = [word for glob in (*wanted, "!.git") for word in (Word("-g"), Word(glob))]
    language = call.input.get("type")
    if isinstance(language, str):
        chosen += [Word("-t"), Word(language)]
    if not _shows_names(call):
        chosen.append(Word("--hidden"))
    if any(squash(field) == "noignore" and value for field, value in call.input.items()):
        chosen.append(Word("--no-ignore"))
    search = (Word("rg"), *chosen, Word("-e"), Word("x"), *map(Word, folders))
    return tree_objection(Command(search, cwd=workspace.cwd), workspace)


def _shows_repository(call: ToolCall, wanted: list[str]) -> bool:
    """Claude Code and most others leave the folder of git out; one host at least does not."""
    if call.tool == _OF_CLAUDE_CODE or "type" in call.input:
        return False
    names = [glob.rpartition("/")[2] for glob in wanted if glob[:1] != "!"]
    return not names or any(may_match(name, "config") for name in names)


def _name_globs(call: ToolCall) -> Iterator[str]:
    """The wildcards for names; some hosts cut them at blanks and commas."""
    for glob in globs(call.input, "grep"):
        pieces = glob.split() if "{" in glob else re.split(r"[\s,]+", glob)
        for piece in dict.fromkeys((glob, *filter(None, pieces))):
            yield from alternatives(piece)


def _shows_names(call: ToolCall) -> bool:
    """Whether no line of a file is printed. Other hosts do not know the field."""
    listing = call.input.get("output_mode") in ("files_with_matches", "count")
    return listing and call.tool == _OF_CLAUDE_CODE


SOURCE = "read-only"
SYSTEM_FOLDERS = ("/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin")
_ORDINARY = Effect.DEVELOPMENT | Effect.RUNS | Effect.WRITES | Effect.NETWORK | Effect.REMOTE_READ
_EXTRAORDINARY = ~_ORDINARY
_NAMES_A_FOLDER = ("ls", "find", "grep")  # which may be called `token`
_READ_KINDS = (Kind.READS, Kind.LISTS, Kind.TREE)


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a command is not proved to only read; `ordinary` when developers run it all day."""

    text: str
    ordinary: bool = False


class ReadOnly:
    name = "read-only"

    def __init__(
        self,
        *,
        remote_reads: bool = True,
        classify_tools: bool = False,
    ) -> None:
        self.remote_reads = remote_reads
        self._beyond = ~(Effect.REMOTE_READ if remote_reads else Effect.NONE)
        self.classify_tools = classify_tools

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        match facts.call.action:
            case Read() as action:
                return self.tool(action, facts)
            case Shell(dialect="bash"):
                return facts.remember(self, self.script)
            case Shell(text, "powershell"):
                against = proof_objection(text, facts.script) if facts.script.complete else None
                if against is not None:
                    return Remark(self.name, "not-proved", against)
                return facts.remember(self, self.script)
            case _:
                return None

    def tool(self, action: Read, facts: CallFacts) -> Answer:
        call, workspace = facts.call, facts.workspace
        if self.classify_tools:
            return Remark(self.name, "not-proved", "read-only tools are classified too")
        for path in action.paths:
            for full in meant_paths(path, workspace):
                resolved = workspace.files.resolve(full) or full
                if any(_secret(one, call.tool, workspace) for one in (full, resolved)):
                    return Remark(self.name, "not-proved", f"`{path}` is or holds a credential")
        if found := tool_objection(call, action, workspace):
            return Remark(self.name, "not-proved", found)
        return allow(SOURCE, "the tool only reads")

    def script(self, facts: CallFacts) -> Answer:
        script = facts.script
        if not script.complete:
            return Remark(self.name, "not-proved", f"not fully understood: {script.gaps[0]}")
        ordinary = ""
        for found in self.against(script, facts):
            if not found.ordinary:  # nothing that follows could change the answer
                return Remark(self.name, "not-proved", found.text)
            ordinary = ordinary or found.text
        if ordinary:
            return Remark(self.name, "ordinary-development", ordinary)
        programs = dict.fromkeys(c.program for c in script.commands if c.words)
        names = ", ".join(f"`{name}`" for name in list(programs)[:4])
        return allow(SOURCE, f"only reads: {names}" if names else "does nothing")

    def against(self, script: Script, facts: CallFacts) -> Iterator[Objection]:
        """Wherever its commands may run. One that runs in one folder only is asked about once."""
        asked: set[int] = set()
        for world in possible_worlds(script, facts.workspace):
            for why in world.gaps:
                yield Objection(why)
            for command in world.commands:
                if id(command) not in asked:
                    asked.add(id(command))
                    yield from self.objections(facts.of(command))
            if found := found_objection(world, facts.workspace):
                yield Objection(found)

    def objections(self, known: CommandFacts) -> Iterator[Objection]:
        """Everything that speaks against "this only reads"; none is the proof."""
        for reason in self._reasons(known):
            if reason is not None:
                yield Objection(reason)
        if known.command.words and not known.command.transparent:
            use = proved_use(known)
            if use is not READS and use.effect & self._beyond:
                ordinary = Effect.DEVELOPMENT in use.effect and not use.effect & _EXTRAORDINARY
                why = f": {use.why}" if use.why else ""
                program = excerpt(known.command.words[0].text)
                yield Objection(f"`{program}` does more than read{why}", ordinary)

    def proves(self, known: CommandFacts) -> bool:
        """Whether one command of a script only reads, for itself."""
        return not any(self.objections(known))

    def _reasons(self, known: CommandFacts) -> Iterator[str | None]:
        """What speaks against it whatever the program is."""
        command = known.command
        yield variable_objection(command)
        for redirect in command.redirects:
            yield redirect_objection(redirect, command, known.workspace)
        yield from secret_reasons(known)
        if command.elevated:
            yield "runs with the rights of another user"
        if command.remote and not self.remote_reads:
            yield "runs on another machine or in a container"


def secret_reasons(known: CommandFacts) -> Iterator[str | None]:
    """Why a command may read or show a credential, as far as its words tell."""
    command, workspace = known.command, known.workspace
    for word in command.args:
        yield word_objection(word, command, workspace)
    for assignment in command.assignments:
        yield value_objection(assignment, command, workspace)
    yield from _option_reasons(known)
    yield pattern_objection(command)
    yield folder_objection(command, workspace)
    yield committed_objection(command, workspace)
    yield tree_objection(command, workspace)


def _option_reasons(known: CommandFacts) -> Iterator[str | None]:
    """Files that are read, also those in a word together with their option: `-fNAME`."""
    command, workspace = known.command, known.workspace
    for touch in known.touches:
        if touch.kind in (Kind.READS, Kind.TREE):
            yield file_objection(touch.word, command, workspace)
        elif touch.kind in _READ_KINDS and touch.word not in command.args:
            yield word_objection(touch.word, command, workspace)


def proved_use(known: CommandFacts) -> Use:
    """What the command does; unknown where it is not sure which program it starts."""
    first = known.command.words[0]
    if first.value is None:
        return unknown("the program is not known")
    folder, slash, _ = first.value.rpartition("/")
    if slash and folder not in SYSTEM_FOLDERS:
        return unknown("the program lies in an unusual place")
    use = known.use
    if Effect.REMOTE_READ in use.effect and any(w.value is None for w in known.command.args):
        return use | Use(Effect.UNKNOWN, "an argument is not written in the script")
    return use


def _secret(path: str, tool: str, workspace: Workspace) -> bool:
    """Listing a folder of credentials shows names; searching it, or a whole home, shows more."""
    kind = canonical(tool)
    if kind not in ("ls", "find") and is_private_setting(path, workspace):
        return True
    if kind not in _NAMES_A_FOLDER and is_credential_word(path):
        return True
    if may_be_credential(path, workspace.home) and kind != "ls":
        return True
    return is_credential(path, workspace.home) or (kind == "grep" and within(workspace.home, path))


_HARMLESS_TARGETS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def variable_objection(command: Command) -> str | None:
    """Whether a variable that the command is given may change what it does. What an assignment
    without a command changes is a matter of the reading."""
    for one in (*command.assignments, *command.environment) if command.words else ():
        if not only_presents(one) and not (one.name == "IFS" and command.program == "read"):
            return f"`{one.name}` may make a program do something else"
    return None


def redirect_objection(redirect: Redirect, command: Command, workspace: Workspace) -> str | None:
    target = redirect.target
    if redirect.feeds:
        # A short text may name a file or object to be read; a long one is a document.
        if redirect.op == "<<<" or target.origin is Origin.UNKNOWN:
            return word_objection(target, command, workspace)
        return None
    if redirect.writes:
        if target.value in _HARMLESS_TARGETS or re.fullmatch(r"/dev/fd/\d+", target.value or ""):
            return None
        return f"writes to `{excerpt(target.text)}`"
    if redirect.op in ("<&", ">&"):
        return None
    if target.text.startswith("/dev/tcp/") or target.text.startswith("/dev/udp/"):
        return f"reads from the network through `{excerpt(target.text)}`"
    if target.origin is Origin.UNKNOWN:
        return "reads a file whose name is not known"
    return file_objection(target, command, workspace)


LIMIT = 4
"""Folders that one command is judged in."""


def possible_worlds(script: Script, workspace: Workspace) -> Iterator[Script]:
    """The script as it runs where every `cd` succeeds, then with its commands in the other folders
    that they may run in; then incomplete where one may run in too many."""
    yield script
    if not any(command.elsewhere for command in script.commands):
        return
    folders = [_others(command, workspace) for command in script.commands]
    if any(len(found) >= LIMIT for found in folders):
        yield replace(script, gaps=("a command may run in too many folders",))
        return
    for number in range(max(map(len, folders))):
        moved = zip(script.commands, folders, strict=True)
        yield replace(
            script, commands=tuple(_in_other_folder(c, found, number) for c, found in moved)
        )


def _in_other_folder(command: Command, folders: tuple[str | None, ...], number: int) -> Command:
    return replace(command, cwd=folders[min(number, len(folders) - 1)]) if folders else command


def _others(command: Command, workspace: Workspace) -> tuple[str | None, ...]:
    found = dict.fromkeys(
        one.folder
        for one in command.elsewhere
        if not any(_exists(folder, workspace) for folder in one.missing)
    )
    found.pop(command.cwd, None)
    return tuple(found)


def _exists(folder: str, workspace: Workspace) -> bool:
    """Whether going there succeeds, as it is written and with its dots taken out."""
    kinds = {workspace.files.kind(one) for one in (folder, normal(folder))}
    return kinds == {FileKind.FOLDER}
