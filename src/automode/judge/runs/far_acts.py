"""Which acts of code are far-reaching: those whose command would need a word of the user's."""

from collections.abc import Iterable
from functools import partial

from automode.judge.calls.code_deeds import HIDES
from automode.judge.calls.command_deeds import deeds_of
from automode.judge.calls.needs import Named, is_met, needs_of
from automode.judge.code.act import Act
from automode.judge.deeds import Weight, deeds
from automode.judge.runs.inside import Within
from automode.judge.runs.own import Own
from automode.judge.runs.written_code import Far
from automode.programs.call_facts import CallFacts, CommandFacts


def far_from(own: Own, facts: CallFacts, within: Within, named: Named) -> Far:
    """Tells far-reaching acts of a piece of code."""
    return partial(_is_far, facts=facts, within=within, own=own, named=named)


def _is_far(act: Act, facts: CallFacts, within: Within, own: Own, named: Named) -> bool:
    """Whether the same command would need a word of the user's."""
    found: Iterable[str]
    if act.command is None:
        work = within(facts.other(act.text))
        if not work.whole:
            return not act.guess
        found = [*work.deeds, *(one.deed for one in work.needs if one.deed and not own.runs(one))]
    else:
        known = CommandFacts(act.command, facts.workspace)
        needs = (one for one in needs_of(known) if one.deed)
        unmet = [one.deed for one in needs if not is_met(one, named, facts.workspace)]
        found = (*deeds_of(known), *unmet)
    return any(deeds()[name].weight >= Weight.LASTING for name in found if name != HIDES)
