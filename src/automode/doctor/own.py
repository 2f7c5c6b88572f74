"""automode itself: its release, the interpreter, the hook that agents start, the bash parsers."""

import platform
import subprocess
import sys
from collections.abc import Mapping

from automode.daemon.version import UNKNOWN, own_version
from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem, warning
from automode.hook import client
from automode.probe.model import BrokenWeights, shipped_model

HOOK_SECONDS = 10.0
REINSTALL = "pip install --force-reinstall automode"
_CLOSED = "automode could not decide"


def check_own(case: Case) -> list[Finding]:
    return [_release(), _hook(), _parsers(case.parsers), _probe()]


def _release() -> Finding:
    found, python = own_version(), f"Python {platform.python_version()} ({sys.executable})"
    if found == UNKNOWN:
        says = f"automode was not installed as a package, so its release is unknown; {python}"
        return warning("automode", says, "pip install automode")
    return fine("automode", f"release {found}, {python}")


def _probe() -> Finding:
    found = shipped_model()
    if isinstance(found, BrokenWeights):
        return warning("probe", f"{found}; patterns alone screen results", REINSTALL)
    return fine("probe", "patterns and a model screen what tools bring back")


def _hook() -> Finding:
    """For no agent at all, so that it must close: that it does shows that it starts."""
    path = client.__file__
    try:
        done = subprocess.run(  # noqa: S603 - our own hook, as agents start it
            (sys.executable, "-I", "-S", path, "--state", "/", "nobody", "proposed"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=HOOK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        says = f"{path} does not start with {sys.executable} ({type(error).__name__})"
        return problem("hook", says, REINSTALL)
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode == 2 and said.startswith(_CLOSED):
        return fine("hook", f"{path} starts, and closes when it is asked for nothing it knows")
    says = f"{path} should have closed, but ended with {done.returncode}"
    return problem("hook", says, REINSTALL)


def _parsers(usable: Mapping[str, bool]) -> Finding:
    missing = [name for name, there in usable.items() if not there]
    if missing:
        says = f"cannot be used: {', '.join(missing)}; no shell command can be proved safe"
        return problem("bash parsers", says, REINSTALL)
    if not usable:
        return warning("bash parsers", "they were not tried", "automode status")
    return fine("bash parsers", "both read")
