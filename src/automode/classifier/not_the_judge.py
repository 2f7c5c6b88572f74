"""Refuses calls of a program that automode itself started as the judge."""

from typing import ClassVar

from automode.core.decision import Decision, deny
from automode.core.judge_folder import is_judge_folder
from automode.core.session import Session
from automode.gate.layer import Trail
from automode.programs.call_facts import CallFacts


class NotTheJudge:
    """A layer. The judge has no tools; one that calls some all the same was talked into it."""

    name: ClassVar[str] = "not-the-judge"

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Decision | None:
        if not is_judge_folder(facts.workspace.root):
            return None
        reason = "this program was started to judge calls, so it may make none itself"
        return deny("gate.judge", reason, "Answer the question without tools.", clearable=False)
