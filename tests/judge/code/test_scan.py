"""Code in languages without a grammar here: what reaches others by names and texts that are seen
there is asked about."""

import tomllib
from pathlib import Path

import pytest

from tests.judge.code.test_acts import is_asked
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_name("scan.toml").read_text("utf-8"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in (".git", "src", "tests"):
        (tmp_path / folder).mkdir()
    return tmp_path


@each_row("ending, code", [(end, one) for end in ROWS for one in ROWS[end]["ordinary"]])
def test_what_a_test_does_to_its_own_things_asks_for_nothing(
    ending: str, code: str, project: Path
) -> None:
    assert not is_asked(project, "make test", (f"tests/cart_test.{ending}", code))


@each_row("ending, code", [(end, one) for end in ROWS for one in ROWS[end]["hostile"]])
def test_what_a_test_does_to_others_is_asked_about(ending: str, code: str, project: Path) -> None:
    assert is_asked(project, "make test", (f"tests/cart_test.{ending}", code))


def test_a_module_is_asked_about_where_its_target_is_known(project: Path) -> None:
    module = ("src/cart.rb", "def run(command) = system(command)\n")
    far = ("src/cart.rb", "def run = system('git push --force')\n")

    assert not is_asked(project, "make test", module)
    assert is_asked(project, "make test", far)
