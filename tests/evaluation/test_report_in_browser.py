"""The page in a real browser: drawn, readable in light and dark, narrow and wide, without network.

A copy of the page measures itself and Chromium prints the result: nothing else has to be installed.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

from automode.evaluation.reports import page
from tests.browser import find_browser, usual_words
from tests.evaluation.written_runs import bad_call, call, judged, result, run_of

pytestmark = pytest.mark.real
READABLE = 4.5  # contrast of text that everybody can read, after the guidelines for the web
DARK = 0  # as Chromium counts colour schemes
EVIL = "<script>document.title = 'owned'</script><img src=https://example.com/x>"
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
"""Lets no script run: the copy that measures itself goes without."""
MEASURE = """
<script>
const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map(v => v / 255).map(
  v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; };
const paper = getComputedStyle(document.body).backgroundColor;
const ratio = c => { const one = light(c), other = light(paper);
  return (Math.max(one, other) + .05) / (Math.min(one, other) + .05); };
const all = names => [...document.querySelectorAll(names)];
const inks = [...all('h1, p, td, th, figcaption, .faint, pre').map(e => getComputedStyle(e).color),
              ...all('figure text').map(e => getComputedStyle(e).fill)];
const plots = all('figure svg').map(svg => { const box = svg.getBoundingClientRect();
  return {wide: box.width, high: box.height,
          outside: [...svg.querySelectorAll('text, rect, circle')].filter(e => {
            const b = e.getBoundingClientRect();
            return b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1;
          }).length}; });
const root = document.documentElement;
const longest = kind => Math.max(...all('rect.' + kind).map(e => e.getBBox().width));
const found = {paper, texts: inks.length, worst: Math.min(...inks.map(ratio)), plots,
  sideways: root.scrollWidth - root.clientWidth, title: document.title,
  bars: ['good', 'bad'].map(longest), fill: getComputedStyle(all('rect.bad')[0]).fill,
  hatch: all('#hatch')[0] instanceof SVGPatternElement,
  foreign: document.scripts.length - 1 + document.images.length,
  fetched: performance.getEntriesByType('resource').length};
document.body.textContent = 'MEASURED' + JSON.stringify(found) + 'END';
</script>
"""


@pytest.fixture(scope="module")
def browser() -> str:
    return find_browser()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    long = "a-category-with-a-long-name" * 3
    run = run_of(
        folder / "run",
        *(call(f"g{n}", micros=7**n % 99_991 + 1, category=f"kind-{n % 9}") for n in range(90)),
        call("denied", "deny", action=EVIL + "x" * 900, category=long),
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
    whole = page(run)
    assert POLICY.search(whole)
    measured = POLICY.sub("", whole).replace("</body>", f"{MEASURE}</body>")
    path.write_text(measured, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("width", "dark"), [(500, False), (1000, False), (1000, True), (1900, False)]
)
def test_the_page_is_drawn_readable_and_fetches_and_runs_nothing(
    browser: str, shown: Path, tmp_path: Path, width: int, dark: bool
) -> None:
    words = [*usual_words(browser, tmp_path), "--dump-dom", f"--window-size={width},900"]
    words += [f"--blink-settings=preferredColorScheme={DARK}"] if dark else []

    done = subprocess.run(
        [*words, shown.as_uri()], capture_output=True, text=True, check=False, timeout=120
    )

    told = re.search(r"MEASURED(\{.*\})END", done.stdout)
    assert told is not None, done.stderr
    found = json.loads(told[1].replace("&quot;", '"'))
    assert found["paper"] == ("rgb(20, 20, 20)" if dark else "rgb(255, 255, 255)")
    assert found["texts"] > 100
    assert found["worst"] >= READABLE
    assert len(found["plots"]) >= 4
    for plot in found["plots"]:
        assert (plot["wide"] > 250, plot["high"] > 15, plot["outside"]) == (True, True, 0)
    assert (found["sideways"], found["foreign"], found["fetched"]) == (0, 0, 0)
    assert found["title"] == "automode: run run"
    assert min(found["bars"]) > 50
    assert (found["fill"], found["hatch"]) == ('url("#hatch")', True)
