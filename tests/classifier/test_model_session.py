"""Pauses grow, are bounded, honour the provider's wish, and end with an answer."""

from automode.classifier.failures import Broken, from_answer, from_model
from automode.classifier.model_session import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, Circuit
from automode.classifier.reply import Fault, Unreadable
from automode.llm.model import ModelError, ModelFault


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def down(retry_after: float | None = None) -> Broken:
    return from_model(ModelError(ModelFault.OVERLOADED, "busy", retry_after))


def pauses(time: Time, circuit: Circuit, times: int) -> list[float]:
    found = []
    for _ in range(times):
        circuit.record("m", down())
        start = time.now
        while circuit.refusal("m") is not None:
            time.now += 1.0
        found.append(time.now - start)
    return found


def test_pauses_double_up_to_a_bound() -> None:
    time = Time()

    found = pauses(time, Circuit(time), 8)

    assert found[:3] == [FIRST_PAUSE_SECONDS, 2 * FIRST_PAUSE_SECONDS, 4 * FIRST_PAUSE_SECONDS]
    assert found[-1] == LONGEST_PAUSE_SECONDS


def test_the_providers_wish_counts_within_the_bound() -> None:
    for wish, after in ((60.0, 59.0), (9999.0, LONGEST_PAUSE_SECONDS - 1)):
        time = Time()
        circuit = Circuit(time)
        circuit.record("m", down(wish))
        time.now = after
        assert circuit.refusal("m") is not None
        time.now += 1.0
        assert circuit.refusal("m") is None


def test_after_a_pause_one_goes_first_and_the_others_wait() -> None:
    time = Time()
    circuit = Circuit(time)
    circuit.record("m", down())
    time.now = FIRST_PAUSE_SECONDS

    assert circuit.refusal("m") is None
    assert circuit.refusal("m") is not None


def test_an_answer_ends_the_outage_even_an_unreadable_one() -> None:
    unreadable = from_answer(Unreadable(Fault.NOT_A_DECISION, "x"))
    for heard in (None, unreadable):
        circuit = Circuit(Time())
        circuit.record("m", down())
        circuit.record("m", heard)
        assert circuit.refusal("m") is None


def test_models_are_kept_apart_and_large_calls_are_no_outage() -> None:
    circuit = Circuit(Time())
    circuit.record("m", down())
    circuit.record("other", from_model(ModelError(ModelFault.TOO_LARGE, "x")))

    assert circuit.refusal("other") is None
    assert circuit.refusal("m") is not None
