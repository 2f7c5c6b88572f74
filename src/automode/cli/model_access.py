"""Models for a person: which can be asked from here, one picked from a list, one tried out."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import click
from click.shell_completion import CompletionItem

from automode.cli.printing import faint, say
from automode.cli.tables import show_table
from automode.config.model_choice import NAME
from automode.config.settings import Settings
from automode.core.errors import BadSettings
from automode.facts.place import home_folder
from automode.llm.endpoints import NO_ADDRESS, Missing, Sources, endpoint
from automode.llm.keys import Keyring, no_keyring
from automode.llm.model import Model, ModelFault
from automode.llm.prices import TABLES, Priced, known_models
from automode.llm.providers import GGUF, PROVIDERS, OwnServer
from automode.llm.registry import files_missing, resolve
from automode.llm.subscriptions import SUBSCRIPTIONS, Subscription

MOST_SHOWN = 20
STATUS_SECONDS = 10.0
QUESTION = "number, words to filter by, provider/id, or nothing to leave"
FILE_ADDRESS = f"{GGUF}/ and the whole path of a GGUF file"


@dataclass(frozen=True, slots=True)
class Access:
    """`problem` is why the provider cannot be asked, empty when it can. No key is in here."""

    name: str
    address: str
    key_variables: tuple[str, ...]
    problem: str = ""
    lacks_key: bool = False  # the problem is nothing but a missing key
    own: bool = False  # described in the settings; has no price in any table

    @property
    def ready(self) -> bool:
        return not self.problem


def accesses(
    settings: Settings, environment: Mapping[str, str], keyring: Keyring = no_keyring
) -> list[Access]:
    """The user's own servers, then the known providers, those that can be asked first."""
    sources = _sources(settings, environment, keyring)
    own = [
        _access(server.name, server.base_url, _variables(server), sources, own=True)
        for server in settings.providers
        if not server.command
    ]
    taken = {access.name for access in own}
    known = [
        _access(name, provider.base_url, provider.key_variables, sources, own=False)
        for name, provider in PROVIDERS.items()
        if name not in taken
    ]
    return [*own, *sorted(known, key=lambda access: not access.ready)]


def connect(
    name: str,
    settings: Settings,
    environment: Mapping[str, str],
    keyring: Keyring = no_keyring,
) -> Model:
    """The model called `name`. BadSettings with the reason when it cannot be asked."""
    found = resolve(name, _sources(settings, environment, keyring))
    if isinstance(found, Missing):
        raise BadSettings(found.reason, "`automode model` lists the providers and their keys")
    return found


def _access(
    name: str, address: str, variables: tuple[str, ...], sources: Sources, *, own: bool
) -> Access:
    if name in SUBSCRIPTIONS:
        return program_access(SUBSCRIPTIONS[name], sources)
    found = endpoint(name, sources)
    if found is NO_ADDRESS:
        missing = files_missing()
        return Access(name, FILE_ADDRESS, variables, missing.reason if missing else "")
    if not isinstance(found, Missing):
        return Access(name, found.base_url, variables, own=own)
    return Access(name, address, variables, found.reason, found.kind is ModelFault.NO_KEY, own=own)


def program_access(agent: Subscription, sources: Sources) -> Access:
    chosen = next((one.command for one in sources.own if one.name == agent.name), "")
    command = chosen or find_program(agent, sources.environment)
    if not command:
        return Access(agent.name, "", (), f"`{agent.program}` is not on your PATH")
    home = sources.home or sources.environment.get("HOME", "")
    trusted = sources.trust_environment
    account = agent.account_folder(sources.environment, home=home, trusted=trusted)
    reduced = agent.environment(sources.environment, command, home=home, trusted=trusted)
    if not agent.signed_in(account) and not _says_signed_in(agent, command, reduced):
        return Access(agent.name, command, (), f"not signed in: {agent.sign_in}")
    return Access(agent.name, command, ())


def find_program(agent: Subscription, environment: Mapping[str, str]) -> str:
    """Where a person's own `PATH` has it; empty where it has not."""
    found = shutil.which(agent.program, path=environment.get("PATH", os.defpath))
    return os.path.abspath(found) if found else ""


def _says_signed_in(agent: Subscription, command: str, environment: Mapping[str, str]) -> bool:
    """By its own word, for a sign-in that lies in the system's keychain. Asks no network."""
    if not agent.status:
        return False
    try:
        done = subprocess.run(  # noqa: S603 - the agent of the person
            (command, *agent.status),
            capture_output=True,
            timeout=STATUS_SECONDS,
            check=False,
            cwd="/",
            env=dict(environment),
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and b'"loggedIn": true' in done.stdout


def _variables(server: OwnServer) -> tuple[str, ...]:
    return (server.api_key_env,) if server.api_key_env else ()


def _sources(settings: Settings, environment: Mapping[str, str], keyring: Keyring) -> Sources:
    return Sources(
        environment,
        own=settings.providers,
        trust_environment=settings.trust_environment,
        home="" if settings.trust_environment else home_folder(),
        keyring=keyring,
    )


def complete_model(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The models of the price table; other names are models too, so this only suggests. No key is
    looked for: completing a word must not open a keyring."""
    started, slash, _ = incomplete.partition("/")
    fitting = [name for name in TABLES if (name == started if slash else name.startswith(started))]
    return [
        CompletionItem(model.name, help=price_text(model))
        for provider in fitting
        for model in known_models(provider)
        if model.name.startswith(incomplete)
    ]


def price_text(model: Priced) -> str:
    """Dollars per million tokens."""
    if model.input_usd is None or model.output_usd is None:
        return "price unknown or by size"
    return f"{_plain(model.input_usd)} in, {_plain(model.output_usd)} out"


def _plain(amount: Decimal) -> str:
    return f"${amount.normalize():f}"


def pick(models: Sequence[Priced], ask: Callable[[str], str]) -> str | None:
    """The name of the chosen model; None when the person leaves. `ask` shows a question and
    returns the answer."""
    fitting = list(models)
    while True:
        show(fitting)
        answer = ask(QUESTION).strip()
        if not answer:
            return None
        if answer.isdecimal():
            if 1 <= int(answer) <= min(len(fitting), MOST_SHOWN):
                return fitting[int(answer) - 1].name
            say(f"there is no number {answer}")
            continue
        chosen = _typed_name(models, answer)
        if chosen is not None:
            return chosen
        fitting = filter_models(models, answer)
        if not fitting:
            say(f"nothing fits `{answer}`")
            fitting = list(models)


def filter_models(models: Sequence[Priced], words: str) -> list[Priced]:
    """Those whose names hold every word."""
    wanted = words.casefold().split()
    return [model for model in models if all(word in model.name.casefold() for word in wanted)]


def show(models: Sequence[Priced]) -> None:
    shown = models[:MOST_SHOWN]
    rows = [(f"{place:3d}", one.name, price_text(one)) for place, one in enumerate(shown, 1)]
    show_table(rows, ("", "model", "price"))
    if len(models) > len(shown):
        say(faint(f"  and {len(models) - len(shown)} more: type a part of the name"))


def _typed_name(models: Sequence[Priced], answer: str) -> str | None:
    """A name from the list, or one that the list does not know and that is no filter for it."""
    if any(model.name == answer for model in models):
        return answer
    return answer if NAME.fullmatch(answer) and not filter_models(models, answer) else None
