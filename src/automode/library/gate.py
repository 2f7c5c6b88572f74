"""One session of one agent, decided in the process of the program that runs it."""

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from uuid import uuid4

from automode.agents.events import (
    Adapter,
    Answer,
    CallFinished,
    CallProposed,
    HostEvent,
    Moment,
    PermissionSought,
    PromptTyped,
    SessionEnded,
    Speaker,
)
from automode.agents.shared.wording import unseen
from automode.assemble import build_service, load_settings, own_folders
from automode.config.places import Places
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import AutomodeError, BadCall
from automode.core.transcript import Outcome
from automode.facts.place import home_folder
from automode.gate.gate import closed
from automode.library.texts import plain, text_of
from automode.library.worker import Worker
from automode.probe.screening import Screened
from automode.probe.screening import screen as screened
from automode.sessions.decision_service import DecisionService
from automode.sessions.gate_run import bad, failed
from automode.sessions.host_checks import suspicion
from automode.sessions.record_builder import session_key
from automode.store.folder import StateFolder, default_folder, secret
from automode.store.writer import Writer

HOST = "python"
DECIDING_SECONDS = 120.0
OFF = Decision(Verdict.ALLOW, "gate.off", "auto mode is off", enforced=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as an agent proposes it: the tool's name and its input. `id` is the agent's own name
    of the call, where it has one: for whoever runs it, since models may give two calls one id."""

    tool: str
    input: Mapping[str, object] = field(default_factory=dict)
    id: str = ""


class Gate:
    """One session of one agent that works in `folder`. `attended`: a person can answer an `ask`;
    otherwise every `ask` becomes a `deny`. The other folders are the account's usual ones unless
    named. `with` and `async with` close it.

    Safe to use from any thread and any event loop: it works in a thread of its own."""

    def __init__(
        self,
        folder: str | None = None,
        *,
        attended: bool,
        session: str = "",
        config_folder: str | None = None,
        state_folder: str | None = None,
    ) -> None:
        """Raises AutomodeError for folders that cannot be used."""
        self.session = session or uuid4().hex
        self.attended = attended
        self._folder = _workspace(folder)
        self._config = None if config_folder is None else os.path.abspath(config_folder)
        state = _state(state_folder)
        self._writer = Writer(state, load_settings(self._places(None)).settings.store)
        self._service = self._built(state)
        self._worker = Worker()

    async def decide(self, call: ToolCall) -> Decision:
        """Whatever goes wrong while deciding ends in ask, or deny with nobody there. Raises
        AutomodeError when the gate is closed."""
        return await self._worker.done(self._ruled(call))

    def decide_sync(self, call: ToolCall) -> Decision:
        """The same for a program without an event loop."""
        return self._worker.done_sync(self._ruled(call))

    async def finished(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        """What must stand in front of a result before a model reads it; mostly nothing. A result
        that could not be looked at is said to be so."""
        return await self._worker.done(self._heard(call, result, failed=failed))

    def finished_sync(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        return self._worker.done_sync(self._heard(call, result, failed=failed))

    async def said(self, text: str) -> None:
        """What the user asked for, in their own words: consent is looked for there. Never hand over
        what a model or a tool wrote."""
        await self._worker.done(self._told(text))

    def said_sync(self, text: str) -> None:
        self._worker.done_sync(self._told(text))

    async def hooked(
        self, adapter: Adapter, moment: Moment, payload: Mapping[str, object]
    ) -> Answer:
        """The answer to an agent's own hook, in its dialect, whatever goes wrong while deciding.
        What is told here counts for sessions of this library alone, whatever ids it names."""
        answering = self._answered(adapter, moment, payload)
        work = closed(answering, lambda error: adapter.closed(moment, _why(error)))
        return await self._worker.done(work)

    def close(self) -> None:
        """Ends the session. What is still being decided ends in an error. Closing twice is closing
        once."""
        if self._worker.works:
            self._worker.done_sync(self._ended())
            self._worker.stop()

    async def aclose(self) -> None:
        """The same for a program with an event loop."""
        if self._worker.works:
            await self._worker.done(self._ended())
            self._worker.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _built(self, state: StateFolder) -> DecisionService:
        places = self._places(None)
        return build_service(
            self._writer,
            places=self._places,
            key=secret(state.signing_key),
            account=_account(),
            environment=dict(os.environ),
            folders=own_folders(places, state.path),
            unproved_names_in=str(session_key(HOST, self._speaker())),
        )

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
        event = CallProposed(self._speaker(), call.tool, plain(call.input))
        ruling = await self._service.decide(event, HOST, seconds=DECIDING_SECONDS)
        return OFF if ruling.decision is None else ruling.decision

    async def _heard(self, call: ToolCall, result: object, *, failed: bool) -> str:
        looking = self._looked_at(call, result, failed=failed)
        return await closed(looking, lambda error: unseen(_why(error)))

    async def _looked_at(self, call: ToolCall, result: object, *, failed: bool) -> str:
        text = text_of(result)
        telling = self._warning(call, text, failed=failed)
        return await closed(telling, lambda _: _screened(text, call.tool))

    async def _warning(self, call: ToolCall, text: str, *, failed: bool) -> str:
        outcome = Outcome.ERROR if failed else Outcome.OK
        speaker, given = self._speaker(), plain(call.input)
        event = CallFinished(speaker, "", call.tool, given, outcome, result=text)
        return (await self._service.hear(event, HOST)).warning

    async def _ended(self) -> None:
        try:
            await self._service.hear(SessionEnded(self._speaker()), HOST)
        finally:
            await self._service.close()
            await self._writer.close()

    async def _told(self, text: str) -> None:
        await self._service.hear(PromptTyped(self._speaker(), text), HOST)

    async def _answered(
        self, adapter: Adapter, moment: Moment, payload: Mapping[str, object]
    ) -> Answer:
        event: HostEvent = adapter.parse(payload)
        if moment is Moment.PROPOSED and not isinstance(event, CallProposed | PermissionSought):
            raise BadCall("the agent's hook for a call was given something else")
        match event:
            case CallProposed():
                ruling = await self._service.decide(event, HOST, seconds=DECIDING_SECONDS)
                return adapter.render(event, ruling.decision)
            case PermissionSought():
                known = await self._service.permission(event, HOST, seconds=DECIDING_SECONDS)
                return adapter.render(event, known)
            case _:
                return adapter.render(event, None, await self._service.hear(event, HOST))


def decide(
    tool: str,
    input: Mapping[str, object],  # noqa: A002 - what every agent calls it
    *,
    folder: str | None = None,
    user: str = "",
    attended: bool,
    config_folder: str | None = None,
    state_folder: str | None = None,
) -> Decision:
    """One call, decided here and now. `user` is what the user asked for. For more than one call
    make a `Gate`: it remembers."""
    with Gate(
        folder, attended=attended, config_folder=config_folder, state_folder=state_folder
    ) as gate:
        if user:
            gate.said_sync(user)
        return gate.decide_sync(ToolCall(tool, input))


def screen(text: str, kind: str = "") -> Screened:
    """Whether a text tries to take over the model that reads it. `kind` is what brought it: `file`,
    `web`, `shell`, `mcp`."""
    return screened(text, kind)


def _workspace(folder: str | None) -> str:
    path = os.path.abspath(os.getcwd() if folder is None else folder)
    if not os.path.isdir(path):
        raise AutomodeError(f"`{path}` is not a folder", "name the folder the agent works in")
    return path


def _state(folder: str | None) -> StateFolder:
    """No variable moves the usual one: hooks and the daemon look there as well."""
    if folder is not None:
        return StateFolder(os.path.abspath(folder)).prepared()
    return default_folder(home_folder(), {}).prepared()


def _screened(text: str, tool: str) -> str:
    found = suspicion(text, tool)
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
