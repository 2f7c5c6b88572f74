"""`automode notify`: which addresses are told of asks that wait, and whether that works."""

import asyncio
import sys
from collections.abc import Sequence
from importlib.util import find_spec

import click

from automode.cli.daemon import refuse_agents
from automode.cli.options import Surroundings, usual_options
from automode.cli.printing import one_line, say, say_rows, tell, wants_json, warn
from automode.config.settings import Asks, FromPhone
from automode.core.errors import AutomodeError
from automode.notify.addresses import Address, Ntfy, Other, read_address
from automode.notify.others import INSTALL
from automode.notify.tokens import AnswerTokens
from automode.notify.trial import PRESS, Trial
from automode.store.folder import secret

_GUIDE = "docs/guides/notifications.md"


@click.command()
@click.option("--test", is_flag=True, help="Send one message to each address.")
@click.option(
    "--wait",
    type=click.IntRange(0, 600),
    default=60,
    metavar="SECONDS",
    help="How long a test waits for a pressed button; 0 sends none. Default: 60.",
)
@usual_options
def notify(surroundings: Surroundings, *, test: bool, wait: int) -> None:
    """Show which addresses are told when an ask waits, or try them with --test.

    No address is shown whole: they hold secrets. The exit status of a test is 1 where one failed.
    """
    asks = surroundings.load(None).settings.asks
    addresses, unreadable = _read(asks)
    for one in unreadable:
        warn(str(one), one.hint)
    if not test:
        _show(asks, addresses)
        return
    if not addresses:
        warn("no address is set up, so nothing was sent", f"`autoMode.asks.notify`; see {_GUIDE}")
        sys.exit(1)
    folder = surroundings.known_state().prepared()
    refuse_agents(folder)
    trial = Trial(AnswerTokens(secret(folder.answer_key)))
    sys.exit(asyncio.run(_try(trial, addresses, 0 if asks.from_phone is FromPhone.NONE else wait)))


def _read(asks: Asks) -> tuple[list[Address], list[AutomodeError]]:
    found: list[Address] = []
    unreadable: list[AutomodeError] = []
    for rule in asks.notify:
        try:
            found.append(read_address(rule.text))
        except AutomodeError as error:
            unreadable.append(error)
    return found, unreadable


def _show(asks: Asks, addresses: Sequence[Address]) -> None:
    told = {one.shown: _kind(one, asks) for one in addresses}
    data = {
        "addresses": [{"address": name, "told": kind} for name, kind in told.items()],
        "hold": asks.hold,
        "quiet_hours": asks.quiet_hours,
        "per_hour": asks.notify_per_hour,
        "from_phone": asks.from_phone.value,
        "webhook": asks.webhook,
    }
    rows = [
        *told.items(),
        ("asks wait", f"{asks.hold} seconds" if asks.hold else "not at all, so nothing is sent"),
        ("quiet hours", asks.quiet_hours or "none"),
        ("at most", f"{asks.notify_per_hour} messages an hour"),
        ("from the phone", asks.from_phone.value),
        ("webhook", "on" if asks.webhook else "off"),
    ]
    if addresses:
        tell(data, lambda: say_rows(rows))
    else:
        tell(data, f"no address is set up: name one in `autoMode.asks.notify`; see {_GUIDE}")
    if addresses and not asks.hold:
        warn("`autoMode.asks.hold` is 0: no ask waits, so nothing is sent", "give it seconds")


def _kind(address: Address, asks: Asks) -> str:
    match address:
        case Ntfy(encrypted=False):
            return "ntfy; NOT ENCRYPTED: whoever sees the traffic can answer"
        case Ntfy():
            return "ntfy" if asks.from_phone is FromPhone.NONE else "ntfy, with buttons"
        case Other() if find_spec("apprise") is None:
            return INSTALL
        case Other(bridge=True) if asks.webhook:
            return "Apprise; is told the tokens"
        case Other():
            return "Apprise, without buttons"


async def _try(trial: Trial, addresses: Sequence[Address], wait: int) -> int:
    sent = await trial.send(addresses, wait)
    results = {one.shown: why or "sent" for one, why in zip(addresses, sent, strict=True)}
    if not wants_json():
        say_rows(results.items())
    heard = [
        one
        for one, why in zip(addresses, sent, strict=True)
        if wait and isinstance(one, Ntfy) and not why
    ]
    if heard and not wants_json():
        say(f"Press `{PRESS}` in the message within {wait} seconds, or stop with Ctrl-C.")
    back = await asyncio.gather(*(trial.wait_for_press(one, wait) for one in heard))
    returned = {
        one.shown: why or "the press came back" for one, why in zip(heard, back, strict=True)
    }
    data = [
        {"address": name, "sent": one_line(why), "back": returned.get(name)}
        for name, why in results.items()
    ]
    tell({"tried": data}, lambda: say_rows(returned.items()))
    return int(any(sent) or any(back))
