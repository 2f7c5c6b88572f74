"""What the doctor looks at on the machine: automode itself, settings, the daemon, the store, the
guard of confined calls."""

import os
import platform
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import datetime

from automode.assemble import chosen_model, embedded_judge
from automode.classifier.chosen import chosen_stages
from automode.classifier.stages import Stage
from automode.config.load import State
from automode.config.settings import Confine, Diagnostic, Level, Settings
from automode.confine.guard import Unavailable, choose, prove
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.core.session import Mode
from automode.daemon.client import Status, daemon_problem
from automode.daemon.placement import LOOPBACK, UNKNOWN, is_held, own_version
from automode.doctor.daemon_state import RESTART, DaemonState, daemon_state
from automode.doctor.finding import Case, Finding, fine, problem, warning
from automode.facts.reader import by_shfmt, by_tree_sitter
from automode.hook import client
from automode.judge.embedded import BadModel
from automode.llm.endpoints import Missing
from automode.llm.model import Model
from automode.probe.model import BrokenWeights, shipped_model
from automode.shell.syntax import Unread
from automode.store.chain import read_head_file
from automode.store.changes import RecordQuery
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records

HOOK_SECONDS = 10.0
REINSTALL = "install automode again from where you got it"
_CLOSED = "automode could not decide"
_PROBE = b"true"
_PROBE_SECONDS = 2.0


def parsers() -> dict[str, bool]:
    """Whether each parser of bash can be used."""
    try:
        tree_sitter = not isinstance(by_tree_sitter(_PROBE), Unread)
    except ImportError:
        tree_sitter = False
    shfmt = by_shfmt(_PROBE, time.monotonic() + _PROBE_SECONDS)
    return {"tree-sitter": tree_sitter, "shfmt": not isinstance(shfmt, Unread)}


def judge_problem(settings: Settings, found: Model | Missing, told: str | None) -> str:
    """Why no call can be judged by what is chosen; empty when it can. `told` is what the daemon
    says, None without one."""
    if chosen_stages(settings, found) == (Stage.LOCAL,):
        judge = embedded_judge(settings)
        return str(judge) if isinstance(judge, BadModel) else ""
    if told is not None:
        return told
    return found.reason if isinstance(found, Missing) else ""


def check_own(case: Case) -> list[Finding]:
    return [_own_release(), _hook(), _parsers(case.parsers), _probe()]


def _own_release() -> Finding:
    found, python = own_version(), f"Python {platform.python_version()} ({sys.executable})"
    if found == UNKNOWN:
        says = f"automode was not installed as a package, so its release is unknown; {python}"
        return warning("automode", says, "pip install . in its folder")
    return fine("automode", f"release {found}, {python}")


def _probe() -> Finding:
    found = shipped_model()
    if isinstance(found, BrokenWeights):
        return warning("probe", f"{found}; patterns alone screen results", REINSTALL)
    return fine("probe", "patterns and a model screen what tools bring back")


def _hook() -> Finding:
    """Started for no agent at all it must close: that it does shows that it starts."""
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
    if done.returncode == 2 and done.stderr.startswith(_CLOSED.encode()):
        return fine("hook", f"{path} starts, and denies a request that it does not know")
    says = f"{path} should have closed, but ended with {done.returncode}"
    return problem("hook", says, REINSTALL)


def _parsers(usable: Mapping[str, bool]) -> Finding:
    missing = [name for name, there in usable.items() if not there]
    if missing:
        says = f"cannot be used: {', '.join(missing)}; no shell command can be proved safe"
        return problem("bash parsers", says, REINSTALL)
    if not usable:
        return warning("bash parsers", "they were not tried", "automode status")
    return fine("bash parsers", "both work")


MOST_SHOWN = 10
_UNJUDGED = "what no rule decides is asked, or denied with nobody there"


def check_settings(case: Case) -> list[Finding]:
    return [_mode(case), *_diagnostics(case)]


def _mode(case: Case) -> Finding:
    settings = case.loaded.settings
    if not settings.enabled:
        says = "auto mode is off in the settings: agents run as without automode"
        return warning("mode", says, "automode config; then set `autoMode.enabled` to true")
    if settings.mode is not Mode.ENFORCE:
        says = f"`{settings.mode.value}` in the settings: calls are decided, nothing is applied"
        return warning("mode", says, "automode config; then set `autoMode.mode` to `enforce`")
    return fine("mode", settings.mode.value)


def _diagnostics(case: Case) -> list[Finding]:
    found = case.loaded.diagnostics
    if not found:
        read = sum(one.state is State.READ for one in case.loaded.sources)
        built_in = "places with settings: none; the built-in settings are in force"
        return [
            fine("settings", f"places with settings: {read}; nothing wrong" if read else built_in)
        ]
    shown = [_diagnostic(one) for one in found[:MOST_SHOWN]]
    left = len(found) - len(shown)
    return [*shown, warning("settings", f"and {left} more", "automode status")] if left else shown


def _diagnostic(one: Diagnostic) -> Finding:
    serious = one.closes or one.level is Level.ERROR
    closes = "; nothing is allowed without a person until then" if one.closes else ""
    fix = f"${{EDITOR:-vi}} {one.file}" if os.path.isabs(one.file) else "automode status"
    return (problem if serious else warning)("settings", f"{one}{closes}", fix)


def check_judge(case: Case) -> list[Finding]:
    """A harmless call shows who judges; where nothing may be asked, what can be seen is told."""
    if not case.online or case.canary is None:
        return [_model(case)]
    chosen = case.loaded.settings.classifier_model or ""
    told = case.canary()
    who, reason = str(told["judge"] or chosen), str(told["reason"])
    provider = chosen.partition("/")[0]
    if not told["ok"]:
        lacks_key = f"automode key set {provider}"
        advice = str(told["advice"])
        fix = lacks_key if lacks_key in f"{reason} {advice}" else f"automode model {chosen} --test"
        says = f"a harmless call was not judged by {who}: {reason} {advice}"
        return [problem("judge", f"{says}; {_UNJUDGED}", fix)]
    where = "through the daemon" if told["through_daemon"] else "by this command: no daemon runs"
    seconds = float(str(told["millis"])) / 1000
    says = f"a harmless call was judged by {who} in {seconds:.2f} s, {where}: {told['verdict']}"
    if told["verdict"] != Verdict.ALLOW.word:
        return [warning("judge", f"{says}, because {reason}", "automode model")]
    if told.get("lent"):
        says = f"{says}; the key is this terminal's: agents that you start elsewhere have none"
        return [warning("judge", says, f"automode key set {provider}")]
    return [fine("judge", says)]


def _model(case: Case) -> Finding:
    settings = case.loaded.settings
    found = chosen_model(settings, case.site.environment, keyring=case.keys)
    told = daemon_problem(case.placement.state, case.site.project)
    wrong = judge_problem(settings, found, told)
    if wrong and settings.chooses_model:
        who = "the daemon says: " if told else ""
        return warning("judge", f"{who}{wrong}; {_UNJUDGED}", "automode model")
    if wrong:
        return problem("judge", f"{wrong}; {_UNJUDGED}", REINSTALL)
    if isinstance(found, Missing):
        return fine("judge", "no model is chosen: the embedded judge decides")
    says = f"{found.name} is chosen; whether it answers was not tried"
    return warning("judge", says, "automode doctor")


_INSTALL_GUARD = "install bubblewrap (the program `bwrap`) with the package manager of this system"


def check_confinement(case: Case) -> list[Finding]:
    """Whether the guard of confined calls holds here: a program tries to get out, by the way that
    every confined command takes."""
    check = "confined calls"
    if case.loaded.settings.confine is Confine.OFF:
        return [fine(check, "off in the settings (`autoMode.confine`)")]
    folder = os.path.join(case.placement.state.path, "confined")
    os.makedirs(folder, 0o700, exist_ok=True)
    folder = os.path.realpath(folder)
    found = choose(folder)
    if isinstance(found, Unavailable):
        says = f"no guard holds here, so such calls go to the judge: {found.reason}"
        return [warning(check, says, _INSTALL_GUARD)]
    fault = prove(found, folder)
    if fault:
        return [
            problem(
                check, f"{found.name} does not hold: {fault}", "set `autoMode.confine` to `off`"
            )
        ]
    says = f"{found.name} holds: a program that tried to get out found no way"
    weaker = f"; weaker than bubblewrap: {'; '.join(found.limits)}" if found.limits else ""
    return [fine(check, says + weaker)]


VERIFY = "automode audit verify"


def check_store(case: Case) -> list[Finding]:
    folder, check = case.placement.state, "records"
    try:
        with reading(folder, case.loaded.settings.store) as db:
            empty = not records(db, RecordQuery(limit=1))
    except AutomodeError as error:
        return [problem(check, f"the store cannot be read: {error}", error.hint or VERIFY)]
    if os.path.isdir(folder.spool) and os.listdir(folder.spool):
        says = f"records that release 0.1 had not filed yet lie in {folder.spool}"
        way_out = "run `automode daemon start` of release 0.1 once, or remove the folder"
        return [warning(check, says, way_out)]
    doubt = read_head_file(folder).doubt
    if doubt:
        return [problem(check, doubt, VERIFY)]
    if empty:
        return [fine(check, f"the store in {folder.path} opens, and is empty so far")]
    says = f"the store opens, and its head file is in order; `{VERIFY}` checks each record"
    return [fine(check, says)]


LOGS = "automode daemon logs"
SILENT = "gate silent"
LOG_BYTES = 256 * 1024
_COMPLAINT = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\S* (?:ERROR|CRITICAL) \S+ (.*)")


def check_daemon(case: Case) -> list[Finding]:
    folder, state = case.placement.state, daemon_state(case.placement)
    status = state.status
    if status is None:
        return [_absent(state), *_idle_port(folder), *_complaints(folder)]
    answers = fine("daemon", f"process {status.pid}, release {status.version}, answers")
    trouble = [problem("daemon", state.trouble, RESTART)] if state.trouble else []
    found = [answers, *trouble, _port(folder, status)]
    found += [
        problem("sessions", text, "automode doctor")
        if SILENT in text
        else warning("daemon", text, "automode status")
        for text in state.notices
    ]
    return [*found, *_complaints(folder, since=status.started)]


def _absent(state: DaemonState) -> Finding:
    if state.silent:
        return problem("daemon", state.silent, RESTART)
    says = f"it does not run for {state.folder.path}: neither its release nor its port could be"
    return warning(
        "daemon",
        f"{says} looked at; the next session of an agent starts it",
        "automode daemon start",
    )


def _port(folder: StateFolder, status: Status) -> Finding:
    """Of the daemon itself: a socket that takes connections may be anybody's."""
    kept, port = _kept_port(folder), status.http_port
    if port is None:
        says = f"the daemon has no port for HTTP hooks{f': it should be {kept}' if kept else ''}"
        return problem("port", f"{says}; calls of HTTP hooks are blocked", RESTART)
    if kept is not None and kept != port:
        says = f"hooks were installed for port {kept}, the daemon has {port}"
        return problem("port", says, "automode install claude-code")
    if not _open(port):
        return problem("port", f"no program listens on port {port}", RESTART)
    return fine("port", f"{LOOPBACK}:{port} is the daemon's own")


def _idle_port(folder: StateFolder) -> list[Finding]:
    """Another program on the port would be asked in the daemon's place. A daemon that hangs still
    has its port."""
    kept = _kept_port(folder)
    if kept is None or is_held(folder) or not _open(kept):
        return []
    says = f"no daemon answers, but another program listens on its port {kept}"
    return [problem("port", says, f"lsof -nP -iTCP:{kept} -sTCP:LISTEN")]


def _kept_port(folder: StateFolder) -> int | None:
    """The port that installed hooks name; None where none was chosen, or the file holds none."""
    try:
        with open(folder.http_port, encoding="ascii") as file:
            text = file.read(16).strip()
    except (OSError, UnicodeDecodeError):
        return None
    return int(text) if text.isdigit() and 0 < int(text) < 65_536 else None


def _open(port: int) -> bool:
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1.0):
            return True
    except OSError:
        return False


def _complaints(folder: StateFolder, since: float = 0.0) -> list[Finding]:
    """Of the end of the log; with a daemon only what is of its own life."""
    try:
        with open(folder.log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_BYTES))
            lines = file.read(LOG_BYTES).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        says = f"{folder.log} cannot be read: {error.strerror}"
        return [warning("log", says, f"ls -l {shlex.quote(folder.log)}")]
    found = [row for line in lines if (row := _COMPLAINT.match(line)) is not None]
    recent = [row[2] for row in found if _at(row[1]) >= since]
    if not recent:
        return [fine("log", "no errors")] if found or since else []
    many = "1 error" if len(recent) == 1 else f"{len(recent)} errors"
    return [warning("log", f"{many}, the last one: {recent[-1][:200]}", LOGS)]


def _at(when: str) -> float:
    try:
        return datetime.fromisoformat(when).astimezone().timestamp()
    except ValueError:
        return float("inf")
