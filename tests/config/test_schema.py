"""The committed reference page is the generated one."""

from pathlib import Path

from automode.config.keys import ROWS
from automode.config.schema import page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "config.md"


def test_the_committed_page_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_setting_has_a_line() -> None:
    assert [row.key for row in ROWS if f"| `{row.key}` |" not in page()] == []
