"""The page of the audit: the chain is checked, taken along and printed."""

import csv
import io
import time
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.decision import Verdict
from automode.store.audit import COLUMNS
from automode.store.verify import from_lines, verify
from tests.cli.stored import record, writable
from tests.ui.windows import HOSTILE, RECORDS, Client, window_on


def test_the_chain_is_checked(client: Client) -> None:
    assert "<strong>Sound</strong>: 3 records" in client.get(client.at("/audit/check")).text


def test_a_changed_record_is_told(client: Client) -> None:
    with writable(client.window.state) as db, db.transaction():
        db.execute("UPDATE decision SET body = replace(body, 'git push', 'git pull')")

    assert "<strong>Not sound</strong>" in client.get(client.at("/audit/check")).text


def test_the_chain_that_was_taken_along_is_sound(client: Client) -> None:
    answer = client.get(client.at("/audit/decisions.jsonl"))

    found = verify(from_lines(answer.text.splitlines()), None)
    assert found.sound
    assert found.records == len(RECORDS)
    assert "attachment" in answer.headers["content-disposition"]


def test_a_table_has_a_row_for_each_record_the_newest_first(client: Client) -> None:
    rows = list(csv.reader(io.StringIO(client.get(client.at("/audit/decisions.csv")).text)))

    assert tuple(rows[0]) == COLUMNS
    assert [row[0] for row in rows[1:]] == [one.id for one in reversed(RECORDS)]


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    formula = "=cmd|' /C calc'!A0"
    client = Client(window_on(tmp_path, record(1, action=formula))).sign_in()

    rows = list(csv.reader(io.StringIO(client.get(client.at("/audit/decisions.csv")).text)))

    assert rows[1][COLUMNS.index("action")] == f"'{formula}"


@pytest.mark.real
def test_a_parquet_file_holds_the_same_table(client: Client) -> None:
    arrow = pytest.importorskip("pyarrow.parquet", reason="NO PYARROW: no Parquet was tested")

    answer = client.get(client.at("/audit/decisions.parquet"))

    table = arrow.read_table(io.BytesIO(answer.content))
    assert tuple(table.column_names) == COLUMNS
    assert table.column("id").to_pylist() == [one.id for one in reversed(RECORDS)]


def test_without_the_extra_a_sentence_says_what_to_install(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)

    answer = client.get(client.at("/audit/decisions.parquet"))

    assert answer.status_code == 400
    assert "extra" in answer.text


def test_the_report_names_what_was_stopped_and_keeps_text_text(tmp_path: Path) -> None:
    stopped = [
        replace(record(number, verdict=Verdict.DENY, action=text, reason=text), at=time.time() - 60)
        for number, text in enumerate(HOSTILE)
    ]
    client = Client(window_on(tmp_path, *stopped)).sign_in()

    page = client.get(client.at("/audit/report")).text

    assert page.count('class="verdict deny"') == len(HOSTILE)
    assert "<script>alert" not in page
    assert "\x1b" not in page
