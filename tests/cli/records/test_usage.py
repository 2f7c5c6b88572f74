"""`automode usage`: tokens and money by session, stage and model."""

import json
from pathlib import Path

import pytest

from automode.llm.model import Usage
from automode.store.folder import StateFolder
from tests.cli.conftest import Run
from tests.cli.stored import keep, used

HAIKU = "anthropic/claude-haiku-4-5"


@pytest.fixture
def busy(state: StateFolder) -> StateFolder:
    """A session with a sub-session, and one of another host whose price nobody knows."""
    late = Usage(0, 100, 10_000, 0)
    keep(
        state,
        used("claude-code/abc-1", HAIKU, Usage(1000, 2, 9000, 0), millis=800, at=1000.0),
        used("claude-code/abc-1", HAIKU, late, stage="deliberate", millis=2000, at=1001.0),
        used("claude-code/abc-2", HAIKU, Usage(1000, 2, 9000, 0), parent="abc-1", at=1002.0),
        used("pi/xyz", "mine/qwen", Usage(50, 1, 50, 0), millis=300, at=1003.0),
    )
    return state


def test_with_nothing_recorded_it_says_so(automode: Run, state: StateFolder) -> None:
    result = automode("usage")

    assert result.exit_code == 0
    assert "no request" in result.stdout


def test_a_session_is_shown_with_its_sub_sessions(automode: Run, busy: StateFolder) -> None:
    data = json.loads(automode("usage", "--json").stdout)

    other, family = data["sessions"]
    assert family["session"] == "claude-code/abc-1"
    assert family["sub_sessions"] == ["claude-code/abc-2"]
    lines = [(line["stage"], line["requests"]) for line in family["lines"]]
    assert lines == [("fast", 2), ("deliberate", 1)]
    assert family["total"]["usd"] == "0.00532"
    assert family["total"]["cache_share"] == round(28 / 30, 4)
    assert (other["session"], other["total"]["usd"]) == ("pi/xyz", None)
    assert (data["total"]["requests"], data["total"]["unpriced_requests"]) == (4, 1)


def test_the_table_has_a_line_for_each_stage_and_model(automode: Run, busy: StateFolder) -> None:
    lines = automode("usage").stdout.splitlines()
    rows = [line.split() for line in automode("usage", "--session", "abc-1").stdout.splitlines()]

    (own,) = [line for line in lines if "mine/qwen" in line]
    assert own.split()[-1] == "unknown"
    assert lines[-1].endswith("cost 0.0053 USD + 1 unknown")
    assert ["fast", HAIKU, "2", "2,000", "4", "18,000", "0", "90", "%", "0.0038"] in rows
    assert ["deliberate", HAIKU, "1", "0", "100", "10,000", "0", "100", "%", "0.0015"] in rows
    assert not any("mine/qwen" in row for row in rows)


def test_a_session_can_be_asked_for_by_its_name_or_how_it_begins(
    automode: Run, busy: StateFolder
) -> None:
    def found(name: str) -> dict[str, object]:
        (one,) = json.loads(automode("usage", "--session", name, "--json").stdout)["sessions"]
        assert isinstance(one, dict)
        return one

    names = ("abc-2", "x", "claude-code/abc-2", "pi/")
    wanted = ["claude-code/abc-2", "pi/xyz"] * 2
    assert [found(name)["session"] for name in names] == wanted
    assert found("abc-2")["parent"] == "claude-code/abc-1"


def test_sessions_of_two_hosts_with_one_id_are_two_and_a_silent_parent_heads_its_family(
    automode: Run, state: StateFolder
) -> None:
    keep(state, used("one/same"), used("two/same"), used("pi/child", parent="quiet"))

    data = json.loads(automode("usage", "--json").stdout)

    families = {one["session"]: one["sub_sessions"] for one in data["sessions"]}
    assert families == {"one/same": [], "two/same": [], "pi/quiet": ["pi/child"]}
    assert automode("usage", "--session", "same").exit_code == 2


def test_only_the_latest_sessions_are_shown_and_the_rest_is_counted(
    automode: Run, state: StateFolder
) -> None:
    keep(state, *(used(f"pi/s{number}") for number in range(12)))
    keep(state, used("pi/a\x1b[2Jb\nc", "mine/m\x1b[1m"))

    text = automode("usage").stdout

    assert "and 3 more" in text
    assert "all 13 sessions: 13 requests" in text
    assert "\x1b" not in text


def test_isolated_leaves_the_account_s_own_usage_out(automode: Run, busy: StateFolder) -> None:
    alone = json.loads(automode("usage", "--isolated", "--json").stdout)
    words = ("usage", "--isolated", "--state-folder", busy.path, "--json")
    named = json.loads(automode(*words).stdout)

    assert (alone["total"]["requests"], named["total"]["requests"]) == (0, 4)


def test_a_store_that_cannot_be_read_is_an_error(automode: Run, state: StateFolder) -> None:
    Path(state.prepared().database).write_bytes(b"no database at all" * 100)

    result = automode("usage")

    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
