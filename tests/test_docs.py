"""What the pages promise about each other and about the code, checked."""

import re
import tomllib
from pathlib import Path

import pytest

from automode.guards.floor.layer import GUARDS
from automode.llm.providers import PROVIDERS
from tests.rows import each_row

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
SITE = DOCS / "site.yml"
ARCHITECTURE = DOCS / "contributing" / "architecture.md"

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_REGISTRIES = ("pypi.org", "pythonhosted.org", "npmjs.com", "npmjs.org", "crates.io", "ghcr.io")


def links(page: Path) -> list[str]:
    """Those to other pages of ours; addresses are left out, and so is what stands in code."""
    found = _LINK.findall(_CODE.sub("", page.read_text()))
    return [link for link in found if "://" not in link and not link.startswith("mailto:")]


def linked(page: Path) -> set[Path]:
    return {(page.parent / link.partition("#")[0]).resolve() for link in links(page)}


def anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(_without_blocks(page.read_text()))
    return {re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in headings}


def _without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def resolves(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.exists() and (not anchor or anchor in anchors(target))


@each_row("page", PAGES)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not resolves(page, link)] == []


@each_row("page", PAGES)
def test_no_page_names_a_package_registry(page: Path) -> None:
    assert [host for host in _REGISTRIES if host in page.read_text()] == []


@pytest.mark.parametrize("folder", ["guides", "concepts"])
def test_every_guide_and_concept_can_be_reached_from_the_index(folder: str) -> None:
    reached = linked(DOCS / "index.md")

    assert [page.name for page in (DOCS / folder).glob("*.md") if page not in reached] == []


def test_every_page_stands_in_the_navigation_of_the_site_or_on_a_page_that_lists_its_kind() -> None:
    listed = {ROOT / path for path in re.findall(r": (\S+\.md)$", SITE.read_text(), re.M)}
    kinds = (ARCHITECTURE, DOCS / "reference" / "guards.md", DOCS / "reference" / "programs.md")
    reached = listed.union(*map(linked, kinds), {ROOT / "AGENTS.md"})

    assert [page for page in listed if not page.exists()] == []
    assert [page for page in PAGES if page not in reached] == []


def test_every_decision_record_is_listed_with_the_architecture() -> None:
    listed = linked(ARCHITECTURE)
    records = sorted((DOCS / "contributing" / "adr").glob("*.md"))

    assert records
    assert [record.name for record in records if record not in listed] == []


def test_every_decision_record_has_a_number_of_its_own() -> None:
    records = sorted((DOCS / "contributing" / "adr").glob("*.md"))

    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))


def test_the_architecture_shows_the_order_that_the_import_contract_enforces() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    order = next(one["layers"] for one in contracts["contracts"] if one["type"] == "layers")

    assert "```\n" + "\n".join(order) + "\n```" in ARCHITECTURE.read_text()


def test_the_architecture_says_what_every_room_owns() -> None:
    rooms = [path.parent.name for path in (ROOT / "src" / "automode").glob("*/__init__.py")]
    text = ARCHITECTURE.read_text()

    assert [room for room in rooms if f"| `{room}` |" not in text] == []


def test_every_guard_has_a_page_that_the_list_of_guards_links() -> None:
    listed = linked(DOCS / "reference" / "guards.md")

    assert [
        guard.id
        for guard in GUARDS
        if DOCS / "reference" / "guards" / f"{guard.id}.md" not in listed
    ] == []


def test_every_provider_stands_in_the_guide_with_the_variables_of_its_key() -> None:
    guide = (DOCS / "guides" / "models.md").read_text()
    wanted = [f"`{word}`" for row in PROVIDERS.values() for word in (row.name, *row.key_variables)]

    assert [word for word in wanted if word not in guide] == []


def test_the_readme_has_the_published_figures() -> None:
    text = (ROOT / "README.md").read_text()

    assert [figure for figure in ("8.5 %", "0.4 %", "17 %", "5.7 %") if figure not in text] == []


def test_the_readme_has_at_most_900_words() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 900
