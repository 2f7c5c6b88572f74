"""Shows that an installed agent really asks automode: starts it, and lets it try a forbidden call.

The agent is the person's own program with the person's own registration, copied into folders that
are thrown away: of their settings only automode's entries are taken, so that nothing of theirs
runs, nothing is written to their files, and the model is the scripted one. The call is one that the
floor denies whatever the settings say, and that does nothing where it is not stopped.
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from automode.agents.installing.installer import installer_of
from automode.agents.installing.site import is_ours
from automode.agents.scripted import CANARY
from automode.agents.scripted.driver import Driver, NoProgram, ScratchFolders, driver_of, end_group
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import saying, using

SECONDS = 90.0
LARGEST_BYTES = 4 * 1024 * 1024
_DENIED = "automode (floor."
_UNDECIDED = "automode could not decide"
_CLOSED = ("hook error", "blocking because")
_KEPT = ("disableAllHooks", "allowManagedHooksOnly", "hooksConfig")
_PRINTS, _HEARD = "printf '%s\\n' \"$answer\"", "answer"
"""In Cline a forbidden call ends the run, and no model reads why: so its hook says it here too."""


@dataclass(frozen=True, slots=True)
class Fired:
    """`ok`: the call came to automode, and automode stopped it. `detail` says what was seen."""

    ok: bool
    detail: str


def fires(agent: str, program: str, *, environment: Mapping[str, str] | None = None) -> Fired:
    """`program` is the path of the real one. Raises NoProgram where it cannot be started."""
    given = os.environ if environment is None else environment
    started = driver_of(agent, program)
    with _scratch_folder() as (folder, model):
        scratch = ScratchFolders(f"{folder}/h", f"{folder}/p", model.url)
        os.makedirs(f"{scratch.project}/.git")
        os.makedirs(scratch.home)
        started.prepare(scratch)
        missing = _copy_registration(started, scratch, given)
        if missing:
            return Fired(ok=False, detail=missing)
        model.plays(using(started.shell(CANARY)), saying("done"))
        path = given.get("PATH", os.defpath)
        _run(started, scratch, {**started.environment(scratch), "PATH": path})
        return _firing_result(model, _overheard(scratch))


@contextmanager
def _scratch_folder() -> Iterator[tuple[str, ModelServer]]:
    folder = os.path.realpath(tempfile.mkdtemp(prefix="am-"))
    try:
        with ModelServer() as model:
            yield folder, model
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_registration(agent: Driver, scratch: ScratchFolders, given: Mapping[str, str]) -> str:
    """Copies automode's registration; why there is nothing to copy, where there is not."""
    source, target = _folder(agent.account, given), agent.registers(scratch)[0]
    folder, name = os.path.split(target)
    if not agent.own_files:
        missing = _copied_hooks(os.path.join(source, name), target)
        return missing or installer_of(agent.name).copy_trust(source, folder)
    missing = _copied_files(source, folder, agent.own_files)
    return missing or _listening(os.path.join(target, "PreToolUse.sh"), scratch)


def _folder(place: Sequence[str], given: Mapping[str, str]) -> str:
    variable, below, usual = place
    moved = given.get(variable)
    return os.path.join(moved, below) if moved else os.path.join(given.get("HOME", ""), usual)


def _copied_files(source: str, target: str, names: Sequence[str]) -> str:
    for name in names:
        path, copy = os.path.join(source, name), os.path.join(target, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        try:
            shutil.copy(path, copy)
        except OSError as error:
            return f"`{path}` cannot be read ({error.strerror})"
    return ""


def _listening(hook: str, scratch: ScratchFolders) -> str:
    """Has the copy of a hook leave its answer where it is found."""
    if os.path.exists(hook):
        with open(hook, "r+", encoding="utf-8") as file:
            text = file.read()
            file.seek(0)
            heard = shlex.quote(os.path.join(scratch.home, _HEARD))
            file.write(text.replace(_PRINTS, f"{_PRINTS} | tee {heard}"))
    return ""


def _copied_hooks(source: str, target: str) -> str:
    """Whole groups: automode's hook is alone in its group."""
    try:
        with open(source, "rb") as file:
            settings: object = json.loads(file.read(LARGEST_BYTES))
    except OSError as error:
        return f"`{source}` cannot be read ({error.strerror})"
    except ValueError:
        return f"`{source}` is not JSON"
    found = settings if isinstance(settings, dict) else {}
    events = found.get("hooks")
    lists = events.items() if isinstance(events, dict) else ()
    hooks = {
        str(event): [one for one in groups if is_ours(one)]
        for event, groups in lists
        if isinstance(groups, list)
    }
    if not any(hooks.values()):
        return f"no hook of automode is in `{source}`"
    prepared: dict[str, object] = {}
    if os.path.exists(target):  # what the agent must find there in order to start
        with open(target, encoding="utf-8") as file:
            prepared = json.load(file)
    kept = {key: found[key] for key in _KEPT if key in found}
    with open(target, "w", encoding="utf-8") as file:
        json.dump({**prepared, **kept, "hooks": hooks}, file)
    return ""


def _run(agent: Driver, scratch: ScratchFolders, environment: Mapping[str, str]) -> None:
    try:
        process = subprocess.Popen(  # noqa: S603 - the agent that is to be tried
            (*agent.words, *agent.once("please go on")),
            env=dict(environment),
            cwd=scratch.project,
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


def _overheard(scratch: ScratchFolders) -> list[str]:
    try:
        with open(os.path.join(scratch.home, _HEARD), encoding="utf-8") as file:
            return [file.read()]
    except OSError:
        return []


def _firing_result(model: ModelServer, overheard: list[str]) -> Fired:
    results = [*overheard, *model.results()]
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
