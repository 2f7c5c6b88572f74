"""The files that make Claude Code take `/automode`: they come, go, and never replace another."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.claude_code.install import (
    COMMANDS,
    command_text,
    is_our_command_file,
    plan_commands,
    plan_no_commands,
)
from automode.agents.claude_code.settings import claude_folder
from automode.agents.installing.plan import Plan, Receipts, Scope, apply
from automode.agents.installing.site import Program, Site

THEIRS = b"---\ndescription: mine\n---\nSay `automode 1`.\n"


@pytest.fixture
def folder(site: Site) -> Path:
    return Path(claude_folder(site), "commands")


def carry_out(site: Site, program: Program, receipts: Receipts) -> tuple[str, ...]:
    changes, notes = plan_commands(site, program)
    apply(Plan("claude-code", Scope.USER, changes), receipts)
    return notes


def take_out(site: Site, receipts: Receipts) -> None:
    apply(Plan("claude-code", Scope.USER, plan_no_commands(site, receipts)), receipts)


def test_both_names_come_and_go_with_their_folders(
    site: Site, program: Program, receipts: Receipts, folder: Path
) -> None:
    carry_out(site, program, receipts)
    found = sorted(os.listdir(folder))
    again = plan_commands(site, program)
    take_out(site, receipts)

    assert found == sorted(f"{name}.md" for name in COMMANDS)
    assert again == ((), ())
    assert os.listdir(site.home) == []
    assert plan_no_commands(site, receipts) == ()


def test_a_model_cannot_call_it_and_it_starts_nothing(program: Program) -> None:
    text = command_text(program).decode()

    assert "\ndisable-model-invocation: true\n" in text
    assert "!`" not in text
    assert "allowed-tools" not in text


def test_a_command_of_the_person_stays(
    site: Site, program: Program, receipts: Receipts, folder: Path
) -> None:
    folder.mkdir(parents=True)
    (folder / "automode.md").write_bytes(THEIRS)

    notes = carry_out(site, program, receipts)
    between = is_our_command_file((folder / "auto-mode.md").read_bytes())
    take_out(site, receipts)

    assert "your own /automode stays" in notes[0]
    assert between
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"automode.md": THEIRS}


def test_that_of_another_release_is_replaced(
    site: Site, program: Program, receipts: Receipts, folder: Path
) -> None:
    carry_out(site, replace(program, version="0.0.9"), receipts)
    carry_out(site, program, receipts)

    assert (folder / "automode.md").read_bytes() == command_text(program)


def test_what_is_in_the_way_is_said_and_stops_nothing_else(
    site: Site, program: Program, receipts: Receipts, folder: Path
) -> None:
    folder.parent.mkdir()
    folder.write_bytes(THEIRS)
    no_folder = carry_out(site, program, receipts)
    folder.unlink()
    (folder / "automode.md").mkdir(parents=True)

    no_file = carry_out(site, program, receipts)
    take_out(site, receipts)

    assert all("there is no folder for" in note for note in no_folder)
    assert len(no_folder) == 2
    assert "no /automode in Claude Code" in no_file[0]
    assert os.listdir(folder) == ["automode.md"]
