"""How a scenario ends when it does not pass."""

from automode.core.errors import AutomodeError


class ScenarioFailed(AutomodeError):
    """The agent, or automode, did something else than the scenario says."""


class ScenarioSkipped(AutomodeError):
    """The scenario cannot be played here; the message says why."""


def expect(condition: object, sentence: str) -> None:
    if not condition:
        raise ScenarioFailed(sentence)
