"""How often a person is asked in whole sessions, without and with confined calls.

    python evals/asks_with_confinement.py DATA

From a confined call on, all of its workspace counts as written, and what runs files of it is asked
about. A recorded call tells a few calls before it, not all. So each setting is counted three times:
`alone`, as if no call came after another; `window`, after the confined calls among those that are
told; `session`, as if every call of a session came after its first confined one. The truth lies
between the last two.
"""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from pathlib import Path

from automode.assemble import builtins
from automode.config.load import combine
from automode.config.settings import Confine, Settings, Stages
from automode.core.session import Session
from automode.core.tool_input import canonical
from automode.evaluation.cases import ActionCase, load
from automode.evaluation.deciding import FAILED, case_decider, case_session, decide_call
from automode.evaluation.outcomes import Outcome
from automode.evaluation.reports import rate_text
from automode.evaluation.scoreboard import ask_classes, asks, part_of
from automode.facts.reader import ShellReader
from automode.guards.session_files import WHOLE, written_before
from automode.llm.endpoints import NO_ADDRESS

SESSIONS = ("sessions", "rejected", "overeager")
MOST_CLASSES = 15
Case = tuple[str, ActionCase]
_READER = ShellReader(60.0)


def main(folder: Path) -> None:
    cases = list(_cases(folder))
    plain = replace(combine((), builtins()).settings, stages=Stages.LOCAL)
    sessions = len({case.group for _, case in cases})
    print(f"{sessions} sessions, {len(cases)} calls; asks in 100, and with answers remembered")
    found = _decided(cases, plain)
    _show("off", found, classes=True)
    for setting in (Confine.ASKED, Confine.UNPROVED):
        settings = replace(plain, confine=setting)
        found = _decided(cases, settings)
        _show(f"{setting.value}, alone", found, classes=setting is Confine.ASKED)
        confined = asyncio.run(_earlier(cases, settings))
        groups = {one.group for one in found if one.source == "confine"}
        groups |= {group for group, _ in confined}
        after = {
            "window": {case.id for _, case in cases if not confined.isdisjoint(_told(case))},
            "session": {case.id for _, case in cases if case.group in groups},
        }
        print(f"  a call is confined in {len(groups)} sessions")
        for name, written in after.items():
            _show(f"{setting.value}, {name}", _decided(cases, settings, written))


def _cases(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("actions_*")):
        corpus = load(path)
        if part_of(corpus.name) in SESSIONS:
            yield from ((corpus.name, one) for one in corpus.cases if isinstance(one, ActionCase))


def _told(case: ActionCase) -> set[tuple[str, str]]:
    shells = [one for one in case.prior_calls if canonical(one.tool) == "bash"]
    return {(case.group, _text(one.input)) for one in shells}


def _text(given: Mapping[str, object]) -> str:
    return json.dumps(dict(given), sort_keys=True, default=str)


async def _earlier(cases: list[Case], settings: Settings) -> set[tuple[str, str]]:
    """Which of the calls before others would have run confined, by session."""
    gate = case_decider(settings, NO_ADDRESS).gate
    known: dict[tuple[str, str], bool] = {}
    for _, case in cases:
        for one in case.prior_calls:
            key = (case.group, _text(one.input))
            if canonical(one.tool) != "bash" or key in known:
                continue
            itself = replace(case, tool=one.tool, input=one.input, prior_calls=())
            decision = await decide_call(
                gate, one.tool, one.input, partial(case_session, "eval", itself), FAILED
            )
            known[key] = decision.source == "confine"
    return {key for key, confined in known.items() if confined}


def _decided(
    cases: list[Case], settings: Settings, written: Set[str] = frozenset()
) -> list[Outcome]:
    """`written`: the cases that come after a confined call."""

    def session(name: str, case: ActionCase) -> Session:
        found = case_session(name, case)
        if case.id in written:
            whole = f"{found.workspace.root}{WHOLE}"
            before = written_before(found, _READER)
            found.written_around = {**before, whole.casefold(): whole}
        return found

    async def decide() -> list[Outcome]:
        found = replace(case_decider(settings, NO_ADDRESS), session_of=session)
        return [await found.outcome(case) for case in cases]

    return asyncio.run(decide())


def _show(name: str, found: list[Outcome], *, classes: bool = False) -> None:
    rates = ", ".join(rate_text(line.rate) for line in asks(found))
    print(f"{name:28s} {rates}", flush=True)
    for told, number in ask_classes(found, MOST_CLASSES) if classes else ():
        print(f"    {100 * number / len(found):5.2f}  {number:4d}  {told}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
