"""The hooks that Claude Code gets, and how ours are told from others."""

import shlex

import pytest

from automode.agents.installing.hooks import MOMENTS, OVER_HTTP, hooks, status_line
from automode.agents.installing.plan import Transport
from automode.agents.installing.site import (
    Http,
    Program,
    handler_version,
    is_our_status_line,
    is_ours,
    transport_of,
)
from automode.daemon.frames import settings_word
from tests.rows import each_row

PROGRAM = Program(
    state="/home/ann lee/state",
    config="/home/ann lee/config",
    python="/srv/tools/bin/python",
    hook_python="/usr/bin/python3.11",
    package="/srv/it's/automode",
    version="0.1.0",
)
WORD = settings_word(PROGRAM.config)


def handler(event: str, http: Http | None, *, fails_closed: bool = True) -> dict[str, object]:
    match hooks(PROGRAM, http, fails_closed=fails_closed)[event]:
        case {"hooks": [dict(found)]}:
            return found
        case other:
            raise AssertionError(other)


def test_a_command_names_every_path_and_closes_when_it_cannot_start() -> None:
    found = handler("PreToolUse", None)

    assert shlex.split(str(found["command"]), comments=True) == [
        *("/usr/bin/python3.11", "-I", "-S", "/srv/it's/automode/hook/client.py"),
        *("--python", "/srv/tools/bin/python"),
        *("--state", "/home/ann lee/state", "--config", "/home/ann lee/config"),
        *("claude-code", "proposed", "||", "exit", "2"),
    ]
    assert found["onFailure"] == "block"


def test_over_http_the_four_events_around_a_call_go_to_the_daemon() -> None:
    found = handler("PermissionRequest", Http(4711, "ab12"))

    assert found == {
        "type": "http",
        "url": f"http://127.0.0.1:4711/hook/claude-code/proposed?settings={WORD}",
        "timeout": 60,
        "onFailure": "block",
        "headers": {"Authorization": "Bearer ab12", "X-Automode-Version": "0.1.0"},
    }


@each_row("event", MOMENTS)
def test_who_speaks_is_seen_wherever_it_matters(event: str) -> None:
    found = handler(event, Http(4711, "ab12"))

    assert transport_of(found) is (Transport.HTTP if event in OVER_HTTP else Transport.COMMAND)
    assert ("onFailure" in found) == (MOMENTS[event] == "proposed")


@each_row("event", MOMENTS)
@each_row("http", [None, Http(1, "ab")])
def test_every_hook_is_known_again_with_its_version(event: str, http: Http | None) -> None:
    found = handler(event, http, fails_closed=False)

    assert is_ours(found)
    assert handler_version(found) == "0.1.0"
    assert "onFailure" not in found


FOREIGN: list[object] = [
    {"type": "command", "command": "automode status"},
    {"type": "command", "command": "python /srv/other/hook/client.py claude-code proposed"},
    {"type": "http", "url": "http://127.0.0.1:4711/other"},
    {"type": "http", "url": "http://example.com/hook/claude-code/proposed"},
    {"type": "prompt", "prompt": "is it safe? /automode/hook/client.py x claude-code "},
    "text",
    None,
]


@pytest.mark.parametrize("found", FOREIGN)
def test_what_somebody_else_wrote_is_not_ours(found: object) -> None:
    assert not is_ours(found)
    assert not is_our_status_line(found)


def test_a_status_line_that_a_person_wrote_with_our_command_is_theirs() -> None:
    theirs = {"type": "command", "command": "python -m automode status-line --session -"}

    assert is_our_status_line(status_line(PROGRAM))
    assert not is_our_status_line(theirs)


@pytest.mark.parametrize(
    "command",
    [
        "/usr/bin/python3 -I -S /srv/automode/cli/bar.py --state /srv/s # automode 0.2.0",
        "/srv/bin/python -I -m automode status-line --session - # automode 0.0.9",
    ],
)
def test_a_status_line_of_another_release_is_ours(command: str) -> None:
    assert is_our_status_line({"type": "command", "command": command})
    assert not is_our_status_line({"type": "command", "command": f"mine; {command}; mine"})
