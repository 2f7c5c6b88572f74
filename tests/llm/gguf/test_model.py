"""A model file behind the classifier: it clears, or it leaves the call to others."""

import asyncio
import hashlib
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from automode.classifier.layer import Classifier
from automode.classifier.prompt import PolicyLists, Prompts
from automode.classifier.stages import Terms, plan
from automode.core.call import ToolCall
from automode.core.decision import Decision, Failure, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Fact, Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.llm.gguf.child import Children
from automode.llm.gguf.model import GgufModel
from automode.llm.gguf.questions import Calibration, ModelFile, Weights
from automode.llm.model import Ask, ModelError, ModelFault, Prompt
from tests.llm.gguf.conftest import PATIENT
from tests.reading import facts_of

PLACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))
PROMPTS = Prompts(PolicyLists(soft_deny=("Deploy: deploys.",)), b"k" * 32)
LIST = tool_call("Bash", {"command": "ls build"})
FAST = Terms(plan("fast"), request_seconds=PATIENT, deadline_seconds=PATIENT)
STRICT = Terms(plan("fast"), request_seconds=PATIENT, on_failure=Verdict.DENY)
# SmolLM2 is no judge: how its answers are read decides here, not what it thinks.
SURE = Weights("clears everything", Calibration(-50.0, (0.0, 0.0), 0.4))
UNSURE = Weights("clears nothing", Calibration(50.0, (0.0, 0.0), 0.4))


async def no_sleep(seconds: float) -> None:
    return None


def decided(
    model: GgufModel,
    *,
    call: ToolCall = LIST,
    terms: Terms = FAST,
    facts: tuple[Fact, ...] = (),
) -> Coroutine[object, object, Decision]:
    session = Session("s", PLACE, transcript=Transcript((UserMessage("list it"), *facts)))
    return Classifier(PROMPTS, model, terms, sleep=no_sleep)(facts_of(call, session), session, ())


@dataclass(frozen=True)
class Real:
    """One process for all tests that ask a model that works."""

    loop: asyncio.Runner
    children: Children
    file: ModelFile
    checksum: str

    def model(self, calibrated: Weights) -> GgufModel:
        return GgufModel(self.file, self.children, {self.checksum: calibrated})


@pytest.fixture(scope="module")
def real(loop: asyncio.Runner, weights: Path, checksum: str) -> Iterator[Real]:
    children = Children(kept=True)
    yield Real(loop, children, ModelFile(str(weights)), checksum)
    loop.run(children.close())


def test_what_it_clears_is_allowed_and_anything_else_asked_and_never_blocked(real: Real) -> None:
    sure, unsure = (real.loop.run(decided(real.model(one))) for one in (SURE, UNSURE))

    assert (sure.verdict, sure.source) == (Verdict.ALLOW, "classifier.fast")
    assert (unsure.verdict, unsure.error) == (Verdict.ASK, None)


def test_it_does_not_clear_what_a_small_model_cannot_weigh(real: Real) -> None:
    facts = (Fact("probe", "a result was suspect"),)

    assert real.loop.run(decided(real.model(SURE), facts=facts)).verdict is Verdict.ASK


def test_an_action_that_does_not_fit_is_not_shortened(real: Real) -> None:
    call = tool_call("Bash", {"command": "echo " + "word " * 9000})

    decision = real.loop.run(decided(real.model(SURE), call=call))

    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.TOO_LARGE)


def test_a_trial_without_an_action_is_answered_and_clears_nothing(real: Real) -> None:
    prompt = Prompt("", "Nothing has to be judged.", "")

    ask = Ask(1, PATIENT, choices=("0", "1"))
    reply = real.loop.run(real.model(SURE).complete(prompt, ask))

    assert reply.text == "1"
    assert reply.usage.prompt > 0


def test_an_unmeasured_model_that_tells_nothing_apart_is_no_judge(
    weights: Path, checksum: str
) -> None:
    model = GgufModel(ModelFile(str(weights), checksum), Children(kept=False))

    decision = asyncio.run(decided(model))

    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.UNAVAILABLE)
    assert "cannot tell a wanted step from a disaster" in decision.reason


@pytest.mark.parametrize(("terms", "verdict"), [(FAST, Verdict.ASK), (STRICT, Verdict.DENY)])
def test_what_cannot_be_loaded_closes_as_an_outage(
    tmp_path: Path, terms: Terms, verdict: Verdict
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and then nothing of the kind")
    pinned = hashlib.sha256(broken.read_bytes()).hexdigest()

    for path, sha256, says in (
        (tmp_path / "missing.gguf", "", ""),
        (broken, "", ""),
        (broken, "0f" * 32, ""),
        (broken, pinned, "could not be loaded"),
    ):
        model = GgufModel(ModelFile(str(path), sha256), Children(kept=False))
        decision = asyncio.run(decided(model, terms=terms))

        assert (decision.verdict, decision.error) == (verdict, Failure.UNAVAILABLE)
        assert decision.reason.startswith("Classifier unavailable")
        assert says in decision.reason


def test_a_person_is_told_that_a_file_is_unknown_and_how_to_use_it(tmp_path: Path) -> None:
    file = tmp_path / "other.gguf"
    file.write_bytes(b"weights of somebody")
    model = GgufModel(ModelFile(str(file)), Children(kept=False))

    with pytest.raises(ModelError, match=r"does not know .* `gguf/.*other\.gguf#[0-9a-f]{64}`"):
        asyncio.run(model.complete(Prompt("", "", ""), Ask(1, PATIENT, choices=("0", "1"))))


def test_it_answers_nothing_but_the_first_look(weights: Path) -> None:
    model = GgufModel(ModelFile(str(weights)), Children(kept=False))

    with pytest.raises(ModelError) as raised:
        asyncio.run(model.complete(Prompt("", "", "Say why."), Ask(700, PATIENT)))

    assert raised.value.kind is ModelFault.REJECTED
    assert "`autoMode.stages` to `fast`" in str(raised.value)
