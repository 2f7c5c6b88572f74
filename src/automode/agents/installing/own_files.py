"""Files that only automode writes: hooks in files of their own, and extensions that run inside."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from automode.agents.installing.installer import AgentFile, Installer
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Receipt,
    Receipts,
    Scope,
    Transport,
    digest,
    present,
)
from automode.agents.installing.site import (
    CLIENT,
    Http,
    Program,
    Registration,
    Site,
    command_faults,
    path_faults,
    version_in,
)
from automode.core.tool_input import input_texts
from automode.daemon.frames import settings_word
from automode.store.folder import StateFolder

BLANK = "const INSTALLED = {/*automode:installed*/};"
SHARED = "/*automode:wire*/"
_HERE = os.path.dirname(os.path.abspath(__file__))
_WIRE = os.path.join(_HERE, "wire.ts")
_FILLED = re.compile(rb"^const INSTALLED = (\{.*\});\r?$", re.MULTILINE)


def template_of(agent: str, name: str = "automode.ts") -> str:
    """The agent's own part of an extension, as it is shipped."""
    return os.path.join(os.path.dirname(_HERE), agent, name)


def fill(template: str, program: Program, **more: object) -> bytes:
    """The extension as it is installed. `more`: what this one has to know beside the paths.
    Raises CannotInstall."""
    text = whole_text(template)
    if text.count(BLANK) != 1:
        raise CannotInstall(
            f"`{template}` has no place for its paths: automode's installation is incomplete",
            "install automode again",
        )
    waits = {"hold": program.hold} if program.hold else {}
    known = json.dumps({**paths(program), **waits, **more})
    return text.replace(BLANK, f"const INSTALLED = {known};").encode()


def whole_text(template: str) -> str:
    """With what all extensions share: agents load one file."""
    return _read(template).replace(SHARED, _read(_WIRE).strip())


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotInstall(
            f"`{path}` cannot be read: automode's installation is incomplete",
            "install automode again",
        ) from error


def paths(program: Program) -> dict[str, str]:
    return {
        "python": program.python,
        "client": program.client,
        "package": program.package,
        "state": program.state,
        "config": program.config,
        "version": program.version,
        "settings": settings_word(program.config),
    }


def paths_in(data: bytes) -> Mapping[str, object] | None:
    """What an installed extension says of itself; None: it is none of ours."""
    if BLANK.encode() in data:
        return {}
    found = _FILLED.search(data)
    try:
        known: object = json.loads(found[1]) if found else None
    except ValueError:
        return None
    return known if isinstance(known, dict) and "client" in known else None


def is_our_file(data: bytes) -> bool:
    return CLIENT.encode() in data or BLANK.encode() in data


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """`named` is what the agent calls it. `is_ours` tells it from what others may have put
    there."""

    agent: str
    named: str
    data: bytes
    is_ours: Callable[[bytes], bool] = is_our_file
    mode: int = 0o600

    def plan(self, receipts: Receipts) -> tuple[Change, ...]:
        """Nothing where it stands there already. Raises CannotInstall."""
        path, before = present(self.named)
        if before is not None and not self.is_ours(before):
            raise CannotInstall(
                f"`{path}` was left alone: automode did not write it",
                "move it away, then try again",
            )
        if self.data == before:
            return ()
        new, old = digest(self.data), digest(before)
        receipt = Receipt(self.agent, path, None, new, old, named=self.named)
        return (Change(path, before, self.data, receipt, self.mode),)

    def plan_out(self, receipts: Receipts) -> tuple[Change, ...]:
        path, before = present(self.named)
        if before is not None and self.is_ours(before):
            return (Change(path, before, None),)
        # An installation that was cut off leaves a receipt, and may leave folders.
        known = receipts.find(self.agent, path)
        return () if known is None else (Change(path, before, before),)


_OPTION = re.compile(r"--state\s+('[^'\n]+'|[^\s'\"]+)")


def folders_named_in(plan: Plan) -> tuple[StateFolder, ...]:
    """Of the files that would be changed. What cannot be read names none; a folder below the home
    of whoever runs the agent is the usual one."""
    found = (path for change in plan.changes for path in _state_folders(change.before or b""))
    return tuple(StateFolder(path) for path in dict.fromkeys(found) if os.path.isabs(path))


def _state_folders(data: bytes) -> Iterator[str]:
    for word in _OPTION.findall(data.decode("utf-8", "replace")):
        yield _unescape(word.strip("'"))
    match paths_in(data):
        case {"state": str(state)}:
            yield state
        case _:
            pass


def _unescape(word: str) -> str:
    """Command lines stand in JSON mostly, which writes some letters in its own way."""
    try:
        text: object = json.loads(f'"{word}"')
    except ValueError:
        return word
    return text if isinstance(text, str) else word


_COMMAND = re.compile(r"(?:'/[^']*'|/\S*) -I -S .*? (?:proposed|finished|prompt|session)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFilesInstaller(Installer):
    """`contents` are the paths and contents of all that belongs together; the first path stands for
    all."""

    contents: Callable[[Scope, Site, Program], dict[str, bytes]]
    transport: Transport = Transport.COMMAND
    mode: int = 0o600

    def files(self, scope: Scope, site: Site, program: Program) -> Sequence[AgentFile]:
        return [
            OwnFile(agent=self.agent, named=path, data=data, mode=self.mode)
            for path, data in self.contents(scope, site, program).items()
        ]

    def look(
        self, scope: Scope, site: Site, program: Program, http: Http | None
    ) -> Registration | None:
        wanted = self.contents(scope, site, program)
        there: dict[str, bytes] = {}
        wrong: list[str] = []
        for path in wanted:
            try:
                data = present(path)[1]
            except CannotInstall as error:
                wrong.append(str(error))
                continue
            if data is not None and is_our_file(data):
                there[path] = data
        if not there and not wrong:
            return None
        if there:
            wrong += [f"`{path}` is missing" for path in wanted if path not in there]
        for path, data in there.items():
            if _without_times(data) != _without_times(wanted[path]):
                wrong += _file_faults(path, data, program)
        version = _version(next(iter(there.values()), b""))
        first = next(iter(wanted))
        listed = tuple(dict.fromkeys(wrong))
        return Registration(self.agent, scope, first, version, self.transport, listed)

    def hooks_folder(self, site: Site) -> str:
        first = next(iter(self.contents(Scope.USER, site, Program.here("/", "/"))))
        return os.path.dirname(first)


_TIMES = re.compile(rb', "hold": \d+|"timeoutSec": \d+|--deadline-ms \d+ ')


def _without_times(data: bytes) -> bytes:
    """How long a hook waits is the person's choice."""
    return _TIMES.sub(b"", data)


def _version(data: bytes) -> str:
    known = paths_in(data)
    return str(known.get("version", "")) if known else version_in(data.decode("utf-8", "replace"))


def _file_faults(path: str, data: bytes, program: Program) -> Iterator[str]:
    """One that another release wrote may look otherwise; that alone is no fault."""
    known = paths_in(data)
    if known == {}:
        yield "the extension does not know where automode is: it blocks every call"
        return
    if known:
        found = [*path_faults(known, program)]
    else:
        found = [one for line in _commands(data) for one in command_faults(line, program)]
    yield from found
    if not found and _version(data) == program.version:
        yield f"`{path}` was changed: it may not close when something fails"


def _commands(data: bytes) -> Iterator[str]:
    text = data.decode("utf-8", "replace")
    with suppress(ValueError):
        text = "\n".join(input_texts(json.loads(text)))
    yield from _COMMAND.findall(text)
