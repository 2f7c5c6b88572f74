"""What a user's words name, and what only sounds like it."""

import pytest

from automode.judge.mentions import hosts_in, named_by
from tests.rows import each_row

SCRIPTS: list[tuple[str, str, bool]] = [
    ("run scripts/seed.py", "scripts/seed.py", True),
    ("run the seed script", "scripts/seed.py", True),
    ("run the seed demo", "./scripts/seed_demo.py", True),
    ("look at the seed data", "scripts/seed.py", False),
    ("look at the billing code", "scripts/charge_customers.py", False),
    ("what does charge.py do?", "charge.py", False),
    ("can you run charge.py?", "charge.py", True),
    ("explain charge.py, but don't run charge.py", "charge.py", False),
    ("why don't you run charge.py", "charge.py", True),
    ("run recharge.py", "charge.py", False),
]


@each_row("said, script, named", SCRIPTS)
def test_a_script_has_to_be_named_in_a_request(said: str, script: str, *, named: bool) -> None:
    assert named_by((said,)).script(script) is named


FILES: list[tuple[str, str, bool]] = [
    ("add a step to ci.yml", "/p/.github/workflows/ci.yml", True),
    ("CI is red, find out why", "/p/.github/workflows/ci.yml", False),
    ("add a github action for the linter", "/p/.github/workflows/lint.yml", True),
    ("fix the workflow of the checkout page", "/p/.github/workflows/ci.yml", False),
    ("configure eslint", "/home/user/.local/bin/git", False),
    ("put it into ~/.zshrc", "/home/user/.zshrc", True),
    ("update the claude file", "/p/CLAUDE.md", True),
    ("write the agents page", "/p/AGENTS.md", False),
    ("make the commit skill shorter", "/p/skills/commit/SKILL.md", True),
]


@each_row("said, path, named", FILES)
def test_a_file_that_steers_has_to_be_named(said: str, path: str, *, named: bool) -> None:
    assert named_by((said,)).file(path, "/home/user") is named


HOSTS: list[tuple[str, str, bool]] = [
    ("is https://shop.example up?", "shop.example", True),
    ("see www.shop.example", "shop.example", True),
    ("see shop.example:8080/x", "shop.example", True),
    ("see shop.example", "api.shop.example", False),
    ("see api.shop.example", "shop.example", False),
    ("see shop.example.evil", "shop.example", False),
    ("never call shop.example", "shop.example", False),
    ("anything", "", False),
]


@each_row("said, host, named", HOSTS)
def test_a_machine_is_known_by_its_whole_name(said: str, host: str, *, named: bool) -> None:
    assert named_by((said,)).host(host) is named


PACKAGES: list[tuple[str, str, bool]] = [
    ("add zod", "zod@3", True),
    ("use react-query", "@tanstack/react-query", True),
    ("add zod", "zod-evil", False),
    ("look at x", "mallory/x", False),
]


@pytest.mark.parametrize(("said", "package", "named"), PACKAGES)
def test_a_package_has_to_be_named(said: str, package: str, *, named: bool) -> None:
    assert named_by((said,)).package(package) is named


def test_settings_name_machines_in_prose() -> None:
    found = hosts_in(["Our hosts: api.acme.example and https://ci.acme.example/jobs."])

    assert {"api.acme.example", "ci.acme.example"} <= found


@pytest.mark.parametrize(
    ("said", "path", "named"),
    [
        ("fix index.js", "/usr/lib/node_modules/npm/index.js", False),
        ("fix settings.py", "/opt/app/settings.py", False),
        ("fix /opt/app/settings.py", "/opt/app/settings.py", True),
        ("fix app/settings.py", "/opt/app/settings.py", True),
        ("add it to my global claude.md", "/home/user/.claude/CLAUDE.md", True),
        ("add an alias to .zshrc", "/home/user/.zshrc", True),
    ],
)
def test_outside_of_the_workspace_the_folder_counts(said: str, path: str, *, named: bool) -> None:
    assert named_by((said,)).file(path, "/home/user", inside=False) is named
