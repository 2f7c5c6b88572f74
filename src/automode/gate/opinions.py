"""What every layer of a gate says about one call, also those that were not needed to decide."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from automode.core.call import ToolCall
from automode.core.decision import Decision, Remark
from automode.core.session import Session
from automode.gate.gate import Gate, Read
from automode.gate.layer import Answer, Layer, Trail
from automode.programs.call_facts import CallFacts


class AskedOnce:
    """A layer that is asked once for each folder that passes for home, whoever asks: a second
    answer of a model would cost again, and could be another one. `place` is `standing`, `wall`,
    `door` or `judge`."""

    def __init__(self, layer: Layer, place: str) -> None:
        self.layer = layer
        self.name = layer.name
        self.place = place
        self.answers: dict[str, asyncio.Future[Answer]] = {}

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        home = session.workspace.home
        if home not in self.answers:
            self.answers[home] = asyncio.ensure_future(self.layer(facts, session, trail))
        return await self.answers[home]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one layer says. `heard`: by the gate, when it decided. A judge that the gate did not
    hear is not asked at all."""

    place: str
    layer: str
    heard: bool
    decision: Decision | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def asked(self) -> bool:
        return self.heard or self.place != "judge"


async def ask_layers(
    gate: Gate, call: ToolCall, session: Session
) -> tuple[list[Opinion], Decision | None]:
    """Every layer's opinion, and what the gate decided."""
    standing = [AskedOnce(layer, "standing") for layer in gate.standing]
    walls = [AskedOnce(layer, "wall") for layer in gate.walls]
    doors = [AskedOnce(layer, "door") for layer in gate.doors]
    judges = [AskedOnce(layer, "judge") for layer in gate.judges]
    decision = await replace(
        gate, standing=standing, walls=walls, doors=doors, judges=judges, approvals=()
    ).decide(call, session)
    layers = [(layer, bool(layer.answers)) for layer in (*standing, *walls, *doors, *judges)]
    opinions = [
        await _opinion(layer, gate.read, call, session, heard=heard) for layer, heard in layers
    ]
    return opinions, decision


async def _opinion(
    layer: AskedOnce,
    read: Read,
    call: ToolCall,
    session: Session,
    *,
    heard: bool,
) -> Opinion:
    """From a gate with this one layer: so that a layer that fails is an answer here too."""
    silent = Opinion(layer.place, layer.name, heard)
    if not silent.asked:
        return silent
    doors = [layer] if layer.place == "door" else []
    judges = [layer] if layer.place == "judge" else []
    walls = [] if doors or judges else [layer]
    asking = Session(f"{session.id}/alone", session.workspace, transcript=session.transcript)
    decision = await Gate(walls, doors, judges, read=read).decide(call, asking)
    if decision is None:
        return silent
    # Each once: a layer that looks at two homes may note the same for both.
    remarks = tuple(dict.fromkeys(one for one in decision.trail if one.layer != "gate"))
    spoke = decision.source != "gate.undecided"
    return replace(silent, decision=decision if spoke else None, remarks=remarks)


def decisive(opinions: Sequence[Opinion], decision: Decision | None) -> Opinion | None:
    """The first layer that was heard and says what was decided."""
    source = None if decision is None else decision.source
    for one in opinions:
        if one.heard and one.decision is not None and one.decision.source == source:
            return one
    return None
