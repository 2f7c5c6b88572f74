"""Hooks go over HTTP only where the agent and the settings around it let a failure close."""

from pathlib import Path

import pytest

from automode.agents.claude_code.settings import Wish, chosen_transport, claude_settings
from automode.agents.installing.json_files import settings_in
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import AgentProgram, Site

NEW = AgentProgram("/srv/claude", (2, 1, 325))
OLD = AgentProgram("/srv/claude", (2, 1, 197))
MUTE = AgentProgram("/srv/claude")

TRANSPORTS = {
    # scope, asked for, found: chosen
    (Scope.USER, None, NEW): Transport.HTTP,
    (Scope.USER, None, AgentProgram("/srv/claude", (2, 2))): Transport.HTTP,
    (Scope.USER, None, OLD): Transport.COMMAND,
    (Scope.USER, None, MUTE): Transport.COMMAND,
    (Scope.USER, None, None): Transport.COMMAND,
    (Scope.USER, Transport.COMMAND, NEW): Transport.COMMAND,
    (Scope.USER, Transport.HTTP, NEW): Transport.HTTP,
    (Scope.PROJECT, None, NEW): Transport.COMMAND,
    (Scope.PROJECT, Transport.HTTP, NEW): Transport.HTTP,
    (Scope.MANAGED, None, NEW): Transport.COMMAND,
}


@pytest.mark.parametrize(("wished", "chosen"), TRANSPORTS.items())
def test_hooks_go_over_http_only_where_a_failure_closes(
    site: Site,
    wished: tuple[Scope, Transport | None, AgentProgram | None],
    chosen: Transport,
) -> None:
    assert chosen_transport(Wish(*wished), site)[0] is chosen


@pytest.mark.parametrize("found", [OLD, MUTE, None])
@pytest.mark.parametrize("scope", list(Scope))
def test_http_that_would_not_close_is_refused(
    site: Site, scope: Scope, found: AgentProgram | None
) -> None:
    with pytest.raises(CannotInstall) as refused:
        chosen_transport(Wish(scope, Transport.HTTP, found), site)

    assert "--transport" in refused.value.hint


def test_where_the_settings_limit_hooks_over_http_there_are_none(site: Site) -> None:
    file = Path(claude_settings(site, Scope.USER))
    file.parent.mkdir()
    file.write_text('{"allowedHttpHookUrls": []}')

    assert chosen_transport(Wish(Scope.USER, found=NEW), site)[0] is Transport.COMMAND


SETTINGS: dict[bytes, dict[str, object]] = {
    b'{"a": 1}': {"a": 1},
    b"[1]": {},
    b"{": {},
    b"\xff": {},
}


@pytest.mark.parametrize(("data", "found"), SETTINGS.items())
def test_settings_that_cannot_be_read_say_nothing(
    tmp_path: Path, data: bytes, found: dict[str, object]
) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(data)

    assert settings_in(str(file)) == found
    assert settings_in(str(tmp_path / "nowhere")) == {}
