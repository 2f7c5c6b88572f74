"""The scripted model keeps the contract of a model."""

import pytest

from automode.llm.model import Model, ModelError, Reply, Trouble, Usage
from automode.llm.scripted import ScriptedModel
from tests.llm.conftest import ASK, PROMPT, run


def test_answers_come_in_order_and_requests_are_kept() -> None:
    cut = Reply("half", complete=False, usage=Usage(), stop="length")
    scripted = ScriptedModel(["0", cut, ModelError(Trouble.OVERLOADED, "busy")])
    model: Model = scripted

    assert run(model.complete(PROMPT, ASK)).text == "0"
    assert run(model.complete(PROMPT, ASK)) is cut
    with pytest.raises(ModelError, match="busy"):
        run(model.complete(PROMPT, ASK))
    assert (scripted.prompts, scripted.asks) == ([PROMPT] * 3, [ASK] * 3)
    assert scripted.unplayed == 0


def test_a_script_that_is_over_is_an_outage() -> None:
    with pytest.raises(ModelError) as raised:
        run(ScriptedModel().complete(PROMPT, ASK))

    assert raised.value.trouble is Trouble.UNREACHABLE
