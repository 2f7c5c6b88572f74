"""What the package says of itself: one version everywhere, a description that stands alone."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import automode
from automode.cli.main import cli

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSIONS = ("plugins/automode/.claude-plugin/plugin.json", "package.json")


def test_every_place_that_names_the_version_names_the_same() -> None:
    found = [json.loads((ROOT / name).read_text())["version"] for name in VERSIONS]

    assert set(found) == {PROJECT["version"]} == {automode.__version__}
    assert CliRunner().invoke(cli, ["--version"]).stdout.split()[-1] == automode.__version__


def test_the_description_keeps_every_sentence_and_no_link_into_the_repository() -> None:
    describe = pytest.importorskip("tools.description").describe
    readme = (ROOT / "README.md").read_text()

    text = describe(readme)

    assert re.findall(r"\]\((?!https?:)", text) == []
    headings = re.findall(r"^## .+$", readme, re.MULTILINE)
    assert headings == re.findall(r"^## .+$", text, re.MULTILINE)
    assert "`SECURITY.md` starts with the limits" in text
    assert "(`docs/index.md`)" in text


BY_NAME = re.compile(
    r"(?:pipx?|uv tool|uv pip) install (?:--?\S+ )*automode\b|npm:automode(?!@)"
    r"|install [`'\"]?automode\[[\w,-]+\](?! @ )"
)
SAYS = ("*.md", "docs/**/*.md", "plugins/**/*", "src/**/*.py", "src/**/*.ts", "Dockerfile")


def test_nobody_is_told_to_install_a_name_that_is_not_ours_on_an_index() -> None:
    """The pages of guards show calls, and tell nobody to make them."""
    found = (path for one in SAYS for path in ROOT.glob(one) if path.is_file())
    files = [path for path in found if path.parent.name != "guards"]

    assert [path for path in files if BY_NAME.search(path.read_text())] == []
    assert len(files) > 300
    assert "urls" not in PROJECT
