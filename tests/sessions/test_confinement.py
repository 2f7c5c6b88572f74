"""Confined calls: the order, the command that stands for a call, what is made of its end."""

import json
import os
import shlex
import time
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS
from automode.agents.events import CallFinished, CallProposed, SessionRef
from automode.confine.guard import command as run_command
from automode.confine.profile import from_json
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Outcome
from automode.facts.confinement import credentials, inside, sight
from automode.facts.place import live_workspace
from automode.guards.protected import PROTECTED_PATHS, Protected
from automode.judge.confined import NotConfinable
from automode.sessions import confinement as confinements
from automode.sessions.confinement import Confinement, Ended, as_proposed, unwrap
from tests.reading import facts_of
from tests.rows import each_row

PROTECTED = Protected.of(PROTECTED_PATHS)
TEXT = "make test && echo 'it'\"'\"'s' \"done\"\n"
REF = SessionRef("s", "/srv/shop")


@pytest.fixture
def confinement(tmp_path: Path) -> Confinement:
    home, state = tmp_path / "home", tmp_path / "state"
    (home / ".ssh").mkdir(parents=True)
    (state / "confined").mkdir(parents=True)
    return Confinement(str(state), str(tmp_path / "config"), str(home))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    return Session("s", replace(live_workspace(str(project)), home=str(tmp_path / "home")))


async def test_the_order_says_what_the_call_may_do_and_holds_the_digest_of_its_text(
    confinement: Confinement, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confinements, "uncommitted", lambda root, *_: (f"{root}/work",))
    os.mkfifo(f"{session.workspace.root}/pipe")
    facts = facts_of(tool_call("Bash", {"command": TEXT}), session)

    command = await confinement.prepare(facts, session, "", protected=PROTECTED)

    words = shlex.split(command)
    assert words == run_command(words[-2], TEXT)
    order = from_json(Path(words[-2]).read_text())
    root = session.workspace.root
    assert order.folder == order.profile.workspace == root
    assert {f"{root}/.git", f"{root}/work"} <= set(order.profile.read_only)
    hidden = order.profile.hidden
    assert f"{root}/pipe" in hidden
    assert f"{session.workspace.home}/.ssh" in hidden
    assert os.path.realpath(confinement.state) in hidden
    assert os.stat(words[-2]).st_mode & 0o777 == 0o600
    found = unwrap(command)
    assert found is not None
    assert (found.order, found.text) == (words[-2], TEXT)


@each_row("moved", ["", "/srv/it's here"])
def test_a_command_of_ours_is_told_from_every_other(moved: str) -> None:
    first = f"cd -- {shlex.quote(moved)} && " if moved else ""
    command = f"{first}{shlex.join(run_command('/s/confined/1.json', TEXT))}"
    event = CallFinished(REF, "c", "Bash", {"command": command, "timeout": 5}, Outcome.OK)

    assert as_proposed(event).input == {"command": TEXT, "timeout": 5}
    for other in (
        "make",
        f"{command} more",
        f"x; {command}",
        shlex.join(run_command("a", "b")[:-1]),
    ):
        assert unwrap(other) is None


def test_how_a_call_ended_is_read_once(confinement: Confinement) -> None:
    path = os.path.join(os.path.realpath(confinement.folder), "1.json")
    command = shlex.join(run_command(path, "make"))
    stem = path.removesuffix(".json")
    assert confinement.ended(command) == Ended()
    Path(path).write_text("{}")
    Path(f"{stem}.begun").write_text("")
    for left in (None, "", "\0" * 100, '{"status": 0', "[]", '{"status": 0}'):
        if left is not None:
            Path(f"{stem}.end.json").write_text(left)
        found = confinement.ended(command)
        assert (found.begun, found.status) == (True, None)
        assert "not known" in found.told
        Path(path).write_text("{}")
        Path(f"{stem}.begun").write_text("")
    refused = [{"kind": "read", "what": "~/.ssh"}]
    Path(f"{stem}.end.json").write_text(json.dumps({"status": 1, "refused": refused}))

    found = confinement.ended(command)

    assert (found.status, found.serious) == (1, True)
    assert "status 1" in found.told
    assert "a credential (~/.ssh)" in found.told
    assert not os.path.exists(path)
    assert confinement.ended(command) == Ended()


def test_protected_paths_are_found_wherever_they_are_and_some_cannot_be_made(
    tmp_path: Path,
) -> None:
    (tmp_path / "sub/.vscode").mkdir(parents=True)
    (tmp_path / "sub/AGENTS.md").write_text("x")

    found = inside(str(tmp_path), PROTECTED.matches).protected

    assert {f"{tmp_path}/sub/.vscode", f"{tmp_path}/sub/AGENTS.md", f"{tmp_path}/.claude"} <= set(
        found
    )


def test_no_hidden_path_holds_the_workspace(tmp_path: Path) -> None:
    (tmp_path / ".claude/worktrees/x").mkdir(parents=True)
    (tmp_path / ".aws").mkdir()

    found = credentials([str(tmp_path)], str(tmp_path / ".claude/worktrees/x"))

    assert f"{tmp_path}/.aws" in found
    assert f"{tmp_path}/.claude" not in found


def test_what_a_killed_call_left_is_removed_after_a_day(confinement: Confinement) -> None:
    left = Path(confinement.folder) / "1.traps"
    left.mkdir()
    confinement.forget_old()
    assert left.exists()

    later = replace(confinement, clock=lambda: time.time() + 90_000)
    later.forget_old()

    assert not left.exists()


CONFINED = Decision(Verdict.ALLOW, "confine", "it runs confined", rewritten="guard 'make'")
CHANGED = {"command": "guard 'make'", "description": "builds"}


@each_row(
    "host, wanted",
    [
        ("claude-code", ("hookSpecificOutput", "updatedInput")),
        ("codex", ("hookSpecificOutput", "updatedInput")),
        ("gemini-cli", ("hookSpecificOutput", "tool_input")),
        ("copilot-cli", ("modifiedArgs",)),
        ("pi", ("input",)),
        ("opencode", ("input",)),
    ],
)
def test_agents_are_told_which_input_runs_and_those_that_cannot_are_told_no(
    host: str, wanted: tuple[str, ...]
) -> None:
    adapter = ADAPTERS[host]
    given = {"command": "make", "description": "builds"}
    answer = adapter.render(CallProposed(REF, "Bash", given, "c"), CONFINED)
    found: object = json.loads(answer.stdout)
    for name in wanted:
        found = found.get(name) if isinstance(found, dict) else None
    plain = adapter.render(CallProposed(REF, "Bash", given, "c"), replace(CONFINED, rewritten=""))

    if adapter.abilities.confines:
        assert found == CHANGED
        assert "guard" not in plain.stdout
    else:
        assert found is None
        assert "deny" in answer.stdout


async def test_where_the_agents_own_rules_forbid_commands_nothing_is_confined(
    confinement: Confinement, session: Session
) -> None:
    settings = Path(session.workspace.root) / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"deny": ["Read(x)", "Bash(make *)"]}}')
    facts = facts_of(tool_call("Bash", {"command": TEXT}), session)

    here = replace(session, host="claude-code")
    with pytest.raises(NotConfinable, match="own deny and ask rules"):
        await confinement.prepare(facts, here, "", protected=PROTECTED)


def test_credentials_in_a_listed_folder_and_what_links_in_it_lead_to_are_not_shown(
    session: Session,
) -> None:
    home = Path(session.workspace.home)
    for name in ("sdk/id_ed25519", "sdk/me.p12", "sdk/go/run", "private/notes", "sdk/.netrc"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("x")
    for name, target in (("out", "../private"), ("key", "id_ed25519"), ("now", "go")):
        (home / "sdk" / name).symlink_to(target)

    found = sight(session.workspace, [str(home)], [])

    shown = {os.path.realpath(one) for one in found.readable if one.startswith(f"{home}/")}
    assert shown == {f"{home}/sdk/go"}


def test_a_history_is_hidden_and_to_open_it_is_no_attempt(session: Session) -> None:
    home = Path(session.workspace.home)
    for name in (".bash_history", ".python_history", ".ssh/id_ed25519"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("x")

    found = sight(session.workspace, [str(home)], [])

    assert str(home) in found.hidden
    watched = [one for one in found.watched if one.startswith(f"{home}/")]
    assert watched == [f"{home}/.ssh/id_ed25519"]
