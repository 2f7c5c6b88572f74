"""`automode model`: lists, picks, tests and saves the classifier's model."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import Result
from conformance.terminal import Terminal

from automode.cli.model_access import pick
from automode.cli.options import own_session
from automode.llm.model import Reply, Usage
from automode.llm.prices import Priced
from automode.llm.scripted import ScriptedModel
from automode.llm.trial import try_model
from tests.llm.conftest import Replay

Run = Callable[..., Result]
Write = Callable[[object], None]
SECRET = "sk-very-secret-0123456789"  # a made-up key


def saved(config: Path) -> object:
    return json.loads((config / "config.json").read_text())["autoMode"]["classifierModel"]


def test_it_says_which_keys_are_there_and_never_shows_one(
    automode: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    text = automode("model").stdout
    data = automode("model", "--json").stdout

    rows = [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]
    assert ["openai", "key found      OPENAI_API_KEY"] in rows
    assert ["anthropic", "no key         set ANTHROPIC_API_KEY"] in rows
    assert SECRET not in text + data


def test_a_signed_in_agent_is_proposed_and_its_program_is_saved_with_the_choice(
    automode: Run, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for module in ("model", "model_access"):
        monkeypatch.setattr(f"automode.cli.{module}.home_folder", lambda: str(tmp_path))
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    before = automode("model").stdout
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "auth.json").write_text("{}")

    listed = automode("model").stdout
    chosen = automode("model", "codex-cli/default")

    assert "not signed in: run `codex login`" in " ".join(before.split())
    assert "automode model codex-cli/default" in listed
    assert "to OpenAI, under your own sign-in" in " ".join(listed.split())
    assert chosen.exit_code == 0
    assert saved(config) == "codex-cli/default"
    providers = json.loads((config / "config.json").read_text())["autoMode"]["providers"]
    assert providers == {"codex-cli": {"command": str(program)}}


@pytest.mark.parametrize(
    ("name", "said"), [("claude-cli/haiku", "not on your PATH"), ("copilot-cli/x", "cannot be")]
)
def test_an_agent_that_cannot_be_asked_is_not_chosen(
    automode: Run, config: Path, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    done = automode("model", name)

    assert done.exit_code != 0
    assert said in done.output
    assert not (config / "config.json").exists()


def test_it_lists_models_of_the_providers_that_can_be_asked(
    automode: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)

    data = json.loads(automode("model", "--json").stdout)

    names = [one["model"] for one in data["models"]]
    assert "anthropic/claude-haiku-4-5" in names
    assert all(name.startswith("anthropic/") for name in names)
    ready = {one["name"]: one["ready"] for one in data["providers"]}
    assert (ready["anthropic"], ready["openai"], ready["ollama"]) == (True, False, True)


def test_it_says_which_model_is_in_force_and_who_set_it(
    automode: Run, settings: Write, config: Path
) -> None:
    before = automode("model").stdout
    settings({"autoMode": {"classifierModel": "openai/gpt-5-mini"}})

    data = json.loads(automode("model", "--json").stdout)

    assert "none chosen" in before
    assert "the embedded judge decides" in " ".join(before.split())
    assert (data["model"], data["source"]) == ("openai/gpt-5-mini", "user")
    assert data["file"] == str(config / "config.json")


@pytest.mark.usefixtures("asks_files")
def test_model_files_can_be_asked_and_the_list_says_how_they_are_named(automode: Run) -> None:
    text = automode("model").stdout
    data = json.loads(automode("model", "--json").stdout)

    gguf = next(one for one in data["providers"] if one["name"] == "gguf")
    assert (gguf["ready"], gguf["problem"], gguf["key_variables"]) == (True, None, [])
    row = next(line.split() for line in text.splitlines() if line.strip().startswith("gguf"))
    assert " ".join(row[1:]) == "no key needed gguf/ and the whole path of a GGUF file"


def test_a_choice_that_cannot_be_read_is_shown_and_not_passed_over(
    automode: Run, settings: Write
) -> None:
    settings({"autoMode": {"classifierModel": "gpt-5-mini"}})

    text = " ".join(automode("model").stdout.split())
    data = json.loads(automode("model", "--json").stdout)
    status = " ".join(automode("status").stdout.split())
    tested = automode("model", "--test")

    assert '`provider/model-id`, found: "gpt-5-mini"' in text
    assert "embedded judge" not in text + status
    assert 'found: "gpt-5-mini"' in status
    assert data["unusable"] is not None
    assert tested.exit_code != 0
    assert "gpt-5-mini" in tested.output


def test_the_file_for_the_first_look_is_shown(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"fastModel": "gguf//models/judge.gguf"}})

    for shown in (automode("model").stdout, automode("status").stdout):
        assert "gguf//models/judge.gguf" in shown
        assert "embedded judge" not in shown
    assert json.loads(automode("model", "--json").stdout)["fast_model"] == "gguf//models/judge.gguf"


def test_servers_of_ones_own_are_listed_first(automode: Run, settings: Write) -> None:
    settings(
        {
            "autoMode": {
                "providers": {
                    "mine": {"api": "openai", "baseUrl": "http://127.0.0.1:9/v1"},
                    "keyed": {
                        "api": "anthropic",
                        "baseUrl": "https://models.example.com",
                        "apiKeyEnv": "KEYED_API_KEY",
                    },
                }
            }
        }
    )

    mine, keyed = json.loads(automode("model", "--json").stdout)["providers"][:2]

    assert (mine["name"], mine["ready"], mine["own"]) == ("mine", True, True)
    assert (keyed["ready"], keyed["key_variables"]) == (False, ["KEYED_API_KEY"])
    assert "set KEYED_API_KEY" in automode("model").stdout


def test_a_name_is_saved_in_a_file_for_its_owner_alone(automode: Run, config: Path) -> None:
    result = automode("model", "openai/gpt-5-mini")
    mode = (config / "config.json").stat().st_mode & 0o777
    data = json.loads(automode("model", "ollama/qwen3", "--json").stdout)

    assert result.exit_code == 0
    assert "saved: openai/gpt-5-mini" in result.stdout
    file = str(config / "config.json")
    assert data == {"saved": "ollama/qwen3", "file": file, "overridden_by": None}
    assert (saved(config), mode) == ("ollama/qwen3", 0o600)
    assert json.loads(automode("model", "--json").stdout)["model"] == "ollama/qwen3"


def test_it_says_when_a_trusted_project_file_sets_another(
    automode: Run, project: Path, config: Path
) -> None:
    local = project / ".automode/config.local.json"
    local.parent.mkdir()
    local.write_text('{"autoMode": {"classifierModel": "google/gemini-2.5-flash"}}')
    untrusted = json.loads(automode("model", "openai/gpt-5", "--json").stdout)
    automode("trust", "--yes")

    result = automode("model", "openai/gpt-5-mini")

    assert untrusted["overridden_by"] is None
    assert str(local) in result.stdout
    assert "google/gemini-2.5-flash" in result.stdout
    assert saved(config) == "openai/gpt-5-mini"


def test_it_is_saved_in_the_file_that_decides(
    automode: Run, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pi's own file outranks the other one."""
    monkeypatch.setattr("automode.cli.options.home_folder", lambda: str(tmp_path))
    pi = tmp_path / ".pi/agent/automode.json"
    pi.parent.mkdir(parents=True)
    pi.write_text('{"permissions": {"deny": []}}')
    first = json.loads(automode("model", "openai/gpt-5", "--json").stdout)
    pi.write_text('{"autoMode": {"classifierModel": "google/gemini-2.5-flash"}}')
    second = json.loads(automode("model", "openai/gpt-5-mini", "--json").stdout)

    assert (first["file"], first["overridden_by"]) == (str(config / "config.json"), None)
    assert (second["file"], second["overridden_by"]) == (str(pi), None)
    assert json.loads(automode("model", "--json").stdout)["model"] == "openai/gpt-5-mini"
    assert saved(config) == "openai/gpt-5"


def test_it_says_when_the_environment_sets_another(
    automode: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = '{"autoMode": {"classifierModel": "google/gemini-2.5-flash"}}'
    monkeypatch.setenv("AUTOMODE_SETTINGS_JSON", given)

    data = json.loads(automode("model", "openai/gpt-5", "--json").stdout)

    assert "AUTOMODE_SETTINGS_JSON" in data["overridden_by"]


@pytest.fixture
def server(settings: Write, monkeypatch: pytest.MonkeyPatch) -> Iterator[Replay]:
    """A server of one's own that speaks OpenAI's format, described in the settings."""
    monkeypatch.setenv("MINE_API_KEY", SECRET)
    with Replay() as played:
        described = {"api": "openai", "baseUrl": f"{played.url}/v1", "apiKeyEnv": "MINE_API_KEY"}
        settings({"autoMode": {"providers": {"mine": described}}})
        yield played


def answer(text: str) -> dict[str, object]:
    return {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 1, "total_tokens": 41},
    }


def test_a_model_that_answers_is_saved_and_its_cost_recorded(
    automode: Run, server: Replay, config: Path
) -> None:
    server.play(body=answer("0"))

    result = automode("model", "mine/qwen", "--test")
    booked = json.loads(automode("usage", "--json").stdout)
    used = booked["total"]

    assert result.exit_code == 0, result.output
    assert [one["session"] for one in booked["sessions"]] == [str(own_session())]
    assert "40 tokens in, 1 out, cost unknown" in result.stdout
    assert [one.headers["authorization"] for one in server.got] == [f"Bearer {SECRET}"]
    assert SECRET not in result.output
    assert saved(config) == "mine/qwen"
    assert (used["requests"], used["input"], used["unpriced_requests"]) == (1, 40, 1)


def test_the_model_in_force_can_be_tested_without_saving(
    automode: Run, server: Replay, config: Path
) -> None:
    server.play(body=answer("0"))
    automode("model", "mine/qwen")
    before = (config / "config.json").read_text()

    data = json.loads(automode("model", "--test", "--json").stdout)

    assert data.keys() == {"test"}
    assert (data["test"]["ok"], data["test"]["model"], data["test"]["usd"]) == (
        True,
        "mine/qwen",
        None,
    )
    assert (config / "config.json").read_text() == before


@pytest.mark.parametrize(
    ("status", "body", "trouble"),
    [
        (401, {"error": {"message": "bad key"}}, "bad-key"),
        (404, {"error": {"message": "no such model"}}, "unknown-model"),
        (500, {}, "server"),
        (200, {"hello": "world"}, "unreadable"),
    ],
)
def test_a_model_that_fails_is_not_saved_and_the_way_out_is_named(
    automode: Run,
    server: Replay,
    config: Path,
    status: int,
    body: dict[str, object],
    trouble: str,
) -> None:
    server.play(status, body)
    before = (config / "config.json").read_text()

    result = automode("model", "mine/qwen", "--test")
    data = json.loads(automode("model", "mine/qwen", "--test", "--json").stdout)

    assert result.exit_code == 1
    assert trouble in result.stdout
    assert (data["test"]["ok"], data["test"]["trouble"]) == (False, trouble)
    assert (config / "config.json").read_text() == before


def test_a_model_that_says_nothing_is_not_usable() -> None:
    silent = ScriptedModel([Reply(" ", complete=True, usage=Usage(1))])

    trial = asyncio.run(try_model(silent, 1))

    assert not trial["ok"]
    assert "another" in str(trial["hint"])


def test_a_model_that_thinks_gets_room_to() -> None:
    thinker = ScriptedModel(["0"], reasons=True)

    asyncio.run(try_model(thinker, 1))

    assert thinker.asks[0].max_tokens >= 512


MODELS = [
    Priced(f"{provider}/{model}-{size}", 100_000, Decimal(1), Decimal("2.50"))
    for provider in ("anthropic", "openai")
    for model in ("quick", "deep")
    for size in range(8)
]
PICKS = {
    "a number": (["3"], "anthropic/quick-2"),
    "leaving": ([""], None),
    "a filter, then a number": (["openai deep", "1"], "openai/deep-0"),
    "the filter again": (["openai", "quick-5", "2"], "openai/quick-5"),
    "a name from the list": (["openai/deep-7"], "openai/deep-7"),
    "a name that the list does not know": (["mine/own-model"], "mine/own-model"),
    "part of a name is a filter": (["openai/deep", "8"], "openai/deep-7"),
    "a number that is not there": (["99", "0", "1"], "anthropic/quick-0"),
    "a number that is not shown": (["21", ""], None),
    "nothing fits": (["gpt", "1"], "anthropic/quick-0"),
}


@pytest.mark.parametrize(("answers", "chosen"), PICKS.values(), ids=PICKS.keys())
def test_a_model_is_picked_by_number_filter_or_name(answers: list[str], chosen: str | None) -> None:
    left = iter(answers)

    assert pick(MODELS, lambda _: next(left)) == chosen
    assert list(left) == []


def test_the_picker_shows_prices_and_how_many_more_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pick(MODELS, lambda _: "")

    text = capsys.readouterr().out
    assert "$1 in, $2.5 out" in text
    assert "and 12 more" in text


def test_on_a_terminal_a_model_can_be_picked(config: Path, project: Path) -> None:
    words = [sys.executable, "-m", "automode", "--config-folder", str(config), "model"]
    environment = dict(os.environ) | {"ANTHROPIC_API_KEY": SECRET, "TERM": "xterm"}
    environment.pop("AUTOMODE_SETTINGS_JSON", None)
    with Terminal(words, environment, ".") as terminal:
        terminal.wait_for("nothing to leave")
        terminal.type("haiku-4-5\n")
        twice = lambda: terminal.text.count("nothing to leave") == 2  # noqa: E731
        terminal.wait_until(twice, "the list was not filtered")
        terminal.type("1\n")

        assert terminal.ended() == 0
        assert SECRET not in terminal.text

    assert saved(config) == "anthropic/claude-haiku-4-5"
