"""`automode replay`: real calls of the past decided again."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.agents.scripted.model_server import ModelServer
from automode.core.decision import Verdict
from automode.core.record import Record
from automode.store.folder import StateFolder
from tests.cli.conftest import Run, Write
from tests.cli.stored import keep, record
from tests.evaluation.written_sessions import CLAUDE_CODE, CODEX, HERE, PI
from tests.rows import each_row

STRICTER = {"permissions": {"deny": ["bash(git push*)"]}}
PUSH = json.dumps({"command": "git push -f origin main"})


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent has one recorded session."""
    for variable, folder, file in (
        ("CLAUDE_CONFIG_DIR", "projects", CLAUDE_CODE),
        ("PI_CODING_AGENT_DIR", "sessions", PI),
        ("CODEX_HOME", "sessions", CODEX),
    ):
        place = tmp_path / variable
        (place / folder).mkdir(parents=True)
        shutil.copy(file, place / folder / "session.jsonl")
        monkeypatch.setenv(variable, str(place))


@pytest.fixture
def policy(tmp_path: Path) -> str:
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(STRICTER))
    return str(file)


@pytest.fixture
def recorded(state: StateFolder) -> StateFolder:
    keep(
        state,
        decided(1, Verdict.ALLOW),
        decided(2, Verdict.DENY, enforced=False),
        decided(3, Verdict.DENY),
    )
    return state


def decided(number: int, verdict: Verdict, *, enforced: bool = True) -> Record:
    made = record(number, verdict=verdict, source="classifier.fast", action="git push -f")
    return replace(made, input=PUSH, enforced=enforced)


def found(result: Result) -> dict[str, object]:
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert isinstance(data, dict)
    return data


COUNTS: dict[tuple[str, ...], int] = {
    (): 17,
    ("--from", "claude-code"): 7,
    ("--from", "pi"): 5,
    ("--from", "codex"): 5,
    ("--from", "pi", "--from", "codex"): 10,
    ("--from", str(PI)): 5,
    (str(PI), str(CODEX)): 10,
    (str(HERE),): 18,
    ("--limit", "4"): 4,
    ("--since", "2026-11-15T16:22:00+00:00"): 12,
    ("--from", "pi", "--since", "2026-11-15T17:00:00+00:00"): 0,
}


@each_row("words, calls", COUNTS.items())
def test_calls_are_read_from_where_the_words_say(
    automode: Run, words: tuple[str, ...], calls: int
) -> None:
    assert found(automode("replay", "--no-classifier", "--json", *words))["calls"] == calls


def test_it_says_how_many_calls_a_policy_would_have_stopped_and_which(
    automode: Run, policy: str
) -> None:
    text = automode("replay", "--no-classifier", "--policy", policy).stdout

    assert "would have stopped 3 of 17 calls (3 of them ran)" in text
    assert "3 would be stopped" in text
    assert text.count("git push -f origin main") == 3
    assert "ran → deny by rules.deny" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_config_takes_the_place_of_the_own_settings_and_a_policy_joins_them(
    automode: Run, settings: Write, policy: str
) -> None:
    settings({"permissions": {"ask": ["read"]}})

    beside = found(automode("replay", "--no-classifier", "--json", "--policy", policy))
    instead = found(automode("replay", "--no-classifier", "--json", "--config", policy))

    assert beside["turns"] == {"stopped": 3, "asked": 6, "let through": 0, "eased": 0}
    assert instead["turns"] == {"stopped": 3, "asked": 0, "let through": 0, "eased": 0}


def test_the_audit_store_goes_first_where_it_holds_anything_and_nothing_is_recorded(
    automode: Run, recorded: StateFolder, policy: str
) -> None:
    before = found(automode("replay", "--no-classifier", "--json"))
    data = found(automode("replay", "--no-classifier", "--json", "--policy", policy))

    assert (data["from"], data["calls"], data["shadow"]) == (["audit"], 3, 1)
    assert data["stopped_of_those_that_ran"] == 2  # the allowed one, and the one in shadow mode
    assert data["turns"] == {"stopped": 1, "asked": 0, "let through": 0, "eased": 0}
    assert found(automode("replay", "--no-classifier", "--json")) == before


def test_records_of_shadow_mode_are_said_to_be_such_and_lost_ones_are_counted(
    automode: Run, recorded: StateFolder, settings: Write
) -> None:
    settings({"permissions": {"allow": ["bash(git push -f origin main)"]}})
    keep(recorded, replace(record(9), input=json.dumps({"cut": "…"})))

    text = automode("replay", "--no-classifier").stdout

    assert "1 of them in shadow mode" in text
    assert "2 would be let through" in text
    assert "deny by classifier.fast in shadow mode → allow by rules.allow" in text
    assert "1 records were purged or cut" in text


def test_what_stays_open_without_a_model_and_that_nothing_was_found_is_said(
    automode: Run,
) -> None:
    result = automode("replay", "--no-classifier", "--from", "pi")
    nothing = automode("replay", "--no-classifier", "--from", "pi", "--since", "1s")

    assert (result.exit_code, nothing.exit_code) == (0, 0)
    assert "1 that only the classifier can decide" in result.stdout
    assert "no call was found in pi" in nothing.stdout


def test_the_judge_in_force_decides_and_lines_that_are_lost_are_said(
    automode: Run, settings: Write, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(PI.read_text() + "half a li\n")

    shown = automode("replay", str(broken))
    data = found(automode("replay", str(broken), "--json"))
    settings({"autoMode": {"classifierModel": "anthropic/claude-haiku-4-5"}})
    without_key = automode("replay", str(broken))

    assert "judge      the embedded judge" in shown.stdout
    assert "1 lines in 1 files could not be read" in shown.stdout
    assert (data["judge"], data["lost_lines"], data["calls"]) == ("the embedded judge", 1, 5)
    assert data["now"] == {"allow": 4, "ask": 1}
    assert "what only the model can decide stays open" in without_key.stderr
    assert "1 that only the classifier can decide" in without_key.stdout


def test_a_real_server_is_asked_what_no_layer_could_decide(automode: Run, settings: Write) -> None:
    with ModelServer() as server:
        own = {"api": "openai", "baseUrl": f"{server.url}/judge/v1"}
        settings({"autoMode": {"providers": {"mine": own}}})

        data = found(automode("replay", "--json", "--from", "pi", "--model", "mine/m"))

        assert data["now"] == {"allow": 5}
        assert data["model"] == {"asked": 1, "usd": None, "stopped": None}
        assert server.judge_was_told("git push -f origin main")
        assert server.judge_was_told("Shall I push it?")
