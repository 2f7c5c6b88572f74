"""What a program can ask of the daemon in JSON: each verb, the token it needs, and what it does."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from automode.agents.events import (
    Adapter,
    BranchTaken,
    CallProposed,
    HostEvent,
    Ignored,
    PersonSaid,
    PromptTyped,
)
from automode.assemble import READER, build_classifier
from automode.classifier.canary import judge_canary
from automode.classifier.chosen import trial_settings
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.core.recent import Recent
from automode.core.record import Record, SessionKey
from automode.daemon.agents import Agents, Sender
from automode.daemon.frames import Right
from automode.daemon.json_requests import (
    Asked,
    inbox_shape,
    inspected_shape,
    keys_shape,
    offer_shape,
    ruling_shape,
    session_shape,
    status_shape,
    taken_shape,
)
from automode.daemon.senders import Authentication, sender_of
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger
from automode.llm.model import Model
from automode.llm.prices import cost_beside
from automode.llm.session_keys import SessionKeys
from automode.llm.trial import try_model
from automode.sessions.decision_service import DecisionService, SessionState
from automode.sessions.inbox import recently_stopped
from automode.sessions.live_session import Override, denial_named
from automode.sessions.rule_offers import Option
from automode.sessions.waiting import AnswerKind, PersonsAnswer, Via
from automode.store.open import reading

log = logging.getLogger(__name__)

Shape: TypeAlias = Mapping[str, object]
Work: TypeAlias = Callable[[Asked], Coroutine[object, object, Shape]]

MOST_SESSIONS = 1000
_DEFAULT_HOST = "plain"
PATIENT_SHARE = 0.8  # of a request's time, for waiting; the rest is for the answer


class Station(Protocol):
    """The process that serves, as verbs see it."""

    def facts(self) -> dict[str, object]: ...
    def notices(self) -> tuple[str, ...]: ...
    def stop(self, why: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Row:
    """`inside`: a person may also ask for it through the agent of a session, about that one."""

    right: Right
    work: Work
    ends_with_its_client: bool = False
    inside: bool = False


@dataclass(slots=True)
class Verbs:
    decisions: DecisionService
    agents: Agents
    adapters: Mapping[str, Adapter]
    station: Station
    purge: Work
    session_keys: SessionKeys = field(default_factory=SessionKeys)
    senders: Authentication = field(init=False)
    _looked_at: Recent[str, int] = field(default_factory=lambda: Recent(MOST_SESSIONS))
    _rows: Mapping[str, Row] = field(init=False)

    def __post_init__(self) -> None:
        self.senders = Authentication(self.agents, self.decisions.registry)
        self._rows = self._table()

    def row(self, verb: str) -> Row:
        if verb not in self._rows:
            known = ", ".join(sorted(self._rows))
            raise BadCall(f"no such verb: `{verb[:40]}`", f"it is one of {known}")
        return self._rows[verb]

    def _table(self) -> dict[str, Row]:
        return {
            "ping": Row(Right.DECIDE, self._facts),
            "status": Row(Right.DECIDE, self._status),
            "sessions": Row(Right.DECIDE, self._sessions),
            "decide": Row(Right.DECIDE, self._decide, ends_with_its_client=True),
            "heard": Row(Right.DECIDE, self._hear),
            "inspect": Row(Right.DECIDE, self._inspect),
            "judge": Row(Right.DECIDE, self._judge),
            "try-model": Row(Right.PERSON, self._try_model),
            "canary": Row(Right.PERSON, self._canary),
            "inbox": Row(Right.DECIDE, self._inbox, ends_with_its_client=True),
            "propose": Row(Right.DECIDE, self._propose),
            "answer": Row(Right.PERSON, self._answer, inside=True),
            "approve": Row(Right.PERSON, self._approve, inside=True),
            "reset": Row(Right.PERSON, self._reset, inside=True),
            "mode": Row(Right.PERSON, self._mode, inside=True),
            "reload": Row(Right.PERSON, self._reload, inside=True),
            "model": Row(Right.PERSON, self._model, inside=True),
            "lend": Row(Right.PERSON, self._lend, inside=True),
            "purge": Row(Right.PERSON, self.purge),
            "stop": Row(Right.PERSON, self._stop),
        }

    async def _facts(self, asked: Asked) -> Shape:
        return self.station.facts()

    async def _status(self, asked: Asked) -> Shape:
        now = self.decisions.status()
        notices = [*self.station.notices(), *now.notices]
        return status_shape(now) | {"daemon": self.station.facts(), "notices": notices}

    async def _sessions(self, asked: Asked) -> Shape:
        limit = min(asked.whole("limit", 100), MOST_SESSIONS)
        return {
            "sessions": [
                session_shape(one) for one in await self.decisions.person.sessions(limit=limit)
            ]
        }

    async def _decide(self, asked: Asked) -> Shape:
        adapter, event = self._event(asked)
        if not isinstance(event, CallProposed):
            raise BadCall("`event` is no proposed call", "tell other events with `heard`")
        sender = sender_of(adapter, event.ref, asked.peer, program=True)
        self.agents.learn(sender)
        self.borrow_keys(sender)
        return ruling_shape(await self.decisions.decide(event, adapter.name, seconds=asked.seconds))

    async def _hear(self, asked: Asked) -> Shape:
        adapter, event = self._event(asked)
        if isinstance(event, CallProposed):
            raise BadCall("`event` is a proposed call", "have it decided with `decide`")
        if (
            isinstance(event, (PromptTyped, PersonSaid, BranchTaken))
            and Right.PROMPT not in asked.rights
        ):
            raise BadCall("a user's words need the token for `prompt`")
        if isinstance(event, Ignored):
            return {}
        sender = sender_of(adapter, event.ref, asked.peer, program=True)
        believed = await self.senders.believed_part(event, sender)
        if believed is None:
            raise BadCall(
                "only the session's own agent says so", "have a call of the session decided first"
            )
        await self.decisions.hear(believed, adapter.name)
        return {}

    async def _inbox(self, asked: Asked) -> Shape:
        """With `after`, the `revision` of an earlier answer, it comes when something else waits, or
        when nearly all the time of the request is over."""
        waiting = self.decisions.waiting
        after = asked.fields.get("after")
        if isinstance(after, int):
            await waiting.changed(after, asked.seconds * PATIENT_SHARE)
        elif after is not None:
            raise BadCall("`after` of the request is no whole number", "send the last `revision`")
        now, names = self.decisions.clock(), [one.record.id for one in waiting.list()]
        recent: Sequence[Record] = ()
        if not asked.flag("only_waiting"):
            store = self.decisions.registry.store
            recent = await store.run(lambda db: recently_stopped(db, now, names))
        return inbox_shape(waiting.list(), recent) | {"revision": waiting.revision}

    async def _answer(self, asked: Asked) -> Shape:
        record, inside = asked.text("record"), asked.inside
        by = asked.word("by", Via, Via.TERMINAL) if inside is None else Via.AGENT
        waits = self.decisions.waiting.find(record)
        if inside is not None and waits is not None and waits.record.session != inside:
            raise BadCall("inside a session only its own asks are answered")
        kind = asked.word("kind", AnswerKind)
        given = PersonsAnswer(kind, by, asked.optional("reason"), asked.optional("rule"))
        return taken_shape(await self.decisions.waiting.answer(record, given))

    async def _propose(self, asked: Asked) -> Shape:
        """The rules that would cover a call, the narrowest first, with what else they cover."""
        person = self.decisions.person
        record, offers = await person.stored(asked.text("record")), person.offers
        if offers is None:
            raise BadCall("nothing can be proposed here", "see `automode denials --propose`")
        made = await offers.offer(record)
        place = (self.decisions.store.folder, self._settings("/").store)
        now = self.decisions.clock()

        def count() -> list[Option]:
            with reading(*place) as db:
                return [offers.count(db, one, now) for one in made.options]

        return offer_shape(replace(made, options=tuple(await asyncio.to_thread(count))))

    async def _approve(self, asked: Asked) -> Shape:
        record = asked.text("record")
        if asked.inside is not None:
            record = await self._own_record(asked.inside, record)
        rule = asked.optional("rule")
        if rule:
            found = await self.decisions.person.stored(record)
            saved = await self.decisions.person.always(found, rule)
            self.decisions.waiting.note_approved(found.id, AnswerKind.ALWAYS)
            return {"record": found.id, "session": str(found.session), "saved": saved}
        long = asked.flag("session_long")
        made = await self.decisions.person.approve(record, session_long=long)
        kind = AnswerKind.SESSION if long else AnswerKind.ONCE
        self.decisions.waiting.note_approved(made.record, kind)
        return {
            "approval": made.id,
            "session": str(made.session),
            "record": made.record,
            "once": made.once,
            "expires": made.expires,
            "ended": await self.decisions.person.has_ended(made.session),
        }

    async def _own_record(self, key: SessionKey, wanted: str) -> str:
        """Of a call of this very session that was asked about or denied. Raises BadCall."""
        with suppress(BadCall):
            found = await self.decisions.person.stored(wanted)
            if found.session == key:
                return found.id
        state = await self._state(key)
        return denial_named(state.history.denials, wanted).record

    async def _reset(self, asked: Asked) -> Shape:
        return keys_shape(await self.decisions.person.reset(await self._named_or_all(asked)))

    async def _mode(self, asked: Asked) -> Shape:
        words = {override.value: override for override in Override}
        mode = asked.optional("mode")
        if mode not in words:
            raise BadCall(f"no such mode: `{mode[:40]}`", "it is `on`, `off`, or empty for neither")
        return keys_shape(
            await self.decisions.person.set_mode(await self._named_or_all(asked), words[mode])
        )

    async def _reload(self, asked: Asked) -> Shape:
        self.decisions.reload()
        return {}

    async def _stop(self, asked: Asked) -> Shape:
        self.station.stop("a person asked for it")
        return self.station.facts()

    def _event(self, asked: Asked) -> tuple[Adapter, HostEvent]:
        host = asked.optional("host") or _DEFAULT_HOST
        if host not in self.adapters:
            raise BadCall(f"no such host: `{host[:60]}`", ", ".join(sorted(self.adapters)))
        adapter = self.adapters[host]
        return adapter, adapter.parse(asked.object("event"))

    async def _named_or_all(self, asked: Asked) -> SessionKey | None:
        """All of them only where that was said: a missing name must not widen what is changed."""
        if asked.flag("all") == bool(asked.optional("session")):
            raise BadCall("name one `session`, or say `all`")
        if asked.inside is not None and asked.flag("all"):
            raise BadCall("inside a session only that one is changed")
        if asked.inside is not None or asked.flag("all"):
            return asked.inside
        return await self.decisions.person.find(asked.text("session"))

    async def _own_or_named(self, asked: Asked) -> SessionKey:
        return asked.inside or await self.decisions.person.find(asked.text("session"))

    async def _inspect(self, asked: Asked) -> Shape:
        """Read-only: agents see it."""
        state = await self._state(await self._own_or_named(asked))
        settings = self._settings(state.row.root)
        return inspected_shape(state) | {"mode": state.mode, "model": settings.classifier_model}

    async def _lend(self, asked: Asked) -> Shape:
        """Only an agent itself has keys to lend: whoever is at a terminal configures them."""
        if asked.inside is None:
            raise BadCall("only the agent of a session lends a key to it", "see `automode model`")
        news = self.session_keys.lend(
            str(asked.inside),
            asked.text("provider"),
            asked.text("key"),
            asked.optional("baseUrl"),
        )
        if news:
            # A gate that was built without the key says that there is none.
            self.decisions.reload()
        return {}

    def borrow_keys(self, sender: Sender, *, begins: bool = False) -> None:
        """Who starts an agent with a provider's key lends it to that session. Looked at once, and
        when the session begins."""
        session = sender.parent or sender.session
        if not begins and session in self._looked_at:
            return
        agent = self.agents.speaker(session)
        if agent is None:
            return
        if self._looked_at.get(session, agent) != agent:  # taken up again by another process
            self._forget(session)
        self._looked_at[session] = agent
        for other in self.session_keys.lenders():
            if self.agents.speaker(other) is None:  # it ended without a word
                self._forget(other)
        again = self.session_keys.lends(session)
        found = self.agents.environment(session) or {}
        lent = self.session_keys.lend_environment(session, found)
        if lent:
            log.info("session %s: its agent was started with a key for %s", session, lent)
        if lent and again:
            self.decisions.reload()

    def forget_keys(self, key: SessionKey) -> None:
        self._forget(str(key))

    def _forget(self, session: str) -> None:
        self._looked_at.pop(session, None)
        if self.session_keys.forget(session):
            self.decisions.reload()

    async def _model(self, asked: Asked) -> Shape:
        """Saves the model in the person's own file, as `automode model` does."""
        state = await self._state(await self._own_or_named(asked))
        return await self.decisions.person.choose_model(asked.text("model"), state.row.root)

    async def _judge(self, asked: Asked) -> Shape:
        """Who judges in a project, as far as this process can ask: its keys are what counts."""
        settings = self._settings(asked.text("root"))
        found = self.decisions.projects.model(settings, None, "")
        problem = found.reason if isinstance(found, Missing) and settings.chooses_model else None
        lent = 0
        if problem is not None:
            models = (
                self.decisions.projects.model(settings, None, one)
                for one in self.session_keys.lenders()
            )
            lent = sum(not isinstance(one, Missing) for one in models)
        if lent:
            problem = f"{problem} (agents that run and lend one: {lent})"
        return {
            "model": settings.classifier_model,
            "ready": problem is None,
            "problem": problem,
            "lent": lent,
        }

    async def _try_model(self, asked: Asked) -> Shape:
        """Asks a model that need not be chosen yet. `command` is the program of a subscription."""
        name, command = asked.text("model"), asked.optional("command")
        settings = trial_settings(self._settings(asked.text("root")), name, command)
        found, lent = self._model_for(settings, asked)
        if isinstance(found, Missing):
            raise BadCall(found.reason, "`automode model` lists the providers and their keys")
        price = cost_beside({server.name for server in settings.providers})
        tried = await try_model(found, settings.classifier_timeout_ms / 1000, price)
        return {**tried, "lent": lent}

    async def _canary(self, asked: Asked) -> Shape:
        """Has a made-up, harmless call judged by what is chosen. Nothing of it is recorded."""
        settings = self._settings(asked.text("root"))
        found, lent = self._model_for(settings, asked)
        ledger = Ledger(price=cost_beside({server.name for server in settings.providers}))
        judged = await judge_canary(build_classifier(settings, found, ledger=ledger), READER)
        return {**judged, "lent": lent}

    def _model_for(self, settings: Settings, asked: Asked) -> tuple[Model | Missing, bool]:
        """The model that is chosen, and whether it can be asked only with a key of the terminal
        that asks: agents that the person starts there lend the same one."""
        model = self.decisions.projects.model
        found = model(settings, None, "")
        if not isinstance(found, Missing) or asked.peer is None:
            return found, False
        lender = f"terminal/{asked.peer.pid}"
        given = self.agents.table.environment(asked.peer.pid) or {}
        try:
            self.session_keys.lend_environment(lender, given)
            again = model(settings, None, lender)
        finally:
            self.session_keys.forget(lender)
        return again, not isinstance(again, Missing)

    def _settings(self, root: str) -> Settings:
        projects = self.decisions.projects
        return projects.load(projects.places(root)).settings

    async def _state(self, key: SessionKey) -> SessionState:
        """From memory where it is there: the store knows more sessions than anybody looks at."""
        for state in self.decisions.status().sessions:
            if state.key == key:
                return state
        for state in await self.decisions.person.sessions(limit=MOST_SESSIONS, only=key):
            return state
        raise BadCall(f"no session is called `{key}`", "`automode status` lists them")
