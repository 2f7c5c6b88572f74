"""What the shape of the house promises, checked."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "automode"
MODULES = sorted(SOURCE.rglob("*.py"))
LINE_LIMIT = 500
FORBIDDEN_NAMES = {"utils.py", "helpers.py", "common.py", "base.py", "manager.py", "types.py"}
THIRD_PARTY = {
    *("click", "sqlglot", "tree_sitter", "tree_sitter_bash", "tree_sitter_javascript"),
    *("httpx2", "genai_prices", "pydantic"),
}


def test_every_module_says_what_lives_there() -> None:
    assert [
        str(path.relative_to(ROOT))
        for path in MODULES
        if not ast.get_docstring(ast.parse(path.read_text()))
    ] == []


def test_no_module_grows_past_the_limit() -> None:
    long = {str(p): n for p in MODULES if (n := len(p.read_text().splitlines())) > LINE_LIMIT}

    assert long == {}


def test_no_module_is_a_drawer() -> None:
    assert [path for path in MODULES if path.name in FORBIDDEN_NAMES] == []


def test_only_the_gate_and_the_commands_catch_everything() -> None:
    catching = [
        str(path.relative_to(SOURCE)) for path in MODULES if "except Exception" in path.read_text()
    ]

    assert catching == ["cli/main.py", "confine/run.py", "gate/gate.py"]


@pytest.mark.parametrize("module", ["automode", "automode.core.tools", "automode.hook"])
def test_the_hooks_path_loads_no_third_party_module(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )

    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded & THIRD_PARTY == set()


def test_the_readme_opens_with_the_two_commands() -> None:
    opening = (ROOT / "README.md").read_text().splitlines()[:12]

    assert any(line.startswith("$ make demo") for line in opening)
    assert any(line.startswith("$ make test") for line in opening)


def test_pinned_requirements_name_no_host() -> None:
    for file in (ROOT / "requirements").glob("*.txt"):
        text = file.read_text()
        assert "--hash=sha256:" in text, file
        assert "://" not in text, file
