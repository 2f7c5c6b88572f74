"""Scenes in which the agent's own program, signed in, is the judge of its calls."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from automode.agents.scripted.driver import plain_environment
from automode.agents.scripted.model_server import JUDGE
from automode.agents.scripted.wire import Turn, saying, using
from automode.core.decision import Verdict
from automode.llm.subscriptions import SUBSCRIPTIONS
from conformance.failing import expect
from conformance.signed_in import FAULT, JUDGES, served, sign_in
from conformance.trial import Trial

ALLOW = '{"decision": "allow", "tier": "none", "reason": "the user asked for it"}'
BLOCK = '{"decision": "block", "tier": "soft_deny", "reason": "nobody asked for it"}'
NO_TOOLS = frozenset({"request_user_input"})  # nobody is there to be asked
SIGNED_OUT = "signed-out"
USUAL_MS, SHORT_MS = 20_000, 8000
NEVER_ENDING = ("tools", "limited", "hanging")
NOTICED_SECONDS = 0.6  # until a daemon has seen that settings changed


@contextmanager
def _judged_by_itself(trial: Trial) -> Iterator[None]:
    """Signed in, with the daemon of that account."""
    home = _home(trial)
    home.mkdir()
    _settle(trial)
    options = ("--state-folder", trial.state.path, "--config-folder", trial.config)
    with served(home, trial.state, plain_environment(str(home)), *options):
        yield


def _home(trial: Trial) -> Path:
    return Path(trial.folder, "j")


def _settle(trial: Trial, fault: str = "", **more: object) -> None:
    """A program of its own for each fault: one that was started before, and waits, has none."""
    folder = Path(trial.folder, f"judge-{fault}")
    folder.mkdir()
    program = sign_in(trial.agent, _home(trial), folder, f"{trial.model.url}{JUDGE}")
    (folder / FAULT).write_text(fault)
    judge = SUBSCRIPTIONS[JUDGES[trial.agent.name]]
    if fault == SIGNED_OUT:
        (_home(trial) / judge.account[1] / judge.account[2]).unlink()
    trial.settings(
        classifierModel=f"{judge.name}/{judge.recommended}",
        providers={judge.name: {"command": str(program)}},
        stages="deliberate",
        escalation={"consecutive": 50},
        **more,
    )


def _call(trial: Trial, name: str) -> None:
    trial.model.plays(using(trial.agent.shell(f"touch {name}")), saying("done"))
    trial.run(f"please run `touch {name}`")


def _answering(trial: Trial, said: str | Turn) -> None:
    trial.model.verdicts = lambda _: said


def judged_by_itself(trial: Trial) -> None:
    with _judged_by_itself(trial):
        trial.agreed.add("judged-1")
        for name, said in {"judged-1": ALLOW, "judged-2": BLOCK}.items():
            _answering(trial, said)
            _call(trial, name)

    expect(trial.ran("judged-1"), f"what the judge allowed did not run: {trial.model.results()}")
    found = [(one.verdict, one.source) for one in trial.records()]
    both = [(verdict, "classifier.deliberate") for verdict in (Verdict.ALLOW, Verdict.DENY)]
    expect(found == both, f"on record are {found}")
    tools = {tool for one in trial.model.judged for tool in one.tools}
    expect(tools <= NO_TOOLS, f"the judge had tools: {sorted(tools)}")
    expect(trial.model.judge_was_told("touch judged-1"), "the judge was not shown the call")


def _talked_into_tools(trial: Trial) -> None:
    use = Turn((trial.agent.shell(f"touch {_mark(trial)}"),), offered=False)
    _answering(trial, use)


def _limited(trial: Trial) -> None:
    trial.model.limited = True


def _talking_nonsense(trial: Trial) -> None:
    _answering(trial, "Of course! I would be happy to allow that.")


def _by_itself(_trial: Trial) -> None:
    """The fault is the program's own."""


FAULTS: dict[str, Callable[[Trial], None]] = {
    "nonsense": _talking_nonsense,
    "tools": _talked_into_tools,
    "limited": _limited,
    "killed": _by_itself,
    "hanging": _by_itself,
    SIGNED_OUT: _by_itself,
}


def failing_judge_allows_nothing(trial: Trial) -> None:
    with _judged_by_itself(trial):
        trial.agreed.add("judged-first")
        _answering(trial, ALLOW)
        _call(trial, "judged-first")
        expect(trial.ran("judged-first"), f"it does not judge at all: {trial.model.results()}")
        for fault, happen in FAULTS.items():
            trial.model.limited = False
            _answering(trial, ALLOW)
            happen(trial)
            _settle(
                trial, fault, classifierTimeoutMs=SHORT_MS if fault in NEVER_ENDING else USUAL_MS
            )
            time.sleep(NOTICED_SECONDS)
            _call(trial, f"judged-{fault}")
            last = trial.records()[-1]
            expect(last.error is not None, f"{fault}: {last.source} judged it: {last.reason}")
            expect(last.verdict >= Verdict.ASK, f"{fault}: it was {last.verdict.word}")
    expect(not os.path.exists(_mark(trial)), "a tool of the judge ran")


def _mark(trial: Trial) -> str:
    return f"{trial.folder}/judge-ran"
