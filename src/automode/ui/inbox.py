"""Inbox: what waits for a person's answer, and what was stopped lately."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from automode.core.errors import AutomodeError, BadCall
from automode.core.record import PART_REPLACED, beside
from automode.ui.window import Entry, Fields, Window, clock_time

ENTRY = Entry("/inbox", "Inbox")
LOOK_SECONDS = 5.0  # the daemon answers when something changes, or after four fifths of it
RETRY_SECONDS = 2.0
PROPOSE_SECONDS = 30.0
LONGEST_REASON = 1000

Row = Mapping[str, object]
_SAID = {
    "once": "Allowed once.",
    "session": "Allowed for the rest of the session.",
    "always": "Allowed, and the rule is saved.",
    "deny": "Denied. The agent reads your reason.",
}


@dataclass(frozen=True, slots=True)
class Inbox:
    """`problem`: why the daemon cannot be asked; then nothing is known."""

    waiting: tuple[Row, ...] = ()
    recent: tuple[Row, ...] = ()
    problem: str = ""
    hint: str = ""


def read_inbox(window: Window) -> Inbox:
    try:
        told = window.ask("inbox")
    except AutomodeError as error:
        return Inbox(problem=str(error), hint=error.hint)
    return Inbox(_calls(told.get("waiting")), _calls(told.get("recent")))


def _rows(value: object) -> tuple[Row, ...]:
    return tuple(one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _calls(value: object) -> tuple[Row, ...]:
    """Each with what its action does not say."""
    return tuple(
        {
            **one,
            "beside": beside(str(one.get("action", "")), str(one.get("input", ""))),
            "hidden": PART_REPLACED if one.get("replaced") is True else "",
        }
        for one in _rows(value)
    )


def routes(window: Window) -> list[BaseRoute]:
    def shown(request: Request, said: str = "", detail: str = "") -> Response:
        return window.page(
            request,
            "inbox.html",
            inbox=read_inbox(window),
            said=said,
            detail=detail,
            now=time.time(),
        )

    def page(request: Request) -> Response:
        return shown(request)

    def rules(request: Request) -> Response:
        record = str(request.path_params["id"])
        told = window.ask("propose", {"record": record}, seconds=PROPOSE_SECONDS)
        waits = request.query_params.get("waits") == "1"
        return window.page(
            request,
            "rules.html",
            record=record,
            proposals=_rows(told.get("proposals")),
            remarks=_texts(told.get("remarks")),
            waits=waits,
        )

    def answer(request: Request, given: Fields) -> Response:
        record, kind = str(request.path_params["id"]), given.get("kind", "")
        if kind not in _SAID:
            raise BadCall(f"no such answer: `{kind[:40]}`", f"it is one of {', '.join(_SAID)}")
        if given.get("waits") != "1":
            return shown(request, *_approve(window, record, kind, given))
        data = {"record": record, "kind": kind, "by": "window"}
        data |= (
            {"reason": given.get("reason", "").strip()[:LONGEST_REASON]} if kind == "deny" else {}
        )
        data |= {"rule": given.get("rule", "")} if kind == "always" else {}
        told = window.ask_as_person("answer", data)
        late = "" if told.get("in_time") is True else "The call had stopped waiting. "
        return shown(request, _SAID[kind], f"{late}{_detail(told)}")

    return [
        Route("/inbox", page),
        Route("/inbox/{id}/rules", rules),
        window.change("/inbox/{id}/answer", answer),
    ]


def _approve(window: Window, record: str, kind: str, given: Fields) -> tuple[str, str]:
    """For a call that does not wait: the yes counts when the agent tries it again."""
    if kind == "deny":
        raise BadCall("this call does not wait any more: it was stopped already")
    data: dict[str, object] = {"record": record, "session_long": kind == "session"}
    if kind == "always":
        data = {"record": record, "rule": given.get("rule", "")}
    told = window.ask_as_person("approve", data)
    again = "Tell the agent to try exactly that again."
    ended = "That session has ended: the yes counts when the agent resumes it."
    then = ended if told.get("ended") is True else again
    said = {
        "once": "Approved: one exact retry.",
        "session": "Approved for the rest of the session.",
        "always": "The rule is saved.",
    }
    return said[kind], f"{_detail(told)} {then}".strip()


def _detail(told: Mapping[str, object]) -> str:
    match told:
        case {"saved": str(place)} if place:
            return f"It is in {place}."
        case {"expires": float() | int() as expires}:
            return f"A retry counts until {clock_time(expires)}."
        case _:
            return ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


@dataclass(slots=True)
class InboxWatch:
    """Asks the daemon over and over while a page is open, and tells each how many asks wait."""

    window: Window
    _queues: set[asyncio.Queue[int]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)  # around the next one
    _running: bool = False
    _count: int = 0

    async def changes(self) -> AsyncIterator[int]:
        """How many asks wait: now, and whenever something began or stopped to wait."""
        queue: asyncio.Queue[int] = asyncio.Queue()
        with self._lock:
            self._queues.add(queue)
            runs, self._running = self._running, True
        try:
            if runs:
                yield self._count
            else:
                # No thread of a pool: the process must be able to end while it waits.
                loop = asyncio.get_running_loop()
                threading.Thread(target=self._look_on, args=(loop,), daemon=True).start()
            while True:
                yield await queue.get()
        finally:
            self._queues.discard(queue)

    def _look_on(self, loop: asyncio.AbstractEventLoop) -> None:
        revision: object = None
        while self._needed():
            try:
                after = {} if revision is None else {"after": revision}
                told = self.window.ask("inbox", after, seconds=LOOK_SECONDS)
                waiting, now = len(_rows(told.get("waiting"))), told.get("revision")
            except AutomodeError:
                waiting, now = 0, None
                time.sleep(RETRY_SECONDS)
            if now != revision or revision is None:
                try:
                    loop.call_soon_threadsafe(self._tell, waiting)
                except RuntimeError:
                    return  # the server has ended
            revision = now

    def _needed(self) -> bool:
        with self._lock:
            self._running = bool(self._queues)
            return self._running

    def _tell(self, waiting: int) -> None:
        self._count = waiting
        for queue in self._queues:
            queue.put_nowait(waiting)
