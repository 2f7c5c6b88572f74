"""From a request to its reply: rights, the agent's adapter, the decision service; and every
failure closes.

Nothing is caught here to go on. A request runs as a task of its own, and whoever runs it hands what
the task ended with to `failure`, which can only close.
"""

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from automode.agents.catalog import adapter_for
from automode.agents.events import (
    Adapter,
    Answer,
    BranchTaken,
    CallProposed,
    Feedback,
    HostEvent,
    Ignored,
    Moment,
    PermissionSought,
    PersonSaid,
    PromptTyped,
    SessionEnded,
    SessionRef,
    SessionStarted,
)
from automode.config.places import RUN_VARIABLE
from automode.core.errors import AutomodeError
from automode.core.record import SessionKey
from automode.daemon.agents import Agents
from automode.daemon.frames import ANSWER, HOOK, Refused, Reply, Request, Right, Tokens
from automode.daemon.json_requests import Asked, json_object
from automode.daemon.peers import Peer
from automode.daemon.senders import sender_of
from automode.daemon.verbs import Row, Verbs
from automode.notify.notifications import Notifications
from automode.sessions.decision_service import DecisionService
from automode.sessions.record_builder import session_key
from automode.sessions.waiting import Via

log = logging.getLogger(__name__)
T = TypeVar("T")

_MOMENTS = {moment.value: moment for moment in Moment}
LEAST_SECONDS = 0.05
MARGIN_SECONDS = 0.25
"""Of the time that a hook has, so much is for bringing the answer home."""


def seconds_to_decide(request: Request) -> float:
    return max(request.deadline_ms / 1000 - MARGIN_SECONDS, LEAST_SECONDS)


class OtherSettings(Refused):
    """The sender is to be judged by a folder of settings that is not the one served here."""


@dataclass(slots=True)
class Service:
    decisions: DecisionService
    tokens: Tokens
    agents: Agents
    adapters: Mapping[str, Adapter]
    verbs: Verbs
    notifications: Notifications
    settings: frozenset[str] = frozenset()
    """The words for the folder of settings that is served; see `frames.settings_word`."""
    unfinished: set[asyncio.Task[object]] = field(default_factory=set)
    """What goes on when whoever asked for it has hung up."""

    async def answer(self, request: Request, peer: Peer | None) -> Reply:
        """Raises whatever goes wrong: see `failure`. Whoever runs it cuts it off after
        `seconds_to_decide` and the margin."""
        if request.op == ANSWER:
            return await self._take_answer(request)
        rights = self.tokens.rights(request.token)
        if request.settings and request.settings not in self.settings:
            raise OtherSettings("this daemon serves other settings than the sender's")
        seconds = seconds_to_decide(request)
        if request.op == HOOK:
            return await self._hook(request, rights, peer, seconds)
        return await self._verb(request, rights, peer, seconds)

    def failure(self, request: Request, error: BaseException | None) -> Reply | Refused:
        """The closing answer. None: the work was cut off because the daemon stops."""
        sentence, hint = _explain(error)
        adapter, moment = self._host(request)
        if request.op != HOOK:
            return _error(sentence, hint)
        # A hook that is refused decides alone, by its own settings.
        if adapter is None or moment is None or isinstance(error, OtherSettings):
            return Refused(sentence, hint)
        return _reply(adapter.closing_answer(moment, f"{sentence} ({hint})" if hint else sentence))

    async def _take_answer(self, request: Request) -> Reply:
        text = request.payload.decode("utf-8", "replace").strip()
        taken = await self._to_the_end(self.notifications.take(text, Via.WEBHOOK))
        return Reply(0, _json({"record": taken.record, "in_time": taken.in_time}))

    async def _hook(
        self, request: Request, rights: frozenset[Right], peer: Peer | None, seconds: float
    ) -> Reply:
        adapter, moment = self._host(request)
        if adapter is None or moment is None:
            known = ", ".join(sorted(self.adapters))
            raise Refused(f"no such host or moment: {request.host} {request.moment}", known)
        _require(Right.DECIDE, rights)
        payload = json_object(request.payload)
        adapter = adapter_for(adapter, request.host, payload)
        event = adapter.parse(payload)
        if moment is Moment.PROPOSED and not isinstance(event, (CallProposed, PermissionSought)):
            raise Refused(
                "what the agent says is no proposed call, but its hook was called for one"
            )
        if isinstance(event, Ignored):
            return _reply(adapter.render(event, None))
        if request.variables:
            ref = event.ref.with_variables(request.variables, RUN_VARIABLE)
            event = replace(event, ref=ref)
        sender = sender_of(adapter, event.ref, peer)
        self.agents.learn(sender)
        self.verbs.borrow_keys(sender, begins=isinstance(event, SessionStarted))
        if isinstance(event, (PromptTyped, PersonSaid, BranchTaken)):
            _require(Right.PROMPT, rights)
        believed = await self.verbs.senders.believed_part(event, sender)
        if believed is None:
            log.warning("not believed of anybody but its own agent: %s", type(event).__name__)
            return _reply(adapter.render(event, None))
        return _reply(await self._render(adapter, believed, seconds))

    async def _render(self, adapter: Adapter, event: HostEvent, seconds: float) -> Answer:
        if isinstance(event, CallProposed):
            ruling = await self.decisions.decide(event, adapter.name, seconds=seconds)
            return adapter.render(event, ruling.decision, Feedback(record=ruling.record or ""))
        if isinstance(event, PermissionSought):
            permitted = await self.decisions.permission(event, adapter.name, seconds=seconds)
            return adapter.render(event, permitted)
        feedback = await self._to_the_end(self.decisions.hear(event, adapter.name))
        if isinstance(event, SessionEnded):
            self.verbs.forget_keys(session_key(adapter.name, event.ref))
        return adapter.render(event, None, feedback)

    async def _verb(
        self, request: Request, rights: frozenset[Right], peer: Peer | None, seconds: float
    ) -> Reply:
        asked = Asked(json_object(request.payload), rights, peer, seconds)
        row = self.verbs.row(asked.verb)
        _require(row.right, rights)
        if row.right is Right.PERSON:
            asked = replace(asked, inside=self._spoken_inside(asked, row))
        if row.ends_with_its_client:
            answer = await row.work(asked)
        else:
            answer = await self._to_the_end(row.work(asked))
        return Reply(0, _json(answer))

    def _spoken_inside(self, asked: Asked, row: Row) -> SessionKey | None:
        """The session through whose agent a person speaks; None at a terminal. Raises Refused
        otherwise."""
        peer = asked.peer
        why = "who asks cannot be seen" if peer is None else self.agents.refusal(peer.pid)
        if why is None:
            return None
        host, _, own = asked.optional("session").partition("/")
        adapter = self.adapters.get(host)
        if peer is not None and row.inside and own and adapter and adapter.abilities.itself:
            key = session_key(adapter.name, SessionRef(own, "/"))
            why = self.agents.refusal_inside(peer.pid, str(key))
            if why is None:
                return key
        log.warning("refused what only a person may do: %s", why)
        raise Refused(f"only a person may do this, and {why}", "type it in a terminal of your own")

    async def _to_the_end(self, work: Coroutine[object, object, T]) -> T:
        """A change that was begun is made whole, also when nobody waits for the answer."""
        task = asyncio.ensure_future(work)
        self.unfinished.add(task)
        task.add_done_callback(self.unfinished.discard)
        return await asyncio.shield(task)

    def _host(self, request: Request) -> tuple[Adapter | None, Moment | None]:
        return self.adapters.get(request.host), _MOMENTS.get(request.moment)


def _require(right: Right, rights: frozenset[Right]) -> None:
    if right not in rights:
        what = f"the token is not the one for `{right}`"
        raise Refused(what, "install the hook again, or restart the daemon")


def _explain(error: BaseException | None) -> tuple[str, str]:
    """A sentence and a hint. Of errors that are not ours only the kind is told: they may quote."""
    match error:
        case None | asyncio.CancelledError():
            return "the daemon is stopping", "try again"
        case AutomodeError():
            return str(error), error.hint
        case TimeoutError():
            return "there was not enough time to decide", ""
        case _:
            log.error("a request failed: %s", type(error).__name__, exc_info=error)
            return (
                f"the daemon failed inside ({type(error).__name__})",
                "see `automode daemon logs`",
            )


def _reply(answer: Answer) -> Reply:
    out, err = answer.stdout.encode("utf-8", "replace"), answer.stderr.encode("utf-8", "replace")
    return Reply(answer.exit, out, err)


def _error(sentence: str, hint: str) -> Reply:
    return Reply(1, _json({"error": sentence, "hint": hint or None}))


def _json(answer: Mapping[str, object]) -> bytes:
    return json.dumps(answer, separators=(",", ":")).encode("ascii")
