"""Every extra has its integration, example and test."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
INTEGRATIONS = ROOT / "src" / "automode" / "integrations"


def test_every_integration_has_an_extra_an_example_and_a_test() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {one.replace("-", "_") for one in extras["optional-dependencies"]}
    modules = {path.stem for path in INTEGRATIONS.glob("*.py")} - {"__init__", "ruling"}

    assert modules <= named
    for module in modules:
        assert (ROOT / "examples" / "frameworks" / f"with_{module}.py").exists()
        assert (ROOT / "tests" / "integrations" / f"test_{module}.py").exists()
