"""What is done without a daemon: its verbs on the store, and `automode hook-alone` for a hook."""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import click

from automode.agents.catalog import ADAPTERS, adapter_for
from automode.agents.events import Adapter, Answer, CallProposed, Moment, Variables
from automode.assemble import build_service, load_settings, own_folders
from automode.cli.options import Surroundings, settings_options
from automode.cli.printing import standard_input, standard_output
from automode.config.places import RUN_VARIABLE
from automode.core.decision import Decision
from automode.core.errors import AutomodeError, BadCall
from automode.daemon.agents import Agents
from automode.daemon.frames import LONGEST_PAYLOAD, Reply, Right, variables_in
from automode.daemon.json_requests import Asked, json_object
from automode.daemon.placement import Placement
from automode.daemon.upkeep import Archive
from automode.daemon.verbs import Verbs
from automode.facts.place import account_name
from automode.store.changes import Change, Kept
from automode.store.database import Database
from automode.store.folder import SECRET_BYTES, BadFolder, StateFolder, secret
from automode.store.open import reading
from automode.store.writer import Writer

SECONDS = 30.0
T = TypeVar("T")


class ReadOnlyStore(Writer):
    """Keeps nothing: for verbs that only read."""

    def __init__(self, folder: StateFolder, store: str) -> None:
        super().__init__(folder, store)
        self._place = folder, store

    async def append(self, changes: Sequence[Change]) -> Kept:
        return Kept("this command only looks")

    async def run(self, work: Callable[[Database], T]) -> T:
        with reading(*self._place) as db:
            return work(db)


class NoServer:
    """Takes the place of the serving process."""

    def facts(self) -> dict[str, object]:
        return {}

    def notices(self) -> tuple[str, ...]:
        return ()

    def stop(self, why: str) -> None:
        raise BadCall("no daemon is running", "there is nothing to stop")


def look_up(surroundings: Surroundings, verb: str, data: Mapping[str, object]) -> dict[str, object]:
    """The answer of a verb that changes nothing."""
    folder = surroundings.known_state()
    store = ReadOnlyStore(folder, surroundings.store())
    # Nothing is written, so nothing has to be recognised later; and looking makes no files.
    key = secrets.token_bytes(SECRET_BYTES)
    return asyncio.run(_answer(surroundings, folder, store, key, verb, data))


def change_store(
    surroundings: Surroundings, verb: str, data: Mapping[str, object]
) -> dict[str, object]:
    """The answer of a verb that changes the store. Raises StoreError."""
    folder = surroundings.known_state().prepared()

    async def work() -> dict[str, object]:
        async with Writer(folder, surroundings.store()) as writer:
            # What a person asked for is done now, or they are told why not.
            await writer.run(lambda _db: None)
            key = secret(folder.signing_key)
            return await _answer(surroundings, folder, writer, key, verb, data)

    return asyncio.run(work())


async def _answer(
    surroundings: Surroundings,
    folder: StateFolder,
    store: Writer,
    key: bytes,
    verb: str,
    data: Mapping[str, object],
) -> dict[str, object]:
    service = build_service(
        store,
        places=surroundings.places,
        key=key,
        account=account_name(),
        environment={},
        judged=False,
        folders=surroundings.own_folders(),
    )
    try:
        archive = Archive(folder, store, service)
        verbs = Verbs(service, Agents(folder, ()), ADAPTERS, NoServer(), archive.purge)
        asked = Asked({**data, "do": verb}, frozenset(Right), None, SECONDS)
        answer = await verbs.row(verb).work(asked)
    finally:
        await service.close()
    return dict(answer)


DECIDING_SECONDS = 20.0
UNJUDGED = "gate.undecided"


@click.command("hook-alone", hidden=True)
@click.argument("host")
@click.argument("moment")
@click.option("--variables", "tail", type=click.IntRange(min=0), default=0)
@settings_options
@click.pass_obj
def hook_alone(surroundings: Surroundings, host: str, moment: str, tail: int) -> None:
    """Decide one call for a hook, from the agent's own JSON on standard input.

    The last bytes of it are variables that hold settings, as many as --variables says.

    Prints a reply as the daemon sends it; a hook that gets anything else closes.
    """
    adapter = ADAPTERS.get(host)
    if adapter is None or moment != Moment.PROPOSED.value:
        raise BadCall(f"no such host, or nothing to decide: `{host} {moment}`", "see its adapter")
    placement = Placement(surroundings.known_state(), surroundings.config_folder)
    data = standard_input().read(LONGEST_PAYLOAD + tail + 1)
    payload, variables = data[: len(data) - tail], variables_in(data[len(data) - tail :])
    try:
        answer = asyncio.run(answer_call(adapter, host, payload, placement, variables))
    except AutomodeError as error:
        hint = f" ({error.hint})" if error.hint else ""
        answer = adapter.closing_answer(Moment.PROPOSED, f"{error}{hint}")
    out, err = (text.encode("utf-8", "replace") for text in (answer.stdout, answer.stderr))
    output = standard_output()
    output.write(Reply(answer.exit, out, err).encode())
    output.flush()


async def answer_call(
    adapter: Adapter,
    host: str,
    payload: bytes,
    placement: Placement,
    variables: Variables = (),
) -> Answer:
    """The answer to one proposed call; AutomodeError where it cannot be read or decided."""
    if len(payload) > LONGEST_PAYLOAD:
        raise BadCall(f"a call of more than {LONGEST_PAYLOAD} bytes", "send a smaller one")
    said = json_object(payload)
    adapter = adapter_for(adapter, host, said)
    event = adapter.parse(said)
    if not isinstance(event, CallProposed):
        raise BadCall("what the agent says is no proposed call", "install the hook again")
    event = replace(event, ref=event.ref.with_variables(variables, RUN_VARIABLE))
    writer = Writer(placement.state, load_settings(placement.places(None)).settings.store)
    service = build_service(
        writer,
        places=placement.places,
        key=_key(placement.state),
        account=account_name(),
        environment={},
        judged=False,
        folders=own_folders(placement.places(None), placement.state.path),
    )
    try:
        ruling = await service.decide(event, adapter.name, seconds=DECIDING_SECONDS)
    finally:
        await service.close()
        await writer.close()
    return adapter.render(event, _with_way_out(ruling.decision))


def _key(folder: StateFolder) -> bytes:
    """Where the folder has none, any key will do: then no retry can be approved."""
    try:
        return secret(folder.signing_key)
    except BadFolder:
        return secrets.token_bytes(SECRET_BYTES)


def _with_way_out(decision: Decision | None) -> Decision | None:
    """Adds the remedy where the call was left open because no daemon runs."""
    if decision is None or decision.source != UNJUDGED:
        return decision
    remedy = "start the daemon with `automode daemon start`, so that a model can judge it"
    return replace(decision, remedy=remedy)
