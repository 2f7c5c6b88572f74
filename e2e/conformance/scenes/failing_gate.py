"""Scenes in which the gate itself breaks: killed, slow, replaced by something that talks nonsense.

What the settings allow may run if a new daemon allows it; nothing else may, whatever breaks.
"""

import signal
from contextlib import ExitStack

from automode.agents.scripted.wire import saying, using
from conformance.failing import expect
from conformance.false_daemon import false_daemon
from conformance.trial import Trial


def daemon_is_killed(trial: Trial) -> None:
    shell = trial.agent.shell
    trial.model.plays(
        using(shell("touch allowed-1")),
        using(shell("touch denied-2"), before=trial.kill_daemon),
        using(shell("touch asked-3")),
        using(shell("touch allowed-4")),
        saying("done"),
    )

    trial.run()

    expect(trial.ran("allowed-1"), f"nothing ran at all: {trial.model.results()}")
    every_call_came_back(trial, 4)


def daemon_hangs(trial: Trial) -> None:
    def hang() -> None:
        trial.signal_daemon(signal.SIGSTOP)

    shell = trial.agent.shell
    trial.model.plays(
        using(shell("touch allowed-1")), using(shell("touch denied-2"), before=hang), saying("done")
    )

    trial.run()

    expect(trial.ran("allowed-1"), f"nothing ran at all: {trial.model.results()}")
    every_call_came_back(trial, 2)


def daemon_talks_nonsense(trial: Trial) -> None:
    port = trial.daemon().http_port
    shell = trial.agent.shell
    with ExitStack() as stack:

        def replace() -> None:
            trial.kill_daemon()
            stack.enter_context(false_daemon(trial.state.socket, port))

        trial.model.plays(
            using(shell("touch allowed-1")),
            using(shell("touch denied-2"), before=replace),
            using(shell("touch denied-3")),
            using(shell("touch asked-4")),
            saying("done"),
        )
        trial.run()

    expect(trial.ran("allowed-1"), f"nothing ran at all: {trial.model.results()}")
    every_call_came_back(trial, 4)


def every_call_came_back(trial: Trial, calls: int) -> None:
    """With a result or a reason, never with silence."""
    if not trial.agent.goes_on:
        return
    whole = [asked.results for asked in trial.model.asked]
    most = max(whole, key=len, default=())
    expect(len(most) == calls, f"{calls} calls were made, and these results came back: {most}")
