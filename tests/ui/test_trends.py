"""The page of trends: sums, charts, what fires, and what is always answered yes."""

import html
import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.decision import Verdict
from tests.cli.stored import record
from tests.ui.windows import HOSTILE, Client, window_on

NOW = time.time()


def client_of(tmp_path: Path, *reasons: str) -> Client:
    made = [
        replace(
            record(number, verdict=Verdict.DENY, source="rules.deny", reason=reason),
            at=NOW - 60 + number,
        )
        for number, reason in enumerate(reasons)
    ]
    return Client(window_on(tmp_path, *made)).sign_in()


def test_the_page_adds_up_and_every_chart_has_its_data(tmp_path: Path) -> None:
    client = client_of(tmp_path, "deny rule `bash(rm*)` matches", "deny rule `bash(rm*)` matches")

    page = client.get(client.at("/trends?days=7")).text

    charts = [json.loads(html.unescape(one)) for one in re.findall(r'data-chart="(.*?)"', page)]
    assert [len(one["days"]) for one in charts] == [7] * 6
    assert charts[0]["lines"][0]["values"][-1] == 2
    assert charts[1]["lines"][1] == {
        "label": "denials",
        "colour": "deny",
        "values": [None] * 6 + [100.0],
    }
    assert "deny rule `bash(rm*)` matches" in page


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    client = client_of(tmp_path, *HOSTILE)

    page = client.get(client.at("/trends")).text

    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize("days", ["8", "x", "-7", "9" * 5000])
def test_another_range_is_refused_with_those_that_there_are(tmp_path: Path, days: str) -> None:
    client = client_of(tmp_path)

    answer = client.get(client.at(f"/trends?days={days}"))

    assert answer.status_code == 400
    assert "7, 30, 90" in answer.text


def test_habits_are_a_part_of_the_page(client: Client) -> None:
    answer = client.get(client.at("/trends/yes?days=7"))

    assert answer.status_code == 200
    assert "always answered yes" in answer.text
