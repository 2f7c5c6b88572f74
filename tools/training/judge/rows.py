"""Training rows: labelled calls as the gate and the judge see them.

Of every call only what the judge looks at is kept. Rows of a file marked for evaluation only are
never trained on; calls that deterministic layers decide never reach the judge, and count only when
the whole is measured.
"""

import asyncio
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.core.call import ToolCall
from automode.core.errors import BadCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Transcript, UserMessage
from automode.evaluation.cases import ActionCase, load
from automode.evaluation.deciding import NEUTRAL_FOLDER, case_transcript, case_workspace
from automode.facts.reader import ShellReader
from automode.gate.gate import Gate
from automode.gate.layer import Trail
from automode.judge.consent.asked import Asked, request_state
from automode.judge.deeds import Weight, deeds
from automode.judge.embedded import Seen, read_features
from automode.judge.reading import CallReader
from automode.programs.call_facts import CallFacts

CALLS = CallReader()
# What is decided must not depend on how busy this machine is.
READER = ShellReader(60.0)
EVALUATION_ONLY = frozenset({"incidents", "user_rejected", "rejected2"})
# The user asks for risky code in so many words: only hard denials apply, which are not the judge's.
NOT_THE_JUDGES = frozenset({"redcode"})
DOUBTFUL = frozenset({"benign_unverified", "human_preference_reject", "discovery_readonly"})
# Sessions of people: what was run there was fine with whoever watched.
REAL = ("entire_bash", "entire_bash_b", "entire_other", "specstory")
# Edits of an agent's own notes outside of the workspace need nobody's word, so these stay out.
SWAPPED = ("entire_bash", "entire_bash_b", "specstory")
# They share repositories with the real sessions, and must fall on the same side of a split.
OF_REPOSITORIES = frozenset((*REAL, "composite_attack", "user_rejected"))
TRIES = 40


@dataclass(frozen=True, slots=True)
class Row:
    """`side` keeps together what must not be split between training and testing."""

    file: str
    id: str
    side: str
    stop: bool
    category: str
    kind: str  # `real`, `swapped` (others' words), `made-up`
    decided: str  # by the deterministic layers: `allow`, `deny`, or `` for what is left
    seen: Seen = field(repr=False)
    weight: float = 1.0  # in training
    natural: float = 1.0  # how many calls of a natural mix it stands for

    @property
    def trainable(self) -> bool:
        return not (
            self.decided
            or self.file in EVALUATION_ONLY | NOT_THE_JUDGES
            or self.category in DOUBTFUL
        )


@dataclass(frozen=True, slots=True)
class Given:
    """A labelled call before it is looked at."""

    file: str
    case: ActionCase
    call: ToolCall


_WEIGHTS = {
    "agentdojo": 0.4, "toolemu": 0.7, "openagentsafety": 0.5, "nl2bash": 0.3,
    "composite_attack": 2.0, "attack_commands": 2.0,
}  # fmt: skip
SWAPPED_WEIGHT = 0.5


def given(folder: Path) -> Iterator[Given]:
    """Every labelled call of the `actions_*` files of a folder."""
    for path in sorted(folder.glob("actions_*.jsonl*")):
        yield from tool_rows(path.name.partition(".")[0].removeprefix("actions_"), path)


def tool_rows(name: str, path: Path) -> Iterator[Given]:
    """The labelled calls of one file."""
    for case in load(path).cases:
        if isinstance(case, ActionCase):
            try:
                yield Given(name, case, tool_call(case.tool, case.input))
            except BadCall:
                continue  # the gate denies it before any judge


def facts_of(call: ToolCall, session: Session) -> CallFacts:
    return CallFacts(call, session.workspace, READER)


def rows(everything: Iterable[Given], home: Path, seed: int = 7) -> list[Row]:
    """The rows of the data, and of real calls that reach far a second one with others' words."""
    settings = load_settings(Places.of(home=home, environment={})).settings
    gate = build_gate(settings, reader=READER)
    listed = list(everything)
    others = [
        (side(one), [message.content for message in one.case.messages if message.role == "user"])
        for one in listed
        if one.file in REAL
    ]
    chance = random.Random(seed)
    return asyncio.run(_rows(gate, listed, [one for one in others if one[1]], chance))


async def _rows(
    gate: Gate, listed: list[Given], others: list[tuple[str, list[str]]], chance: random.Random
) -> list[Row]:
    found: list[Row] = []
    for one in listed:
        transcript = case_transcript(one.case)
        if one.file == "attack_commands":
            # They come without words. Left so, the judge would learn that silence is an attack.
            transcript = _reworded(transcript, chance.choice(others)[1])
        session = session_of(one.case.cwd or NEUTRAL_FOLDER, transcript)
        decision = await gate.decide(one.call, session)
        if decision is None:
            continue
        decided = "" if decision.source == "gate.undecided" else decision.verdict.word
        row = _row(one, session, decision.trail, decided)
        found.append(row)
        words = _without_consent(row, others, chance) if one.file in SWAPPED else None
        if words is not None:
            swapped = session_of(one.case.cwd or NEUTRAL_FOLDER, _reworded(transcript, words))
            found.append(
                _swapped(
                    row,
                    read_features(CALLS, facts_of(one.call, swapped), swapped, decision.trail),
                )
            )
    return found


def session_of(folder: str, transcript: Transcript) -> Session:
    return Session("training", case_workspace(folder), host="eval", transcript=transcript)


def side(one: Given) -> str:
    if one.file not in OF_REPOSITORIES:
        return f"{one.file}/{one.case.group}"
    return one.case.cwd.rstrip("/").rsplit("/", 1)[-1].casefold() or one.case.group


def _row(one: Given, session: Session, trail: Trail, decided: str) -> Row:
    return Row(
        file=one.file,
        id=one.case.id,
        side=side(one),
        stop=one.case.label == "block",
        category=one.case.category,
        kind="real",
        decided=decided,
        seen=read_features(CALLS, facts_of(one.call, session), session, trail),
        weight=_WEIGHTS.get(one.file, 1.0),
        natural=one.case.weight,
    )


def _without_consent(
    row: Row, others: list[tuple[str, list[str]]], chance: random.Random
) -> list[str] | None:
    """Words of another project's user that ask for nothing of what the call does."""
    heavy = [deeds()[name] for name in row.seen.deeds if deeds()[name].weight >= Weight.LASTING]
    if not heavy or row.decided or row.stop:
        return None
    for _ in range(TRIES):
        elsewhere, words = chance.choice(others)
        if elsewhere != row.side and all(
            request_state(deed, words) in (Asked.NO, Asked.FORBIDDEN) for deed in heavy
        ):
            return words
    return None


def _swapped(row: Row, found: Seen) -> Row:
    return Row(
        row.file, f"{row.id}/swapped", row.side, True, "swapped", "swapped", "", found,
        SWAPPED_WEIGHT,
    )  # fmt: skip


def _reworded(transcript: Transcript, words: list[str]) -> Transcript:
    kept = (one for one in transcript.entries if not isinstance(one, UserMessage))
    return Transcript((*(UserMessage(word) for word in words), *kept))
