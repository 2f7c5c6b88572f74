"""automode as a library: calls are decided in the process of the program that makes them.

    gate = Gate("/srv/shop")
    decision = await gate.decide(ToolCall("bash", {"command": "git push"}))

The same settings, layers, sessions and records as with a daemon. What is decided waits in the spool
for whoever writes the store next.
"""

import asyncio
import getpass
import json
import os
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeVar
from uuid import uuid4

from automode.adapters.seam import (
    Adapter,
    Answer,
    CallFinished,
    CallProposed,
    HostEvent,
    Moment,
    PermissionSought,
    PromptTyped,
    Speaker,
)
from automode.assemble import build_desk, load_settings, own_folders
from automode.config.places import Places
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import AutomodeError, BadCall
from automode.core.transcript import Outcome
from automode.facts.place import home_folder
from automode.gate.gate import closed
from automode.probe.screening import Screened
from automode.probe.screening import screen as screened
from automode.sessions.desk import Desk
from automode.sessions.named_only import doubting_names
from automode.sessions.names import session_key
from automode.sessions.probing import suspicion
from automode.sessions.walker import bad, failed
from automode.store.folder import StateFolder, default_folder, secret
from automode.store.spooling import Spooling

__all__ = ["Decision", "Gate", "ToolCall", "Verdict", "decide", "screen"]

HOST = "python"
DECIDING_SECONDS = 120.0
OFF = Decision(Verdict.ALLOW, "gate.off", "auto mode is off", enforced=False)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as an agent proposes it: the tool's name and its input. `id` is the agent's own name
    of the call, where it has one: for whoever runs it, since models may give two calls one id."""

    tool: str
    input: Mapping[str, object] = field(default_factory=dict)
    id: str = ""


def stops(decision: Decision) -> bool:
    """Whether the call must not run, or not yet. Nothing stops one in shadow mode, or when auto
    mode is off."""
    return decision.enforced and decision.verdict is not Verdict.ALLOW


class Gate:
    """One session of one agent that works in `folder`. `attended`: somebody can answer an `ask`;
    without, it is a denial. The folders are the account's usual ones unless named.

    Safe to use from any thread and any event loop: it works in a thread of its own."""

    def __init__(
        self,
        folder: str | None = None,
        *,
        attended: bool = False,
        session: str = "",
        config_folder: str | None = None,
        state_folder: str | None = None,
    ) -> None:
        """Raises AutomodeError for folders that cannot be used."""
        self.session = session or uuid4().hex
        self.attended = attended
        self._folder = os.path.abspath(folder or os.getcwd())
        self._config = None if config_folder is None else os.path.abspath(config_folder)
        self._desk = self._built(_state(state_folder))
        self._worker = _Worker()

    async def decide(self, call: ToolCall) -> Decision:
        """Whatever goes wrong while deciding ends in ask, or deny with nobody there. Raises
        AutomodeError when the gate is closed."""
        return await asyncio.wrap_future(self._worker.given(self._ruled(call)))

    def decide_sync(self, call: ToolCall) -> Decision:
        """The same for a program without an event loop."""
        return self._worker.given(self._ruled(call)).result()

    async def finished(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        """What must stand in front of a result before a model reads it; mostly nothing."""
        work = self._heard(call, result, failed=failed)
        return await asyncio.wrap_future(self._worker.given(work))

    def finished_sync(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        return self._worker.given(self._heard(call, result, failed=failed)).result()

    async def said(self, text: str) -> None:
        """What the user asked for, in their own words: consent is looked for there. Never hand over
        what a model or a tool wrote."""
        await asyncio.wrap_future(self._worker.given(self._told(text)))

    def said_sync(self, text: str) -> None:
        self._worker.given(self._told(text)).result()

    async def hooked(
        self, adapter: Adapter, moment: Moment, payload: Mapping[str, object]
    ) -> Answer:
        """The answer to an agent's own hook, in its dialect, whatever goes wrong while deciding.
        What is told here counts for sessions of this library alone, whatever ids it names."""
        answering = self._answered(adapter, moment, payload)
        work = closed(answering, lambda error: adapter.closed(moment, _why(error)))
        return await asyncio.wrap_future(self._worker.given(work))

    def close(self) -> None:
        self._worker.given(self._desk.close()).result()
        self._worker.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _built(self, state: StateFolder) -> Desk:
        places = self._places(None)
        desk = build_desk(
            Spooling(state, load_settings(places).settings.store),
            places=self._places,
            key=secret(state.signing_key),
            account=_account(),
            environment=dict(os.environ),
            folders=own_folders(places, state.path),
        )
        own = str(session_key(HOST, self._speaker()))
        desk.projects.build = doubting_names(desk.projects.build, own)
        return desk

    def _places(self, project: str | None) -> Places:
        return Places.of(
            home=home_folder(),
            environment=dict(os.environ),
            project=project,
            config_folder=self._config,
        )

    def _speaker(self) -> Speaker:
        return Speaker(self.session, self._folder, attended=self.attended)

    async def _ruled(self, call: ToolCall) -> Decision:
        def otherwise(error: Exception) -> Decision:
            said = bad(error) if isinstance(error, BadCall) else failed(error)
            return settled(said, attended=self.attended)

        return await closed(self._decided(call), otherwise)

    async def _decided(self, call: ToolCall) -> Decision:
        # Without the id: the same one again would be answered with what was decided before.
        event = CallProposed(self._speaker(), call.tool, _plain(call.input))
        ruling = await self._desk.decide(event, HOST, seconds=DECIDING_SECONDS)
        return OFF if ruling.decision is None else ruling.decision

    async def _heard(self, call: ToolCall, result: object, *, failed: bool) -> str:
        text = result if isinstance(result, str) else json.dumps(result, default=str)
        outcome = Outcome.ERROR if failed else Outcome.OK
        speaker, given = self._speaker(), _plain(call.input)
        event = CallFinished(speaker, "", call.tool, given, outcome, result=text)
        return await closed(self._warning(event), lambda _: _screened(event))

    async def _warning(self, event: CallFinished) -> str:
        return (await self._desk.hear(event, HOST)).warning

    async def _told(self, text: str) -> None:
        await self._desk.hear(PromptTyped(self._speaker(), text), HOST)

    async def _answered(
        self, adapter: Adapter, moment: Moment, payload: Mapping[str, object]
    ) -> Answer:
        event: HostEvent = adapter.parse(payload)
        if moment is Moment.PROPOSED and not isinstance(event, CallProposed | PermissionSought):
            raise BadCall("the agent's hook for a call was given something else")
        match event:
            case CallProposed():
                ruling = await self._desk.decide(event, HOST, seconds=DECIDING_SECONDS)
                return adapter.render(event, ruling.decision)
            case PermissionSought():
                known = await self._desk.permission(event, HOST, seconds=DECIDING_SECONDS)
                return adapter.render(event, known)
            case _:
                return adapter.render(event, None, await self._desk.hear(event, HOST))


def decide(
    tool: str,
    input: Mapping[str, object],  # noqa: A002 - what every agent calls it
    *,
    folder: str | None = None,
    user: str = "",
    attended: bool = False,
) -> Decision:
    """One call, decided here and now. `user` is what the user asked for. For more than one call
    make a `Gate`: it remembers."""
    with Gate(folder, attended=attended) as gate:
        if user:
            gate.said_sync(user)
        return gate.decide_sync(ToolCall(tool, input))


def screen(text: str, kind: str = "") -> Screened:
    """Whether a text tries to take over the model that reads it. `kind` is what brought it: `file`,
    `web`, `shell`, `mcp`."""
    return screened(text, kind)


class _Worker:
    """A thread with an event loop: connections and turns belong to one loop, callers have many."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="automode", daemon=True)
        self._thread.start()

    def given(self, work: Coroutine[object, object, T]) -> Future[T]:
        if self._process != os.getpid() or not self._thread.is_alive():
            work.close()
            raise AutomodeError(
                "this gate is closed, or belongs to another process", "make another"
            )
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _work(self) -> None:
        self._loop.run_forever()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()  # whoever waits for one would wait for ever
        if left:
            self._loop.run_until_complete(asyncio.wait(left))
        self._loop.close()


def _state(folder: str | None) -> StateFolder:
    """No variable moves the usual one: hooks and the daemon look there as well."""
    if folder is not None:
        return StateFolder(os.path.abspath(folder)).prepared()
    return default_folder(home_folder(), {}).prepared()


def _plain(given: Mapping[str, object]) -> Mapping[str, object]:
    """A copy that nobody changes while it is decided, of nothing but what JSON knows. Raises
    BadCall for what cannot be copied so."""
    try:
        found: object = json.loads(json.dumps(dict(given), default=str))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadCall(f"the input of a call cannot be written as JSON ({error})") from error
    return found if isinstance(found, dict) else {}


def _screened(event: CallFinished) -> str:
    found = suspicion(event.result, event.tool)
    return "" if found is None else found.warning


def _why(error: Exception) -> str:
    if not isinstance(error, AutomodeError):
        return f"it failed ({type(error).__name__})"
    return f"{error} ({error.hint})" if error.hint else str(error)


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
