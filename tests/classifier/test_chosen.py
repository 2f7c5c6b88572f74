"""Which stages run for which settings and model."""

from dataclasses import replace

import pytest

from automode.classifier.chosen import chosen_stages
from automode.classifier.stages import Stage
from automode.config.settings import Settings, Stages
from automode.llm.registry import NO_MODEL

LOCAL, BOTH = (Stage.LOCAL,), (Stage.FAST, Stage.DELIBERATE)
WITHOUT: list[tuple[str | None, str, tuple[Stage, ...]]] = [
    (None, "both", LOCAL),
    (None, "all", LOCAL),
    ("anthropic/x", "both", BOTH),
    ("anthropic/x", "all", (Stage.LOCAL, *BOTH)),
    ("anthropic/x", "local", LOCAL),
]


@pytest.mark.parametrize(("chosen", "stages", "wanted"), WITHOUT)
def test_the_embedded_judge_stands_in_only_where_nobody_chose_a_model(
    chosen: str | None, stages: str, wanted: tuple[Stage, ...]
) -> None:
    settings = replace(Settings(), classifier_model=chosen, stages=Stages(stages))

    assert chosen_stages(settings, NO_MODEL) == wanted
