"""Leaves a model that just failed in peace, longer each time: an outage is not hammered."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from automode.classifier.failures import Broken
from automode.core.decision import Failure

FIRST_PAUSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 120.0

Clock = Callable[[], float]  # monotonic seconds


@dataclass(slots=True)
class _Outage:
    since: float
    until: float
    failures: int
    broken: Broken


@dataclass(slots=True)
class Circuit:
    """Knows each model by its name."""

    clock: Clock
    _outages: dict[str, _Outage] = field(default_factory=dict)

    def refusal(self, model: str) -> Broken | None:
        """Why the model is not to be asked now; None when it may be.

        Once a pause is over one caller goes first, and the others wait for what it finds."""
        outage = self._outages.get(model)
        if outage is None:
            return None
        now = self.clock()
        if now >= outage.until:
            outage.until = now + FIRST_PAUSE_SECONDS
            return None
        pause = (
            f"failing for {_seconds(now - outage.since)}, "
            f"asked again in {_seconds(outage.until - now)}"
        )
        detail = f"{outage.broken.detail}; {pause}" if outage.broken.detail else pause
        return replace(outage.broken, detail=detail)

    def heard(self, model: str, broken: Broken | None) -> None:
        """What came of asking the model. An answer ends an outage, even one that cannot be read."""
        if broken is None or broken.kind.failure is Failure.UNREADABLE:
            self._outages.pop(model, None)
        elif broken.kind.lasting:
            self._failed(model, broken)

    def _failed(self, model: str, broken: Broken) -> None:
        now = self.clock()
        before = self._outages.get(model)
        failures = before.failures + 1 if before else 1
        grown = FIRST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 10)
        pause = min(max(grown, broken.retry_after or 0.0), LONGEST_PAUSE_SECONDS)
        since = before.since if before else now
        self._outages[model] = _Outage(since, now + pause, failures, broken)


def _seconds(seconds: float) -> str:
    return f"{max(1, round(seconds))} s"
