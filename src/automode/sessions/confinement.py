"""Runs calls confined: the order for one, and what became of it.

The gate writes an order into the state folder and has the agent run the guard's program with it,
which leaves beside it how the call ended.
"""

import asyncio
import hashlib
import json
import os
import re
import shlex
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from automode.agents.agent import OwnPaths
from automode.agents.catalog import AGENTS
from automode.agents.events import CallFinished, CallProposed
from automode.confine.guard import PROVED, Guard, Unavailable, choose, command, write_order
from automode.confine.launch import BUBBLEWRAP
from automode.confine.profile import BadOrder, Order, Profile, digest, from_json
from automode.confine.traps import NAMES, READ, SOCKET
from automode.core.session import Session
from automode.core.tool_input import plain_command, start_folder, with_command
from automode.core.workspace import Workspace
from automode.facts.confinement import TooMany, inside, sight
from automode.facts.git import NotKnown
from automode.facts.work import uncommitted
from automode.guards.protected import Protected
from automode.judge.confined import NotConfinable
from automode.programs.call_facts import CallFacts
from automode.sessions.record_builder import Ids

SHELL = "/bin/bash"
PROCESSES = 4096
MEMORY_BYTES = 16 * 2**30
KEPT_SECONDS = 86_400.0
SERIOUS = (READ, SOCKET)
"""Kinds of refusals that count as a denial."""
TEMPORARY = "temporary"
"""In the folder of the orders: below it lie the calls' temporary folders."""
LONGEST_SETTINGS = 1_000_000
MOST_RUNS = 1_000
_OWN_RULES = re.compile(r'"(?:deny|ask)"\s*:\s*\[[^\]]*"Bash')
_LONGEST_TEXT = 100_000  # of a command line, all systems take more
_CACHES = (
    *("XDG_CACHE_HOME", "GOCACHE", "PIP_CACHE_DIR", "UV_CACHE_DIR", "CCACHE_DIR", "SCCACHE_DIR"),
    *("ZIG_GLOBAL_CACHE_DIR", "PYTHONPYCACHEPREFIX", "npm_config_cache", "YARN_CACHE_FOLDER"),
)
_SCRATCH = tuple(f"node_modules/{name}" for name in (".cache", ".vite", ".vite-temp", ".tmp"))
"""Folders inside of protected ones in which builds keep what they make anew."""
_WORD = r"""(?:'[^']*'|"'"|[^\s'"])+"""


Call = TypeVar("Call", CallFinished, CallProposed)


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What a command of ours runs: the order, and the text that was proposed."""

    order: str
    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """`begun`: the guard's program ran it. `status` None: nothing tells how it ended."""

    begun: bool = False
    status: int | None = None
    refused: tuple[tuple[str, str], ...] = ()  # what kind, and what was wanted

    @property
    def unknown(self) -> bool:
        """It ran, and what it was refused is not known: it goes on, or its wrapper was killed."""
        return self.begun and self.status is None

    @property
    def serious(self) -> bool:
        return any(kind in SERIOUS for kind, _ in self.refused)

    @property
    def tried(self) -> str:
        """What it tried and did not get."""
        return ", ".join(f"{NAMES.get(kind, kind)} ({what})" for kind, what in self.refused)

    @property
    def told(self) -> str:
        """How it ended, where not well; for a judge and a person."""
        if self.unknown:
            return "the same call ran confined before, and how it ended is not known"
        if not self.status and not self.serious:
            return ""
        wanted = f", and was refused {self.tried}" if self.refused else ""
        return (
            f"the same call ran confined before, ended with status {self.status}{wanted}:"
            " it may need what the guard keeps from it"
        )


@dataclass(slots=True)
class Confinement:
    """`state` is the folder of automode's own state, `config` that of the person's settings."""

    state: str
    config: str
    home: str
    clock: Callable[[], float] = time.time
    _guard: Guard | Unavailable = field(default_factory=lambda: Unavailable("it is being tried"))
    _trying: threading.Thread | None = None
    _runs: deque[tuple[str, int, int]] = field(default_factory=lambda: deque(maxlen=MOST_RUNS))
    """When commands ran in which workspace: its files that changed meanwhile are made by them."""

    @property
    def folder(self) -> str:
        return os.path.join(self.state, "confined")

    def start(self) -> None:
        """Has the guard tried, once, in a thread: that takes some tenths of a second."""
        if self._trying is None:
            self._trying = threading.Thread(target=self.choose_guard, daemon=True)
            self._trying.start()

    def choose_guard(self) -> None:
        self.forget_old()
        try:
            os.makedirs(self.folder, 0o700, exist_ok=True)
            self._guard = choose(os.path.realpath(self.folder))
        except OSError as error:
            self._guard = Unavailable(f"its test could not be prepared: {type(error).__name__}")

    def unavailable(self) -> str:
        """Why no call can run confined now; empty: it can."""
        self.start()
        found = self._guard
        return "" if isinstance(found, Guard) else f"there is no guard here: {found.reason}"

    async def prepare(
        self, facts: CallFacts, session: Session, moved: str, *, protected: Protected
    ) -> str:
        """Writes the order for a call. Returns the command that runs it. Raises NotConfinable, and
        OSError."""
        return await asyncio.to_thread(self._order, facts, session, moved, protected)

    def _order(self, facts: CallFacts, session: Session, moved: str, protected: Protected) -> str:
        text, place = plain_command(facts.call.input), session.workspace
        if text is None or len(text) > _LONGEST_TEXT or "\0" in text:
            raise NotConfinable("its text is too long for a command line")
        if _has_own_rules(session, place):
            raise NotConfinable("the agent's own deny and ask rules would not see it")
        folder = start_folder(facts.call.input, place.cwd)
        try:
            profile = self.profile(place, protected)
            path = os.path.join(os.path.realpath(self.folder), f"{Ids(self.clock).new()}.json")
            write_order(path, Order(profile, os.path.realpath(folder), SHELL, digest(text)))
        except (BadOrder, TooMany, UnicodeError) as error:
            raise NotConfinable(str(error)) from error
        first = f"cd -- {shlex.quote(moved)} && " if moved else ""
        return f"{first}{shlex.join(command(path, text))}"

    def profile(self, place: Workspace, protected: Protected) -> Profile:
        """What a call in this workspace may do. Raises BadOrder, TooMany and OSError."""
        roots = [os.path.realpath(one) for one in place.folders]
        cache = os.path.join(self.home, ".cache/automode/confined", _short(roots[0]))
        caches = {name: f"{cache}/{name.lower()}" for name in _CACHES}
        for one in caches.values():
            os.makedirs(one, 0o700, exist_ok=True)
        found = [inside(root, protected.matches) for root in roots]
        closed = [path for one in found for path in one.protected]
        linked = next((path for path in closed if os.path.islink(path)), "")
        if linked:
            raise BadOrder(f"`{linked}` is a link and a protected path")
        runs = [(begin, end) for where, begin, end in self._runs if where == roots[0]]

        def made(state: os.stat_result) -> bool:
            return any(begin < state.st_ctime_ns <= end for begin, end in runs)

        try:
            closed += [path for root in roots for path in uncommitted(root, place, made)]
        except NotKnown as error:
            raise BadOrder(str(error)) from error
        homes = filter(None, (place.home, place.other_home, self.home))
        seen = sight(place, homes, [os.path.realpath(one) for one in (self.state, self.config)])
        return Profile(
            workspace=roots[0],
            writable=(*roots[1:], cache, *(f"{root}/{one}" for root in roots for one in _SCRATCH)),
            read_only=tuple(closed),
            hidden=(*seen.hidden, *(path for one in found for path in one.channels)),
            readable=seen.readable,
            watched=seen.watched,
            services=seen.services,
            temporary=os.path.join(os.path.realpath(self.folder), TEMPORARY),
            loopback=True,
            processes=PROCESSES,
            memory_bytes=MEMORY_BYTES,
            environment=caches,
        )

    def ended(self, rewritten: str) -> Ended:
        """How a call ended that was to run as `rewritten`; its order is no longer needed."""
        wrapped = unwrap(rewritten)
        if wrapped is None or os.path.dirname(wrapped.order) != os.path.realpath(self.folder):
            return Ended()
        stem = wrapped.order.removesuffix(".json")
        begun = os.path.exists(f"{stem}.begun")
        try:
            with open(f"{stem}.end.json", encoding="utf-8") as file:
                told = json.load(file)
            found = _ended(told)
            if isinstance(told, dict) and told.get("guard") == BUBBLEWRAP:
                self._note_run(stem)
            for one in (".json", ".begun", ".end.json"):
                os.unlink(f"{stem}{one}")
        except (OSError, ValueError):
            return Ended(begun)
        return found

    def _note_run(self, stem: str) -> None:
        """Where that fails, what the call made counts as work, and no later one can change it. Not
        with Landlock, under which a call can make any file look as if it had changed it."""
        with suppress(OSError, BadOrder):
            with open(f"{stem}.json", encoding="utf-8") as file:
                where = from_json(file.read()).profile.workspace
            begin, end = (os.stat(f"{stem}{one}").st_mtime_ns for one in (".begun", ".end.json"))
            self._runs.append((where, begin, end))

    def forget_old(self) -> None:
        """Removes orders of calls of which nobody has heard for a day, and that never ran."""
        for one in self._old(self.folder):
            if one.endswith((".json", ".begun")) and os.path.basename(one) != PROVED:
                with suppress(OSError):
                    os.unlink(one)
            elif one.endswith(".traps"):
                shutil.rmtree(one, ignore_errors=True)
        for one in self._old(os.path.join(self.folder, TEMPORARY)):
            shutil.rmtree(one, ignore_errors=True)

    def _old(self, folder: str) -> list[str]:
        before = self.clock() - KEPT_SECONDS
        try:
            with os.scandir(folder) as entries:
                found = [
                    one for one in entries if one.stat(follow_symlinks=False).st_mtime < before
                ]
        except OSError:
            return []
        return [one.path for one in found]


def _has_own_rules(session: Session, place: Workspace) -> bool:
    """Whether the agent's settings forbid commands. Measured with Claude Code: its rules are held
    against the command that runs, and no longer against the one that was proposed."""
    agent = AGENTS.get(session.host)
    paths = OwnPaths() if agent is None else agent.paths
    own = [f"{home}/{one}" for home in (place.home, place.other_home) for one in paths.home_files]
    own += [f"{root}/{one}" for root in place.folders for one in paths.project_files]
    own += [f"{folder}/managed-settings.json" for folder in paths.system_folders]
    return any(_OWN_RULES.search(place.files.text(one, LONGEST_SETTINGS) or "") for one in own)


def unwrap(text: str) -> Wrapped | None:
    """What a command of ours runs; None for every other text."""
    found = _ours().fullmatch(text)
    if found is None:
        return None
    try:
        order, proposed = shlex.split(f"{found['order']} {found['text']}")
    except ValueError:
        return None
    return Wrapped(order, proposed)


def _ours() -> re.Pattern[str]:
    program = re.escape(shlex.join(command("", "")[:-2]))
    return re.compile(
        rf"(?:cd -- {_WORD} && )?{program} (?P<order>{_WORD}) (?P<text>.*)",
        re.DOTALL,
    )


def as_proposed(event: Call) -> Call:
    """The event with the input that was proposed, where the agent tells what runs in its place."""
    text = plain_command(event.input)
    wrapped = None if text is None else unwrap(text)
    if wrapped is None:
        return event
    return replace(event, input=with_command(event.input, wrapped.text))


def call_key(given: Mapping[str, object], cwd: str) -> str:
    """The same for the same command in the same folder."""
    return _short(f"{start_folder(given, cwd)}\0{plain_command(given) or ''}")


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _ended(found: object) -> Ended:
    match found:
        case {"status": int(status), "refused": [*rows]}:
            pairs = [
                (str(one.get("kind")), str(one.get("what")))
                for one in cast("list[object]", rows)
                if isinstance(one, Mapping)
            ]
            return Ended(begun=True, status=status, refused=tuple(pairs))
        case _:
            return Ended(begun=True)
