"""Hooks in a settings file that lists them by event, in groups: Codex, Gemini CLI, Qwen Code."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from automode.agents.installing import claude_hooks
from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import Http, is_our_status_line, status_line
from automode.agents.installing.claude_settings import Entries, ours
from automode.agents.installing.found import Registration, misled_words
from automode.agents.installing.hooks_file import (
    HooksFile,
    plan_hooks,
    plan_no_hooks,
    settings_in,
)
from automode.agents.installing.installer import Installer
from automode.agents.installing.plan import CannotInstall, Plan, Scope, digest
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.config.json_edit import root_of
from automode.core.errors import BadSettings

PROPOSED = "proposed"
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
        file = HooksFile(self.agent, scope, path, comments=True)
        own_line = self._own_status_line(path)
        line = status_line(program) if self.screen and not own_line else None
        entries = Entries(self.hooks(program), line, below=self.screen)
        changes = plan_hooks(file, entries, program, receipts)
        said = "your own status line stays; `automode status-line` prints ours for it"
        return Plan(self.agent, scope, changes, (said,) if own_line else ())

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        file = HooksFile(self.agent, scope, self.settings(site, scope), comments=True)
        return Plan(self.agent, scope, plan_no_hooks(file, receipts))

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
            claude_hooks.version_of(found[0][1]),
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
    if not misled and claude_hooks.version_of(handler) == program.version:
        yield f"the hook for {event} was changed: it may not close when something fails"
