"""`automode usage`: tokens and money by session, stage and model."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.llm.ledger import Ledger, usage_file
from automode.llm.model import Usage

Run = Callable[..., Result]
HAIKU = "anthropic/claude-haiku-4-5"


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """The record that the command reads."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return Ledger(usage_file("", {"XDG_STATE_HOME": str(tmp_path)}))


@pytest.fixture
def busy(ledger: Ledger) -> Ledger:
    """A session with a sub-session, and another one whose price nobody knows."""
    ledger.record("abc-1", None, "fast", HAIKU, Usage(1000, 2, 9000, 0), 800)
    ledger.record("abc-1", None, "deliberate", HAIKU, Usage(0, 100, 10_000, 0), 2000)
    ledger.record("abc-2", "abc-1", "fast", HAIKU, Usage(1000, 2, 9000, 0), 700)
    ledger.record("xyz", None, "fast", "mine/qwen", Usage(50, 1, 50, 0), 300)
    return ledger


def test_with_nothing_recorded_it_says_so(automode: Run, ledger: Ledger) -> None:
    result = automode("usage")

    assert result.exit_code == 0
    assert "no request" in result.stdout


def test_a_session_is_shown_with_its_sub_sessions(automode: Run, busy: Ledger) -> None:
    data = json.loads(automode("usage", "--json").stdout)

    other, family = data["sessions"]
    assert (family["session"], family["sub_sessions"]) == ("abc-1", ["abc-2"])
    assert [(line["stage"], line["requests"]) for line in family["lines"]] == [
        ("fast", 2),
        ("deliberate", 1),
    ]
    assert family["total"]["usd"] == "0.00532"
    assert family["total"]["cache_share"] == round(28 / 30, 4)
    assert (other["session"], other["total"]["usd"]) == ("xyz", None)
    assert (data["total"]["requests"], data["total"]["unpriced_requests"]) == (4, 1)


def test_an_unknown_price_is_called_unknown(automode: Run, busy: Ledger) -> None:
    lines = automode("usage").stdout.splitlines()

    (own,) = [line for line in lines if "mine/qwen" in line]
    assert own.split()[-1] == "unknown"
    assert lines[-1].endswith("cost 0.0053 USD + 1 unknown")


def test_the_table_has_a_line_for_each_stage_and_model(automode: Run, busy: Ledger) -> None:
    rows = [line.split() for line in automode("usage", "--session", "abc-1").stdout.splitlines()]

    assert ["fast", HAIKU, "2", "2,000", "4", "18,000", "0", "90", "%", "0.0038"] in rows
    assert ["deliberate", HAIKU, "1", "0", "100", "10,000", "0", "100", "%", "0.0015"] in rows
    assert not any("mine/qwen" in row for row in rows)


def test_a_sub_session_can_be_asked_for_by_how_its_id_begins(automode: Run, busy: Ledger) -> None:
    (found,) = json.loads(automode("usage", "--session", "abc-2", "--json").stdout)["sessions"]
    by_start = json.loads(automode("usage", "--session", "x", "--json").stdout)["sessions"]

    assert (found["parent"], found["total"]["requests"]) == ("abc-1", 1)
    assert by_start[0]["session"] == "xyz"


@pytest.mark.parametrize(("wanted", "said"), [("nobody", "no session"), ("abc", "2 sessions")])
def test_a_name_that_fits_none_or_many_is_an_error(
    automode: Run, busy: Ledger, wanted: str, said: str
) -> None:
    result = automode("usage", "--session", wanted)

    assert result.exit_code == 2
    assert said in result.stderr


def test_only_the_latest_sessions_are_shown_and_the_rest_is_counted(
    automode: Run, ledger: Ledger
) -> None:
    for number in range(13):
        ledger.record(f"s{number}", None, "fast", "mine/m", Usage(1), 1)

    text = automode("usage").stdout

    assert "3 earlier sessions" in text
    assert "all 13 sessions: 13 requests" in text


def test_a_parent_that_never_asked_still_heads_its_family(automode: Run, ledger: Ledger) -> None:
    ledger.record("child", "quiet", "fast", "mine/m", Usage(1), 1)

    (found,) = json.loads(automode("usage", "--json").stdout)["sessions"]

    assert (found["session"], found["sub_sessions"]) == ("quiet", ["child"])


def test_unreadable_lines_are_mentioned(automode: Run, busy: Ledger, tmp_path: Path) -> None:
    with (tmp_path / "automode/usage.jsonl").open("a") as file:
        file.write("nonsense\n")

    assert "skipped 1 unreadable" in automode("usage").stderr


def test_a_name_cannot_steer_the_terminal(automode: Run, ledger: Ledger) -> None:
    ledger.record("a\x1b[2Jb\nc", None, "fast", "mine/m\x1b[1m", Usage(1), 1)

    assert "\x1b" not in automode("usage").stdout
