"""Plans for Claude Code, on real files: what goes in, what stays, what is refused or wrong."""

import json
import os
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.claude_code.install import COMMANDS, LATER, OVER_HTTP, claude_hooks
from automode.agents.claude_code.settings import (
    NAMES,
    OURS,
    chosen_transport,
    claude_settings,
    is_our_list,
    spares_loopback,
    usual_hosts,
    whole_list,
)
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import (
    AgentProgram,
    Http,
    Program,
    is_our_status_line,
    is_ours,
    version_in,
)
from automode.facts.place import home_folder
from tests.agents.conftest import HTTP, Machine
from tests.rows import each_row, rows

NEW = AgentProgram("/srv/claude", (2, 1, 325))
OLD = AgentProgram("/srv/claude", (2, 1, 197))
MUTE = AgentProgram("/srv/claude")
COMMAND = Transport.COMMAND


@pytest.fixture
def claude(machine: Machine) -> Machine:
    return replace(machine, agent="claude-code", found=NEW)


@pytest.fixture
def file(claude: Machine) -> Path:
    path = Path(claude_settings(claude.site, Scope.USER))
    path.parent.mkdir()
    return path


def test_the_same_hooks_in_another_layout_are_left_as_they_are(claude: Machine, file: Path) -> None:
    claude.install()
    file.write_text(json.dumps(json.loads(file.read_text()), indent=7))

    assert claude.plan().changes == ()


def test_another_release_repairs_in_place_and_the_first_bytes_still_come_back(
    claude: Machine, file: Path
) -> None:
    file.write_text('{"model": "opus", "hooks": {"Stop": []}}\n')
    older = replace(claude.program, version="0.0.9", package="/srv/old/automode")
    replace(claude, program=older).install(transport=COMMAND)

    claude.install()
    text = file.read_text()
    claude.uninstall()

    assert "0.0.9" not in text
    assert text.count("X-Automode-Version") == 4
    assert file.read_text() == '{"model": "opus", "hooks": {"Stop": []}}\n'


def test_what_somebody_took_out_comes_back_with_a_repair(claude: Machine, file: Path) -> None:
    claude.install()
    found = json.loads(file.read_text())
    del found["hooks"]["PreToolUse"], found["env"]
    file.write_text(json.dumps({**found, "theirs": 1}))
    os.unlink(file.parent / "commands" / "automode.md")

    claude.install()
    repaired = json.loads(file.read_text())
    commands = os.listdir(file.parent / "commands")
    claude.uninstall()

    assert set(repaired["hooks"]) == set(claude.installer.about.moments)
    assert all(map(spares_loopback, repaired["env"].values()))
    assert sorted(commands) == sorted(f"{name}.md" for name in COMMANDS)
    assert json.loads(file.read_text()) == {"theirs": 1}


def test_hooks_over_http_come_with_a_word_about_proxies_and_commands_without(
    claude: Machine, file: Path
) -> None:
    behind = replace(claude, site=replace(claude.site, environment={"NO_PROXY": ".corp.example"}))
    plan = behind.install()
    over_http = json.loads(file.read_text())["env"]
    again = behind.plan()
    behind.install(transport=COMMAND)

    assert over_http == dict.fromkeys(NAMES, f"{OURS},.corp.example")
    assert any("your shell's `NO_PROXY`" in note for note in plan.notes)
    assert plan.secrets == (HTTP.token,)
    assert not any("chmod" in note for note in plan.notes)  # this home is closed to others
    assert again.changes == ()
    assert "env" not in json.loads(file.read_text())


SPARING: dict[object, bool] = {
    "127.0.0.1": True,
    "a.example, 127.0.0.1": True,
    "*": True,
    OURS: True,
    "": False,
    "localhost": False,
    "127.0.0.10,.127.0.0.1": False,
    None: False,
    1: False,
}


@each_row("value, spared", SPARING.items())
def test_only_a_list_that_names_the_daemons_address_spares_it(value: object, spared: bool) -> None:
    assert spares_loopback(value) is spared


def test_our_own_list_is_known_again_and_holds_each_host_once() -> None:
    assert whole_list("localhost, a.example b.example") == f"{OURS},a.example,b.example"
    assert is_our_list(whole_list(""))
    assert is_our_list(whole_list("a"))
    for value in ("127.0.0.1,localhost", f"a,{OURS}", f"{OURS}.example", None):
        assert not is_our_list(value)
    assert usual_hosts({"NO_PROXY": "a", "no_proxy": "b"}) == "b"
    assert usual_hosts({"NO_PROXY": "a", "no_proxy": ""}) == "a"


def test_each_scope_has_its_file_and_only_the_person_has_commands(claude: Machine) -> None:
    changed = {
        scope: [
            one.path.removeprefix(f"{claude.home.parent}/") for one in claude.plan(scope).changes
        ]
        for scope in Scope
    }

    assert changed == {
        Scope.USER: [
            "home/.claude/settings.json",
            *(f"home/.claude/commands/{name}.md" for name in COMMANDS),
        ],
        Scope.PROJECT: ["project/.claude/settings.local.json"],
        Scope.MANAGED: ["etc/claude-code/managed-settings.json"],
    }
    assert any("version control" in note for note in claude.plan(Scope.PROJECT).notes)


def test_the_managed_file_can_be_read_by_everybody_and_holds_no_token(claude: Machine) -> None:
    claude.install(Scope.MANAGED)
    managed = Path(claude_settings(claude.site, Scope.MANAGED))
    mode, text = managed.stat().st_mode & 0o777, managed.read_text()
    claude.uninstall(Scope.MANAGED)

    assert mode == 0o644
    assert "Bearer" not in text
    assert not managed.parent.exists()


def test_a_package_that_others_cannot_read_is_said(claude: Machine, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "hook").mkdir()
    (closed / "hook" / "client.py").write_text("")
    hidden = replace(claude.program, package=str(closed)).for_every_account()

    notes = replace(claude, program=hidden).plan(Scope.MANAGED).notes

    assert any("other accounts cannot read" in note for note in notes)


REFUSED = {
    b'{\n  // mine\n  "a": 1}': "line 2: a comment",
    b'{"a": 1,}': "ignores the whole file",
    b"{": "expected",
    b"\xff": "UTF-8",
    b"[]": "no object",
    b'{"hooks": []}': "expected an object for `hooks`",
    b'{"hooks": {"PreToolUse": {}}}': "expected a list for `hooks.PreToolUse`",
    b'{"hooks": {}, "hooks": {}}': "more than once",
    b'{"env": []}': "expected an object for `env`",
    b'{"disableAllHooks": true}': "none in it would run",
    b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}": "levels",
    b" " * (1 << 21): "larger than",
}


@pytest.mark.parametrize(("before", "why"), REFUSED.items(), ids=list(REFUSED.values()))
def test_what_claude_code_would_not_read_or_run_is_refused_and_left_alone(
    claude: Machine, file: Path, before: bytes, why: str
) -> None:
    file.write_bytes(before)

    with pytest.raises(CannotInstall, match=why) as refused:
        claude.plan()

    assert str(file) in str(refused.value)
    assert refused.value.hint
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


@given(data=st.binary(max_size=80) | st.text('{}[]",:/*hooks tru1\n', max_size=40).map(str.encode))
def test_whatever_the_file_holds_it_is_refused_or_comes_back(claude: Machine, data: bytes) -> None:
    file = Path(claude_settings(claude.site, Scope.USER))
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)

    try:
        claude.install()
    except CannotInstall:
        assert file.read_bytes() == data
    else:
        claude.uninstall()
        assert file.read_bytes() == data


def test_comments_that_came_later_do_not_stop_the_way_out(claude: Machine, file: Path) -> None:
    file.write_text('{"model": "opus"}\n')
    claude.install()
    file.write_text(f"// mine\n{file.read_text()}")

    claude.uninstall()

    assert file.read_text() == '// mine\n{"model": "opus"}\n'


def test_what_cannot_be_read_is_not_touched_on_the_way_out(claude: Machine, file: Path) -> None:
    file.write_bytes(b'{"hooks": ')

    with pytest.raises(CannotInstall, match="was left alone"):
        claude.plan_out()

    assert file.read_bytes() == b'{"hooks": '


def test_where_only_managed_hooks_run_others_are_refused(claude: Machine) -> None:
    managed = Path(claude_settings(claude.site, Scope.MANAGED))
    managed.parent.mkdir(parents=True)
    managed.write_text('{"allowManagedHooksOnly": true}')

    with pytest.raises(CannotInstall, match="allowManagedHooksOnly") as refused:
        claude.plan()

    assert "--managed" in refused.value.hint


def test_a_command_of_the_person_stays_and_a_model_cannot_call_ours(
    claude: Machine, file: Path
) -> None:
    theirs, folder = b"---\ndescription: mine\n---\nSay `automode 1`.\n", file.parent / "commands"
    folder.mkdir()
    (folder / "automode.md").write_bytes(theirs)

    plan = claude.install()
    ours = (folder / "auto-mode.md").read_text()
    claude.uninstall()

    assert any("your own /automode stays" in note for note in plan.notes)
    assert "\ndisable-model-invocation: true\n" in ours
    assert "!`" not in ours
    assert "allowed-tools" not in ours
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"automode.md": theirs}


def test_what_is_in_the_way_of_a_command_is_refused(claude: Machine, file: Path) -> None:
    (file.parent / "commands").write_bytes(b"")

    with pytest.raises(CannotInstall, match="commands"):
        claude.install()

    assert not file.exists()


HTTP_HOOKS = Transport.HTTP
# scope, asked for, found; what is chosen, None where that is refused
TRANSPORTS = [
    (Scope.USER, None, NEW, HTTP_HOOKS),
    (Scope.USER, None, AgentProgram("/srv/claude", (2, 2)), HTTP_HOOKS),
    *((Scope.USER, None, found, COMMAND) for found in (OLD, MUTE, None)),
    (Scope.USER, COMMAND, NEW, COMMAND),
    (Scope.USER, HTTP_HOOKS, NEW, HTTP_HOOKS),
    (Scope.PROJECT, None, NEW, COMMAND),
    (Scope.PROJECT, HTTP_HOOKS, NEW, HTTP_HOOKS),
    (Scope.MANAGED, None, NEW, COMMAND),
    *((scope, HTTP_HOOKS, found, None) for scope in Scope for found in (OLD, MUTE, None)),
]


@each_row("scope, wished, found, chosen", TRANSPORTS)
def test_hooks_go_over_http_only_where_a_failure_closes(
    claude: Machine,
    scope: Scope,
    wished: Transport | None,
    found: AgentProgram | None,
    chosen: Transport | None,
) -> None:
    own = replace(claude, found=found)
    if chosen is not None:
        assert chosen_transport(own.order(scope, wished))[0] is chosen
        return
    with pytest.raises(CannotInstall) as refused:
        own.plan(scope, wished)
    assert "--transport" in refused.value.hint


@each_row("text", ['{"allowedHttpHookUrls": []}', '{"env": {"NO_PROXY": "a"}}'])
def test_where_the_settings_limit_hooks_over_http_or_let_a_proxy_answer_there_are_none(
    claude: Machine, file: Path, text: str
) -> None:
    file.write_text(text)

    assert chosen_transport(claude.order())[0] is COMMAND
    with pytest.raises(CannotInstall):
        claude.plan(transport=Transport.HTTP)


def test_every_scope_is_looked_at_and_what_was_just_installed_is_in_order(claude: Machine) -> None:
    for scope in Scope:
        claude.install(scope)

    found = claude.registrations(HTTP)

    assert [(one.scope, one.wrong) for one in found] == [(scope, ()) for scope in Scope]
    assert {one.version for one in found} == {claude.program.version}
    assert [one.transport for one in found] == [Transport.HTTP, COMMAND, COMMAND]


def test_a_missing_and_a_doubled_hook_are_said(claude: Machine, file: Path) -> None:
    claude.install()
    settings = json.loads(file.read_text())
    del settings["hooks"]["PreToolUse"]
    settings["hooks"]["Stop"] *= 2
    file.write_text(json.dumps(settings))

    assert "no hook for PreToolUse" in claude.wrong(HTTP)
    assert "2 hooks for Stop" in claude.wrong(HTTP)


@each_row("transport, old, new, says", rows("agents", "claude-faults"))
def test_what_takes_the_gate_away_is_said(
    claude: Machine, file: Path, transport: str, old: str, new: str, says: str
) -> None:
    file.unlink(missing_ok=True)
    claude.install(transport=Transport(transport))
    file.write_text(file.read_text().replace(old, new, 1 if transport == "http" else -1))

    assert says in claude.wrong(HTTP)


def test_hooks_of_another_automode_are_said(claude: Machine, file: Path, tmp_path: Path) -> None:
    claude.install(transport=COMMAND)
    client = tmp_path / "other" / "automode" / "hook" / "client.py"
    client.parent.mkdir(parents=True)
    client.write_text("")
    file.write_text(file.read_text().replace(claude.program.client, str(client)))

    assert "those of another automode" in claude.wrong()


def test_an_administrators_hooks_are_those_of_the_account_that_looks(claude: Machine) -> None:
    everybody = claude.program.for_every_account()
    replace(claude, program=everybody).install(Scope.MANAGED)
    mine = replace(
        claude.program,
        state=os.path.join(home_folder(), everybody.state[2:]),
        config=os.path.join(home_folder(), everybody.config[2:]),
    )

    assert replace(claude, program=mine).wrong() == ""


PROGRAM = Program(
    state="/home/ann lee/state",
    config="/home/ann lee/config",
    python="/srv/tools/bin/python",
    hook_python="/usr/bin/python3.11",
    package="/srv/it's/automode",
    version="0.1.0",
)


def handler(event: str, http: Http | None, *, fails_closed: bool = True) -> dict[str, object]:
    match claude_hooks(PROGRAM, http, fails_closed=fails_closed)[event]:
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


def test_the_events_around_a_call_go_to_the_daemon_and_every_hook_is_known_again() -> None:
    for event, group in claude_hooks(PROGRAM, HTTP, fails_closed=True).items():
        found = handler(event, HTTP)
        assert is_ours(group)
        assert version_in(json.dumps(group)) == "0.1.0"
        assert found["type"] == ("http" if event in OVER_HTTP else "command")
        assert ("onFailure" in found) == (event in ("PreToolUse", "PermissionRequest"))
    older = claude_hooks(PROGRAM, HTTP, fails_closed=False)
    assert LATER not in older
    assert "onFailure" not in json.dumps(older)


FOREIGN: list[object] = [
    {"type": "command", "command": "automode status"},
    {"type": "command", "command": "python /srv/other/hook/client.py claude-code proposed"},
    {"type": "command", "command": "python -m automode status-line --session -"},
    {"type": "http", "url": "http://127.0.0.1:4711/other"},
    {"type": "http", "url": "http://example.com/hook/claude-code/proposed"},
    {"type": "prompt", "prompt": "is it safe? /automode/hook/client.py x claude-code "},
    {"hooks": []},
    "text",
    None,
]


@pytest.mark.parametrize("found", FOREIGN)
def test_what_somebody_else_wrote_is_not_ours(found: object) -> None:
    assert not is_ours(found)
    assert not is_our_status_line(found)


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
