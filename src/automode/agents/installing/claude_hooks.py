"""The hooks of Claude Code as automode installs them, and how to tell them from others."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.agents.catalog import AGENTS
from automode.agents.events import Moment
from automode.agents.installing.plan import Transport
from automode.agents.installing.site import Program
from automode.daemon.frames import Right, settings_word, token_of
from automode.daemon.placement import http_port
from automode.store.folder import BadFolder, StateFolder

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

_COMMAND = re.compile(
    r"/automode/hook/client\.py'? .* [a-z][a-z-]+ (?:proposed|finished|prompt|session)\b"
)
_STATUS_LINE = re.compile(r"/automode/cli/bar\.py'? --state | -m automode status-line ")
_URL = re.compile(r"http://127\.0\.0\.1:(\d+)/hook/claude-code/")
_VERSION = re.compile(r"# automode (\S+)$")


@dataclass(frozen=True, slots=True)
class Http:
    """Where the daemon listens, and the token that has calls decided there and nothing else."""

    port: int
    token: str = field(repr=False)

    @property
    def known(self) -> bool:
        """Whether there is a port already."""
        return self.port != 0


UNKNOWN = Http(0, "0" * 64)
"""For showing what would be written while nothing may be made."""


def http_place(folder: StateFolder) -> Http:
    """Made on the first call, then always the same. Raises BadFolder."""
    return Http(http_port(folder), token_of(folder, Right.HTTP))


def known_http_place(folder: StateFolder) -> Http | None:
    """The same where it has been made; None where it has not, or cannot be read."""
    if not all(map(os.path.lexists, (folder.http_port, folder.token(Right.HTTP.value)))):
        return None
    try:
        return http_place(folder)
    except BadFolder:
        return None


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


def is_our_command(command: str) -> bool:
    """Also what another version or another installation of automode wrote, for any agent."""
    return _COMMAND.search(command) is not None


def is_ours(handler: object) -> bool:
    match handler:
        case {"type": "command", "command": str(command)}:
            return is_our_command(command)
        case {"type": "http", "url": str(url)}:
            return _URL.match(url) is not None
        case _:
            return False


def is_our_status_line(value: object) -> bool:
    match value:
        case {"type": "command", "command": str(command)}:
            return _STATUS_LINE.search(command) is not None and bool(_VERSION.search(command))
        case _:
            return False


def version_of(handler: Mapping[str, object]) -> str:
    """Which automode wrote it; empty where it does not say."""
    match handler:
        case {"headers": {"X-Automode-Version": str(version)}}:
            return version
        case {"command": str(command)}:
            found = _VERSION.search(command)
            return found[1] if found else ""
        case _:
            return ""


def transport_of(handler: Mapping[str, object]) -> Transport:
    return Transport.HTTP if handler.get("type") == "http" else Transport.COMMAND
