"""The plots as SVG: well-formed, told in words too, and nothing drawn outside."""

import math
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from automode.evaluation import plots
from automode.evaluation.curves import Bin, Method, Point, Rate, Threshold
from tests.rows import each_row


def rate(share: float, spread: float = 0.05) -> Rate:
    low, high = max(0.0, share - spread), min(1.0, share + spread)
    return Rate(round(100 * share), 100, 100, share, low, high, Method.WILSON)


SHARES = st.floats(0, 1)
PLOTS = {
    "bars": plots.bars("t", [("benign", rate(0.1)), ("<b>&\x00", rate(0))], bad=True),
    "one empty bar": plots.bars("t", [("benign", rate(0, 0))], bad=False),
    "stages": plots.operating("t", [Point("no <model>", rate(0.5), rate(0.01))], []),
    "a curve": plots.operating(
        "t", [Point("x", rate(0), rate(0))], [Threshold(0.5, 0.2, 0.3), Threshold(0.7, 0.1, 1.0)]
    ),
    "scores": plots.calibration("t", [Bin(0, 0.1, 0.05, rate(0.1)), Bin(0.9, 1, 1, rate(1))]),
    "large scores": plots.calibration("t", [Bin(3.0, 4.0, 3.5, rate(0.1))]),
    "times": plots.histogram("t", [0.0, 0.3, 4.0, 900.0], "milliseconds"),
    "one time": plots.histogram("t", [1.0], "milliseconds"),
}


@each_row("drawn", PLOTS.values())
def test_a_plot_is_well_formed_and_told_in_words(drawn: str) -> None:
    root = ElementTree.fromstring(drawn)

    assert root.get("role") == "img"
    assert [one.tag for one in list(root)[:2]] == ["title", "desc"]
    assert root[0].text
    assert root[1].text


@each_row("drawn", PLOTS.values())
def test_nothing_is_drawn_outside(drawn: str) -> None:
    root = ElementTree.fromstring(drawn)
    _, _, wide, high = map(float, str(root.get("viewBox")).split())

    for one in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(one.get(name, 0)) <= wide
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(one.get(name, 0)) <= high


def test_bad_work_is_hatched_and_good_work_is_not() -> None:
    rows = [("x", rate(0.5))]

    assert 'class="bad"' in plots.bars("t", rows, bad=True)
    assert 'class="bad"' not in plots.bars("t", rows, bad=False)
    assert 'id="hatch"' in plots.HATCH


def test_every_stage_has_a_shape_of_its_own() -> None:
    points = [Point(f"stage {n}", rate(n / 10), rate(0.5)) for n in range(1, 5)]

    drawn = plots.operating("t", points, [])

    shapes = re.findall(r'<(circle|rect|path) class="mark"', drawn)
    outlines = re.findall(r' d="M[\d. ]+(l[^"]+)', drawn)
    assert shapes == ["circle", "rect", "path", "path"]
    assert len(set(outlines)) == 2


@given(st.floats(1e-6, 1e7))
def test_ticks_are_a_few_round_numbers_from_nothing_on(most: float) -> None:
    found = plots.ticks(most)

    assert found[0] == 0
    assert 4 <= len(found) <= 12 or math.isclose(found[-1], most, rel_tol=0.5)
    assert found == sorted(set(found))


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=8))
def test_any_shares_can_be_drawn(shares: list[tuple[float, float]]) -> None:
    points = [Point(f"{n}", rate(a), rate(b)) for n, (a, b) in enumerate(shares)]
    rows = [(f"{n}", rate(a)) for n, (a, _) in enumerate(shares)]

    for drawn in (plots.operating("t", points, []), plots.bars("t", rows, bad=False)):
        assert "nan" not in drawn
        assert ElementTree.fromstring(drawn).tag == "svg"
