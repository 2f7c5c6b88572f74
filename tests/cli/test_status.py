"""`automode status`: mode, sources, findings, counts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.guards.catalog import GUARDS
from automode.llm.ledger import Ledger, usage_file
from automode.llm.model import Usage

Run = Callable[..., Result]
Write = Callable[[object], None]


def test_it_says_what_is_in_force(automode: Run) -> None:
    data = json.loads(automode("status", "--json").stdout)

    assert (data["enabled"], data["mode"]) == (True, "enforce")
    assert data["parsers"] == {"tree-sitter": True, "shfmt": True}
    assert data["counts"]["guards"] == len(GUARDS)
    assert data["counts"]["programs"] > 100
    assert data["counts"]["policy_rules"] > 50
    assert data["closing"] == []


def test_it_says_what_became_of_each_source(
    automode: Run, settings: Write, config: Path, project: Path
) -> None:
    settings({})
    (project / ".automode").mkdir()
    (project / ".automode/config.local.json").write_text("{}")

    sources = json.loads(automode("status", "--json").stdout)["sources"]

    states = {one["file"]: one["state"] for one in sources}
    assert states[str(config / "config.json")] == "read"
    assert states[str(project / ".automode/config.local.json")] == "not trusted"
    assert states[str(project / ".automode/config.json")] == "missing"


def test_findings_name_file_and_key(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"nonsense": 1}, "permissions": {"deny": [7]}})

    text = automode("status").stdout
    data = json.loads(automode("status", "--json").stdout)

    assert "Findings" in text
    assert "nonsense" in text
    assert "closed" in text
    assert data["closing"]
    assert {one["key"] for one in data["diagnostics"]} >= {"autoMode.nonsense"}


def test_allow_rules_that_were_set_aside_are_named_with_the_reason(
    automode: Run, settings: Write, config: Path
) -> None:
    settings({"permissions": {"allow": ["bash(python *)", "bash(npm test)"]}})

    (sentence,) = json.loads(automode("status", "--json").stdout)["set_aside"]

    assert "`bash(python *)`" in sentence
    assert f"{config / 'config.json'}:1" in sentence
    assert "Allow rules set aside" in automode("status").stdout


def test_off_and_shadow_are_said(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})
    off = automode("status").stdout
    settings({"autoMode": {"mode": "shadow"}})
    shadow = automode("status").stdout

    assert "off:" in off
    assert "shadow:" in shadow


def classifier(automode: Run, *words: str) -> dict[str, object]:
    found = json.loads(automode("status", "--json", *words).stdout)["classifier"]
    assert isinstance(found, dict)
    return found


def test_without_a_model_the_classifier_says_why_it_cannot_be_asked(automode: Run) -> None:
    found = classifier(automode)

    assert (found["model"], found["ready"], found["source"]) == (None, False, "built-in")
    assert "no model is chosen" in str(found["problem"])
    assert "none: no model is chosen" in automode("status").stdout


def test_a_model_without_a_key_names_the_variable(
    automode: Run, settings: Write, config: Path
) -> None:
    settings({"autoMode": {"classifierModel": "openai/gpt-5-mini"}})

    found = classifier(automode)

    assert (found["model"], found["ready"]) == ("openai/gpt-5-mini", False)
    assert (found["source"], found["file"]) == ("user", str(config / "config.json"))
    assert "OPENAI_API_KEY" in str(found["problem"])


def test_a_model_with_a_key_is_ready_and_the_key_is_not_shown(
    automode: Run, settings: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings({"autoMode": {"classifierModel": "openai/gpt-5-mini", "stages": "fast"}})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-0123456789")

    result = automode("status")
    found = classifier(automode)

    assert (found["ready"], found["problem"], found["stages"]) == (True, None, ["fast"])
    assert "openai/gpt-5-mini (user, " in " ".join(result.stdout.split())
    assert "ready" in result.stdout
    assert "sk-made-up" not in result.stdout + str(found)


def test_the_embedded_judge_alone_is_not_ready(
    automode: Run, settings: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings({"autoMode": {"classifierModel": "openai/gpt-5-mini", "stages": "local"}})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-0123456789")

    assert "planned" in str(classifier(automode)["problem"])
    assert "local (planned: skipped)" in automode("status").stdout


def test_what_the_classifier_used_is_added_up(automode: Run, tmp_path: Path) -> None:
    before = automode("status").stdout
    ledger = Ledger(usage_file("", {"XDG_STATE_HOME": str(tmp_path / "state")}))
    ledger.record("a", None, "fast", "anthropic/claude-haiku-4-5", Usage(1000, 100), 800)
    ledger.record("b", "a", "fast", "mine/qwen", Usage(50, 1), 300)

    text = " ".join(automode("status").stdout.split())

    assert "nothing yet" in before
    assert "2 requests, 1,050 prompt tokens, 101 output tokens" in text
    assert "cost 0.0015 USD + 1 unknown" in text
    total = json.loads(automode("usage", "--json").stdout)["total"]
    assert classifier(automode)["usage"] == total
    assert classifier(automode, "--isolated")["usage"] is None


def test_isolated_means_no_source_at_all(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})

    data = json.loads(automode("status", "--isolated", "--json").stdout)

    assert (data["enabled"], data["sources"]) == (True, [])
    assert "built-in defaults only" in automode("status", "--isolated").stdout
