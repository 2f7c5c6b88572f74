"""Which acts of code are far-reaching: those that would need a word of the user's as commands."""

from collections.abc import Iterable, Iterator
from functools import partial

from automode.core.workspace import Workspace
from automode.judge.calls.code_deeds import HIDES
from automode.judge.calls.command_deeds import deeds_of
from automode.judge.calls.needs import Named, is_met, needs_of, patch_needs
from automode.judge.code.act import TESTS_FOLDER, Act
from automode.judge.deeds import Weight, deeds
from automode.judge.runs.artefacts import git_parts
from automode.judge.runs.inside import Within
from automode.judge.runs.own import Own
from automode.judge.runs.written_code import Far
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.shell.script import Script

_P = patterns("running")
_W = word_lists("running")


def far_from(own: Own, facts: CallFacts, within: Within, named: Named) -> Far:
    """Tells far-reaching acts of a piece of code."""
    return partial(_is_far, facts=facts, within=within, own=own, named=named)


def _is_far(act: Act, facts: CallFacts, within: Within, own: Own, named: Named) -> bool:
    """Whether the same command would need a word of the user's."""
    found: Iterable[str]
    if act.command is None:
        own_word = act.guess and act.text.partition(" ")[0] in _W.subcommands
        if own_word and not _P.no_subcommand.search(act.text):
            return False
        other = facts.other(act.text)
        work = within(other)
        if not work.whole:
            return not act.guess
        started = [one for one in work.needs if own.runs(one)]
        unmet = (one.deed for one in work.needs if one.deed and one not in started)
        excused = set(_in_tests(other.script, facts.workspace))
        excused |= _W.unknowns if own_word else {"computes-program"} if started else set()
        found = [one for one in (*work.deeds, *unmet) if one not in excused]
    else:
        known = CommandFacts(act.command, facts.workspace)
        every = (*needs_of(known), *patch_needs((act.command,), facts.workspace))
        needs = (one for one in every if one.deed)
        left = [one.deed for one in needs if not is_met(one, named, facts.workspace)]
        found = (*deeds_of(known), *left)
    return any(deeds()[name].weight >= Weight.LASTING for name in found if name != HIDES)


def _in_tests(script: Script, place: Workspace) -> Iterator[str]:
    """What git may do in a repository that a test made for itself."""
    every = [one for one in script.commands if one.program == "git"]
    parts = [git_parts(one, place.cwd) for one in every]
    elsewhere = any(_P.another_repository.search(one.text) for one in every)
    if every and not elsewhere and all(TESTS_FOLDER in at for at, _, _ in parts):
        yield from _W.own_repository
        pushed = [rest for _, verb, rest in parts if verb == "push"]
        if all(any(TESTS_FOLDER in word for word in rest) for rest in pushed):
            yield from ("pushes", "pushes-main", "forces")
