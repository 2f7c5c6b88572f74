"""The window in a real Chromium: every page, every button, live updates, keys, and nothing that a
screen reader could not use."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from automode.core.decision import Verdict
from automode.ui.window import Window
from tests.browser import find_browser
from tests.cli.stored import keep, kept_session, record
from tests.daemon.conftest import Running, agent_of, furnished, starting
from tests.ui.test_inbox import COMMAND, SETTINGS, waiting
from tests.ui.windows import HOSTILE, OTHER, RECORDS, SESSION, served, window_on

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="NO PLAYWRIGHT: `make test-all` installs it; no page was drawn"
)
axe_playwright = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="NO AXE: `make test-all` installs it"
)

pytestmark = pytest.mark.real

PAGES = (
    *("/now", "/inbox", "/sessions", "/trends", "/policy", "/policy/edit", "/audit"),
    *(
        "/audit/report",
        f"/sessions/one?key={SESSION}",
        f"/decision/{RECORDS[1].id}",
        f"/decision/{RECORDS[2].id}",
    ),
)
LOOKS = [(False, 1280), (True, 1280), (False, 400), (True, 400)]
FLAGS = ("--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-sandbox")
SMALLEST = """() => Math.min(...[...document.querySelectorAll("body *")]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((one) => one.getClientRects().length)
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""
SHIFTS = """() => { window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
  }).observe({ type: "layout-shift", buffered: true }); }"""


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    program = find_browser()
    with sync_api.sync_playwright() as player:
        started = player.chromium.launch(executable_path=program, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    made = window_on(tmp_path, *RECORDS)
    keep(made.state, kept_session(SESSION), kept_session(OTHER))
    with served(made) as running:
        yield running


class Visit:
    """A signed-in page, and whatever its console complains of."""

    def __init__(
        self, browser: "Browser", window: Window, *, dark: bool = False, width: int = 1280
    ) -> None:
        self.window, self.complaints = window, list[str]()
        self.context = browser.new_context(
            color_scheme="dark" if dark else "light", viewport={"width": width, "height": 900}
        )
        self.page = self.tab()
        self.page.goto(window.access.new_link())
        self.page.wait_for_url("**/now")

    def tab(self) -> "Page":
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)
        return page

    def _hear(self, message: "ConsoleMessage") -> None:
        """No daemon runs here, so no rules are proposed: the page says so."""
        expected = ("favicon.ico", "/rules")
        if message.type == "error" and not message.location["url"].endswith(expected):
            self.complaints.append(f"{message.text} {message.location}")

    def open(self, path: str) -> "Page":
        access = self.window.access
        self.page.goto(f"http://{access.host}{access.base}{path}")
        return self.page

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def visit(browser: "Browser", window: Window) -> Iterator[Visit]:
    made = Visit(browser, window)
    yield made
    made.close()


@pytest.mark.parametrize(("dark", "width"), LOOKS)
def test_every_page_is_readable(browser: "Browser", window: Window, dark: bool, width: int) -> None:
    """By axe no violation, no text below 12 pixels, nothing beside the screen, no complaint."""
    made = Visit(browser, window, dark=dark, width=width)
    wrong: list[str] = []
    for path in PAGES:
        page = made.open(path)
        page.wait_for_load_state("load")
        page.wait_for_function(
            "() => !document.querySelector('[hx-trigger=load] .hint')?.textContent.includes('…')"
        )
        found = axe_playwright.Axe().run(page)
        wrong += [
            f"{path}: {one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in found.response["violations"]
        ]
        if page.evaluate(SMALLEST) < 12:
            wrong.append(f"{path}: text below 12 pixels")
        if page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{path}: wider than the screen")
    made.close()

    assert wrong == []
    assert made.complaints == []


def test_a_new_decision_comes_in_by_itself_in_every_tab_and_moves_nothing(visit: Visit) -> None:
    other = visit.tab()
    other.goto(visit.page.url)
    for page in (visit.page, other):
        page.wait_for_selector(".live.on")
    visit.page.evaluate(SHIFTS)

    keep(visit.window.state, record(9, action="make release", verdict=Verdict.DENY))

    for page in (visit.page, other):
        page.wait_for_selector("text=make release")
        assert page.locator(".row").first.locator(".action").inner_text() == "make release"
    visit.page.wait_for_timeout(100)
    assert visit.page.evaluate("() => window.shifted") == 0
    assert visit.complaints == []


def test_a_filter_narrows_the_list_and_what_comes_in(visit: Visit) -> None:
    page = visit.page
    page.get_by_label("Verdict").select_option("deny")
    page.wait_for_function("() => document.querySelectorAll('.row').length === 1")
    page.wait_for_selector(".live.on")

    keep(visit.window.state, record(10, action="ls"), record(11, action="dd", verdict=Verdict.DENY))

    page.wait_for_selector("text=dd")
    assert page.locator(".row .action").all_inner_texts() == ["dd", RECORDS[1].action]


def test_a_decision_opens_and_closes_by_the_keyboard_alone(visit: Visit) -> None:
    page = visit.page
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#pane article")
    assert RECORDS[1].reason in page.locator("#pane").inner_text()

    page.keyboard.press("Escape")

    assert page.locator("#pane article").count() == 0
    focused = page.evaluate("() => document.activeElement.closest('.row')?.innerText")
    assert RECORDS[1].action in focused


def test_a_call_is_tried_against_edited_rules(visit: Visit) -> None:
    page = visit.open(f"/decision/{RECORDS[0].id}")
    page.wait_for_selector("textarea[name=deny]")
    page.locator("textarea[name=deny]").fill("bash(git status*)")

    page.get_by_role("button", name=re.compile("decide|try", re.IGNORECASE)).first.click()

    page.wait_for_selector(".outcome .verdict.deny")
    assert visit.complaints == []


def test_settings_are_checked_and_saved(visit: Visit, tmp_path: Path) -> None:
    page = visit.open("/policy/edit")
    text = page.locator("textarea[name=text]")
    text.fill('{"permissions": {"denny": []}}')
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector("#checked >> text=denny")

    for wanted in ('{"permissions": {"deny": ["bash(rm*)"]}}', "{}"):
        text.fill(wanted)
        page.get_by_role("button", name="Save").click()
        page.wait_for_selector("#checked >> text=Saved in")
        page.wait_for_timeout(50)
        page.locator("#checked").evaluate("(box) => box.replaceChildren()")

    file = tmp_path / "home" / ".config" / "automode" / "config.json"
    assert file.read_text() == "{}"


def test_the_chain_is_checked_by_a_click(visit: Visit) -> None:
    page = visit.open("/audit")
    page.get_by_text("Check it now").click()

    page.wait_for_selector("#checked >> text=Sound")


def test_hostile_text_runs_nothing_and_stays_in_its_place(
    browser: "Browser", tmp_path: Path
) -> None:
    hostile = [
        replace(record(number, action=text, reason=text, tool=text[:50]), input="{}")
        for number, text in enumerate(HOSTILE)
    ]
    with served(window_on(tmp_path, *hostile)) as window:
        made = Visit(browser, window)
        alarms: list[str] = []

        def dismiss(dialog: "Dialog") -> None:
            alarms.append(dialog.message)
            dialog.dismiss()

        made.page.on("dialog", dismiss)
        for path in ("/now", "/trends", "/audit/report", f"/decision/{hostile[0].id}"):
            page = made.open(path)
            page.wait_for_load_state("load")
            assert (
                page.evaluate("() => document.querySelectorAll('main img, main script').length")
                == 0
            )
            assert not page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
        made.close()

    assert alarms == []
    assert made.complaints == []


def test_who_is_not_signed_in_sees_a_sentence_and_no_decision(
    browser: "Browser", visit: Visit
) -> None:
    visit.context.clear_cookies()

    page = visit.open("/now")

    assert page.locator(".row").count() == 0
    assert "automode ui" in page.inner_text("body")


def test_a_page_of_another_site_gets_nothing(browser: "Browser", window: Window) -> None:
    """Not by its name (rebinding), and not by a form that it sends."""
    made = Visit(browser, window)
    address = f"http://{window.access.host}{window.access.base}"
    page = made.tab()
    page.route(
        "http://evil.test/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<form method="post" action="{address}/policy/save"><input name="text"></form>',
        ),
    )
    page.goto("http://evil.test/")
    with page.expect_navigation() as sent:
        page.evaluate("() => document.forms[0].submit()")
    assert sent.value.status == 403

    rebound = browser.new_context(extra_http_headers={})
    plain = f"http://127.0.0.1:{window.access.port}{window.access.base}/now"
    answer = rebound.request.get(plain, headers={"host": "evil.test"})
    assert answer.status == 421
    rebound.close()
    made.close()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Running]:
    base = furnished(tmp_path)
    (base / "config" / "config.json").write_text(json.dumps(SETTINGS))
    with starting(base) as start:
        yield start()


@pytest.fixture
def inbox(browser: "Browser", daemon: Running) -> Iterator[Visit]:
    with served(window_on(daemon.base)) as running:
        made = Visit(browser, running)
        yield made
        made.close()


def test_what_waits_comes_in_by_itself_and_is_answered_while_another_one_is_typed_to(
    daemon: Running, inbox: Visit
) -> None:
    page = inbox.open("/inbox")
    badge = page.locator("[data-waiting]")
    with (
        agent_of(daemon) as one,
        agent_of(daemon) as other,
        waiting(daemon, one, "make one") as (first, told_first),
    ):
        card = page.locator(f"#ask-{first}")
        card.wait_for()
        assert badge.inner_text() == "1"
        card.get_by_text("Deny, with a reason").click()
        card.get_by_label("What the agent reads").fill("use staging")
        with waiting(daemon, other, "make two", besides=first) as (second, told_second):
            fresh = page.locator(f"#ask-{second}")
            fresh.wait_for()
            found = axe_playwright.Axe().run(page).response["violations"]
            fresh.get_by_role("button", name="Allow once").click()
            page.get_by_text("Allowed once.").wait_for()
        card.get_by_role("button", name="Deny").click()
        page.get_by_text("Nothing waits").wait_for()

    assert [violation["id"] for violation in found] == []
    assert b'"verdict":"allow","source":"approval"' in told_second[0]
    assert b"use staging" in told_first[0]
    assert not badge.is_visible()
    assert inbox.complaints == []


def test_a_rule_is_chosen_edited_and_saved_by_keys_alone(daemon: Running, inbox: Visit) -> None:
    page = inbox.open("/inbox")
    with agent_of(daemon) as agent, waiting(daemon, agent, COMMAND) as (record_id, answered):
        card = page.locator(f"#ask-{record_id}")
        card.get_by_text("Always").focus()
        page.keyboard.press("Enter")
        rule = card.get_by_role("textbox").first
        rule.wait_for()
        rule.focus()
        page.keyboard.press("End")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_text("the rule is saved").wait_for()

    assert b'"verdict":"allow","source":"rules.allow"' in answered[0]
    saved = json.loads((daemon.base / "config" / "config.json").read_text())
    assert saved["permissions"]["allow"] == [f"bash({COMMAND})"]


def test_a_browser_that_was_signed_out_is_told_so_where_it_stands(visit: Visit) -> None:
    page = visit.page
    page.wait_for_selector(".live.on")
    visit.context.clear_cookies()

    page.locator(".row > a").first.click()

    page.locator("#pane").get_by_text("not signed in").wait_for()
    assert page.locator("#pane pre").count() == 0
