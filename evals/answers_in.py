"""Puts recorded answers through the real gate and reports the rates of the model behind them.

Calls that were not answered in full are left out and counted: a machine may have run out of time.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from drawn_calls import Drawn, consent_pairs, draw, fresh
from labelled_calls import READER, Row
from prompts_out import (
    FIRST_KEY,
    OTHER_KEY,
    OTHER_KEY_EVERY,
    REPEAT_EVERY,
    REPEATED,
    asks,
    settings_of_nobody,
)
from recorded import Answer, Recorded, decided, judging_gate, questions, read_answers
from verdict_report import (
    Found,
    report_corpora,
    report_pairs,
    report_readings,
    report_sample,
    report_sizes,
    report_stability,
    report_verdicts,
)

from automode.assemble import build_gate
from automode.config.settings import Settings
from automode.core.decision import Decision

BOTH = "first, then second look"
PLANS = {"first look alone": "fast", "second look alone": "deliberate", BOTH: "both"}


@dataclass(frozen=True, slots=True)
class Replay:
    settings: Settings
    answers: dict[str, Answer]

    async def found(self, drawn: Drawn, key: str = FIRST_KEY) -> Found:
        verdicts = {plan: await self.decision(drawn.row, key, plan) for plan in PLANS}
        settled = {plan: one for plan, one in verdicts.items() if one is not None}
        return Found(drawn, await self.given(drawn.row, key), settled)

    async def given(self, row: Row, key: str = FIRST_KEY) -> dict[str, Answer]:
        """The answers to all questions about a row, by the name of the question."""
        asked = await questions(self.settings, fresh(row), key)
        wanted = asks(asked)
        return {name: self.answers[one] for name, one in wanted.items() if one in self.answers}

    async def decision(self, row: Row, key: str = FIRST_KEY, plan: str = BOTH) -> Decision | None:
        """What the gate decides with these answers; None where one of them is missing."""
        model = Recorded(self.answers)
        gate = judging_gate(self.settings, model, key, PLANS[plan])
        decision = await decided(gate, fresh(row))
        return None if model.missing else decision

    def second_time(self) -> "Replay":
        """With the answers that the same bytes got when they were asked again."""
        twice = {
            key.removesuffix(REPEATED): answer
            for key, answer in self.answers.items()
            if key.endswith(REPEATED)
        }
        return Replay(self.settings, twice)


async def others(replay: Replay, drawn: Sequence[Drawn], key: str, every: int) -> list[Found]:
    return [await replay.found(one, key) for one in drawn[::every]]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with actions_*.jsonl.gz")
    parser.add_argument("--answers", type=Path, nargs="+", required=True)
    given = parser.parse_args()
    settings = settings_of_nobody()
    gate = build_gate(settings, reader=READER)
    replay = Replay(settings, read_answers(given.answers))
    drawn = await draw(given.data, gate)
    found = [await replay.found(one) for one in drawn]
    if not any(one.answers for one in found):
        sys.exit("none of these prompts was answered: write them anew and answer them again")
    report_sample(found)
    report_verdicts(found, tuple(PLANS))
    report_corpora(found, BOTH)
    report_readings(found)
    report_stability(
        BOTH,
        found,
        await others(replay, drawn, OTHER_KEY, OTHER_KEY_EVERY),
        await others(replay.second_time(), drawn, FIRST_KEY, REPEAT_EVERY),
    )
    pairs = await consent_pairs(given.data, gate)
    report_pairs([[await replay.decision(row) for row in pair] for pair in pairs])
    report_sizes(found)


if __name__ == "__main__":
    asyncio.run(main())
