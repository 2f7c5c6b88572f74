"""Files that only automode writes: hooks in files of their own, and extensions that run inside."""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from automode.agents.installing.installer import Installer
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Placed,
    Plan,
    Receipts,
    Scope,
    Transport,
    need_account,
    present,
)
from automode.agents.installing.site import (
    Http,
    Program,
    Registration,
    Site,
    misled_extension,
    misled_words,
    version_in,
)
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


def filled(template: str, program: Program, **more: object) -> bytes:
    """The extension as it is installed. `more`: what this one has to know beside the paths.
    Raises CannotInstall."""
    text = whole_text(template)
    if text.count(BLANK) != 1:
        raise CannotInstall(
            f"`{template}` has no place for its paths: automode's installation is incomplete",
            "install automode again",
        )
    known = json.dumps({**paths(program), **more})
    return text.replace(BLANK, f"const INSTALLED = {known};").encode()


def whole_text(template: str) -> str:
    """With what all extensions share: agents load one file."""
    return _read(template).replace(SHARED, _read(_WIRE).strip())


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


def registered_extension(
    agent: str,
    scope: Scope,
    path: str,
    program: Program,
    wanted: Callable[[Program, Mapping[str, object]], bytes],
) -> Registration | None:
    """`wanted`: the extension as this automode would write it, by what the found one says."""
    try:
        _, data = present(path)
    except CannotInstall as error:
        return Registration(agent, scope, path, wrong=(str(error),))
    known = None if data is None else paths_in(data)
    if data is None or known is None:
        return None
    version = known.get("version")
    return Registration(
        agent,
        scope,
        path,
        version if isinstance(version, str) else "",
        Transport.EXTENSION,
        tuple(misled_extension(data, known, program, wanted(program, known))),
    )


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotInstall(
            f"`{path}` cannot be read: automode's installation is incomplete",
            "install automode again",
        ) from error


def _is_extension(data: bytes) -> bool:
    return paths_in(data) is not None


@dataclass(frozen=True, slots=True)
class OwnFile:
    """`named` is what the agent calls it. `is_ours` tells it from what others may have put there;
    without a word it is an extension that knows its paths."""

    agent: str
    scope: Scope
    named: str
    is_ours: Callable[[bytes], bool] = _is_extension
    transport: Transport = Transport.EXTENSION
    mode: int = 0o600


def plan_file(file: OwnFile, after: bytes, program: Program) -> tuple[Change, ...]:
    """Nothing where it stands there already. Raises CannotInstall."""
    path, before = present(file.named)
    _need_ours(file, path, before)
    if after == before:
        return ()
    placed = Placed(file.agent, file.scope, file.named, path, before)
    return (placed.change(after, program.version, file.transport, mode=file.mode),)


def plan_no_file(file: OwnFile, receipts: Receipts) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Also what the person should know. Raises CannotInstall."""
    path, before = present(file.named)
    receipt = receipts.find(file.agent, path)
    if before is None:
        # An installation that was cut off leaves a receipt, and may leave folders.
        return (() if receipt is None else (Change(path, None, None),)), ()
    _need_ours(file, path, before)
    changed = receipt is not None and not receipt.knows(before)
    notes = ("it was changed by hand; the state folder keeps a copy",) if changed else ()
    return (Change(path, before, None),), notes


def _need_ours(file: OwnFile, path: str, data: bytes | None) -> None:
    if data is not None and not file.is_ours(data):
        raise CannotInstall(
            f"`{path}` was left alone: automode did not write it", "move it away, then try again"
        )


_OPTION = re.compile(r"--state\s+('[^'\n]+'|[^\s'\"]+)")


def folders_named_in(plan: Plan) -> tuple[StateFolder, ...]:
    """Of the files that would be changed. What cannot be read names none; a folder below the home
    of whoever runs the agent is the usual one."""
    found = (path for change in plan.changes for path in _named(change.before or b""))
    return tuple(StateFolder(path) for path in dict.fromkeys(found) if os.path.isabs(path))


def _named(data: bytes) -> Iterator[str]:
    for word in _OPTION.findall(data.decode("utf-8", "replace")):
        yield _unescaped(word.strip("'"))
    match paths_in(data):
        case {"state": str(state)}:
            yield state
        case _:
            pass


def _unescaped(word: str) -> str:
    """Command lines stand in JSON mostly, which writes some letters in its own way."""
    try:
        text: object = json.loads(f'"{word}"')
    except ValueError:
        return word
    return text if isinstance(text, str) else word


CLIENT = b"/automode/hook/client.py"
PROPOSED = "proposed"
TIMEOUT_SECONDS = 60
"""More than the 55 seconds after which the hook itself says no."""
_COMMAND = re.compile(r"(?:'/[^']*'|/\S*) -I -S .*? (?:proposed|finished|prompt|session)\b")


@dataclass(frozen=True, slots=True)
class OwnHooks(Installer):
    """`files` are the paths and contents of all that belongs together."""

    files: Callable[[Site, Program], dict[str, bytes]]
    mode: int = 0o600

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        need_account(scope, self.title, self.agent)
        changes: list[Change] = []
        for path, text in self.files(site, program).items():
            changes += plan_file(self._file(path), text, program)
        return Plan(self.agent, scope, tuple(changes))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        need_account(scope, self.title, self.agent)
        changes: list[Change] = []
        notes: list[str] = []
        for path in self.files(site, Program.here("/", "/")):
            gone, said = plan_no_file(self._file(path), receipts)
            changes += gone
            notes += said
        return Plan(self.agent, scope, tuple(changes), tuple(dict.fromkeys(notes)))

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        """The first of the files stands for all."""
        wanted = self.files(site, program)
        there: dict[str, bytes] = {}
        wrong: list[str] = []
        for path in wanted:
            try:
                data = present(path)[1]
            except CannotInstall as error:
                wrong.append(str(error))
                continue
            if data is not None and CLIENT in data:
                there[path] = data
        first = next(iter(wanted))
        if not there:
            return (self._place(first, "", wrong),) if wrong else ()
        wrong += [f"`{path}` is missing" for path in wanted if path not in there]
        for path, data in there.items():
            if data != wanted[path]:
                wrong += _changed(path, data, program)
        version = _version(next(iter(there.values())))
        return (self._place(first, version, list(dict.fromkeys(wrong))),)

    def hooks_folder(self, site: Site) -> str:
        return os.path.dirname(next(iter(self.files(site, Program.here("/", "/")))))

    def _place(self, path: str, version: str, wrong: Sequence[str]) -> Registration:
        return Registration(self.agent, Scope.USER, path, version, wrong=tuple(wrong))

    def _file(self, path: str) -> OwnFile:
        return OwnFile(self.agent, Scope.USER, path, _is_ours, Transport.COMMAND, self.mode)


def _is_ours(data: bytes) -> bool:
    return CLIENT in data


def _version(data: bytes) -> str:
    return version_in(data.decode("utf-8", "replace"))


def _changed(path: str, data: bytes, program: Program) -> Iterator[str]:
    """One that another release wrote may look otherwise; that alone is no fault."""
    misled = [one for words in _commands(data) for one in misled_words(words, program)]
    yield from misled
    if not misled and _version(data) == program.version:
        yield f"`{path}` was changed: it may not close when something fails"


def _commands(data: bytes) -> Iterator[list[str]]:
    text = data.decode("utf-8", "replace")
    with suppress(ValueError):
        text = "\n".join(_texts(json.loads(text)))
    for found in _COMMAND.findall(text):
        try:
            yield shlex.split(found)
        except ValueError:
            yield []


def _texts(value: object) -> Iterator[str]:
    match value:
        case str(text):
            yield text
        case [*rows]:
            for row in rows:
                yield from _texts(row)
        case {**fields}:
            for one in fields.values():
                yield from _texts(one)
        case _:
            return
