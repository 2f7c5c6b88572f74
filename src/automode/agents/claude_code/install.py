"""Plans how automode goes into Claude Code and out again: its hooks, and the commands `/automode`.

Without the files of the commands its terminal answers `Unknown command`. With them the words come
to automode's hook as they were typed, before any model reads them, and automode answers there. So
what stands in such a file is read by a model only where that did not happen.
"""

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from automode.agents.catalog import AGENTS
from automode.agents.claude_code.launching import claude_launch
from automode.agents.claude_code.settings import (
    ENVIRONMENT,
    HOST,
    NAMES,
    chosen_transport,
    claude_folder,
    claude_settings,
    closes_by_itself,
    is_our_list,
    listed_hosts,
    spares_loopback,
    usual_hosts,
    whole_list,
)
from automode.agents.events import Moment
from automode.agents.installing.hooks import (
    OWN_STATUS_LINE,
    HooksInstaller,
    command_in,
)
from automode.agents.installing.installer import AgentFile, InstallRequest, Launch, Start
from automode.agents.installing.json_files import Entry, Found, settings_in
from automode.agents.installing.own_files import OwnFile
from automode.agents.installing.plan import (
    CannotInstall,
    Plan,
    Scope,
    Transport,
    present,
)
from automode.agents.installing.site import Http, Program, Site, command_faults
from automode.config.jsonc import Object, content
from automode.config.places import VARIABLES
from automode.daemon.frames import SETTINGS_HEADERS, settings_word

LATER = "PermissionDenied"
"""Only where it is known to exist: an event that Claude Code does not know spoils its settings."""
OVER_HTTP = frozenset({"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"})
"""The others stay commands: those show who speaks, and they start the daemon."""
COMMANDS = ("automode", "auto-mode")
_COMMAND_TEXT = """\
---
description: "automode: status, denials, approve ID, on, off, reset, config, defaults, usage"
argument-hint: "[status | denials | approve ID | on | off | reset | …]"
disable-model-invocation: true
---

automode did not answer this command, so it was not carried out. Say exactly that, and that the same
words work in a terminal, as in `automode status`. Run nothing, and do nothing else.

<!-- automode {version} -->
"""
_SIGNATURE = re.compile(rb"^<!-- automode \S+ -->\s*\Z", re.MULTILINE)


def claude_hooks(
    program: Program, http: Http | None, *, fails_closed: bool
) -> dict[str, Mapping[str, object]]:
    """Each event with the one group that is put into its list. `fails_closed`: the agent is of the
    version that was measured, or newer, and knows `onFailure`."""
    moments = AGENTS[HOST].moments
    return {
        event: {
            **({"matcher": "*"} if event in OVER_HTTP else {}),
            "hooks": [_handler(event, moment, program, http, fails_closed=fails_closed)],
        }
        for event, moment in moments.items()
        if fails_closed or event != LATER
    }


def _handler(
    event: str, moment: str, program: Program, http: Http | None, *, fails_closed: bool
) -> dict[str, object]:
    closing = {"onFailure": "block"} if fails_closed and moment == Moment.PROPOSED else {}
    common: dict[str, object] = {"timeout": program.hook_seconds(HOST, moment), **closing}
    if http is None or event not in OVER_HTTP:
        return {"type": "command", "command": program.hook_command(HOST, moment), **common}
    where = f"127.0.0.1:{http.port}/hook/{HOST}/{moment}"
    millis = program.deadline_ms(HOST, moment)
    waits = f"&deadline={millis}" if millis else ""
    url = f"http://{where}?settings={settings_word(program.config)}{waits}"
    headers = {
        "Authorization": f"Bearer {http.token}",
        "X-Automode-Version": program.version,
        **{header: f"${name}" for header, name in SETTINGS_HEADERS.items()},
    }
    given = {"headers": headers, "allowedEnvVars": list(VARIABLES)}
    return {"type": "http", "url": url, **common, **given}


def command_files(site: Site, program: Program) -> list[OwnFile]:
    text = _COMMAND_TEXT.format(version=program.version).encode()
    folder = os.path.join(claude_folder(site), "commands")
    return [
        OwnFile(agent=HOST, named=f"{folder}/{name}.md", data=text, is_ours=_is_our_command)
        for name in COMMANDS
    ]


def _is_our_command(data: bytes) -> bool:
    """Also one of another version."""
    return _SIGNATURE.search(data) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeInstaller(HooksInstaller):
    """Hooks in its settings, and for an account the commands `/automode` and `/auto-mode`."""

    def install(self, order: InstallRequest) -> Plan:
        scope, site, program = order.scope, order.site, order.program
        chosen, why = chosen_transport(order)
        http = order.http() if chosen is Transport.HTTP else None
        path = claude_settings(site, scope)
        self.need_hooks_to_count(path)
        _need_own_hooks_to_run(scope, site)
        hooks = claude_hooks(program, http, fails_closed=closes_by_itself(order.found))
        spared = _spared_hosts(path, site) if http is not None else None
        file = self.json_file(scope, site, self._entries(program, hooks, spared))
        changes = file.plan(order.receipts)
        notes = [f"hooks by {chosen}: {why}"]
        if http is not None and not http.known:
            notes.append("the port is chosen when it is installed")
        notes += [OWN_STATUS_LINE] if self.has_own_line(path) else []
        notes += _notes(path, scope, site, http, program)
        for one in command_files(site, program) if scope is Scope.USER else ():
            if _is_the_persons(one):
                name = os.path.basename(one.named).removesuffix(".md")
                notes.append(f"your own /{name} stays, so automode's does not work: {one.named}")
            else:
                changes += one.plan(order.receipts)
        return Plan(HOST, scope, changes, tuple(notes), (http.token,) if http else ())

    def files(self, scope: Scope, site: Site, program: Program) -> Sequence[AgentFile]:
        settings = self.json_file(scope, site, self._entries(program, self.hooks(program), ""))
        return (settings, *(command_files(site, program) if scope is Scope.USER else ()))

    def _entries(
        self, program: Program, hooks: Mapping[str, object], spared: str | None
    ) -> tuple[Entry, ...]:
        """Hooks over HTTP go where the agent's variables for proxies lead, and a project can set
        those: its proxy would then answer in the daemon's place. So lists of hosts that no proxy
        may stand before come along."""
        *groups, line = self.entries(program, hooks)
        names = () if spared is None else NAMES
        lists = [Entry((ENVIRONMENT,), spared, name, is_our_list) for name in names]
        return (*groups, *lists, line)

    def needed_events(self) -> Sequence[str]:
        return [event for event in self.about.moments if event != LATER]

    def hook_faults(
        self, event: str, value: object, program: Program, http: Http | None
    ) -> Iterator[str]:
        closes = self.about.moments.get(event) != Moment.PROPOSED
        match value:
            case {"hooks": [{"type": "http", "url": str(url), **handler}]}:
                if not closes and handler.get("onFailure") != "block":
                    yield f"{event} lets the call run when nobody answers: no `onFailure: block`"
                if f"?settings={settings_word(program.config)}" not in url:
                    yield f"another settings folder than `{program.config}`"
                yield from _http_faults(event, url, handler, http)
            case _:
                command = command_in(value)
                if not closes and not _ends_in_no(command):
                    yield f"{event} lets the call run when the hook cannot start: no `|| exit 2`"
                yield from command_faults(command, program)

    def more_faults(self, root: Object, found: Sequence[Found]) -> Iterator[str]:
        settings = content(root)
        known = listed_hosts(settings if isinstance(settings, dict) else {})
        over_http = any("'type': 'http'" in repr(one.value) for one in found)
        for name in NAMES if over_http else ():
            if not spares_loopback(known.get(name)):
                says = f"`env.{name}` does not name 127.0.0.1"
                yield f"a project can lead the hooks to a proxy: {says}"

    def launch(self, start: Start) -> Launch:
        self.refuse_disarmed(start)
        closes = closes_by_itself(start.found)
        hooks = claude_hooks(start.program, None, fails_closed=closes)
        places = self.registrations(start.site, start.program)
        return claude_launch(start.arguments, start.site, hooks, places, closes=closes)


def _http_faults(
    event: str, url: str, handler: Mapping[object, object], http: Http | None
) -> Iterator[str]:
    if http is None:
        return
    if f":{http.port}/" not in url:
        yield f"{event} asks at another port than {http.port}, where the daemon listens"
    headers = handler.get("headers")
    match headers:
        case {"Authorization": str(given)} if given == f"Bearer {http.token}":
            pass
        case _:
            yield f"{event} shows a token that the daemon does not know"
    told = headers.values() if isinstance(headers, dict) else ()
    allowed = handler.get("allowedEnvVars")
    for name in VARIABLES:
        if f"${name}" not in told or not isinstance(allowed, list) or name not in allowed:
            yield f"{event} does not hand over `{name}`, so rules in it do nothing"


def _ends_in_no(command: str) -> bool:
    try:
        return shlex.split(command, comments=True)[-3:] == ["||", "exit", "2"]
    except ValueError:
        return False


def _is_the_persons(file: OwnFile) -> bool:
    before = present(file.named)[1]
    return before is not None and not file.is_ours(before)


def _spared_hosts(path: str, site: Site) -> str:
    """Of the list that is there, else of the person's shell: settings outrank it, so they have to
    say it as well."""
    known = listed_hosts(settings_in(path))
    theirs = [one for one in known.values() if isinstance(one, str) and not is_our_list(one)]
    return whole_list(theirs[0] if theirs else usual_hosts(site.environment))


def _need_own_hooks_to_run(scope: Scope, site: Site) -> None:
    above = claude_settings(site, Scope.MANAGED)
    if scope is not Scope.MANAGED and settings_in(above).get("allowManagedHooksOnly"):
        raise CannotInstall(
            f"`{above}` says `allowManagedHooksOnly`: hooks of yours do not run",
            "an administrator runs: automode install claude-code --managed",
        )


def _notes(
    path: str, scope: Scope, site: Site, http: Http | None, program: Program
) -> Iterator[str]:
    if scope is Scope.PROJECT:
        yield "the file names paths of this machine: keep it out of version control"
    if scope is Scope.MANAGED:
        yield "each account gets a daemon of its own, with its first call"
        needed = (program.client, program.hook_python, program.python)
        closed = [one for one in needed if not _others_read(os.path.realpath(one))]
        if closed:
            yield (
                f"other accounts cannot read `{closed[0]}`: all their calls will be denied;"
                " install automode where everybody can read it"
            )
    if http is not None:
        yield "`NO_PROXY` keeps a project's proxy from answering in the daemon's place"
        if usual_hosts(site.environment):
            yield "it holds the hosts of your shell's `NO_PROXY`, which counts no more there"
        if _others_read(path):
            yield f"other accounts can read the token in it; close it: chmod 600 {path}"


def _others_read(path: str) -> bool:
    """Whether the file and all folders above it are open to others."""
    try:
        if not os.stat(path).st_mode & 0o044:
            return False
        while (folder := os.path.dirname(path)) != path:
            if not os.stat(folder).st_mode & 0o011:
                return False
            path = folder
    except OSError:
        return False
    return True


INSTALLER = ClaudeInstaller(
    agent=HOST,
    scopes=tuple(Scope),
    file=claude_settings,
    hook=lambda program, event, _: claude_hooks(program, None, fails_closed=True)[event],
    off=lambda settings: bool(settings.get("disableAllHooks")),
    screen=(),
    comments=False,
)
