"""Hooks in JSON files of agents: as Claude Code has them, in groups, or one by one."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from automode.agents.catalog import AGENTS
from automode.agents.events import Moment
from automode.agents.installing.installer import Installer
from automode.agents.installing.json_files import (
    Entry,
    EntryFile,
    HooksFile,
    found_entries,
    ours,
    settings_in,
)
from automode.agents.installing.plan import (
    CannotInstall,
    Plan,
    Receipts,
    Scope,
    digest,
    need_account,
    present,
)
from automode.agents.installing.site import (
    Http,
    Program,
    Registration,
    Site,
    handler_version,
    is_our_command,
    is_our_status_line,
    misled_words,
    version_in,
)
from automode.config.json_edit import root_of
from automode.core.errors import BadSettings
from automode.daemon.frames import settings_word

HOST = "claude-code"
PROPOSED = "proposed"
LATER = {"PermissionDenied": Moment.FINISHED}
"""Only where it is known to exist: an event that Claude Code does not know spoils its settings."""
MOMENTS = {event: one for event, one in AGENTS[HOST].moments.items() if event not in LATER}
OVER_HTTP = frozenset({"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"})
"""The others stay commands: those show who speaks, and they start the daemon."""
TIMEOUT_SECONDS = 60
"""More than the 55 seconds after which the hook itself says no."""
VERSION_HEADER = "X-Automode-Version"
FIRST_WITH_ON_FAILURE = (2, 1, 325)
"""The first version in which `onFailure` was measured to work; 2.1.197 ignores it. With an older
one a hook over HTTP that cannot be reached would let the call run."""


def hooks(program: Program, http: Http | None, *, fails_closed: bool) -> dict[str, object]:
    """Each event with the one group that is put into its list. `fails_closed`: the agent is of the
    version that was measured, or newer, and knows `onFailure`."""
    return {
        event: _group(event, _handler(event, moment, program, http, fails_closed=fails_closed))
        for event, moment in (MOMENTS | (LATER if fails_closed else {})).items()
    }


def status_line(program: Program) -> dict[str, object]:
    return {"type": "command", "command": program.signed(program.status_line_words())}


def _group(event: str, handler: dict[str, object]) -> dict[str, object]:
    matcher = {"matcher": "*"} if event in OVER_HTTP else {}
    return {**matcher, "hooks": [handler]}


def _handler(
    event: str, moment: str, program: Program, http: Http | None, *, fails_closed: bool
) -> dict[str, object]:
    closing = {"onFailure": "block"} if fails_closed and moment == PROPOSED else {}
    common: dict[str, object] = {"timeout": TIMEOUT_SECONDS, **closing}
    if http is not None and event in OVER_HTTP:
        where = f"127.0.0.1:{http.port}/hook/{HOST}/{moment}"
        url = f"http://{where}?settings={settings_word(program.config)}"
        headers = {"Authorization": f"Bearer {http.token}", VERSION_HEADER: program.version}
        return {"type": "http", "url": url, **common, "headers": headers}
    ending = " || exit 2" if moment == PROPOSED else ""
    command = program.signed(program.hook_words(HOST, moment), ending)
    return {"type": "command", "command": command, **common}


TIMEOUT_MS = 60_000
"""More than the 55 seconds after which the hook itself says no. Qwen Code takes a number below 1000
for seconds, and its older versions take every number for milliseconds: both read this alike."""
ENDING = " || { echo automode: undecided, so the call must not run >&2; exit 2; }"
"""With nothing on standard error these agents take the exit status 2 for a yes, whoever ended with
it: Python itself does where it cannot open the client."""


@dataclass(frozen=True, slots=True)
class SettingsHooks(Installer):
    """`off`: settings that switch hooks off."""

    settings: Callable[[Site, Scope], str]
    off: Callable[[Mapping[str, object]], bool]
    screen: str = ""
    """The object of its settings that may hold a status line; empty: it shows none."""

    def hooks(self, program: Program) -> dict[str, object]:
        """Each event with the one group that is put into its list."""
        return {event: {"hooks": [one]} for event, one in self.handlers(program).items()}

    def handlers(self, program: Program) -> dict[str, dict[str, object]]:
        return {
            event: self._handler(moment, program) for event, moment in self.about.moments.items()
        }

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        path = self.settings(site, scope)
        if self.off(settings_in(path)):
            raise CannotInstall(
                f"`{path}` switches hooks off: none in it would run",
                "take that line out if you want to be guarded, then install again",
            )
        own_line = self._own_status_line(path)
        line = status_line(program) if self.screen and not own_line else None
        hooks = self.hooks(program)
        file = HooksFile(self.agent, scope, path, hooks=hooks, status_line=line, below=self.screen)
        said = "your own status line stays; `automode status-line` prints ours for it"
        changes = file.plan(program, receipts)
        return Plan(self.agent, scope, changes, (said,) if own_line else ())

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        file = HooksFile(self.agent, scope, self.settings(site, scope))
        return Plan(self.agent, scope, file.plan_out(receipts))

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        found = (self._registered(scope, site, program) for scope in (Scope.USER, Scope.MANAGED))
        return tuple(one for one in found if one is not None)

    def hooks_file(self, site: Site) -> str:
        return self.settings(site, Scope.USER)

    def _registered(self, scope: Scope, site: Site, program: Program) -> Registration | None:
        path = self.settings(site, scope)
        try:
            text = (present(path)[1] or b"").decode()
            if not text.strip():
                return None
            found = list(ours(root_of(text)))
        except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
            return Registration(self.agent, scope, path, wrong=(f"cannot be read: {error}",))
        if not found:
            return None
        here = program.for_every_account() if scope is Scope.MANAGED else program
        return Registration(
            self.agent,
            scope,
            path,
            handler_version(found[0][1]),
            wrong=tuple(dict.fromkeys(self._wrong(found, here))),
        )

    def _wrong(self, found: list[tuple[str, dict[str, object]]], program: Program) -> Iterator[str]:
        counted = Counter(event for event, _ in found)
        wanted = self.handlers(program)
        for event in wanted:
            if counted[event] == 0:
                yield f"no hook for {event}"
            elif counted[event] > 1:
                yield f"{counted[event]} hooks for {event}: each call is decided as often"
        for event, handler in found:
            if handler != wanted.get(event):
                yield from _changed(event, handler, program)

    def _own_status_line(self, path: str) -> bool:
        match settings_in(path).get(self.screen):
            case {"statusLine": line}:
                return not is_our_status_line(line)
            case _:
                return False

    def _handler(self, moment: str, program: Program) -> dict[str, object]:
        words = program.hook_words(self.agent, moment)
        command = program.signed(words, ENDING if moment == PROPOSED else "")
        return {
            "type": "command",
            "name": _name(command),
            "command": command,
            "timeout": TIMEOUT_MS,
        }


def _name(command: str) -> str:
    """Shown to people, and not to be guessed by a project: it could switch a hook off by it."""
    return f"automode-{digest(command.encode())[:8]}"


def _changed(event: str, handler: dict[str, object], program: Program) -> Iterator[str]:
    """One that another release wrote may look otherwise; that alone is no fault."""
    try:
        words = shlex.split(str(handler.get("command", "")), comments=True)
    except ValueError:
        words = []
    misled = [*misled_words(words, program)]
    yield from misled
    if not misled and handler_version(handler) == program.version:
        yield f"the hook for {event} was changed: it may not close when something fails"


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
        changes = self._file(site, program).plan(program, receipts)
        return Plan(self.agent, scope, changes, (self.note,))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        need_account(scope, self.title, self.agent)
        file = self._file(site, Program.here("/", "/"))
        return Plan(self.agent, scope, file.plan_out(receipts))

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
            entries=tuple(self._entry(program, event) for event in self.about.moments),
            needed=self.needed,
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
