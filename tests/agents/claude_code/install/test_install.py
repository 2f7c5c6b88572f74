"""Plans for Claude Code, on real files: what goes in, what stays, what is refused."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.claude_code.install import INSTALLER, plan_install
from automode.agents.claude_code.settings import Wish, claude_settings
from automode.agents.installing.hooks import LATER, MOMENTS
from automode.agents.installing.json_files import NAMES, OURS, spares_loopback
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope, apply
from automode.agents.installing.site import AgentProgram, Http, Program, Site

NEW = AgentProgram("/srv/claude", (2, 1, 325))
HTTP = Http(4711, "ab12")
USER = Wish(Scope.USER, found=NEW)


def install(
    site: Site, program: Program, receipts: Receipts, wish: Wish = USER, http: Http | None = HTTP
) -> Plan:
    plan = plan_install(wish, site, program, http, receipts)
    apply(plan, receipts)
    return plan


def uninstall(site: Site, receipts: Receipts, scope: Scope = Scope.USER) -> Plan:
    plan = INSTALLER.plan_uninstall(scope, site, receipts)
    apply(plan, receipts)
    return plan


@pytest.fixture
def file(site: Site) -> Path:
    path = Path(claude_settings(site, Scope.USER))
    path.parent.mkdir()
    return path


def test_a_second_time_there_is_nothing_to_do(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    file.write_text('{"model": "opus"}\n')
    install(site, program, receipts)

    again = plan_install(USER, site, program, HTTP, receipts)
    file.write_text(json.dumps(json.loads(file.read_text()), indent=7))  # as another program would
    and_again = plan_install(USER, site, program, HTTP, receipts)

    assert again.changes == ()
    assert and_again.changes == ()


def test_another_release_repairs_in_place_and_the_first_bytes_still_come_back(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    file.write_text('{"model": "opus", "hooks": {"Stop": []}}\n')
    install(
        site, replace(program, version="0.0.9", package="/srv/old/automode"), receipts, http=None
    )

    install(site, program, receipts)
    text = file.read_text()
    uninstall(site, receipts)

    assert "0.0.9" not in text
    assert text.count("X-Automode-Version") == 4
    assert file.read_text() == '{"model": "opus", "hooks": {"Stop": []}}\n'


def test_what_somebody_took_out_comes_back_with_a_repair(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    install(site, program, receipts)
    found = json.loads(file.read_text())
    del found["hooks"]["PreToolUse"]
    found["theirs"] = 1
    file.write_text(json.dumps(found))

    install(site, program, receipts)
    repaired = json.loads(file.read_text())
    uninstall(site, receipts)

    assert set(repaired["hooks"]) == set(MOMENTS | LATER)
    assert json.loads(file.read_text()) == {"theirs": 1}


def test_a_foreign_status_line_is_never_replaced(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    theirs = {"type": "command", "command": "mine"}
    file.write_text(json.dumps({"statusLine": theirs}))

    plan = install(site, program, receipts)

    assert json.loads(file.read_text())["statusLine"] == theirs
    assert any("your own status line stays" in note for note in plan.notes)


def test_hooks_over_http_come_with_a_word_about_proxies_and_commands_without(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    behind = replace(site, environment={"NO_PROXY": ".corp.example"})
    plan = install(behind, program, receipts)
    over_http = json.loads(file.read_text())["env"]
    again = plan_install(USER, behind, program, HTTP, receipts)
    install(behind, program, receipts, http=None)

    assert over_http == dict.fromkeys(NAMES, f"{OURS},.corp.example")
    assert any("your shell's `NO_PROXY`" in note for note in plan.notes)
    assert again.changes == ()
    assert "env" not in json.loads(file.read_text())


def test_a_word_about_proxies_that_somebody_took_out_comes_back(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    install(site, program, receipts)
    found = json.loads(file.read_text())
    found["env"] = {"NO_PROXY": "theirs"}
    file.write_text(json.dumps(found))

    install(site, program, receipts)
    repaired = json.loads(file.read_text())["env"]
    uninstall(site, receipts)

    assert all(map(spares_loopback, repaired.values()))
    assert json.loads(file.read_text()) == {"env": {"NO_PROXY": "theirs"}}


def test_only_for_the_person_there_are_commands(
    site: Site, program: Program, receipts: Receipts
) -> None:
    changed = {
        scope: [
            Path(change.path).name
            for change in plan_install(
                Wish(scope, found=NEW), site, program, None, receipts
            ).changes
        ]
        for scope in Scope
    }

    assert changed == {
        Scope.USER: ["settings.json", "automode.md", "auto-mode.md"],
        Scope.PROJECT: ["settings.local.json"],
        Scope.MANAGED: ["managed-settings.json"],
    }


def test_a_missing_command_alone_is_repaired(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    install(site, program, receipts)
    command = file.parent / "commands" / "automode.md"
    command.unlink()

    plan = install(site, program, receipts)

    assert [change.path for change in plan.changes] == [str(command)]


def test_a_package_that_others_cannot_read_is_said(
    site: Site, program: Program, receipts: Receipts, tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "hook").mkdir()
    (closed / "hook" / "client.py").write_text("")
    hidden = replace(program, package=str(closed)).for_every_account()

    plan = plan_install(Wish(Scope.MANAGED, found=NEW), site, hidden, None, receipts)

    assert any("other accounts cannot read" in note for note in plan.notes)
    assert any("automode daemon start" in note for note in plan.notes)


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
    b'{"disableAllHooks": true}': "no hook in it would run",
    b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}": "levels",
    b" " * (1 << 21): "larger than",
}


@pytest.mark.parametrize(("before", "why"), REFUSED.items(), ids=list(REFUSED.values()))
def test_what_claude_code_would_not_read_or_run_is_refused_and_left_alone(
    site: Site, program: Program, receipts: Receipts, file: Path, before: bytes, why: str
) -> None:
    file.write_bytes(before)

    with pytest.raises(CannotInstall, match=why) as refused:
        plan_install(USER, site, program, HTTP, receipts)

    assert str(file) in str(refused.value)
    assert refused.value.hint
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


@given(data=st.binary(max_size=80) | st.text('{}[]",:/*hooks tru1\n', max_size=40).map(str.encode))
def test_whatever_the_file_holds_it_is_refused_or_comes_back(
    site: Site, program: Program, receipts: Receipts, data: bytes
) -> None:
    file = Path(claude_settings(site, Scope.USER))
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)

    try:
        install(site, program, receipts)
    except CannotInstall:
        assert file.read_bytes() == data
    else:
        uninstall(site, receipts)
        assert file.read_bytes() == data


def test_comments_that_came_later_do_not_stop_the_way_out(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    file.write_text('{"model": "opus"}\n')
    install(site, program, receipts)
    file.write_text(f"// mine\n{file.read_text()}")

    uninstall(site, receipts)

    assert file.read_text() == '// mine\n{"model": "opus"}\n'


def test_what_cannot_be_read_is_not_touched_on_the_way_out(
    site: Site, receipts: Receipts, file: Path
) -> None:
    file.write_bytes(b'{"hooks": ')

    with pytest.raises(CannotInstall, match="was left alone"):
        INSTALLER.plan_uninstall(Scope.USER, site, receipts)

    assert file.read_bytes() == b'{"hooks": '


def test_where_nothing_is_installed_there_is_nothing_to_take_out(
    site: Site, receipts: Receipts, file: Path
) -> None:
    nothing = INSTALLER.plan_uninstall(Scope.USER, site, receipts)
    file.write_text('{ "hooks": {"Stop": []} }')
    foreign = INSTALLER.plan_uninstall(Scope.USER, site, receipts)

    assert (nothing.changes, foreign.changes) == ((), ())


def test_where_only_managed_hooks_run_others_are_refused(
    site: Site, program: Program, receipts: Receipts
) -> None:
    Path(claude_settings(site, Scope.MANAGED)).parent.mkdir(parents=True)
    Path(claude_settings(site, Scope.MANAGED)).write_text('{"allowManagedHooksOnly": true}')

    with pytest.raises(CannotInstall, match="allowManagedHooksOnly") as refused:
        plan_install(USER, site, program, HTTP, receipts)

    assert "--managed" in refused.value.hint


def test_the_managed_file_can_be_read_by_everybody_and_holds_no_token(
    site: Site, program: Program, receipts: Receipts
) -> None:
    install(site, program, receipts, Wish(Scope.MANAGED, found=NEW), None)
    managed = Path(claude_settings(site, Scope.MANAGED))
    mode, text = managed.stat().st_mode & 0o777, managed.read_text()
    uninstall(site, receipts, Scope.MANAGED)

    assert mode == 0o644
    assert "Bearer" not in text
    assert not managed.parent.exists()


def test_in_a_project_the_file_that_is_not_checked_in_is_taken(
    site: Site, program: Program, receipts: Receipts
) -> None:
    plan = install(site, program, receipts, Wish(Scope.PROJECT, found=NEW), None)

    assert [change.path for change in plan.changes] == [
        f"{site.project}/.claude/settings.local.json"
    ]
    assert any("version control" in note for note in plan.notes)


def test_a_token_that_others_can_read_is_said(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    file.write_text("{}")
    file.chmod(0o644)

    closed = plan_install(USER, site, program, HTTP, receipts)

    # The home of these tests is closed to others, like most homes.
    assert not any("token" in note for note in closed.notes)
    assert closed.secrets == (HTTP.token,)
