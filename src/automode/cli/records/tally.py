"""What decisions add up to while somebody watches."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

from automode.cli.printing import count_text
from automode.core.decision import Verdict
from automode.core.record import Record

LOOK_SECONDS = 0.5


@dataclass(slots=True)
class Tally:
    """What came by since the watching began."""

    verdicts: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    unpriced: int = 0
    usd: Decimal = Decimal(0)

    def add(self, record: Record) -> None:
        if record.source.startswith("person."):
            return  # what a person did was decided by nobody
        self.verdicts[record.verdict.word] += 1
        for stage in record.stages:
            self.requests += 1
            self.unpriced += stage.usd is None
            self.usd += Decimal(stage.usd or 0)

    def __str__(self) -> str:
        counts = "  ".join(f"{one.word} {self.verdicts[one.word]:,}" for one in Verdict)
        unknown = f" + {self.unpriced} unknown" if self.unpriced else ""
        asked = count_text(self.requests, "request")
        return f"{counts}  |  model {asked}, {self.usd:.4f} USD{unknown}"
