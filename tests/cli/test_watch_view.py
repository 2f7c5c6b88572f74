"""What `automode watch` shows, at every size."""

import re

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.cli.watch import KEPT, Tally, View, cells_of, fitted, padded, plain_line
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from tests.cli.records import record, spent

texts = st.text(max_size=300)


def cells(line: str) -> int:
    return sum(map(cells_of, click.unstyle(line)))


def view(*records_shown: object) -> View:
    found = View(since=1_800_000_000.0, daemon="daemon 1.0, pid 7")
    for one in records_shown:
        found.take(one, counted=True)  # type: ignore[arg-type]
    return found


def shown(found: View, columns: int = 80, rows: int = 24) -> str:
    return "\n".join(click.unstyle(line) for line in found.lines(columns, rows))


def test_a_decision_is_a_row_with_time_verdict_tool_action_and_source() -> None:
    (row,) = [line for line in shown(view(record())).splitlines() if "git status" in line]

    assert re.fullmatch(r"\d\d:\d\d:\d\d  allow  Bash +git status +read-only", row)


def test_what_was_not_allowed_has_its_reason_under_it() -> None:
    denied = record(verdict=Verdict.DENY, action="rm -rf /", source="floor.x", reason="too much")

    lines = shown(view(denied)).splitlines()

    (at,) = [number for number, line in enumerate(lines) if "rm -rf /" in line]
    assert "deny" in lines[at]
    assert lines[at + 1].strip() == "claude-code/01234567: too much"


def test_a_wide_terminal_shows_the_session_of_every_row() -> None:
    assert "claude-code/01234567" in shown(view(record()), columns=120)


def test_a_narrow_terminal_leaves_the_source_out_before_the_action() -> None:
    text = shown(view(record()), columns=50)

    assert "git status" in text
    assert "read-only" not in text


def test_counters_and_cost_are_added_up() -> None:
    found = view(
        record(1, stages=(spent("0.01"),)),
        record(2, verdict=Verdict.DENY, stages=(spent("0.002"), spent(None))),
        record(3, verdict=Verdict.HALT),
    )

    counters = shown(found, columns=100).splitlines()[1]

    assert counters.startswith("allow 1  ask 0  deny 1  halt 1")
    assert "model 3 requests, 0.0120 USD + 1 unknown" in counters


def test_the_counters_fit_into_eighty_columns() -> None:
    tally = Tally()
    for number in range(2000):
        tally.add(record(number, verdict=Verdict(number % 3), stages=(spent("0.0001"),)))

    assert cells(str(tally)) <= 80


def test_records_from_before_are_shown_but_not_counted() -> None:
    found = View(since=0.0)
    found.take(record(action="earlier"), counted=False)

    assert "earlier" in shown(found)
    assert "allow 0" in shown(found)


def test_what_a_person_does_is_shown_but_not_counted() -> None:
    found = view(record(action="automode off s", source="person.off"))

    assert "automode off s" in shown(found)
    assert "allow 0" in shown(found)


def test_the_newest_is_the_last_row_and_older_ones_leave_at_the_top() -> None:
    found = view(*(record(number, action=f"call-{number}") for number in range(100)))

    actions = re.findall(r"call-\d+", shown(found, rows=12))

    assert actions == [f"call-{number}" for number in range(92, 100)]


def test_nothing_yet_is_said() -> None:
    assert "no decision yet" in shown(view())


def test_what_is_kept_is_bounded() -> None:
    found = view(*(record(number) for number in range(2 * KEPT)))

    assert len(found.records) == KEPT
    assert found.tally.verdicts["allow"] == 2 * KEPT


@given(
    texts,
    texts,
    texts,
    st.sampled_from(Verdict),
    st.integers(min_value=1, max_value=200),
    st.integers(min_value=1, max_value=60),
)
def test_whatever_a_call_holds_no_line_is_wider_and_no_screen_taller_than_the_terminal(
    tool: str, action: str, reason: str, verdict: Verdict, columns: int, rows: int
) -> None:
    found = view(record(tool=tool, action=action, reason=reason, verdict=verdict))

    lines = found.lines(columns, rows)

    assert len(lines) <= rows
    assert [line for line in lines if cells(line) > columns] == []


@given(texts, texts, texts, texts)
def test_whatever_a_call_holds_it_cannot_steer_the_terminal(
    tool: str, action: str, reason: str, session: str
) -> None:
    one = record(
        tool=tool,
        action=action,
        reason=reason,
        verdict=Verdict.ASK,
        session=SessionKey("host", session),
    )

    lines = [click.unstyle(line) for line in view(one).lines(120, 24)] + [plain_line(one)]

    assert [line for line in lines if not line.isprintable()] == []


@pytest.mark.parametrize(
    ("text", "room", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("a\nb", 10, "a\\nb"),
    ],
)
def test_a_text_is_cut_where_its_cells_end(text: str, room: int, expected: str) -> None:
    assert fitted(text, room) == expected
    assert cells(padded(text, room)) == room


def test_a_plain_line_says_it_all() -> None:
    line = plain_line(record(verdict=Verdict.DENY, action="rm -rf /", source="floor.x"))

    assert " deny  claude-code/0123456789abcdef Bash: rm -rf / (floor.x: it only reads)" in line
