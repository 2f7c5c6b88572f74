"""What a program can ask of the daemon in JSON: each verb, the token it needs, and what it does."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from automode.agents.events import (
    Adapter,
    CallProposed,
    HostEvent,
    Ignored,
    PersonSaid,
    PromptTyped,
)
from automode.classifier.chosen import trial_settings
from automode.config.json_edit import set_text
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.daemon.agents import Agents
from automode.daemon.frames import Right
from automode.daemon.json_requests import (
    Asked,
    Feed,
    denial_shape,
    inspected_shape,
    keys_shape,
    ruling_shape,
    session_shape,
    status_shape,
)
from automode.daemon.senders import Authentication, sender_of
from automode.llm.endpoints import Missing
from automode.llm.lent import LentKeys
from automode.llm.prices import cost_beside
from automode.llm.providers import provider_named
from automode.llm.trial import trial_data, try_model
from automode.sessions.decision_service import DecisionService, SessionState
from automode.sessions.live_session import Override

Shape: TypeAlias = Mapping[str, object]
Work: TypeAlias = Callable[[Asked], Coroutine[object, object, Shape | Feed]]

MOST_SESSIONS = 1000
_DEFAULT_HOST = "plain"
_MODEL_KEY = "autoMode.classifierModel"
_MODEL_NAME = re.compile(r"[^/\s]+/\S+")


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
    desk: DecisionService
    agents: Agents
    adapters: Mapping[str, Adapter]
    station: Station
    purge: Callable[[Asked], Awaitable[Shape]]
    lent: LentKeys = field(default_factory=LentKeys)
    senders: Authentication = field(init=False)
    _rows: Mapping[str, Row] = field(init=False)

    def __post_init__(self) -> None:
        self.senders = Authentication(self.agents, self.desk.registry)
        self._rows = self._table()

    def row(self, verb: str) -> Row:
        if verb not in self._rows:
            known = ", ".join(sorted(self._rows))
            raise BadCall(f"no such verb: `{verb[:40]}`", f"it is one of {known}")
        return self._rows[verb]

    def _table(self) -> dict[str, Row]:
        return {
            "ping": Row(Right.DECIDE, self._facts),
            "version": Row(Right.DECIDE, self._facts),
            "status": Row(Right.DECIDE, self._status),
            "sessions": Row(Right.DECIDE, self._sessions),
            "denials": Row(Right.DECIDE, self._denials),
            "usage": Row(Right.DECIDE, self._usage),
            "subscribe": Row(Right.DECIDE, self._subscribe, ends_with_its_client=True),
            "decide": Row(Right.DECIDE, self._decide, ends_with_its_client=True),
            "heard": Row(Right.DECIDE, self._heard),
            "inspect": Row(Right.DECIDE, self._inspect),
            "judge": Row(Right.DECIDE, self._judge),
            "try-model": Row(Right.PERSON, self._try_model),
            "approve": Row(Right.PERSON, self._approve, inside=True),
            "reset": Row(Right.PERSON, self._reset, inside=True),
            "mode": Row(Right.PERSON, self._mode, inside=True),
            "reload": Row(Right.PERSON, self._reload, inside=True),
            "model": Row(Right.PERSON, self._model, inside=True),
            "lend": Row(Right.PERSON, self._lend, inside=True),
            "purge": Row(Right.PERSON, self._purge),
            "stop": Row(Right.PERSON, self._stop),
        }

    async def _facts(self, asked: Asked) -> Shape:
        return self.station.facts()

    async def _status(self, asked: Asked) -> Shape:
        now = self.desk.status()
        notices = [*self.station.notices(), *now.notices]
        return status_shape(now) | {"daemon": self.station.facts(), "notices": notices}

    async def _sessions(self, asked: Asked) -> Shape:
        limit = min(asked.whole("limit", 100), MOST_SESSIONS)
        return {
            "sessions": [session_shape(one) for one in await self.desk.person.sessions(limit=limit)]
        }

    async def _denials(self, asked: Asked) -> Shape:
        """The recent ones that sessions keep; `automode audit list` has them all."""
        wanted = await self._named(asked)
        found = [
            {"session": str(state.key), **denial_shape(denial)}
            for state in await self.desk.person.sessions(limit=MOST_SESSIONS, only=wanted)
            for denial in state.history.denials
        ]
        return {"denials": sorted(found, key=lambda one: str(one["record"]), reverse=True)}

    async def _usage(self, asked: Asked) -> Shape:
        wanted = await self._named(asked)
        return {
            "sessions": [
                {"host": state.key.host, "session": state.key.id, "usd": state.usd}
                for state in await self.desk.person.sessions(limit=MOST_SESSIONS, only=wanted)
            ]
        }

    async def _subscribe(self, asked: Asked) -> Feed:
        return Feed(self.desk.subscribe())

    async def _decide(self, asked: Asked) -> Shape:
        adapter, event = self._event(asked)
        if not isinstance(event, CallProposed):
            raise BadCall("`event` is no proposed call", "tell other events with `heard`")
        self.agents.learn(sender_of(adapter, event.speaker, asked.peer, program=True))
        return ruling_shape(await self.desk.decide(event, adapter.name, seconds=asked.seconds))

    async def _heard(self, asked: Asked) -> Shape:
        adapter, event = self._event(asked)
        if isinstance(event, CallProposed):
            raise BadCall("`event` is a proposed call", "have it decided with `decide`")
        if isinstance(event, (PromptTyped, PersonSaid)) and Right.PROMPT not in asked.rights:
            raise BadCall("a user's words need the token for `prompt`")
        if isinstance(event, Ignored):
            return {}
        sender = sender_of(adapter, event.speaker, asked.peer, program=True)
        believed = await self.senders.believed_part(event, sender)
        if believed is None:
            raise BadCall(
                "only the session's own agent says so", "have a call of the session decided first"
            )
        await self.desk.hear(believed, adapter.name)
        return {}

    async def _approve(self, asked: Asked) -> Shape:
        record = asked.text("record")
        if asked.inside is not None:
            record = await self._own_record(asked.inside, record)
        made = await self.desk.person.approve(record, session_long=asked.flag("session_long"))
        return {
            "approval": made.id,
            "session": str(made.session),
            "record": made.record,
            "once": made.once,
            "expires": made.expires,
            "ended": await self.desk.person.has_ended(made.session),
        }

    async def _reset(self, asked: Asked) -> Shape:
        return keys_shape(await self.desk.person.reset(await self._named_or_all(asked)))

    async def _mode(self, asked: Asked) -> Shape:
        words = {override.value: override for override in Override}
        mode = asked.optional("mode")
        if mode not in words:
            raise BadCall(f"no such mode: `{mode[:40]}`", "it is `on`, `off`, or empty for neither")
        return keys_shape(
            await self.desk.person.set_mode(await self._named_or_all(asked), words[mode])
        )

    async def _reload(self, asked: Asked) -> Shape:
        self.desk.reload()
        return {}

    async def _purge(self, asked: Asked) -> Shape:
        return await self.purge(asked)

    async def _stop(self, asked: Asked) -> Shape:
        self.station.stop("a person asked for it")
        return self.station.facts()

    def _event(self, asked: Asked) -> tuple[Adapter, HostEvent]:
        host = asked.optional("host") or _DEFAULT_HOST
        if host not in self.adapters:
            raise BadCall(f"no such host: `{host[:60]}`", ", ".join(sorted(self.adapters)))
        adapter = self.adapters[host]
        return adapter, adapter.parse(asked.object("event"))

    async def _named(self, asked: Asked) -> SessionKey | None:
        named = asked.optional("session")
        return await self.desk.person.find(named) if named else None

    async def _named_or_all(self, asked: Asked) -> SessionKey | None:
        """All of them only where that was said: a missing name must not widen what is changed."""
        if asked.flag("all") == bool(asked.optional("session")):
            raise BadCall("name one `session`, or say `all`")
        if asked.inside is not None and asked.flag("all"):
            raise BadCall("inside a session only that one is changed")
        return asked.inside or await self._named(asked)

    async def _inspect(self, asked: Asked) -> Shape:
        """Read-only: agents see it."""
        state = await self._state(
            asked.inside or await self.desk.person.find(asked.text("session"))
        )
        settings = self._settings(state.root)
        return inspected_shape(state) | {"mode": state.mode, "model": settings.classifier_model}

    async def _lend(self, asked: Asked) -> Shape:
        """Only an agent itself has keys to lend: whoever is at a terminal configures them."""
        if asked.inside is None:
            raise BadCall("only the agent of a session lends a key to it", "see `automode model`")
        news = self.lent.lend(
            str(asked.inside),
            asked.text("provider"),
            asked.text("key"),
            asked.optional("baseUrl"),
        )
        if news:
            # A gate that was built without the key says that there is none.
            self.desk.reload()
        return {}

    def forget_keys(self, key: SessionKey) -> None:
        if self.lent.forget(str(key)):
            self.desk.reload()

    async def _model(self, asked: Asked) -> Shape:
        """Saves the model in the person's own file, as `automode model` does."""
        name = asked.text("model")
        state = await self._state(
            asked.inside or await self.desk.person.find(asked.text("session"))
        )
        self._check_model(name, self._settings(state.root))
        file = self.desk.projects.places(state.root).user[0]
        await asyncio.to_thread(set_text, file, _MODEL_KEY, name)
        self.desk.reload()
        return {
            "saved": name,
            "file": file,
            "in_force": self._settings(state.root).classifier_model,
        }

    async def _judge(self, asked: Asked) -> Shape:
        """Who judges in a project, as far as this process can ask: its keys are what counts."""
        settings = self._settings(asked.text("root"))
        found = self.desk.projects.model(settings, None, "")
        problem = found.reason if isinstance(found, Missing) and settings.chooses_model else None
        return {"model": settings.classifier_model, "ready": problem is None, "problem": problem}

    async def _try_model(self, asked: Asked) -> Shape:
        """Asks a model that need not be chosen yet. `command` is the program of a subscription."""
        name, command = asked.text("model"), asked.optional("command")
        settings = trial_settings(self._settings(asked.text("root")), name, command)
        found = self.desk.projects.model(settings, None, "")
        if isinstance(found, Missing):
            raise BadCall(found.reason, "`automode model` lists the providers and their keys")
        price = cost_beside({server.name for server in settings.providers})
        return trial_data(await try_model(found, settings.classifier_timeout_ms / 1000), price)

    async def _own_record(self, key: SessionKey, begun: str) -> str:
        """The record of one of the session's own denials, of which `begun` is the id or how it
        begins; never another session's."""
        state = await self._state(key)
        known = [one.record for one in state.history.denials]
        found = [one for one in known if one == begun] or [
            one for one in known if one.startswith(begun)
        ]
        match found:
            case [record]:
                return record
            case _:
                raise BadCall(
                    f"no single denial of this session is called `{begun[:40]}`",
                    "`/automode denials` lists them",
                )

    def _check_model(self, name: str, settings: Settings) -> None:
        if not _MODEL_NAME.fullmatch(name):
            raise BadCall(
                f"expected a name like `provider/model-id`, found: `{name[:80]}`",
                "`automode model` lists them",
            )
        provider = name.partition("/")[0]
        own = any(server.name == provider for server in settings.providers)
        if not own and provider_named(provider) is None:
            raise BadCall(
                f"no provider is called `{provider[:40]}`",
                "describe a server of your own under `autoMode.providers` in your settings",
            )

    def _settings(self, root: str) -> Settings:
        projects = self.desk.projects
        return projects.load(projects.places(root)).settings

    async def _state(self, key: SessionKey) -> SessionState:
        """From memory where it is there: the store knows more sessions than anybody looks at."""
        for state in self.desk.status().sessions:
            if state.key == key:
                return state
        for state in await self.desk.person.sessions(limit=MOST_SESSIONS, only=key):
            return state
        raise BadCall(f"no session is called `{key}`", "`automode status` lists them")
