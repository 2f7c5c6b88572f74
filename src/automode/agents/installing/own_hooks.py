"""Hooks for agents that read each from a file of its own, which automode writes and removes."""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import Http
from automode.agents.installing.found import Registration, misled_words, version_in
from automode.agents.installing.installer import Installer
from automode.agents.installing.own_file import OwnFile, plan_file, plan_no_file
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Scope,
    Transport,
    need_account,
)
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site

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
