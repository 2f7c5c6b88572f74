"""Every installer: in and out to the byte, found again, and no agent is started without it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.catalog import AGENTS, INSTALLED
from automode.agents.installing.plan import CannotInstall, Receipts, Scope, Transport
from tests.agents.conftest import Machine
from tests.rows import rows

BEFORE = [
    (str(agent), str(name), str(text)) for agent, name, text in rows("agents", "settings-before")
]
"""An agent, a file below the home, and what may stand there before automode comes."""
OWN = {
    agent: {name: text for own, name, text in reversed(BEFORE) if own == agent}
    for agent in INSTALLED
}
each_agent = pytest.mark.parametrize("agent", OWN)


@pytest.mark.parametrize(("agent", "name", "text"), [*((agent, "", "") for agent in OWN), *BEFORE])
def test_in_and_out_again_gives_every_byte_back(
    agent: str, name: str, text: str, machine: Machine
) -> None:
    own = replace(machine, agent=agent)
    if name:
        (own.home / name).parent.mkdir(parents=True)
        (own.home / name).write_text(text)
    before = own.files()
    assert own.registrations() == ()
    assert own.installer.plan_uninstall(Scope.USER, own.site, own.receipts).changes == ()

    own.install()
    between, found, again = own.files(), own.registrations(), own.plan()
    own.uninstall()

    assert between != before
    assert [(one.wrong, one.version) for one in found] == [((), own.program.version)]
    assert again.changes == ()
    assert own.files() == before
    assert own.registrations() == ()


ADDED = {agent: list(files)[-1] for agent, files in OWN.items() if agent not in ("cline", "pi")}


@pytest.mark.parametrize("agent", sorted(set(ADDED) - {"copilot-cli"}))
def test_what_somebody_added_meanwhile_stays(agent: str, machine: Machine) -> None:
    own = replace(machine, agent=agent)
    own.install()
    file = own.home / ADDED[agent]
    file.write_text(json.dumps({"theirs": 4, **json.loads(file.read_text())}))

    own.uninstall()

    assert json.loads(file.read_text())["theirs"] == 4
    assert "automode" not in file.read_text()


@pytest.mark.parametrize(
    "agent", ["antigravity", "claude-code", "codex", "cursor", "gemini-cli", "qwen-code"]
)
def test_without_a_receipt_exactly_our_entries_go(
    agent: str, machine: Machine, tmp_path: Path
) -> None:
    own = replace(machine, agent=agent)
    for name, text in OWN[agent].items():
        (own.home / name).parent.mkdir(parents=True, exist_ok=True)
        (own.home / name).write_text(text or "{}")
    before = {name: (own.home / name).read_text() for name in OWN[agent]}
    own.install()

    replace(own, receipts=Receipts.of(str(tmp_path / "another state"))).uninstall()

    left = {name: (own.home / name).read_text() for name in before}
    assert {name: "".join(text.split()) for name, text in left.items()} == {
        name: "".join(text.split()) for name, text in before.items()
    }


BRINGS_ITS_HOOKS = {"claude-code", "pi", "qwen-code"}
"""Whose command line or variables take hooks."""


@each_agent
def test_none_is_started_without_its_hooks(agent: str, machine: Machine) -> None:
    own = replace(machine, agent=agent)
    if agent in BRINGS_ITS_HOOKS:
        assert own.launch("x").words[-1] == "x"
    else:
        with pytest.raises(CannotInstall) as caught:
            own.launch("x")
        assert f"automode install {agent}" in caught.value.hint
    own.install()

    assert own.launch("-v", "x").words[-2:] == ("-v", "x")
    for option in AGENTS[agent].refused:
        with pytest.raises(CannotInstall, match=option):
            own.launch(option)
    for name in AGENTS[agent].disarming.silencing:
        silent, loud = (
            replace(own.site, environment={**own.site.environment, name: value})
            for value in ("1", "0")
        )
        with pytest.raises(CannotInstall, match=name):
            replace(own, site=silent).launch()
        assert replace(own, site=loud).launch("x").words


WIDER = {"claude-code": set(Scope), "pi": {Scope.USER, Scope.PROJECT}} | {
    agent: {Scope.USER, Scope.MANAGED} for agent in ("codex", "gemini-cli", "qwen-code")
}
"""Those that can be installed for more than an account."""


@each_agent
def test_a_scope_without_a_place_is_refused(agent: str, machine: Machine) -> None:
    own = replace(machine, agent=agent)
    for scope in set(Scope) - WIDER.get(agent, {Scope.USER}):
        with pytest.raises(CannotInstall) as caught:
            own.plan(scope)
        assert "--user" in caught.value.hint


@pytest.mark.parametrize("agent", sorted(set(OWN) - {"claude-code"}))
def test_only_claude_code_can_be_asked_in_two_ways(agent: str, machine: Machine) -> None:
    with pytest.raises(CannotInstall, match="--transport"):
        replace(machine, agent=agent).plan(transport=Transport.HTTP)


CHANGED = {
    # agent: what is changed in its file, and what is said of it
    "antigravity": ('"matcher": ""', '"matcher": "never"', "PreToolUse was changed"),
    "cursor": ('"failClosed": true', '"failClosed": false', "preToolUse was changed"),
}


@pytest.mark.parametrize("agent", CHANGED)
def test_an_agent_that_was_never_run_is_said_so_and_a_hook_that_fails_open_is_found(
    agent: str, machine: Machine
) -> None:
    own = replace(machine, agent=agent)
    old, new, says = CHANGED[agent]
    plan, file = own.install(), own.home / ADDED[agent]
    file.write_text(file.read_text().replace(old, new))

    (found,) = own.registrations()

    assert "never seen at work" in plan.notes[0]
    assert len(found.wrong) == 1
    assert says in found.wrong[0]
    with pytest.raises(CannotInstall):
        own.launch()
