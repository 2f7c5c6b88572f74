"""Hooks that stand one by one in a JSON file of an agent's, each in the list of its event."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import Http, is_our_command
from automode.agents.installing.found import Registration, misled_words, version_in
from automode.agents.installing.installer import Installer
from automode.agents.installing.json_entry import (
    Entry,
    EntryFile,
    found_entries,
    plan_entries,
    plan_no_entries,
)
from automode.agents.installing.plan import CannotInstall, Plan, Scope, Transport, need_account
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.core.errors import BadSettings


@dataclass(frozen=True, slots=True)
class EntryHooks(Installer):
    """`file` is below the home folder. `box` leads to the list of an event, `entry` is what stands
    there, `command_of` its command line; empty for what is none. `open`: why an entry that is not
    as we write it lets calls run; empty where it does not. `note`: what a person has to know."""

    file: str
    box: Callable[[str], tuple[str, ...]]
    entry: Callable[[Program, str], dict[str, object]]
    command_of: Callable[[object], str]
    open: Callable[[str, str, object], str]
    note: str
    needed: Mapping[str, object]

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        need_account(scope, self.title, self.agent)
        changes = plan_entries(self._file(site, program), program, receipts)
        return Plan(self.agent, scope, changes, (self.note,))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        need_account(scope, self.title, self.agent)
        file = self._file(site, Program.here("/", "/"))
        return Plan(self.agent, scope, plan_no_entries(file, receipts))

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        path = self.hooks_file(site)
        try:
            data = present(path)[1] or b""
            found = {
                event: found_entries(data, self._entry(program, event))
                for event in self.about.moments
            }
        except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
            return (
                Registration(self.agent, Scope.USER, path, wrong=(f"cannot be read: {error}",)),
            )
        if not any(found.values()):
            return ()
        wrong = tuple(dict.fromkeys(self._wrong(found, program)))
        return (Registration(self.agent, Scope.USER, path, version_in(repr(found)), wrong=wrong),)

    def hooks_file(self, site: Site) -> str:
        return f"{site.home}/{self.file}"

    def is_ours(self, value: object) -> bool:
        return is_our_command(self.command_of(value))

    def _entry(self, program: Program, event: str) -> Entry:
        value = self.entry(program, self.about.moments[event])
        return Entry(self.box(event), value, is_ours=self.is_ours)

    def _file(self, site: Site, program: Program) -> EntryFile:
        return EntryFile(
            self.agent,
            Scope.USER,
            self.hooks_file(site),
            tuple(self._entry(program, event) for event in self.about.moments),
            needed=dict(self.needed),
            transport=Transport.COMMAND,
        )

    def _wrong(self, found: Mapping[str, list[object]], program: Program) -> Iterator[str]:
        for event, values in found.items():
            if len(values) != 1:
                many = f"{len(values)} hooks for {event}: each call is decided as often"
                yield many if values else f"no hook for {event}"
            for value in values:
                if value != self.entry(program, self.about.moments[event]):
                    yield from misled_words(
                        shlex.split(self.command_of(value), comments=True), program
                    )
                    if why := self.open(event, self.about.moments[event], value):
                        yield why
