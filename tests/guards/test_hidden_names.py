"""Hidden names and environments in a workspace: data passes, all else is for somebody to decide."""

from pathlib import Path

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.guards.protected import is_acted_upon
from tests.rows import each_row

PLACE = Workspace("/w/.cache/p", "/w/.cache/p", "/home/u", Names("/w/.cache/p"))

ACTED_UPON = [
    *(".helix/languages.toml", ".bsp/x.json", ".vim/coc-settings.json", ".luarc.json", ".rvmrc"),
    *(".shadowenv.d/100.lisp", ".trunk/trunk.yaml", ".taskcluster.yml", ".replit", ".env"),
    *(".claude-plugin/plugin.json", ".opencode.json", ".prettierrc", ".eslintrc.json", ".swcrc"),
    *(".python-version", ".nobody-knows-it", "src/.nobody-knows-it/a.md", ".HELIX/x", ".helix./x"),
    *(".changeset/config.json", ".planning/.hooks/a.md", ".github/scripts/x"),
    *(
        ".github/labeler.js",
        ".editorconfig/x",
        ".worktrees/a/.envrc",
        ".\u200bhelix/x",
        "HELIX~1/x",
    ),
    *(".worktrees", ".tool/worktrees", ".ignore", ".rgignore", "a\\.helix\\x", ".php_cs.dist"),
]
DATA = [
    *("src/a.py", "a.b/c.d", "README.md", ".editorconfig", "docs/.gitkeep", ".env.example"),
    *(".env.production.example", ".dockerignore", ".changeset/quick-fox.md", ".planning/a/b.md"),
    *(".github/ISSUE_TEMPLATE/bug.yml", ".github/CONTRIBUTING.md", ".worktrees/a/src/b.py"),
    *(".claude/worktrees/fix/src/a.py", "public/.well-known/security.txt", ".github/FUNDING.yml"),
    *(".markdownlint.json", "./src/a.py"),
]


@each_row("path", ACTED_UPON)
def test_a_hidden_name_is_acted_upon_unless_it_is_known_to_be_data(path: str) -> None:
    assert is_acted_upon(f"{PLACE.root}/{path}", PLACE)


@each_row("path", DATA)
def test_data_and_ordinary_names_pass_wherever_the_workspace_lies(path: str) -> None:
    assert not is_acted_upon(f"{PLACE.root}/{path}", PLACE)


def test_what_lies_outside_is_not_the_question_here() -> None:
    assert not is_acted_upon("/elsewhere/.helix/x", PLACE)


def test_a_folder_with_the_mark_of_an_environment_is_one(tmp_path: Path) -> None:
    for mark in ("myenv/pyvenv.cfg", "tools/conda/conda-meta/history", "whole/pyvenv.cfg"):
        (tmp_path / mark).parent.mkdir(parents=True)
        (tmp_path / mark).write_text("home = /usr/bin\n")
    top = Workspace(str(tmp_path), str(tmp_path), "/home/nobody", Disk())
    whole = Workspace(f"{tmp_path}/whole", f"{tmp_path}/whole", "/home/nobody", Disk())

    assert is_acted_upon(f"{tmp_path}/myenv/bin/python", top)
    assert is_acted_upon(f"{tmp_path}/myenv/x/y/new.py", top)
    assert is_acted_upon(f"{tmp_path}/tools/conda/etc/conda/activate.d/x.sh", top)
    assert not is_acted_upon(f"{tmp_path}/tools/a.py", top)
    assert is_acted_upon(f"{tmp_path}/whole/bin/python", whole)
    assert not is_acted_upon(f"{tmp_path}/whole/src/a.py", whole)
