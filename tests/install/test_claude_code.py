"""Plans for Claude Code, on real files: what goes in, what stays, what is refused."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automode.install.agent_programs import AgentProgram
from automode.install.apply import apply
from automode.install.claude_code import Wish, chosen_transport, plan_install, plan_uninstall
from automode.install.claude_hooks import MOMENTS, Http, status_line
from automode.install.plan import CannotInstall, Plan, Scope, Transport
from automode.install.receipts import Receipts
from automode.install.site import Program, Site

NEW = AgentProgram("/srv/claude", (2, 1, 325))
OLD = AgentProgram("/srv/claude", (2, 1, 197))
MUTE = AgentProgram("/srv/claude")
HTTP = Http(4711, "ab12")
USER = Wish(Scope.USER, found=NEW)


def install(
    site: Site, program: Program, receipts: Receipts, wish: Wish = USER, http: Http | None = HTTP
) -> Plan:
    plan = plan_install(wish, site, program, http, receipts)
    apply(plan, receipts)
    return plan


def uninstall(site: Site, receipts: Receipts, scope: Scope = Scope.USER) -> Plan:
    plan = plan_uninstall(scope, site, receipts)
    apply(plan, receipts)
    return plan


@pytest.fixture
def file(site: Site) -> Path:
    path = Path(site.claude_settings(Scope.USER))
    path.parent.mkdir()
    return path


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


def test_where_the_settings_limit_hooks_over_http_there_are_none(site: Site, file: Path) -> None:
    file.write_text('{"allowedHttpHookUrls": []}')

    assert chosen_transport(USER, site)[0] is Transport.COMMAND


@pytest.mark.parametrize(
    "before", [None, b"", b"{}", b' {"a": {"b": [1]}} ', b'\xef\xbb\xbf{"hooks": {}}']
)
def test_in_and_out_again_leaves_every_file_as_it_was(
    site: Site, program: Program, receipts: Receipts, file: Path, before: bytes | None
) -> None:
    if before is not None:
        file.write_bytes(before)

    install(site, program, receipts)
    between = json.loads(file.read_text(encoding="utf-8-sig"))
    uninstall(site, receipts)

    assert set(between["hooks"]) == set(MOMENTS)
    assert between["statusLine"] == status_line(program)
    assert (file.read_bytes() if file.exists() else None) == before


def test_a_folder_that_was_made_for_it_goes_too(
    site: Site, program: Program, receipts: Receipts
) -> None:
    install(site, program, receipts)
    uninstall(site, receipts)

    assert os.listdir(site.home) == []


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

    assert set(repaired["hooks"]) == set(MOMENTS)
    assert json.loads(file.read_text()) == {"theirs": 1}


def test_a_foreign_status_line_is_never_replaced(
    site: Site, program: Program, receipts: Receipts, file: Path
) -> None:
    theirs = {"type": "command", "command": "mine"}
    file.write_text(json.dumps({"statusLine": theirs}))

    plan = install(site, program, receipts)

    assert json.loads(file.read_text())["statusLine"] == theirs
    assert any("your own status line stays" in note for note in plan.notes)


def test_without_a_receipt_ours_still_go(
    site: Site, program: Program, receipts: Receipts, file: Path, tmp_path: Path
) -> None:
    file.write_text('{\n  "model": "opus"\n}\n')
    install(site, program, receipts)

    uninstall(site, Receipts(str(tmp_path / "another")))

    assert file.read_text() == '{\n  "model": "opus"\n}\n'


REFUSED = {
    b'{\n  // mine\n  "a": 1}': "line 2: a comment",
    b'{"a": 1,}': "ignores the whole file",
    b"{": "expected",
    b"\xff": "UTF-8",
    b"[]": "no object",
    b'{"hooks": []}': "expected an object for `hooks`",
    b'{"hooks": {"PreToolUse": {}}}': "expected a list for `hooks.PreToolUse`",
    b'{"hooks": {}, "hooks": {}}': "more than once",
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


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.binary(max_size=80) | st.text('{}[]",:/*hooks tru1\n', max_size=40).map(str.encode))
def test_whatever_the_file_holds_it_is_refused_or_comes_back(
    site: Site, program: Program, receipts: Receipts, data: bytes
) -> None:
    file = Path(site.claude_settings(Scope.USER))
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
        plan_uninstall(Scope.USER, site, receipts)

    assert file.read_bytes() == b'{"hooks": '


def test_where_nothing_is_installed_there_is_nothing_to_take_out(
    site: Site, receipts: Receipts, file: Path
) -> None:
    nothing = plan_uninstall(Scope.USER, site, receipts)
    file.write_text('{ "hooks": {"Stop": []} }')
    foreign = plan_uninstall(Scope.USER, site, receipts)

    assert (nothing.changes, foreign.changes) == ((), ())


def test_where_only_managed_hooks_run_others_are_refused(
    site: Site, program: Program, receipts: Receipts
) -> None:
    Path(site.managed).parent.mkdir()
    Path(site.managed).write_text('{"allowManagedHooksOnly": true}')

    with pytest.raises(CannotInstall, match="allowManagedHooksOnly") as refused:
        plan_install(USER, site, program, HTTP, receipts)

    assert "--managed" in refused.value.hint


def test_the_managed_file_can_be_read_by_everybody_and_holds_no_token(
    site: Site, program: Program, receipts: Receipts
) -> None:
    install(site, program, receipts, Wish(Scope.MANAGED, found=NEW), None)
    managed = Path(site.managed)
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
