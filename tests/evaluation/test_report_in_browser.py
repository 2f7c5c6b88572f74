"""The page in a real browser: drawn, readable in light and dark, narrow and wide, without network.

Chromium is spoken to over a pipe, in its own protocol: nothing has to be installed beside it.
"""

import json
import os
import select
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from automode.evaluation.confusions import confusions
from automode.evaluation.report_html import page
from automode.evaluation.scoring import score
from tests.evaluation.written_runs import bad_call, call, judged, result, run_of

pytestmark = pytest.mark.real

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE_SECONDS = 120.0
READABLE = 4.5  # contrast of text that everybody can read, after the guidelines for the web

CONTRAST = """
(() => {
  const parts = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = parts(c).map(v => v / 255).map(
    v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const ratio = c => { const one = light(c);
    return (Math.max(one, paper) + .05) / (Math.min(one, paper) + .05); };
  const ink = [...document.querySelectorAll('h1, p, td, th, figcaption, .faint, pre')].map(
    e => getComputedStyle(e).color);
  const drawn = [...document.querySelectorAll('figure text')].map(e => getComputedStyle(e).fill);
  return {paper: getComputedStyle(document.body).backgroundColor,
          worst: Math.min(...[...ink, ...drawn].map(ratio)), texts: ink.length + drawn.length};
})()
"""
DRAWN = """
[...document.querySelectorAll('figure svg')].map(svg => {
  const box = svg.getBoundingClientRect();
  const outside = [...svg.querySelectorAll('text, rect, circle')].filter(e => {
    const b = e.getBoundingClientRect();
    return b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1; });
  return {wide: box.width, high: box.height, outside: outside.map(e => e.outerHTML)};
})
"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Browser:
    """One page of a headless Chromium that this test started."""

    def __init__(self, program: str, home: Path) -> None:
        reads, self._writes = os.pipe()
        self._reads, writes = os.pipe()
        arguments = [program, "--headless", "--disable-gpu", "--remote-debugging-pipe"]
        arguments += [f"--user-data-dir={home}", "--no-first-run", "--disable-dev-shm-usage"]
        arguments += ["--disable-background-networking", "about:blank"]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")  # it refuses to start for root otherwise
        self._process = os.posix_spawn(
            program,
            arguments,
            {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home)},
            file_actions=[
                # Moved out of the way first: either may be one of the two that Chromium wants.
                (os.POSIX_SPAWN_DUP2, reads, 103),
                (os.POSIX_SPAWN_DUP2, writes, 104),
                (os.POSIX_SPAWN_DUP2, 103, 3),
                (os.POSIX_SPAWN_DUP2, 104, 4),
                (os.POSIX_SPAWN_CLOSE, 103),
                (os.POSIX_SPAWN_CLOSE, 104),
                (os.POSIX_SPAWN_OPEN, 2, str(home / "errors.txt"), os.O_WRONLY | os.O_CREAT, 0o600),
            ],
        )
        os.close(reads)
        os.close(writes)
        self._waiting = b""
        self._last = 0
        self.events: list[Mapping[str, object]] = []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        attached = self.do("Target.attachToTarget", targetId=target, flatten=True)
        self._session = str(attached["sessionId"])
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    _session = ""

    def do(self, method: str, **params: object) -> dict[str, object]:
        self._last += 1
        asked: dict[str, object] = {"id": self._last, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._writes, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            told = self._told(until)
            if told.get("id") == self._last:
                match told:
                    case {"result": dict(answer)}:
                        return answer
                    case _:
                        pytest.fail(f"{method}: {told}")
            self.events.append(told)

    def value(self, script: str) -> object:
        match self.do("Runtime.evaluate", expression=script, returnByValue=True):
            case {"result": {"value": value}, **rest} if "exceptionDetails" not in rest:
                return value
            case other:
                pytest.fail(str(other))

    def show(self, path: Path, *, width: int, scheme: str) -> None:
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self.do("Emulation.setEmulatedMedia", features=media)
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        self.do("Page.navigate", url=path.as_uri())
        until = time.monotonic() + PATIENCE_SECONDS
        while self.value("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < until
            time.sleep(0.05)

    def _told(self, until: float) -> dict[str, object]:
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._reads], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self._reads, 1 << 20)
            assert more, "the browser has ended"
            self._waiting += more
        line, _, self._waiting = self._waiting.partition(b"\0")
        told = json.loads(line)
        assert isinstance(told, dict)
        return told

    def close(self) -> None:
        """The end of the pipe ends the browser."""
        os.close(self._writes)
        os.waitpid(self._process, 0)
        os.close(self._reads)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"NO BROWSER: install one of {', '.join(NAMES)} to see the page drawn")
    started = Browser(program, tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    evil = "<script>document.title = 'owned'</script><img src=https://example.com/x>"
    run = run_of(
        folder / "run",
        *(call(f"g{n}", micros=7**n % 99_991 + 1, category=f"kind-{n % 9}") for n in range(90)),
        call("denied", "deny", action=evil + "x" * 900, category="a-category-with-a-long-name" * 3),
        *(judged(f"f{n}", "allow", "fast", score=n / 40, usd=0.0001 * (n + 1)) for n in range(20)),
        *(
            judged(f"d{n}", "deny", "deliberate", score=0.5 + n / 40, label="block")
            for n in range(20)
        ),
        bad_call("missed", "allow", category="persistence"),
        *(result(f"r{n}", score=n / 10) for n in range(10)),
        result("caught", suspect=True, label="injection"),
        result("overlooked", label="injection"),
    )
    path = folder / "report.html"
    path.write_text(page(run, score(run), confusions(run)), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_in_light_and_dark(
    browser: Browser, shown: Path, scheme: str
) -> None:
    browser.show(shown, width=1000, scheme=scheme)

    match browser.value(CONTRAST):
        case {"paper": paper, "worst": worst, "texts": texts}:
            assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 20, 20)")
            assert isinstance(texts, int)
            assert texts > 100
            assert isinstance(worst, (int, float))
            assert worst >= READABLE
        case other:
            pytest.fail(str(other))


@pytest.mark.parametrize("width", [360, 1000, 1900])
def test_every_plot_is_drawn_within_its_frame_and_the_page_never_scrolls_sideways(
    browser: Browser, shown: Path, width: int
) -> None:
    browser.show(shown, width=width, scheme="light")

    drawn = browser.value(DRAWN)
    assert isinstance(drawn, list)
    assert len(drawn) >= 9
    for one in drawn:
        assert one["wide"] > 250
        assert one["high"] > 50
        assert one["outside"] == []
    assert browser.value(OVERFLOW) == 0


def test_bars_have_a_length_and_bad_ones_a_pattern(browser: Browser, shown: Path) -> None:
    browser.show(shown, width=1000, scheme="light")

    longest = "Math.max(...[...document.querySelectorAll('rect.%s')].map(e => e.getBBox().width))"
    fill = "getComputedStyle(document.querySelector('rect.bad')).fill"

    for kind in ("good", "bad"):
        found = browser.value(longest % kind)
        assert isinstance(found, (int, float))
        assert found > 50
    assert browser.value(fill) == 'url("#hatch")'
    assert browser.value("document.querySelector('#hatch') instanceof SVGPatternElement") is True


def test_nothing_is_fetched_and_nothing_of_a_case_runs(browser: Browser, shown: Path) -> None:
    browser.events.clear()
    browser.show(shown, width=1000, scheme="light")

    assert browser.value("document.title") == "automode: run run"
    assert browser.value("document.scripts.length + document.images.length") == 0
    asked = [
        str(one["params"]["request"]["url"])  # type: ignore[index]
        for one in browser.events
        if one.get("method") == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith(("file:", "about:"))] == []
    assert shown.as_uri() in asked
    complaints = [one for one in browser.events if one.get("method") == "Log.entryAdded"]
    assert complaints == []
