"""The page: whole, self-contained, and no case can put anything of its own into it. Its plots:
well-formed, told in words too, and nothing drawn outside."""

import math
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from automode.evaluation.outcomes import Run, confusions
from automode.evaluation.report_html import (
    HATCH,
    STYLE,
    bars,
    histogram,
    page,
    stages_plot,
    ticks,
)
from automode.evaluation.scoring import Point, Rate, score
from tests.evaluation.written_runs import bad_call, call, judged, result, run_of
from tests.rows import each_row

VOID = {"meta", "br", "hr"}
READABLE = 4.5  # contrast of text that everybody can read, after the guidelines for the web
KNOWN_TAGS = set(
    "html head meta title style body main h1 h2 h3 p div span strong table tr th td figure"
    " figcaption article pre details summary"
    " svg defs pattern line rect circle path polyline text desc".split()
)
EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x00\ud800&amp;'\""


class Tags(HTMLParser):
    """What is opened and closed, and every attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    @property
    def whole(self) -> bool:
        return not self._open


def tags(run: Run) -> Tags:
    found = Tags()
    found.feed(page(run, score(run), confusions(run)))
    return found


def full_run(folder: Path) -> Run:
    return run_of(
        folder,
        *(call(f"g{n}", micros=10 * n + 1) for n in range(20)),
        call("denied", "deny", action=EVIL, reason=EVIL, asked=EVIL),
        judged("fast", "allow", "fast", score=0.1),
        judged("second", "deny", "deliberate", score=0.8),
        bad_call("missed", "allow", category=EVIL, grade=EVIL, rule=EVIL),
        judged("caught", "deny", "deliberate", score=0.9, label="block"),
        result("r1"),
        result("r2", suspect=True, label="injection"),
        result("r3", label="injection", excerpt=EVIL),
        plan={"model": EVIL},
    )


ALONE = {
    "good work alone": [call("1")],
    "bad work alone": [bad_call("1")],
    "results alone": [result("1", label="injection")],
    "nothing in the headline": [call("1", headline=False)],
    "no times": [call("1", micros=0)],
}


@each_row("rows", ALONE.values())
def test_a_page_is_whole_whatever_a_run_lacks(
    tmp_path: Path, rows: list[dict[str, object]]
) -> None:
    found = tags(run_of(tmp_path, *rows))

    assert found.whole
    assert set(found.seen) <= KNOWN_TAGS


def test_no_case_puts_markup_into_the_page_and_nothing_is_fetched_or_run(tmp_path: Path) -> None:
    found = tags(full_run(tmp_path))

    assert found.whole
    assert set(found.seen) <= KNOWN_TAGS
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert any("<script>alert(1)" in text for text in found.text)
    assert not [name for name, _ in found.attributes if name in ("src", "href", "xlink:href")]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in found.attributes


def test_a_page_can_be_written_in_utf8_and_hides_no_letter(tmp_path: Path) -> None:
    run = full_run(tmp_path)

    text = page(run, score(run), confusions(run))

    assert text.encode("utf-8")
    assert all(letter.isprintable() or letter == "\n" for letter in text)


def test_all_plots_are_there(tmp_path: Path) -> None:
    titles = "".join(tags(full_run(tmp_path)).text)

    for title in (
        "How far the gate goes",
        "By category: good work denied or asked",
        "By category: bad work missed",
        "By category: false alarms",
        "How long decisions took",
        "What judged calls cost",
    ):
        assert title in titles


def test_without_a_model_no_figure_of_one_is_invented(tmp_path: Path) -> None:
    text = "".join(tags(run_of(tmp_path, call("1", "ask"), bad_call("2", "ask"))).text)

    assert "No model judged in this run" in text
    assert "No model was asked: no tokens, no cost." in text
    assert "first look" not in text


def test_examples_are_bounded_and_an_unfinished_run_says_so(tmp_path: Path) -> None:
    planned = [{"name": "calls", "actions": 99, "results": 0}]
    rows = (bad_call(f"{n}", "allow") for n in range(30))
    run = run_of(tmp_path, *rows, plan={"sample": None}, corpora=planned)

    text = page(run, score(run), confusions(run), most=4)

    assert "Unfinished: 99 were planned." in text
    assert text.count("<article>") == 4
    assert "30 in all; the worst 4 are shown" in text


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_every_text_can_be_read_in_light_and_dark() -> None:
    light, dark = STYLE.split("@media")[0], STYLE.split("@media")[1]
    for scheme in (light, dark):
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", scheme))

        assert {"ink", "paper", "faint"} <= colours.keys()
        for name in ("ink", "faint"):
            assert contrast(colours[name], colours["paper"]) >= READABLE


def rate(share: float, spread: float = 0.05) -> Rate:
    low, high = max(0.0, share - spread), min(1.0, share + spread)
    return Rate(round(100 * share), 100, 100, share, low, high)


SHARES = st.floats(0, 1)
PLOTS = {
    "bars": bars("t", [("benign", rate(0.1)), ("<b>&\x00", rate(0))], bad=True),
    "one empty bar": bars("t", [("benign", rate(0, 0))], bad=False),
    "stages": stages_plot("t", [Point("no <model>", rate(0.5), rate(0.01))]),
    "no share at all": stages_plot("t", [Point("x", rate(0), rate(0))]),
    "times": histogram("t", [0.0, 0.3, 4.0, 900.0], "milliseconds"),
    "one time": histogram("t", [1.0], "milliseconds"),
}


@each_row("drawn", PLOTS.values())
def test_a_plot_is_well_formed_told_in_words_and_nothing_is_drawn_outside(drawn: str) -> None:
    root = ElementTree.fromstring(drawn)

    assert root.get("role") == "img"
    assert [one.tag for one in list(root)[:2]] == ["title", "desc"]
    assert root[0].text
    assert root[1].text
    _, _, wide, high = map(float, str(root.get("viewBox")).split())

    for one in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(one.get(name, 0)) <= wide
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(one.get(name, 0)) <= high


def test_bad_work_is_hatched_and_good_work_is_not() -> None:
    rows = [("x", rate(0.5))]

    assert 'class="bad"' in bars("t", rows, bad=True)
    assert 'class="bad"' not in bars("t", rows, bad=False)
    assert 'id="hatch"' in HATCH


def test_every_stage_has_a_shape_of_its_own() -> None:
    points = [Point(f"stage {n}", rate(n / 10), rate(0.5)) for n in range(1, 5)]

    drawn = stages_plot("t", points)

    shapes = re.findall(r'<(circle|rect|path) class="mark"', drawn)
    outlines = re.findall(r' d="M[\d. ]+(l[^"]+)', drawn)
    assert shapes == ["circle", "rect", "path", "path"]
    assert len(set(outlines)) == 2


@given(st.floats(1e-6, 1e7))
def test_ticks_are_a_few_round_numbers_from_nothing_on(most: float) -> None:
    found = ticks(most)

    assert found[0] == 0
    assert 4 <= len(found) <= 12 or math.isclose(found[-1], most, rel_tol=0.5)
    assert found == sorted(set(found))


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=8))
def test_any_shares_can_be_drawn(shares: list[tuple[float, float]]) -> None:
    points = [Point(f"{n}", rate(a), rate(b)) for n, (a, b) in enumerate(shares)]
    rows = [(f"{n}", rate(a)) for n, (a, _) in enumerate(shares)]

    for drawn in (stages_plot("t", points), bars("t", rows, bad=False)):
        assert "nan" not in drawn
        assert ElementTree.fromstring(drawn).tag == "svg"
