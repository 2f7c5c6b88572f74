"""The one shape every check has."""

from typing import Protocol, TypeAlias

from automode.core.decision import Decision, Remark
from automode.core.session import Session
from automode.programs.call_facts import CallFacts

Trail: TypeAlias = tuple[Remark, ...]
Answer: TypeAlias = Decision | Remark | None


class Layer(Protocol):
    """Contract: answer with a Decision, or with None for "no opinion"; a Remark is no opinion
    that leaves a note in the trail. `facts` is the call as it was read for all layers. Read the
    session, never write it. Raise freely: the gate fails closed."""

    @property
    def name(self) -> str: ...

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer: ...
