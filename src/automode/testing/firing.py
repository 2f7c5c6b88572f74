"""Shows that an installed agent really asks automode: starts it, and lets it try a forbidden call.

The agent is the person's own program with the person's own registration, copied into folders that
are thrown away: of their settings only automode's entries are taken, so that nothing of theirs
runs, nothing is written to their files, and the model is the scripted one. The call is one that the
floor denies whatever the settings say, and that does nothing where it is not stopped.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from automode.testing.agents.agent import Agent, Lodging, NoProgram
from automode.testing.agents.claude_code import ClaudeCodeProgram
from automode.testing.agents.pi import PiProgram
from automode.testing.ending import end_group
from automode.testing.model_server import ModelServer
from automode.testing.script import saying, using

CANARY = "automode approve automode-doctor-canary"
"""For a person only, and of a record that does not exist."""
SECONDS = 90.0
LARGEST_BYTES = 4 * 1024 * 1024
_DENIED = "automode (floor."
_UNDECIDED = "automode could not decide"
_CLOSED = ("hook error", "blocking because")
_KEPT = ("disableAllHooks", "allowManagedHooksOnly")
_OURS = ("/automode/hook/client.py", "/hook/claude-code/")


@dataclass(frozen=True, slots=True)
class Fired:
    """`ok`: the call came to automode, and automode stopped it. `detail` says what was seen."""

    ok: bool
    detail: str


def fires(agent: str, program: str, *, environment: Mapping[str, str] | None = None) -> Fired:
    """`program` is the path of the real one. Raises NoProgram where it cannot be started."""
    given = os.environ if environment is None else environment
    started: Agent = PiProgram(program) if agent == "pi" else ClaudeCodeProgram(program)
    with _lodged() as (folder, model):
        lodging = Lodging(f"{folder}/h", f"{folder}/p", model.address)
        os.makedirs(f"{lodging.project}/.git")
        os.makedirs(lodging.home)
        started.prepare(lodging)
        missing = _registered(started, lodging, given)
        if missing:
            return Fired(ok=False, detail=missing)
        model.plays(using(started.shell(CANARY)), saying("done"))
        path = given.get("PATH", os.defpath)
        _run(started, lodging, {**started.environment(lodging), "PATH": path})
        return _seen(model)


@contextmanager
def _lodged() -> Iterator[tuple[str, ModelServer]]:
    folder = os.path.realpath(tempfile.mkdtemp(prefix="am-"))
    try:
        with ModelServer() as model:
            yield folder, model
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _registered(agent: Agent, lodging: Lodging, given: Mapping[str, str]) -> str:
    """Copies automode's registration; why there is nothing to copy, where there is not."""
    home = given.get("HOME", "")
    if agent.name == "pi":
        folder = given.get("PI_CODING_AGENT_DIR") or os.path.join(home, ".pi", "agent")
        return _copied_extension(folder, agent.registers(lodging)[0])
    folder = given.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    return _copied_hooks(os.path.join(folder, "settings.json"), agent.registers(lodging)[0])


def _copied_extension(folder: str, target: str) -> str:
    source = os.path.join(folder, "extensions", "automode.ts")
    os.makedirs(target, exist_ok=True)
    try:
        shutil.copy(source, os.path.join(target, "automode.ts"))
    except OSError as error:
        return f"`{source}` cannot be read ({error.strerror})"
    return ""


def _copied_hooks(source: str, target: str) -> str:
    try:
        with open(source, "rb") as file:
            found: object = json.loads(file.read(LARGEST_BYTES))
    except OSError as error:
        return f"`{source}` cannot be read ({error.strerror})"
    except ValueError:
        return f"`{source}` is not JSON"
    match found:
        case {"hooks": {**events}}:
            hooks = {str(name): _our_groups(groups) for name, groups in events.items()}
        case _:
            hooks = {}
    if not any(hooks.values()):
        return f"no hook of automode stands in `{source}`"
    kept = {key: found[key] for key in _KEPT if isinstance(found, dict) and key in found}
    with open(target, "w", encoding="utf-8") as file:
        json.dump({**kept, "hooks": hooks}, file)
    return ""


def _our_groups(groups: object) -> list[object]:
    """Whole groups: automode's hook stands alone in its own."""
    rows = groups if isinstance(groups, list) else []
    return [row for row in rows if any(mark in json.dumps(row) for mark in _OURS)]


def _run(agent: Agent, lodging: Lodging, environment: Mapping[str, str]) -> None:
    try:
        process = subprocess.Popen(  # noqa: S603 - the agent that is to be tried
            (*agent.words, *agent.once("please go on")),
            env=dict(environment),
            cwd=lodging.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise NoProgram(
            f"`{agent.words[0]}` does not start ({error.strerror})", "install the agent again"
        ) from error
    try:
        process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise NoProgram(f"{agent.name} did not end within {SECONDS:.0f} seconds") from None
    finally:
        end_group(process)


def _seen(model: ModelServer) -> Fired:
    results = model.results()
    if not results:
        said = "made no call" if model.asked else "never asked its model"
        return Fired(ok=False, detail=f"it was started, and {said}")
    told = results[0]
    if _DENIED in told:
        return Fired(ok=True, detail="a forbidden call was tried, and automode stopped it")
    if _UNDECIDED in told or any(word in told for word in _CLOSED):
        line = next(iter(told.strip().splitlines()), "")
        return Fired(ok=False, detail=f"calls are stopped, but nothing is decided: {line[:300]}")
    off = "it does not ask automode, or auto mode is off"
    return Fired(ok=False, detail=f"a forbidden call was tried, and nothing stopped it: {off}")
