"""Whether a text names a thing: a table of things and of what users call them."""

from automode.judge.objects import Name, file_name, is_named_in
from automode.shell.script import HOLE
from tests.rows import each_row

NAMED: list[tuple[Name, str, bool]] = [
    (Name("src/old.py"), "delete src/old.py", True),
    (Name("src/old.py"), "delete old.py", True),
    (Name("src/legacy.py"), "delete the legacy module", True),
    (Name("src/old.py"), "delete old.pyc", False),
    (Name("src"), "delete src/old.py", False),
    (Name("release/2.3"), "delete release/2.3-rc1", False),
    (Name("rg-sandbox"), "delete rg-sandbox-anna", False),
    (Name("presence"), "drop presence_old", False),
    (Name("v1.8.0"), "delete v1.8.0-rc2", False),
    (Name("ci-check", whole=True), "remove tmp/ci-check", False),
    (Name("main", whole=True), "rebase on origin/main", True),
    (Name("acme/api:1.4"), "push api 1.4 of acme", True),
    (Name("acme/api:1.4"), "push api 1.5 of acme", False),
    (Name("vite@6"), "upgrade vite", True),
    (Name("production"), "deploy to prod", True),
    (Name("production"), "deploy to staging", False),
    (Name("acme-staging", location=True), "deploy to staging", True),
    (Name("acme-prod", location=True), "deploy acme to staging", False),
    (Name("clicks.*"), "delete the topic clicks.test", False),
    (Name("*.snap"), "delete all snap files", True),
    (Name(f"feature/{HOLE}"), "push feature/x", False),
    (Name("old.txt"), "删除 old.txt", True),
    (file_name("/w/.github/workflows/ci.yml"), "update the workflow", True),
    (file_name("/w/AGENTS.md"), "the agents page is slow", False),
]


@each_row("name, text, is_named", NAMED)
def test_a_text_names_a_thing_or_another_one(name: Name, text: str, *, is_named: bool) -> None:
    assert is_named_in(name, text) is is_named
