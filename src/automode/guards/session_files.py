"""Layer: notes when a call executes files that were written in this session, or by another one of
the same project.

What an agent wrote a moment ago is whatever the agent wants it to be, so a rule that names the
command says nothing about what it does.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache
from typing import TypeAlias

from automode.core.call import Shell, Write
from automode.core.decision import Remark
from automode.core.paths import locate
from automode.core.recent import Recent
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.transcript import PriorCall
from automode.core.word_lists import word_lists
from automode.core.workspace import Workspace
from automode.gate.layer import Answer, Layer, Trail
from automode.guards.guard import targets
from automode.programs.call_facts import CallFacts
from automode.programs.inline_code import python_code
from automode.programs.python_code import imported_modules
from automode.programs.python_values import modules
from automode.programs.table import of_kind, programs, written_under
from automode.shell.script import HOLE, Command, Origin, Reader, Word

_LISTS = word_lists("automode.guards", "executed")
_LAUNCHERS = of_kind("launcher").union(_LISTS["launchers"])
_RUNNERS = _LAUNCHERS.union(
    of_kind("interpreter"), of_kind("tester"), _LISTS["interpreters"], _LISTS["testers"]
)
_CHECKERS = of_kind("checker").union(_LISTS["checkers"])
_FORMATTERS = frozenset(_LISTS["formatters"])
_HOOKED = frozenset(_LISTS["hooked"])
_PLAIN = frozenset(_LISTS["plain"])
_PICKED_UP: Mapping[str, tuple[str, ...]] = {
    **written_under("picks"),
    **{name[6:]: files for name, files in _LISTS.items() if name.startswith("picks-")},
}
"""By program, the files that it looks for by itself and runs code of."""

_Fits: TypeAlias = Callable[[str], re.Match[str] | None]

Paths: TypeAlias = Mapping[str, str]
"""Absolute paths without regard to case, each with the path as people know it."""


def may_execute(command: Command) -> bool:
    """Whether it is worth asking which files: a look at the program alone."""
    if command.remote or not command.words:
        return False
    name = command.name
    if name == "git" and _HOOKED.isdisjoint(word.text for word in command.args):
        return False
    return "/" in command.words[0].text or _runs_code(name) or name in _PICKED_UP or _paths(command)


def run_files(
    command: Command, script: Sequence[Command], files: Paths, workspace: Workspace
) -> Iterator[str]:
    """Those of `files` that a command that `may_execute` executes, or may execute where a word is
    not known."""
    first, name = command.words[0], command.name
    if "/" in first.text:
        yield from _match_word(first, command, files, workspace)
    elif _paths(command):
        yield from (shown for path, shown in files.items() if path.endswith(f"/{name}"))
    if _runs_code(name):
        checker = _checker(name, command)
        found = _settings(command, checker) if checker else _scripts(command, script)
        for word in found:
            yield from _match_word(word, command, files, workspace)
    for program in _programs(name, command):
        if program not in _PICKED_UP:
            continue
        if isinstance(files, WrittenPaths):
            yield from files.picked_by(program)
        else:
            yield from (shown for path, shown in files.items() if program in _picking(path))


def named_files(
    word: Word, command: Command, files: Paths, workspace: Workspace
) -> tuple[str, ...]:
    """Those of `files` that a word names for sure."""
    sure = word.value is not None
    return tuple(_match_word(word, command, files, workspace)) if sure else ()


def _runs_code(name: str) -> bool:
    return name in _RUNNERS or name.startswith("python")


def _checker(name: str, command: Command) -> str:
    """`npx prettier x.js`, `uv run ruff check x.py`, `python -m black x.py`."""
    texts = [word.text for word in command.args]
    if name.startswith("python"):
        started = texts[1] if texts[:1] == ["-m"] and texts[1:] else ""
    else:
        started = next(
            (t for t in texts if t not in _LISTS["launching"] and not t.startswith("-")), ""
        )
        started = started if name in _LAUNCHERS else ""
    return started if started in _CHECKERS else ""


def _settings(command: Command, checker: str) -> Iterator[Word]:
    """The files that options bring into a checker: those may be code."""
    program = programs().get(checker)
    foreign = {name for row in (program.rows if program else ()) for name in row.foreign}
    before = ""
    for word in command.args:
        name, equals, value = word.text.partition("=")
        if before in foreign:
            yield word
        elif equals and name in foreign:
            yield Word(value, word.origin)
        elif word.text[:2] in foreign and word.text[1:2] != "-":
            yield Word(word.text[2:], word.origin)
        before = word.text


def _paths(command: Command) -> bool:
    """Whether programs are looked for in folders that the script itself chose."""
    return any(one.name == "PATH" for one in (*command.assignments, *command.environment))


def _programs(name: str, command: Command) -> Iterator[str]:
    """The program, and what a launcher or `python -m` starts in its place."""
    yield name
    if name in _LAUNCHERS or name.startswith(("python", "pypy")):
        yield from (word.text.casefold() for word in command.args if word.value is not None)


def _scripts(command: Command, script: Sequence[Command]) -> Iterator[Word]:
    """The words that may be code: the first operand, what comes before it, and what follows it
    unless it is plainly data; a module; what is fed in."""
    seen = False
    for index, word in enumerate(command.args):
        text = word.text
        operand = not text.startswith("-")
        if word.value is None and (seen or not operand):
            continue
        if not seen or not text.casefold().endswith(_LISTS["data-endings"]):
            yield from _parts(word)
        if index and command.args[index - 1].value == "-m":
            yield from _module_files(text)
        seen = seen or operand
    yield from _imported(command)
    yield from (one.target for one in command.redirects if one.op == "<")
    if command.position and not seen:
        yield from _piped_words(command, script)


def _parts(word: Word) -> Iterator[Word]:
    """`x.py`, `--require=./x.js`, `test_x.py::test_a`."""
    yield word
    if word.value is None:
        return
    name, equals, value = word.text.partition("=")
    if equals and name.startswith("-"):
        yield Word(value)
    if "::" in word.text:
        yield Word(word.text.split("::", 1)[0])


def _imported(command: Command) -> Iterator[Word]:
    """The files of modules that code on the command line loads. A listed one is only another where
    the command runs."""
    for name in imported_modules(python_code(command) or ""):
        for file in _module_files(name):
            listed = name.partition(".")[0] in modules()
            yield file if listed else Word(f"{HOLE}/{file.text}", Origin.UNKNOWN)


def _module_files(text: str) -> Iterator[Word]:
    path = text.replace(".", "/")
    yield from (Word(f"{path}{ending}") for ending in (".py", "/__main__.py", "/__init__.py"))


def _piped_words(command: Command, script: Sequence[Command]) -> Iterator[Word]:
    """`cat x.sh | bash`: what the pipe before an interpreter without a script names."""
    for one in script:
        if one.pipeline == command.pipeline and one.position < command.position:
            yield from (word for word in one.args if word.value is not None)
            yield from (redirect.target for redirect in one.redirects if redirect.op == "<")


def _match_word(word: Word, command: Command, files: Paths, workspace: Workspace) -> Iterator[str]:
    text = word.text
    if word.value is None or command.cwd is None:
        pattern = text.replace(HOLE, "*").casefold()
        rooted = pattern if pattern.startswith(("/", "*")) else f"*/{pattern.removeprefix('./')}"
        yield from (shown for path, shown in files.items() if fnmatchcase(path, rooted))
        return
    path = locate(text, command.cwd, workspace.files)
    resolved = workspace.files.resolve(path) or path
    for one in dict.fromkeys((path.casefold(), resolved.casefold())):
        if one in files:
            yield files[one]


@cache
def _pick_patterns() -> Mapping[str, tuple[_Fits, _Fits]]:
    """By program, what fits a name and what fits a whole path."""
    return {
        program: (
            _any_of(one for one in patterns if "/" not in one),
            _any_of(one for one in patterns if "/" in one),
        )
        for program, patterns in _PICKED_UP.items()
    }


def _any_of(patterns: Iterable[str]) -> _Fits:
    # Without any pattern it fits nothing.
    return re.compile("|".join(map(translate, patterns)) or r"(?!)").match


@lru_cache(maxsize=16_384)
def _picking(path: str) -> frozenset[str]:
    """The programs that look for the path by themselves and run code of it."""
    name = path.rsplit("/", 1)[-1]
    return frozenset(
        program
        for program, (by_name, by_path) in _pick_patterns().items()
        if by_name(name) or by_path(path)
    )


def is_picked_up(path: str) -> bool:
    """Whether a program looks for such a file by itself and runs code of it."""
    return bool(_picking(path.casefold()))


class WrittenPaths(Recent[str, str]):
    """`Paths` that were written in a project: thousands, of which each call asks for those that its
    program looks for by itself. They are kept apart."""

    def __init__(self, most: int) -> None:
        self._picked: dict[str, dict[str, str]] = {}
        super().__init__(most)

    def __setitem__(self, path: str, shown: str) -> None:
        for program in _picking(path):
            own = self._picked.setdefault(program, {})
            own.pop(path, None)  # the newest is last
            own[path] = shown
        super().__setitem__(path, shown)

    def popitem(self, last: bool = True) -> tuple[str, str]:  # noqa: FBT001 - of dict
        path, shown = super().popitem(last)
        for program in _picking(path):
            del self._picked[program][path]
        return path, shown

    def picked_by(self, program: str) -> tuple[str, ...]:
        return tuple(self._picked.get(program, {}).values())


MARK = "executes-session-files"
WHOLE = "/**"
"""Ends the path of a workspace of which any file may have been written."""
PRIOR_CALLS = 400
"""Older calls are not looked at: a session has no end, and this is asked before every run."""

LONG_TEXT = 1_500
LONG_TEXTS_READ = 24
"""A long script takes both parsers some ten milliseconds; older ones are only searched for what
looks like a target."""

_TARGET = re.compile(
    r"""(?:>>?\|?|\btee(?:[ ]-a)?|[ ]-o|[ ]--output[= ]|\bcp[ ]\S+|\bmv[ ]\S+)[ ]*["']?
    (?P<path>[^\s"'<>|;&()`$*?]+)""",
    re.X,
)
REMOVERS = of_kind("remover")
"""Programs whose targets are gone afterwards, or no file worth running."""


class SessionFiles:
    name = "session-files"

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        found = executed_files(facts, session)
        if not found:
            return None
        names = ", ".join(f"`{path}`" for path in found[:3])
        return Remark(self.name, MARK, f"executes what was written in this session: {names}")


def executed_files(facts: CallFacts, session: Session) -> tuple[str, ...]:
    """The files of this session, and of others around it, that the call executes; what it writes
    itself counts too."""
    return facts.once("executed-files", lambda: _executed_files(facts, session))


def _executed_files(facts: CallFacts, session: Session) -> tuple[str, ...]:
    action = facts.call.action
    if not isinstance(action, Shell):
        return ()
    around = session.written_around
    whole = None if around is None else around.get(f"{facts.workspace.root}{WHOLE}".casefold())
    commands = facts.remember("every-command", every_command)
    if whole is not None and not all(one.name in _PLAIN for one in commands):
        return (whole,)  # a confined call may have planted anything: see ADR 25
    if action.dialect == "bash" and not any(map(may_execute, facts.script.commands)):
        return ()  # nothing that could run a file, nor code that could
    running = [command for command in commands if may_execute(command)]
    # Where somebody keeps what was written, it holds this session's own files as well.
    before = written_before(session, facts.reader) if around is None else around
    itself = facts.remember("writes-itself", _written_by_itself)
    found = (
        path
        for command in running
        for files in (itself, before)
        if files
        for path in run_files(command, commands, files, facts.workspace)
    )
    return tuple(dict.fromkeys(found))


def _written_by_itself(facts: CallFacts) -> Mapping[str, str]:
    commands = facts.remember("every-command", every_command)
    return _with_links(_writes(commands, facts), facts.workspace)


def written_before(session: Session, reader: Reader) -> Mapping[str, str]:
    """Paths that earlier calls of the session wrote, without regard to case and with links
    followed too, each with the path as it was written."""
    calls = [one for one in session.transcript.entries if isinstance(one, PriorCall)]
    paths: dict[str, str] = {}
    long = 0
    for prior in reversed(calls[-PRIOR_CALLS:]):
        call = prior.call if prior.may_have_run else None
        if call is None:
            continue
        closely = long < LONG_TEXTS_READ
        long += isinstance(call.action, Shell) and len(call.action.command) > LONG_TEXT
        found = _written_by(CallFacts(call, session.workspace, reader), closely=closely)
        for folded, path in _with_links(found, session.workspace).items():
            paths.setdefault(folded, path)
    return paths


def written_by(facts: CallFacts) -> Mapping[str, str]:
    """Paths that one call leaves behind written, like `written_before`."""
    return facts.remember("written", _written_now)


def _written_now(facts: CallFacts) -> Mapping[str, str]:
    return _with_links(_written_by(facts, closely=True), facts.workspace)


def written_by_code(facts: CallFacts) -> frozenset[str]:
    """Paths that the code inside a call writes: nobody knows what."""
    outer = {*facts.first.commands, *facts.script.commands}
    inner = [one for one in facts.remember("every-command", every_command) if one not in outer]
    return frozenset(_writes(inner, facts))


def every_command(facts: CallFacts) -> tuple[Command, ...]:
    """Every command of a shell call, in either reading, and of the code inside it."""
    first, full = facts.first.commands, facts.script.commands
    # Mostly both parsers' reading is at hand, and is the first one too.
    both = first if full is first else tuple(dict.fromkeys((*first, *full)))
    return _with_inner(both, facts)


def _with_inner(commands: tuple[Command, ...], facts: CallFacts) -> tuple[Command, ...]:
    inner = [  # nearly no command has any
        one
        for command in commands
        if not command.remote
        for script in facts.inner(command)
        for one in script.commands
    ]
    return tuple(dict.fromkeys((*commands, *inner))) if inner else commands


def _written_by(facts: CallFacts, *, closely: bool) -> Iterator[str]:
    """Where the call started is not recorded: the project is as likely as the folder of now."""
    workspace = facts.workspace
    for place in dict.fromkeys((workspace.cwd, workspace.root)):
        here = facts
        if place != workspace.cwd:
            here = replace(facts, workspace=replace(workspace, cwd=place), _commands={})
        match facts.call.action:
            case Write(paths):
                yield from (meant for one in paths for meant in meant_paths(one, here.workspace))
            case Shell(command) if len(command) > LONG_TEXT and not closely:
                yield from (
                    locate(found["path"], place, workspace.files)
                    for found in _TARGET.finditer(command)
                )
            case Shell():
                yield from _writes(_with_inner(here.first.commands, here), here)
            case _:
                pass


class Unless:
    """A door that stays shut when the trail carries `mark`."""

    def __init__(self, mark: str, door: Layer) -> None:
        self.mark = mark
        self.door = door

    @property
    def name(self) -> str:
        return self.door.name

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if any(remark.mark == self.mark for remark in trail):
            return None
        return await self.door(facts, session, trail)


def _writes(commands: Sequence[Command], facts: CallFacts) -> Iterator[str]:
    """The paths that stay behind written; what is removed or moved away does not."""
    for command in commands:
        if command.remote:
            continue
        formats = _only_formats(command)
        for target in targets(facts.of(command)):
            known = HOLE not in target.path and not target.path.startswith("/dev/")
            if known and not target.whole and command.name not in REMOVERS and not formats:
                yield target.path


def _only_formats(command: Command) -> bool:
    """Whether what it writes is what was there, laid out anew. `gofmt -r` replaces it, and so may
    rules that an option brings in."""
    program = command.name if command.name in _FORMATTERS else _checker(command.name, command)
    replaces = any(re.match(r"--?r", word.text) for word in command.args)
    return program in _FORMATTERS and not replaces and not any(_settings(command, program))


def _with_links(paths: Iterable[str], workspace: Workspace) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        resolved = workspace.files.resolve(path) or path
        found[path.casefold()] = found[resolved.casefold()] = path
    return found
