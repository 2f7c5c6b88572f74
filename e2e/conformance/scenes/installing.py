"""Scenes of putting automode into an agent and taking it out again."""

import os

from conformance.failing import expect
from conformance.scenes.deciding import allowed_call_runs
from conformance.trial import Trial


def leaves_no_trace(trial: Trial) -> None:
    trial.agent.settle_in(trial.scratch)
    paths = trial.agent.registers(trial.scratch)
    before = contents(paths)

    trial.install()
    expect(contents(paths) != before, "the installer changed nothing")
    allowed_call_runs(trial)
    trial.uninstall()

    after = contents(paths)
    changed = sorted(name for name in before.keys() | after if before.get(name) != after.get(name))
    seen = [after.get(name, b"").decode("utf-8", "replace") for name in changed]
    expect(not changed, f"not as before: {changed}; now they hold {seen}")


def contents(paths: tuple[str, ...]) -> dict[str, bytes]:
    """Every file there, by its path."""
    files = [path for path in paths if os.path.isfile(path)]
    for path in paths:
        files += [os.path.join(top, name) for top, _, names in os.walk(path) for name in names]
    found: dict[str, bytes] = {}
    for name in files:
        with open(name, "rb") as file:
            found[name] = file.read()
    return found
