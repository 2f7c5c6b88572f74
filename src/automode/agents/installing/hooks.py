"""Hooks in JSON files of agents, beside those of others: in groups, or one by one."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from automode.agents.installing.installer import AgentFile, Installer, InstallRequest
from automode.agents.installing.json_files import (
    HOOKS,
    Entry,
    Found,
    JsonFile,
    need_strict_json,
    settings_in,
)
from automode.agents.installing.plan import CannotInstall, Plan, Scope, Transport, digest, present
from automode.agents.installing.site import (
    CLOSING_WITH_WORDS,
    TIMEOUT_SECONDS,
    Http,
    Program,
    Registration,
    Site,
    command_faults,
    is_our_status_line,
    is_ours,
    version_in,
)
from automode.config.json_edit import root_of
from automode.config.jsonc import Object, content
from automode.core.errors import BadSettings

TIMEOUT_MS = TIMEOUT_SECONDS * 1000
"""Qwen Code takes a number below 1000 for seconds, and its older versions take every number for
milliseconds: both read this alike."""
STATUS_LINE = "statusLine"
OWN_STATUS_LINE = "your own status line stays; `automode status-line` prints ours for it"
OFF = "it switches hooks off: none in it would run"


def named_group(agent: str, program: Program, moment: str) -> dict[str, object]:
    """As Gemini CLI and Qwen Code have it. The name is shown to people, and not to be guessed by a
    project: it could switch a hook off by it."""
    command = program.hook_command(agent, moment, CLOSING_WITH_WORDS)
    name = f"automode-{digest(command.encode())[:8]}"
    millis = program.hook_seconds(agent, moment) * 1000
    handler = {"type": "command", "name": name, "command": command, "timeout": millis}
    return {HOOKS: [handler]}


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksInstaller(Installer):
    """`file`: where hooks stand, for each scope. `hook`: what stands in the list of an event, by
    the program, the event and its moment. `off`: whether settings switch hooks off."""

    file: Callable[[Site, Scope], str]
    hook: Callable[[Program, str, str], Mapping[str, object]]
    box: str = HOOKS
    """The object that holds the lists."""
    off: Callable[[Mapping[str, object]], bool] = lambda _: False
    screen: tuple[str, ...] | None = None
    """The object of its settings that may hold a status line; None: it shows none."""
    comments: bool = True
    last: bool = False
    needed: Mapping[str, object] = field(default_factory=dict)

    def install(self, order: InstallRequest) -> Plan:
        plan = Installer.install(self, order)
        path = self.file(order.site, order.scope)
        self.need_hooks_to_count(path)
        notes = (*plan.notes, OWN_STATUS_LINE) if self.has_own_line(path) else plan.notes
        return Plan(self.agent, order.scope, plan.changes, notes)

    def need_hooks_to_count(self, path: str) -> None:
        if self.off(settings_in(path)):
            raise CannotInstall(
                f"`{path}` was left alone: {OFF}",
                "take that line out if you want to be guarded, then install again",
            )

    def has_own_line(self, path: str) -> bool:
        """Whether the person has a status line of their own."""
        box: object = settings_in(path)
        for name in self.screen or ():
            box = box.get(name) if isinstance(box, dict) else None
        line = box.get(STATUS_LINE) if isinstance(box, dict) else None
        return self.screen is not None and line is not None and not is_our_status_line(line)

    def files(self, scope: Scope, site: Site, program: Program) -> Sequence[AgentFile]:
        return (self.json_file(scope, site, self.entries(program)),)

    def json_file(self, scope: Scope, site: Site, entries: tuple[Entry, ...]) -> JsonFile:
        return JsonFile(
            agent=self.agent,
            named=self.file(site, scope),
            entries=entries,
            scope=scope,
            comments=self.comments,
            last=self.last,
            needed=self.needed,
        )

    def hooks(self, program: Program) -> dict[str, Mapping[str, object]]:
        moments = self.about.moments.items()
        return {event: self.hook(program, event, moment) for event, moment in moments}

    def entries(
        self, program: Program, hooks: Mapping[str, object] | None = None
    ) -> tuple[Entry, ...]:
        rows = (self.hooks(program) if hooks is None else hooks).items()
        found = [Entry((self.box, event), one, is_ours=is_ours) for event, one in rows]
        if self.screen is not None:
            line = {"type": "command", "command": program.sign(program.status_line_words())}
            found.append(Entry(self.screen, line, STATUS_LINE, is_our_status_line))
        return tuple(found)

    def look(
        self, scope: Scope, site: Site, program: Program, http: Http | None
    ) -> Registration | None:
        path = self.file(site, scope)
        try:
            text = _text(path)
            if not text.strip():
                return None
            root = root_of(text)
        except (CannotInstall, BadSettings, OSError, UnicodeDecodeError) as error:
            return Registration(self.agent, scope, path, wrong=(f"cannot be read: {error}",))
        file = self.json_file(scope, site, self.entries(program))
        found = [one for one in file.find(root) if one.path[:1] == (self.box,)]
        if not found:
            return None
        here = program.for_every_account() if scope is Scope.MANAGED else program
        wrong = [*self._file_faults(text, root), *self._count_faults(found)]
        for one in found:
            if without_times(one.value) != without_times(self.hooks(here).get(one.path[-1])):
                wrong += self.hook_faults(one.path[-1], one.value, program, http)
        wrong += self.more_faults(root, found)
        written = json.dumps([one.value for one in found])
        over_http = '"type": "http"' in written
        return Registration(
            self.agent,
            scope,
            path,
            version_in(written),
            Transport.HTTP if over_http else Transport.COMMAND,
            tuple(dict.fromkeys(wrong)),
        )

    def _file_faults(self, text: str, root: Object) -> Iterator[str]:
        if not self.comments:
            try:
                need_strict_json(text.encode())
            except BadSettings as error:
                yield str(error)
        settings = content(root)
        if isinstance(settings, dict) and self.off(settings):
            yield OFF

    def _count_faults(self, found: Sequence[Found]) -> Iterator[str]:
        counted = Counter(one.path[-1] for one in found)
        for event in self.needed_events():
            if counted[event] == 0:
                yield f"no hook for {event}"
            elif counted[event] > 1:
                yield f"{counted[event]} hooks for {event}: each call is decided as often"

    def needed_events(self) -> Sequence[str]:
        return list(self.about.moments)

    def hook_faults(
        self, event: str, value: object, program: Program, http: Http | None
    ) -> Iterator[str]:
        """What is wrong with a hook that is not as we write it. One that another release wrote may
        look otherwise; that alone is no fault."""
        misled = [*command_faults(command_in(value), program)]
        yield from misled
        if not misled and version_in(json.dumps(value)) == program.version:
            yield f"the hook for {event} was changed: it may not close when something fails"

    def more_faults(self, root: Object, found: Sequence[Found]) -> Iterator[str]:
        yield from ()

    def hooks_file(self, site: Site) -> str:
        return self.file(site, Scope.USER)


_TIMES = re.compile(r'"timeout": \d+|--deadline-ms \d+ |&deadline=\d+')


def without_times(value: object) -> str:
    """A hook as text, whatever time it has: how long one waits is the person's choice."""
    return _TIMES.sub("", json.dumps(value, sort_keys=True))


def command_in(value: object) -> str:
    match value:
        case {"hooks": [{"command": str(command)}, *_]} | {"command": str(command)}:
            return command
        case _:
            return ""


def _text(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    try:
        return (present(path)[1] or b"").decode()
    except CannotInstall:
        if not os.path.isfile(path):
            raise
        with open(path, "rb") as file:  # what belongs to an administrator can be read all the same
            return file.read().decode()
