"""What is asked inside one session, mostly by the agent that speaks for it: a look at it, a key of
the agent's own, the classifier's model, and which of its denials a person means."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass

from automode.config.editing import set_text
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.daemon.asked import Asked
from automode.daemon.shapes import inspected_shape
from automode.llm.lent import LentKeys
from automode.llm.providers import provider_named
from automode.sessions.decision_service import DecisionService, SessionState

_MODEL_KEY = "autoMode.classifierModel"
_NAME = re.compile(r"[^/\s]+/\S+")
_MOST_SESSIONS = 1000


@dataclass(frozen=True, slots=True)
class Inside:
    desk: DecisionService
    lent: LentKeys

    async def inspect(self, asked: Asked) -> Mapping[str, object]:
        """Read-only: agents see it."""
        state = await self._state(asked.inside or await self.desk.named(asked.text("session")))
        settings = self._settings(state.root)
        return inspected_shape(state) | {"mode": state.mode, "model": settings.classifier_model}

    async def lend(self, asked: Asked) -> Mapping[str, object]:
        """Only an agent itself has keys to lend: whoever sits at a terminal configures them."""
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

    def forget(self, key: SessionKey) -> None:
        if self.lent.forget(str(key)):
            self.desk.reload()

    async def model(self, asked: Asked) -> Mapping[str, object]:
        """Saves the model in the person's own file, as `automode model` does."""
        name = asked.text("model")
        state = await self._state(asked.inside or await self.desk.named(asked.text("session")))
        self._check(name, self._settings(state.root))
        file = self.desk.projects.places(state.root).user[0]
        await asyncio.to_thread(set_text, file, _MODEL_KEY, name)
        self.desk.reload()
        return {
            "saved": name,
            "file": file,
            "in_force": self._settings(state.root).classifier_model,
        }

    async def own_record(self, key: SessionKey, begun: str) -> str:
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

    def _check(self, name: str, settings: Settings) -> None:
        if not _NAME.fullmatch(name):
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
        for state in await self.desk.sessions(limit=_MOST_SESSIONS, only=key):
            return state
        raise BadCall(f"no session is called `{key}`", "`automode status` lists them")
