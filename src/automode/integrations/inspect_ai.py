"""Inspect AI: `eval(task, approval=[ApprovalPolicy(approver(gate), "*")])`.

`ask` becomes `escalate`: the next approver of the policy is asked, and without one the call is
rejected. `halt` ends the sample. Approvers see no results, so nothing is screened here.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from automode.integrations.ruling import Ruling, rule
from automode.library import Gate, ToolCall


class Proposed(Protocol):
    """The framework's `ToolCall`, as far as it is used."""

    id: str
    function: str
    arguments: Mapping[str, object]


def approver(gate: Gate) -> object:
    """An `Approver`. One that raises ends the sample, so nothing runs undecided."""
    approval = import_module("inspect_ai.approval")

    def automode() -> object:
        async def approve(message: str, call: Proposed, view: object, history: object) -> object:
            ruling = await rule(gate, ToolCall(call.function, call.arguments, call.id))
            return approval.Approval(
                decision=_word(ruling), explanation=ruling.question or ruling.text
            )

        return approve

    made: object = approval.approver(name="automode")(automode)()
    return made


def _word(ruling: Ruling) -> str:
    if ruling.runs:
        return "approve"
    if ruling.asks:
        return "escalate"
    return "terminate" if ruling.halts else "reject"
