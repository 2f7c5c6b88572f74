"""One session of one agent, decided in the process of the program that runs it."""

import asyncio
import json
import os
import threading
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, fields, is_dataclass
from types import TracebackType
from typing import Self, TypeVar
from uuid import uuid4

from automode.agents.events import (
    Adapter,
    Answer,
    CallFinished,
    CallProposed,
    HostEvent,
    Ignored,
    Moment,
    PermissionSought,
    PromptTyped,
    SessionEnded,
    SessionRef,
)
from automode.agents.shared.wording import unscreened_text
from automode.assemble import build_service, load_settings, own_folders
from automode.config.places import Places
from automode.core.decision import Decision, Verdict, settle
from automode.core.errors import AutomodeError, BadCall
from automode.core.transcript import Outcome
from automode.facts.place import account_name, home_folder
from automode.gate.gate import fail_closed
from automode.llm.ledger import Total
from automode.probe.screening import Screened
from automode.probe.screening import screen as screened
from automode.sessions.decision_service import DecisionService
from automode.sessions.gate_run import bad, failed_decision
from automode.sessions.host_checks import suspicion
from automode.sessions.record_builder import session_key
from automode.sessions.usage import bill_of
from automode.store.folder import StateFolder, default_folder, secret
from automode.store.tables import usage_rows
from automode.store.writer import Writer

T = TypeVar("T")
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


@dataclass(frozen=True, slots=True)
class Usage:
    """What the classifier used: `total`, and the same by stage and model. The tokens of the agent
    itself are not in it. `money` leaves out the `unpriced` requests: nobody knows what they
    cost."""

    total: Total
    lines: Mapping[tuple[str, str], Total]


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
        self._service = self._build_service(state)
        self._worker = Worker()
        self._refs: dict[str, SessionRef] = {}

    async def decide(self, call: ToolCall) -> Decision:
        """Whatever goes wrong while deciding ends in ask, or deny with nobody there. Raises
        AutomodeError when the gate is closed."""
        return await self._worker.run(self._decide(call))

    def decide_sync(self, call: ToolCall) -> Decision:
        """The same for a program without an event loop."""
        return self._worker.run_sync(self._decide(call))

    async def finished(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        """What must stand in front of a result before a model reads it; mostly nothing. A result
        that could not be looked at is said to be so."""
        return await self._worker.run(self._screen_closed(call, result, failed=failed))

    def finished_sync(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        return self._worker.run_sync(self._screen_closed(call, result, failed=failed))

    async def said(self, text: str) -> None:
        """What the user asked for, in their own words: consent is looked for there. Never hand over
        what a model or a tool wrote."""
        await self._worker.run(self._hear_prompt(text))

    def said_sync(self, text: str) -> None:
        self._worker.run_sync(self._hear_prompt(text))

    async def usage(self) -> Usage:
        """What the classifier has used here so far: for this session, those that hooks told of, and
        their sub-sessions. Raises AutomodeError where the store cannot be read."""
        return await self._worker.run(self._usage())

    def usage_sync(self) -> Usage:
        return self._worker.run_sync(self._usage())

    async def hooked(
        self, adapter: Adapter, moment: Moment, payload: Mapping[str, object]
    ) -> Answer:
        """The answer to an agent's own hook, in its dialect, whatever goes wrong while deciding.
        What is told here counts for sessions of this library alone, whatever ids it names."""
        answering = self._answer_hook(adapter, moment, payload)
        work = fail_closed(answering, lambda error: adapter.closing_answer(moment, _why(error)))
        return await self._worker.run(work)

    def close(self) -> None:
        """Ends the session. What is still being decided ends in an error. Closing twice is closing
        once."""
        if self._worker.works:
            self._worker.run_sync(self._end())
            self._worker.stop()

    async def aclose(self) -> None:
        """The same for a program with an event loop."""
        if self._worker.works:
            await self._worker.run(self._end())
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

    def _build_service(self, state: StateFolder) -> DecisionService:
        places = self._places(None)
        return build_service(
            self._writer,
            places=self._places,
            key=secret(state.signing_key),
            account=account_name(),
            environment=dict(os.environ),
            folders=own_folders(places, state.path),
            unproved_names_in=str(session_key(HOST, self._own_ref())),
        )

    def _places(self, project: str | None) -> Places:
        return Places.of(
            home=home_folder(),
            environment=dict(os.environ),
            project=project,
            config_folder=self._config,
        )

    def _own_ref(self) -> SessionRef:
        return SessionRef(self.session, self._folder, attended=self.attended)

    def _ref(self) -> SessionRef:
        return self._know(self._own_ref())

    def _know(self, ref: SessionRef) -> SessionRef:
        self._refs[str(session_key(HOST, ref))] = ref
        return ref

    async def _decide(self, call: ToolCall) -> Decision:
        def otherwise(error: Exception) -> Decision:
            said = bad(error) if isinstance(error, BadCall) else failed_decision(error)
            return settle(said, attended=self.attended)

        return await fail_closed(self._ask_service(call), otherwise)

    async def _ask_service(self, call: ToolCall) -> Decision:
        # Without the id: the same one again would be answered with what was decided before.
        event = CallProposed(self._ref(), call.tool, plain(call.input))
        ruling = await self._service.decide(event, HOST, seconds=DECIDING_SECONDS)
        return OFF if ruling.decision is None else ruling.decision

    async def _screen_closed(self, call: ToolCall, result: object, *, failed: bool) -> str:
        looking = self._screen(call, result, failed=failed)
        return await fail_closed(looking, lambda error: unscreened_text(_why(error)))

    async def _screen(self, call: ToolCall, result: object, *, failed: bool) -> str:
        text = text_of(result)
        telling = self._ask_warning(call, text, failed=failed)
        return await fail_closed(telling, lambda _: _screen_here(text, call.tool))

    async def _ask_warning(self, call: ToolCall, text: str, *, failed: bool) -> str:
        outcome = Outcome.ERROR if failed else Outcome.OK
        ref, given = self._ref(), plain(call.input)
        event = CallFinished(ref, "", call.tool, given, outcome, result=text)
        return (await self._service.hear(event, HOST)).warning

    async def _end(self) -> None:
        """A gate that was never asked was no session, and one that answered hooks was several."""
        try:
            for ref in self._refs.values():
                await self._service.hear(SessionEnded(ref), HOST)
        finally:
            await self._service.close()
            await self._writer.close()

    async def _usage(self) -> Usage:
        rows = await self._writer.read(usage_rows)
        bill = bill_of(rows)
        families = (one for name in self._refs for one in bill.family(name))
        lines = bill.lines(dict.fromkeys(families))
        return Usage(sum(lines.values(), start=Total()), lines)

    async def _hear_prompt(self, text: str) -> None:
        await self._service.hear(PromptTyped(self._ref(), text), HOST)

    async def _answer_hook(
        self, adapter: Adapter, moment: Moment, payload: Mapping[str, object]
    ) -> Answer:
        event: HostEvent = adapter.parse(payload)
        if not isinstance(event, Ignored):
            self._know(event.ref)
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
    return screened(text)


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


def _screen_here(text: str, tool: str) -> str:
    found = suspicion(text, tool)
    return "" if found is None else found.warning


def _why(error: Exception) -> str:
    if not isinstance(error, AutomodeError):
        return f"it failed ({type(error).__name__})"
    return f"{error} ({error.hint})" if error.hint else str(error)


class Worker:
    """The thread in which a gate works: connections and locks belong to one event loop, callers
    have many. Whoever waits for work that ends with the worker gets an error: that nobody answers
    must not look as if the caller had been cancelled."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._giving = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name="automode", daemon=True)
        self._thread.start()

    @property
    def works(self) -> bool:
        """Not in a copy of the process: its thread is not there."""
        return not self._stopped and self._process == os.getpid() and self._thread.is_alive()

    async def run(self, work: Coroutine[object, object, T]) -> T:
        """Raises AutomodeError where the worker has stopped, before or meanwhile."""
        future = self._submit(work)
        if not _in_asyncio():
            return _result(future)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling():
                raise
            raise _closed_error() from None

    def run_sync(self, work: Coroutine[object, object, T]) -> T:
        """The same for a program without an event loop."""
        return _result(self._submit(work))

    def stop(self) -> None:
        with self._giving:  # what is given before is there when the loop stops, and is cut off
            self._stopped = True
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _submit(self, work: Coroutine[object, object, T]) -> Future[T]:
        with self._giving:
            if not self.works:
                work.close()
                raise _closed_error()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _work(self) -> None:
        self._loop.run_forever()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()  # whoever waits for one would wait for ever
        if left:
            self._loop.run_until_complete(asyncio.wait(left))
        self._loop.close()


def _in_asyncio() -> bool:
    """Another library's loop, such as Trio's, is held up for as long as the work takes."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _result(future: Future[T]) -> T:
    try:
        return future.result()
    except CancelledError:
        raise _closed_error() from None


def _closed_error() -> AutomodeError:
    return AutomodeError("this gate is closed, or belongs to another process", "make another")


def plain(given: Mapping[str, object]) -> Mapping[str, object]:
    """A copy that nobody changes while it is decided, of nothing but what JSON knows. Raises
    BadCall for what cannot be copied so."""
    try:
        found: object = json.loads(json.dumps(dict(given), default=str, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadCall(f"the input of a call cannot be written as JSON ({error})") from error
    return found if isinstance(found, dict) else {}


def text_of(result: object) -> str:
    """All texts in a result, in their order. Each stands as it is: written as JSON inside JSON, an
    attack would look like something else."""
    return "\n".join(_texts(result))


def _texts(result: object) -> Iterator[str]:
    seen: set[int] = set()
    waiting = [result]
    while waiting:
        one = waiting.pop()
        match one:
            case str():
                yield one
            case bytes() | bytearray():
                yield one.decode("utf-8", "replace")
            case None | bool() | int() | float():
                pass
            case _ if id(one) in seen:
                pass
            case _:
                seen.add(id(one))
                parts = _parts(one)
                if parts is None:
                    yield str(one)
                else:
                    waiting += parts[::-1]


def _parts(one: object) -> list[object] | None:
    """What it is made of, as far as frameworks show that to a model; None for anything else."""
    if isinstance(one, Mapping):
        named = [name for name in one if isinstance(name, str) and " " in name]
        return [*named, *one.values()]
    if isinstance(one, list | tuple | set | frozenset):
        return list(one)
    if is_dataclass(one):
        return [getattr(one, field.name, None) for field in fields(one)]
    if hasattr(one, "model_dump"):
        return [*vars(one).values(), getattr(one, "__pydantic_extra__", None)]
    return None
