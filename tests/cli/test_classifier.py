"""The classifier behind `check` and `explain`: asked once, recorded, and kept to a budget."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.cli.options import own_session
from automode.llm.model import ModelError, Reply, Trouble, Usage
from automode.llm.scripted import ScriptedModel
from automode.store.folder import StateFolder
from tests.cli.records import keep, stored_records, stored_usage, used

Run = Callable[..., Result]
Write = Callable[[object], None]
HAIKU = "anthropic/claude-haiku-4-5"
CLEAR = Reply("0", complete=True, usage=Usage(10_000, 1))  # about a cent
UNSURE = Reply("1", complete=True, usage=Usage(10_000, 1))
BLOCKED = Reply(
    '{"decision": "block", "tier": "hard_deny", "reason": "it sends a key out"}',
    complete=True,
    usage=Usage(10_000, 1),
)
BUDGET = {"autoMode": {"budget": {"usdPerSession": 0.005}}}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedModel]:
    """Makes the chosen model one that plays these answers."""

    def choose(*answers: str | Reply | ModelError, name: str = HAIKU) -> ScriptedModel:
        scripted = ScriptedModel(answers, name=name)
        monkeypatch.setattr("automode.cli.calls.deciding.chosen_model", lambda *_: scripted)
        return scripted

    return choose


Choose = Callable[..., ScriptedModel]


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


def test_a_budget_holds_from_one_command_to_the_next(
    automode: Run, settings: Write, model: Choose
) -> None:
    settings(BUDGET)
    scripted = model(CLEAR, CLEAR)

    first = automode("check", "bash", "make x")
    second = automode("check", "bash", "make x")

    assert (first.exit_code, second.exit_code) == (0, 10)
    assert "budget" in second.stdout
    assert len(scripted.asks) == 1


def test_a_budget_is_a_days_budget(
    automode: Run, settings: Write, model: Choose, state: StateFolder
) -> None:
    settings(BUDGET)
    keep(state, used("cli/cli-2001-02-03", HAIKU, Usage(1_000_000)))
    model(CLEAR)

    assert automode("check", "bash", "make x").exit_code == 0
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


def test_a_batch_keeps_to_the_budget_too(automode: Run, settings: Write, model: Choose) -> None:
    settings(BUDGET)
    scripted = model(CLEAR, CLEAR)

    result = automode(
        "check", "--batch", "-", stdin='{"command": "make x"}\n{"command": "make y"}\n'
    )

    assert [json.loads(line)["verdict"] for line in result.stdout.splitlines()] == ["allow", "ask"]
    assert len(scripted.asks) == 1


def test_a_server_of_ones_own_is_never_priced_by_the_public_table(
    automode: Run, settings: Write, model: Choose, state: StateFolder
) -> None:
    described = {"api": "anthropic", "baseUrl": "http://127.0.0.1:9"}
    settings({"autoMode": BUDGET["autoMode"] | {"providers": {"anthropic": described}}})
    model(CLEAR, CLEAR)

    codes = [automode("check", "bash", "make x").exit_code for _ in range(2)]

    assert codes == [0, 0]
    assert [one.usd for one in stored_usage(state)] == [None, None]


def test_what_is_not_recorded_leaves_no_trace(
    automode: Run, model: Choose, state: StateFolder
) -> None:
    model(CLEAR, CLEAR)

    automode("check", "bash", "make x", "--no-record")
    before = Path(state.path).exists()
    automode("check", "bash", "make x")

    assert (before, Path(state.path).exists()) == (False, True)


def test_a_record_has_what_each_stage_used(
    automode: Run, model: Choose, state: StateFolder
) -> None:
    model(UNSURE, BLOCKED)

    automode("check", "bash", "make x")

    (found,) = stored_records(state)
    assert [(one.stage, one.model) for one in found.stages] == [
        ("fast", HAIKU),
        ("deliberate", HAIKU),
    ]
    assert [one.input for one in stored_usage(state)] == [10_000, 10_000]


ANSWERS: dict[str, tuple[str, list[Reply | ModelError]]] = {
    "what a wall denies": ("rm -rf ~", []),
    "what a door allows": ("ls", []),
    "what the first look clears": ("make x", [CLEAR]),
    "what the second look blocks": ("make x", [UNSURE, BLOCKED]),
    "an outage": ("make x", [ModelError(Trouble.BAD_KEY, "no")]),
    "what a rule asks about, cleared": ("make asked", [CLEAR]),
    "what a rule asks about, blocked": ("make asked", [UNSURE, BLOCKED]),
}


@pytest.mark.parametrize(("command", "answers"), ANSWERS.values(), ids=ANSWERS.keys())
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


def test_the_judge_that_decides_is_marked(automode: Run, model: Choose) -> None:
    scripted = model(CLEAR)

    found = judge(automode, "make x")

    assert (found["heard"], found["asked"], found["decided"]) == (True, True, True)
    assert len(scripted.asks) == 1


@pytest.mark.parametrize("command", ["ls", "rm -rf ~"])
def test_a_judge_is_not_asked_about_what_is_decided(
    automode: Run, model: Choose, command: str
) -> None:
    scripted = model(CLEAR)

    found = judge(automode, command)

    assert (found["heard"], found["asked"], found["opinion"]) == (False, False, None)
    assert "(not asked)" in automode("explain", command).stdout
    assert scripted.asks == []


def test_when_auto_mode_is_off_no_judge_is_asked(
    automode: Run, settings: Write, model: Choose
) -> None:
    settings({"autoMode": {"enabled": False}})
    scripted = model(CLEAR)

    assert judge(automode, "make x")["asked"] is False
    assert scripted.asks == []


def test_explain_can_leave_the_classifier_out(automode: Run, model: Choose) -> None:
    scripted = model(CLEAR)

    assert source(automode, "explain", "make x", "--no-classifier") == "gate.undecided"
    assert scripted.asks == []


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
