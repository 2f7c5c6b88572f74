"""A harmless call shows who judges: what was chosen answers itself, or the failure is told."""

import asyncio
from dataclasses import replace

import pytest

from automode.assemble import READER, build_classifier, load_settings
from automode.classifier.canary import COMMAND, WORDS, judge_canary
from automode.config.places import Places
from automode.config.settings import OnFailure, Settings, Stages
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger
from automode.llm.model import Model, ModelError, ModelFault
from automode.llm.registry import NO_MODEL
from automode.llm.scripted import ScriptedModel

OUTAGE = ModelError(ModelFault.OVERLOADED, "it is overloaded")


@pytest.fixture
def settings() -> Settings:
    return load_settings(Places((), (), (), (), (), trust_file="")).settings


def judged(settings: Settings, model: Model | Missing, ledger: Ledger) -> dict[str, object]:
    classifier = build_classifier(settings, model, ledger=ledger)
    return asyncio.run(judge_canary(classifier, READER))


def test_the_model_is_asked_also_where_the_embedded_judge_looks_first(settings: Settings) -> None:
    model, ledger = ScriptedModel(["0"]), Ledger()

    found = judged(replace(settings, stages=Stages.ALL), model, ledger)

    assert (found["judge"], found["ok"], found["verdict"]) == ("scripted/model", True, "allow")
    assert (found["input"], found["output"]) == (1, 1)
    (asked,) = model.prompts
    assert COMMAND in asked.question + asked.context
    assert WORDS in asked.context
    assert ledger.take("canary") == ()  # whoever judges real calls counts nothing of it


def test_nobody_stands_in_for_a_model_that_fails(settings: Settings) -> None:
    model = ScriptedModel([OUTAGE, OUTAGE])

    found = judged(replace(settings, on_classifier_failure=OnFailure.LOCAL), model, Ledger())

    assert (found["judge"], found["ok"]) == ("scripted/model", False)
    assert found["verdict"] != "allow"


def test_without_a_model_the_embedded_judge_judges(settings: Settings) -> None:
    found = judged(settings, NO_MODEL, Ledger())

    assert (found["judge"], found["ok"]) == ("the embedded judge", True)
    assert (found["verdict"], found["source"]) == ("allow", "classifier.local")


def test_a_chosen_model_that_is_missing_is_told(settings: Settings) -> None:
    chosen = replace(settings, classifier_model="anthropic/x")

    found = judged(chosen, Missing(ModelFault.NO_KEY, "no key for it"), Ledger())

    assert (found["judge"], found["ok"]) == ("", False)
    assert "no key for it" in f"{found['reason']} {found['advice']}"
