"""`automode hook-alone`: decides for a hook that found no daemon.

No model is asked. It writes the same store as the daemon.
"""

import asyncio
import secrets
from dataclasses import replace

import click

from automode.adapters.catalog import ADAPTERS
from automode.adapters.guests import speaking
from automode.adapters.seam import Adapter, Answer, CallProposed, Moment
from automode.assemble import build_service, load_settings, own_folders
from automode.cli.check import standard_input, standard_output
from automode.cli.surroundings import Surroundings, settings_options
from automode.cli.without_daemon import account
from automode.core.decision import Decision
from automode.core.errors import AutomodeError, BadCall
from automode.daemon.asked import json_object
from automode.daemon.frames import LONGEST_PAYLOAD, Reply
from automode.daemon.placement import Placement
from automode.store.folder import SECRET_BYTES, BadFolder, StateFolder, secret
from automode.store.writer import Writer

DECIDING_SECONDS = 20.0
UNJUDGED = "gate.undecided"


@click.command("hook-alone", hidden=True)
@click.argument("host")
@click.argument("moment")
@settings_options
@click.pass_obj
def hook_alone(surroundings: Surroundings, host: str, moment: str) -> None:
    """Decide one call for a hook, from the agent's own JSON on standard input.

    Prints a reply as the daemon sends it; a hook that gets anything else closes.
    """
    adapter = ADAPTERS.get(host)
    if adapter is None or moment != Moment.PROPOSED.value:
        raise BadCall(f"no such host, or nothing to decide: `{host} {moment}`", "see its adapter")
    placement = Placement(surroundings.known_state(), surroundings.config_folder)
    payload = standard_input().read(LONGEST_PAYLOAD + 1)
    try:
        answer = asyncio.run(answered(adapter, host, payload, placement))
    except AutomodeError as error:
        hint = f" ({error.hint})" if error.hint else ""
        answer = adapter.closed(Moment.PROPOSED, f"{error}{hint}")
    out, err = (text.encode("utf-8", "replace") for text in (answer.stdout, answer.stderr))
    output = standard_output()
    output.write(Reply(answer.exit, out, err).encoded())
    output.flush()


async def answered(adapter: Adapter, host: str, payload: bytes, placement: Placement) -> Answer:
    """The answer to one proposed call; AutomodeError where it cannot be read or decided."""
    if len(payload) > LONGEST_PAYLOAD:
        raise BadCall(f"a call of more than {LONGEST_PAYLOAD} bytes", "send a smaller one")
    said = json_object(payload)
    adapter = speaking(adapter, host, said)
    event = adapter.parse(said)
    if not isinstance(event, CallProposed):
        raise BadCall("what the agent says is no proposed call", "install the hook again")
    writer = Writer(placement.state, load_settings(placement.places(None)).settings.store)
    desk = build_service(
        writer,
        places=placement.places,
        key=_key(placement.state),
        account=account(),
        environment={},
        judged=False,
        folders=own_folders(placement.places(None), placement.state.path),
    )
    try:
        ruling = await desk.decide(event, adapter.name, seconds=DECIDING_SECONDS)
    finally:
        await desk.close()
        await writer.close()
    return adapter.render(event, _explained(ruling.decision))


def _key(folder: StateFolder) -> bytes:
    """Any will do where the folder has none: then nobody can approve an exact retry."""
    try:
        return secret(folder.signing_key)
    except BadFolder:
        return secrets.token_bytes(SECRET_BYTES)


def _explained(decision: Decision | None) -> Decision | None:
    """That nobody vouched for the call has a reason which the person can remove."""
    if decision is None or decision.source != UNJUDGED:
        return decision
    advice = "No daemon answers, so no model could judge it: see `automode daemon start`."
    return replace(decision, advice=f"{decision.advice} {advice}".strip())
