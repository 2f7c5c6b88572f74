"""The pages of the guards on disk are those that the guards make."""

from pathlib import Path

from automode.guards.floor.layer import GUARDS
from automode.guards.floor.pages import guard_pages
from tests.rows import each_row

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGES = guard_pages()


@each_row("name", sorted(PAGES))
def test_a_page_is_up_to_date(name: str) -> None:
    assert (REFERENCE / name).read_text() == PAGES[name]


def test_there_is_a_page_for_every_guard_and_no_other() -> None:
    found = {page.stem for page in (REFERENCE / "guards").glob("*.md")}
    assert found == {guard.id for guard in GUARDS}
