"""A model file in front of another model: it clears, or the other one decides."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.assemble import chosen_model
from automode.classifier.chosen import SHARE_OF_TIME, PrefilteredModel, chosen_stages
from automode.classifier.model_session import Circuit
from automode.classifier.stages import Stage, Terms, plan
from automode.core.decision import Decision, Verdict
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger
from automode.llm.model import ModelError, ModelFault, Reply, Usage
from automode.llm.scripted import ScriptedModel
from tests.classifier.judging import ALLOW, BLOCK, Answers, classifier, judged
from tests.classifier.test_chosen import FILE, KEYS, loaded
from tests.rows import each_row

HOSTED = "anthropic/claude-haiku-4-5"


def pair(first: Answers, then: Answers) -> tuple[ScriptedModel, ScriptedModel, PrefilteredModel]:
    file, other = ScriptedModel(first, name=FILE), ScriptedModel(then, name=HOSTED)
    return file, other, PrefilteredModel(file, other, Circuit(lambda: 0.0))


def decided(
    model: PrefilteredModel, ledger: Ledger | None = None, stages: str = "both"
) -> Decision:
    return judged(classifier(model, Terms(plan(stages)), ledger=ledger))


BROKEN = [ModelError(kind, "no answer") for kind in ModelFault]
WALKS: list[tuple[Answers, Answers, Verdict, str]] = [
    (["0"], [], Verdict.ALLOW, "classifier.fast"),
    (["1"], [BLOCK], Verdict.DENY, "classifier.deliberate"),
    (["1"], [ALLOW], Verdict.ALLOW, "classifier.deliberate"),
    (["perhaps"], [BLOCK], Verdict.DENY, "classifier.deliberate"),
    *(([error], [BLOCK], Verdict.DENY, "classifier.deliberate") for error in BROKEN),
    *(([error], [ModelError(ModelFault.BAD_KEY, "no")], Verdict.ASK, "classifier.deliberate")
      for error in BROKEN),
]  # fmt: skip


@each_row("first, then, verdict, source", WALKS)
def test_the_file_clears_or_the_other_model_decides(
    first: Answers, then: Answers, verdict: Verdict, source: str
) -> None:
    file, other, model = pair(first, then)

    decision = decided(model)

    assert (decision.verdict, decision.source) == (verdict, source)
    assert (file.unplayed, other.unplayed) == (0, 0)


@given(st.text(max_size=5) | st.sampled_from(BROKEN))
def test_nothing_but_a_plain_zero_of_the_file_clears_what_the_other_model_blocks(
    said: str | ModelError,
) -> None:
    _, _, model = pair([said], [BLOCK])

    cleared = decided(model).verdict is Verdict.ALLOW

    assert cleared is (isinstance(said, str) and said.strip() == "0")


def test_a_file_that_broke_is_left_in_peace_and_the_other_model_goes_on() -> None:
    file, other, model = pair([ModelError(ModelFault.SERVER, "died")], [ALLOW, BLOCK])

    verdicts = [decided(model).verdict for _ in range(2)]

    assert verdicts == [Verdict.ALLOW, Verdict.DENY]
    assert (len(file.asks), len(other.asks)) == (1, 2)
    assert file.asks[0].timeout_seconds == pytest.approx(
        SHARE_OF_TIME * other.asks[0].timeout_seconds, rel=0.2
    )


def test_each_answer_is_booked_on_the_model_that_gave_it() -> None:
    used = Usage(input=100, output=1)
    _, _, model = pair([Reply("1", complete=True, usage=used)], [BLOCK])
    ledger = Ledger()

    decided(model, ledger)

    booked = ledger.take("s")
    assert [(one.stage, one.model) for one in booked] == [("fast", FILE), ("deliberate", HOSTED)]
    assert booked[0].money == 0


CHOICES: dict[str, tuple[str | None, str | None, str, str]] = {
    # classifierModel, the host's, stages: what is in force
    "both are named": (HOSTED, None, "both", f"{HOSTED} after {FILE}"),
    "the host has a model": (None, HOSTED, "both", f"{HOSTED} after {FILE}"),
    "the file alone": (None, None, "both", FILE),
    "one look": (HOSTED, None, "fast", FILE),
    "no first look": (HOSTED, None, "deliberate", HOSTED),
}


@pytest.mark.usefixtures("asks_files")
@pytest.mark.parametrize("case", CHOICES)
def test_a_file_and_a_model_are_chosen_together(tmp_path: Path, case: str) -> None:
    main, host, stages, name = CHOICES[case]
    named = {} if main is None else {"classifierModel": main}
    settings = loaded(tmp_path, {"fastModel": FILE, "stages": stages, **named})

    model = chosen_model(settings, KEYS, host)

    assert not isinstance(model, Missing)
    assert model.name == name
    decides = Stage.DELIBERATE in chosen_stages(settings, model)
    assert decides is (case not in ("one look", "the file alone"))


REFUSED = {
    "a model without a key": ({"classifierModel": "google/x"}, "GEMINI_API_KEY"),
    "two files": ({"classifierModel": FILE}, "first look only"),
    "no whole path": ({"classifierModel": HOSTED, "fastModel": "gguf/judge"}, "whole path"),
}


@pytest.mark.usefixtures("asks_files")
@pytest.mark.parametrize("case", REFUSED)
def test_a_pair_that_cannot_be_had_is_no_model_at_all(tmp_path: Path, case: str) -> None:
    said, words = REFUSED[case]
    settings = loaded(tmp_path, {"fastModel": FILE, **said})

    model = chosen_model(settings, KEYS)

    assert isinstance(model, Missing)
    assert words in model.reason
    assert Stage.LOCAL not in chosen_stages(settings, model)


@pytest.mark.parametrize("key", ["fastModel", "classifierModel"])
def test_the_environment_cannot_make_a_file_the_judge(tmp_path: Path, key: str) -> None:
    setting = f'{{"autoMode": {{"{key}": "{FILE}#{"0f" * 32}"}}}}'

    settings = loaded(tmp_path, {}, {"AUTOMODE_SETTINGS_JSON": setting})

    assert (settings.fast_model, settings.classifier_model) == (None, None)
