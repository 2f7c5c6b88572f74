"""The daemon's verbs in this process, for when no daemon runs: the same code on the same store."""

import asyncio
import getpass
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from automode.adapters.catalog import ADAPTERS
from automode.assemble import build_service
from automode.cli.surroundings import Surroundings
from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.daemon.agents import Agents
from automode.daemon.archive import Archive
from automode.daemon.asked import Asked
from automode.daemon.feed import Feed
from automode.daemon.tokens import Right
from automode.daemon.verbs import Verbs
from automode.sessions.store_access import StoreAccess
from automode.store.changes import Approval, Change, Kept
from automode.store.database import Database
from automode.store.folder import SECRET_BYTES, StateFolder, secret
from automode.store.open import reading
from automode.store.writer import Writer

SECONDS = 30.0
T = TypeVar("T")


class Looking:
    """A keeper that keeps nothing: for verbs that only read."""

    def __init__(self, folder: StateFolder, store: str) -> None:
        self._folder, self._store = folder, store

    async def append(self, changes: Sequence[Change]) -> Kept:
        return Kept("this command only looks")

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approval | None:
        return None

    async def run(self, work: Callable[[Database], T]) -> T:
        with reading(self._folder, self._store) as db:
            return work(db)

    def late(self) -> int:
        return 0

    def notices(self) -> tuple[str, ...]:
        return ()


class Nobody:
    """Stands where the serving process would."""

    def facts(self) -> dict[str, object]:
        return {}

    def notices(self) -> tuple[str, ...]:
        return ()

    def stop(self, why: str) -> None:
        raise BadCall("no daemon is running", "there is nothing to stop")


def looked_up(
    surroundings: Surroundings, verb: str, data: Mapping[str, object]
) -> dict[str, object]:
    """The answer of a verb that changes nothing."""
    folder = surroundings.known_state()
    keeper = Looking(folder, surroundings.store())
    # Nothing is written, so nothing has to be recognised later; and looking makes no files.
    key = secrets.token_bytes(SECRET_BYTES)
    return asyncio.run(_answered(surroundings, folder, keeper, key, verb, data))


def done(surroundings: Surroundings, verb: str, data: Mapping[str, object]) -> dict[str, object]:
    """The answer of a verb that changes the store. Raises Trouble."""
    folder = surroundings.known_state().prepared()

    async def work() -> dict[str, object]:
        async with Writer(folder, surroundings.store()) as writer:
            # What a person asked for is done now, or they are told why not.
            await writer.run(_nothing)
            key = secret(folder.signing_key)
            return await _answered(surroundings, folder, writer, key, verb, data)

    return asyncio.run(work())


async def _answered(
    surroundings: Surroundings,
    folder: StateFolder,
    keeper: StoreAccess,
    key: bytes,
    verb: str,
    data: Mapping[str, object],
) -> dict[str, object]:
    desk = build_service(
        keeper,
        places=surroundings.places,
        key=key,
        account=account(),
        environment={},
        judged=False,
        folders=surroundings.own_folders(),
    )
    try:
        archive = Archive(folder, keeper, desk)
        verbs = Verbs(desk, Agents(folder, ()), ADAPTERS, Nobody(), archive.purge)
        asked = Asked({**data, "do": verb}, frozenset(Right), None, SECONDS)
        answer = await verbs.row(verb).work(asked)
    finally:
        await desk.close()
    if isinstance(answer, Feed):
        answer.close()
        raise BadCall(f"`{verb}` needs a daemon", "start one with `automode daemon start`")
    return dict(answer)


def account() -> str:
    """Who is recorded as having asked."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _nothing(_db: Database) -> None:
    """Only whether it could be written."""
