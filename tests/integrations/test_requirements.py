"""The frameworks are pinned, no registry is named, and every extra has its integration."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTEGRATIONS = ROOT / "src" / "automode" / "integrations"


@pytest.mark.parametrize("name", ["requirements-frameworks.txt", "requirements-crewai.txt"])
def test_frameworks_are_pinned_by_hash(name: str) -> None:
    text = (ROOT / name).read_text()

    assert "--hash=sha256:" in text
    assert "://" not in text


def test_every_integration_has_an_extra_an_example_and_a_test() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {one.replace("-", "_") for one in extras["optional-dependencies"]}
    modules = {path.stem for path in INTEGRATIONS.glob("*.py")} - {"__init__", "ruling"}

    assert modules <= named
    for module in modules:
        assert (ROOT / "examples" / "frameworks" / f"with_{module}.py").exists()
        assert (ROOT / "tests" / "integrations" / f"test_{module}.py").exists()
