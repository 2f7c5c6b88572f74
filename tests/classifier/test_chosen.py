"""Which model and which stages are in force for which settings."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from automode.assemble import build_classifier, build_gate, chosen_model, load_settings
from automode.classifier.chosen import chosen_stages
from automode.classifier.stages import Stage
from automode.config.places import Places
from automode.config.settings import Settings, Stages
from automode.core.decision import Decision, Failure, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Transcript, UserMessage
from automode.facts.place import recorded_workspace
from automode.llm.endpoints import Missing
from automode.llm.registry import NO_MODEL

LOCAL, BOTH = (Stage.LOCAL,), (Stage.FAST, Stage.DELIBERATE)
FILE = "gguf//models/judge.gguf"
KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}
WITHOUT: list[tuple[str | None, str, tuple[Stage, ...]]] = [
    (None, "both", LOCAL),
    (None, "all", LOCAL),
    ("anthropic/x", "both", BOTH),
    ("anthropic/x", "all", (Stage.LOCAL, *BOTH)),
    ("anthropic/x", "local", LOCAL),
]


def loaded(folder: Path, auto_mode: object, environment: Mapping[str, str] = {}) -> Settings:
    """With what a user's own file says."""
    user = folder / ".config" / "automode" / "config.json"
    user.parent.mkdir(parents=True, exist_ok=True)
    user.write_text(json.dumps({"autoMode": auto_mode}))
    managed = str(folder / "managed.json")
    places = Places.of(home=str(folder), environment=environment, managed=managed)
    return load_settings(places).settings


def decided(settings: Settings, host_model: str | None = None) -> Decision:
    """A call that the embedded judge would clear."""
    model = chosen_model(settings, KEYS, host_model)
    gate = build_gate(settings, judges=[build_classifier(settings, model)])
    said = Transcript((UserMessage("fix the failing test"),))
    session = Session("s", recorded_workspace("/workspace/project", "/home/dev"), transcript=said)
    decision = asyncio.run(gate.decide(tool_call("bash", {"command": "npm test"}), session))
    assert decision is not None
    return decision


@pytest.mark.parametrize(("chosen", "stages", "wanted"), WITHOUT)
def test_the_embedded_judge_stands_in_only_where_nobody_chose_a_model(
    chosen: str | None, stages: str, wanted: tuple[Stage, ...]
) -> None:
    settings = replace(Settings(), classifier_model=chosen, stages=Stages(stages))

    assert chosen_stages(settings, NO_MODEL) == wanted


def test_a_subscription_is_asked_after_the_embedded_judge(tmp_path: Path) -> None:
    """Every look starts a program; whoever names the stages gets those."""
    program = {"claude-cli": {"command": "/bin/sh"}}
    chosen = {"classifierModel": "claude-cli/haiku", "providers": program}
    settings = loaded(tmp_path, chosen)
    model = chosen_model(settings, {})

    assert not isinstance(model, Missing)
    assert chosen_stages(settings, model) == (Stage.LOCAL, Stage.DELIBERATE)
    assert chosen_stages(replace(settings, stages=Stages.BOTH), model) == BOTH


@pytest.mark.parametrize("key", ["classifierModel", "fastModel"])
@pytest.mark.parametrize("value", ["gpt-4o", 42, None, ["gguf//a.gguf"], "gguf//my models/a", ""])
@pytest.mark.parametrize("host_model", [None, "openai/gpt-4o"])
def test_a_model_that_was_named_wrongly_is_an_outage_and_nobody_stands_in(
    tmp_path: Path, key: str, value: object, host_model: str | None
) -> None:
    settings = loaded(tmp_path, {key: value})

    decision = decided(settings, host_model)

    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.UNAVAILABLE)
    assert f"autoMode.{key}" in decision.remedy
    assert "found: " in decision.remedy
    assert "automode model" in decision.remedy


def test_a_model_that_was_named_wrongly_is_denied_where_failures_are(tmp_path: Path) -> None:
    settings = loaded(tmp_path, {"classifierModel": 42, "onClassifierFailure": "deny"})

    assert decided(settings).verdict is Verdict.DENY


def test_of_two_names_in_one_file_the_wrong_one_counts(tmp_path: Path) -> None:
    user = tmp_path / ".config" / "automode" / "config.json"
    user.parent.mkdir(parents=True)
    for first, second in (('"x"', '"openai/y"'), ('"openai/y"', '"x"')):
        names = f'"classifierModel": {first}, "classifierModel": {second}'
        user.write_text(f'{{"autoMode": {{{names}}}}}')
        places = Places.of(home=str(tmp_path), environment={}, managed=str(tmp_path / "none"))

        found = chosen_model(load_settings(places).settings, KEYS)

        assert isinstance(found, Missing)


def test_a_stronger_source_that_names_a_model_well_is_heard(tmp_path: Path) -> None:
    setting = json.dumps({"autoMode": {"classifierModel": "anthropic/x"}})

    settings = loaded(tmp_path, {"classifierModel": 42}, {"AUTOMODE_SETTINGS_JSON": setting})

    assert (settings.classifier_model, settings.unusable_model) == ("anthropic/x", "")


def test_the_command_for_a_key_is_not_asked_for_another_model(tmp_path: Path) -> None:
    """Neither for the one that the agent runs on, nor for that of the first look."""
    chosen = loaded(tmp_path, {"apiKeyHelper": "echo k", "classifierModel": "anthropic/x"})
    of_host = replace(chosen, classifier_model=None)
    first_look = replace(chosen, fast_model="openai/x", stages=Stages.FAST)

    assert not isinstance(chosen_model(chosen, {}), Missing)
    assert isinstance(chosen_model(of_host, {}, "openai/x"), Missing)
    assert isinstance(chosen_model(first_look, {}), Missing)
