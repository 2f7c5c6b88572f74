"""The classifier behind `check` and `explain`: asked once, recorded, and kept to a budget."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from automode.cli.options import own_session
from automode.llm.model import ModelError, ModelFault, Reply, Usage
from automode.llm.scripted import ScriptedModel
from automode.store.folder import StateFolder
from tests.cli.conftest import Run, Write
from tests.cli.stored import keep, stored_records, stored_usage, used
from tests.rows import each_row

HAIKU = "anthropic/claude-haiku-4-5"
CLEAR = Reply("0", complete=True, usage=Usage(10_000, 1))  # about a cent
UNSURE = Reply("1", complete=True, usage=Usage(10_000, 1))
BLOCKED = Reply(
    '{"decision": "block", "tier": "hard_deny", "reason": "it sends a key out"}',
    complete=True,
    usage=Usage(10_000, 1),
)
BUDGET = {"autoMode": {"budget": {"usdPerSession": 0.005}}}


Choose = Callable[..., ScriptedModel]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Makes the chosen model one that plays these answers."""

    def choose(*answers: str | Reply | ModelError, name: str = HAIKU) -> ScriptedModel:
        scripted = ScriptedModel(answers, name=name)
        monkeypatch.setattr(
            "automode.cli.calls.deciding.chosen_model", lambda *_, **_keys: scripted
        )
        return scripted

    return choose


def source(automode: Run, *words: str) -> str:
    data = json.loads(automode(*words, "--json").stdout)
    found = data.get("decision", data)["source"]
    assert isinstance(found, str)
    return found


def judge(automode: Run, *words: str) -> dict[str, object]:
    layers = json.loads(automode("explain", "--json", *words).stdout)["layers"]
    (found,) = [one for one in layers if one["place"] == "judge"]
    assert isinstance(found, dict)
    return found


def test_a_budget_of_a_day_holds_from_one_command_to_the_next_and_in_a_batch(
    automode: Run, settings: Write, model: Choose, state: StateFolder
) -> None:
    settings(BUDGET)
    keep(state, used("cli/cli-2001-02-03", HAIKU, Usage(1_000_000)))
    scripted = model(CLEAR, CLEAR)
    batch = '{"command": "make x"}\n{"command": "make y"}\n'

    first = automode("check", "--batch", "-", stdin=batch)
    second = automode("check", "bash", "make x")

    assert [json.loads(line)["verdict"] for line in first.stdout.splitlines()] == ["allow", "ask"]
    assert second.exit_code == 10
    assert "budget" in second.stdout
    assert len(scripted.asks) == 1
    assert [one.session for one in stored_usage(state)][1:] == [own_session()]


@pytest.mark.parametrize("command", ["explain", "check"])
def test_what_a_command_asked_counts_for_the_next_one(
    automode: Run, settings: Write, model: Choose, state: StateFolder, command: str
) -> None:
    settings(BUDGET)
    model(CLEAR)
    words = ("make x",) if command == "explain" else ("bash", "make x")

    automode(command, *words)

    assert [one.stage for one in stored_usage(state)] == ["fast"]
    assert "budget" in automode("explain", "make x").stdout


def test_a_budget_that_cannot_be_looked_up_decides_nothing(
    automode: Run, settings: Write, model: Choose, state: StateFolder
) -> None:
    settings(BUDGET)
    scripted = model(CLEAR)
    Path(state.prepared().database).write_bytes(b"no database at all" * 100)

    result = automode("check", "bash", "make x")

    assert result.exit_code == 2
    assert scripted.asks == []


def test_a_server_of_ones_own_is_never_priced_by_the_public_table(
    automode: Run, settings: Write, model: Choose, state: StateFolder
) -> None:
    described = {"api": "anthropic", "baseUrl": "http://127.0.0.1:9"}
    settings({"autoMode": BUDGET["autoMode"] | {"providers": {"anthropic": described}}})
    model(CLEAR, CLEAR)

    codes = [automode("check", "bash", "make x").exit_code for _ in range(2)]

    assert codes == [0, 0]
    assert [one.usd for one in stored_usage(state)] == [None, None]


def test_a_record_has_what_each_stage_used_and_a_trial_leaves_no_trace(
    automode: Run, model: Choose, state: StateFolder
) -> None:
    model(CLEAR, UNSURE, BLOCKED)

    automode("check", "bash", "make x", "--no-record")
    before = Path(state.path).exists()
    automode("check", "bash", "make x")

    (found,) = stored_records(state)
    stages = [(one.stage, one.model) for one in found.stages]
    assert stages == [("fast", HAIKU), ("deliberate", HAIKU)]
    assert [one.input for one in stored_usage(state)] == [10_000, 10_000]
    assert not before


ANSWERS: dict[str, tuple[str, list[Reply | ModelError]]] = {
    "what a wall denies": ("rm -rf ~", []),
    "what a door allows": ("ls", []),
    "what the first look clears": ("make x", [CLEAR]),
    "what the second look blocks": ("make x", [UNSURE, BLOCKED]),
    "an outage": ("make x", [ModelError(ModelFault.BAD_KEY, "no")]),
    "what a rule asks about, cleared": ("make asked", [CLEAR]),
    "what a rule asks about, blocked": ("make asked", [UNSURE, BLOCKED]),
}


@each_row("command, answers", ANSWERS.values())
def test_check_and_explain_agree_and_pay_once(
    automode: Run,
    settings: Write,
    model: Choose,
    command: str,
    answers: list[Reply | ModelError],
) -> None:
    settings({"permissions": {"ask": ["bash(make asked)"]}})
    checking = model(*answers)
    checked = source(automode, "check", "bash", command)
    explaining = model(*answers)
    explained = source(automode, "explain", command)

    assert checked == explained
    assert len(checking.asks) == len(explaining.asks) == len(answers)


def test_a_judge_is_asked_only_where_it_decides(
    automode: Run, settings: Write, model: Choose
) -> None:
    scripted = model(CLEAR)

    for command in ("ls", "rm -rf ~"):
        found = judge(automode, command)
        assert (found["heard"], found["asked"], found["opinion"]) == (False, False, None)
        assert "(not asked)" in automode("explain", command).stdout
    alone = source(automode, "explain", "make x", "--no-classifier")
    settings({"autoMode": {"enabled": False}})
    off = judge(automode, "make x")["asked"]
    settings({})
    asked_before = len(scripted.asks)
    found = judge(automode, "make x")

    assert (alone, off, asked_before) == ("gate.undecided", False, 0)
    assert (found["heard"], found["asked"], found["decided"]) == (True, True, True)
    assert len(scripted.asks) == 1


def test_the_words_of_the_user_reach_the_classifier_from_both(automode: Run, model: Choose) -> None:
    scripted = model(CLEAR, CLEAR)

    automode("check", "bash", "make x", "--user", "please make the zebra")
    automode("explain", "make x", "--user", "please make the zebra")

    assert ["zebra" in one.context + one.question for one in scripted.prompts] == [True, True]


def test_a_second_home_is_no_second_request(
    automode: Run, model: Choose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    scripted = model(CLEAR, CLEAR)

    explained = source(automode, "explain", "make x")

    assert (explained, len(scripted.asks)) == ("classifier.fast", 1)
    assert source(automode, "explain", "rm -rf ~") == source(automode, "check", "bash", "rm -rf ~")
