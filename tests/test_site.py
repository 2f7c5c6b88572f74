"""The documentation site in a real browser, opened from disk: no server and no network."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict, cast
from urllib.parse import unquote, urldefrag

import pytest

from tests.browser import Browser, chromium, find_browser

pytestmark = pytest.mark.real
ROOT = Path(__file__).parent.parent
WIDTHS = (400, 1280)
LOOK = """({
  title: document.querySelector('h1')?.textContent,
  wide: document.documentElement.scrollWidth,
  pictures: [...document.images].filter(e => !e.complete || !e.naturalWidth).map(e => e.src),
  links: [...document.links].map(e => e.href),
  ids: [...document.querySelectorAll('[id]')].map(e => e.id),
  fetched: performance.getEntriesByType('resource').map(e => e.name),
})"""
RESULTS = "[...document.activeElement.shadowRoot.querySelectorAll('[role=option]')]"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built strictly."""
    find_browser()
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("NO ZENSICAL: `make site` installs what builds the site")
    spec = importlib.util.spec_from_file_location("site_builder", ROOT / "docs" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    html = module.build(tmp_path_factory.mktemp("site"))
    assert isinstance(html, Path)
    return html


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with chromium(tmp_path / "profile") as found:
        yield found


class Seen(TypedDict):
    title: str | None
    wide: int
    pictures: list[str]
    links: list[str]
    ids: list[str]
    fetched: list[str]


def look(browser: Browser) -> Seen:
    return cast(Seen, browser.evaluate(LOOK))


def click(browser: Browser, element: str) -> None:
    browser.wait(element)
    browser.evaluate(f"{element}.click()")


def link(words: str, within: str) -> str:
    """The one that can be seen."""
    return (
        f"[...document.querySelectorAll('{within} a')]"
        f".find(e => e.textContent.trim() === {json.dumps(words)} && e.checkVisibility())"
    )


def test_every_page_is_whole_at_both_widths(site: Path, browser: Browser) -> None:
    ids: dict[str, set[str]] = {}
    links: dict[str, list[str]] = {}
    wrong: list[object] = []
    browser.send("Network.enable")
    browser.send("Network.setBlockedURLs", urls=["*/search.js"])  # large, and tested below
    for page in sorted(site.rglob("*.html")):
        address = page.as_uri()
        browser.resize(WIDTHS[-1])
        browser.open(address)
        for width in WIDTHS:
            browser.resize(width)
            seen = look(browser)
            ids[address], links[address] = set(seen["ids"]), seen["links"]
            foreign = [one for one in seen["fetched"] if not one.startswith("file:")]
            if seen["wide"] > width or seen["pictures"] or foreign or not seen["title"]:
                wrong.append((page.name, width, seen["wide"], seen["pictures"], foreign))

    assert len(ids) > 100
    assert wrong == []
    assert [
        (page, one)
        for page, found in links.items()
        for one in found
        if one.startswith("file:") and not leads_somewhere(one, ids)
    ] == []


def leads_somewhere(address: str, ids: dict[str, set[str]]) -> bool:
    page, anchor = urldefrag(address)
    if page in ids:
        return not anchor or unquote(anchor) in ids[page]
    return Path(unquote(page.removeprefix("file://"))).is_file()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_reader_gets_from_the_first_page_to_another(
    site: Path, browser: Browser, width: int
) -> None:
    browser.resize(width)
    browser.open((site / "index.html").as_uri())

    if width == WIDTHS[0]:
        click(browser, "document.querySelector('header [for=__drawer]')")
        click(browser, "document.querySelector('.md-nav [for=__nav_3]')")
        click(browser, link("Verdicts", ".md-nav--primary"))
    else:
        click(browser, link("Concepts", ".md-tabs"))
        browser.wait("document.querySelector('h1')?.textContent.startsWith('How a call')")
        click(browser, link("Verdicts", ".md-nav--primary"))

    browser.wait("document.querySelector('h1')?.textContent.startsWith('Verdicts')")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_search_finds_a_page_and_leads_there(site: Path, browser: Browser, width: int) -> None:
    browser.resize(width)
    browser.open((site / "docs" / "guides" / "start.html").as_uri())
    click(browser, "document.querySelector('.md-search__button')")
    browser.wait("document.activeElement?.shadowRoot?.querySelector('input')")

    for letter in "embedded judge":
        browser.send("Input.insertText", text=letter)
    browser.wait("document.activeElement.shadowRoot.querySelector('input').value.length === 14")
    browser.wait(f"{RESULTS}[0]?.textContent.startsWith('The embedded judge')")
    click(browser, f"{RESULTS}[0]")

    browser.wait("document.querySelector('h1')?.textContent.startsWith('The embedded judge')")


def test_dark_mode_is_switched_on_and_stays(site: Path, browser: Browser) -> None:
    browser.resize(WIDTHS[-1])
    browser.open((site / "index.html").as_uri())
    light = browser.evaluate("getComputedStyle(document.body).backgroundColor")

    click(browser, "document.querySelector('label[title=\"Dark mode\"]')")
    browser.wait("document.body.dataset.mdColorScheme === 'slate'")
    dark = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    browser.open((site / "docs" / "glossary.html").as_uri())

    assert light != dark
    browser.wait("document.body.dataset.mdColorScheme === 'slate'")
