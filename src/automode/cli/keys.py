"""`automode key`: stores the keys of model providers where the daemon finds them."""

import os
import sys

import click

from automode.cli.daemon import person_request, refuse_agents
from automode.cli.options import Surroundings, usual_options, workspace_at
from automode.cli.printing import tell
from automode.cli.tables import show_table
from automode.core.errors import AutomodeError, BadSettings
from automode.llm.endpoints import host_of, region_of
from automode.llm.keys import KeyStore, usable
from automode.llm.providers import PROVIDERS, provider_named
from automode.llm.subscriptions import NOT_OFFERED, SUBSCRIPTIONS


@click.group()
def key() -> None:
    """Store the keys of model providers where the daemon finds them.

    A key goes to the system's keyring where one works, else into a file that only your account can
    read. It is sent to its own provider's host only. Storing and removing is for people: what an
    agent started is refused.
    """


@key.command(name="set")
@click.argument("provider")
@usual_options
def set_key(surroundings: Surroundings, provider: str) -> None:
    """Store the key of PROVIDER; it is asked for, or read from standard input."""
    host, store = _host(surroundings, provider), _store(surroundings)
    given: str = (
        click.prompt(f"key for {host}", hide_input=True) if sys.stdin.isatty() else sys.stdin.read()
    )
    found = usable(given)
    if found is None:
        raise BadSettings("that is no key: expected one line of printable ASCII", "copy it again")
    try:
        place = store.store(host, found)
    except OSError as error:
        raise BadSettings(f"the key was not stored: {error.strerror}", "see the folder") from error
    _tell_daemon(surroundings)
    data = {"provider": provider, "host": host, "stored": place}
    tell(data, f"stored: the key for {host}, in {place}")


@key.command(name="list")
@usual_options
def list_keys(surroundings: Surroundings) -> None:
    """List whose keys are stored. No key is shown."""
    found = _store(surroundings).hosts()
    names = {host_of(row.base_url): row.name for row in PROVIDERS.values() if row.base_url}
    rows = [(names.get(host, "own server"), host, place) for host, place in sorted(found.items())]
    fields = ("provider", "host", "stored")
    none = "no key is stored; `automode key set PROVIDER` stores one"
    data = {"keys": [dict(zip(fields, row, strict=True)) for row in rows]}
    tell(data, (lambda: show_table(rows, fields)) if rows else none)


@key.command(name="remove")
@click.argument("provider")
@usual_options
def remove_key(surroundings: Surroundings, provider: str) -> None:
    """Remove the stored key of PROVIDER."""
    host = _host(surroundings, provider)
    try:
        removed = _store(surroundings).remove(host)
    except OSError as error:
        raise BadSettings(f"the key is still there: {error.strerror}", "see the folder") from error
    if not removed:
        raise BadSettings(f"no key is stored for {host}", "see `automode key list`")
    _tell_daemon(surroundings)
    tell({"provider": provider, "host": host, "removed": True}, f"removed: the key for {host}")


def _store(surroundings: Surroundings) -> KeyStore:
    if surroundings.isolated:
        raise BadSettings("keys lie in files, and --isolated ignores files", "leave it out")
    from automode.assemble import key_store  # it takes a while to load

    folder = surroundings.known_state()
    refuse_agents(folder)
    return key_store(folder.prepared())


def _host(surroundings: Surroundings, provider: str) -> str:
    """The host that the key is for. Raises BadSettings."""
    own = surroundings.load(workspace_at(None).root).settings.providers
    address = next((one.base_url for one in own if one.name == provider and one.base_url), "")
    row = provider_named(provider)
    if row is not None and row.key_variables and not address:
        address = row.base_url.replace("{region}", region_of(os.environ))
    if host_of(address):
        return host_of(address)
    if provider in SUBSCRIPTIONS or provider in NOT_OFFERED:
        raise BadSettings(f"`{provider}` takes no key: it is signed in by itself", "automode model")
    if row is not None:
        raise BadSettings(f"`{provider}` takes no key", "see `automode model`")
    known = ", ".join(name for name, one in PROVIDERS.items() if one.key_variables)
    raise BadSettings(
        f"no provider is called `{provider}`",
        f"known: {known}; or a server of your own in `autoMode.providers`",
    )


def _tell_daemon(surroundings: Surroundings) -> None:
    """A gate that was built without the key says that there is none."""
    try:
        person_request(surroundings, "reload", {})
    except AutomodeError:  # none runs, and the next one reads the store
        return
