"""Which providers can be asked from here: those with a key, and servers that need none."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.config.settings import Provider, Settings
from automode.core.errors import BadSettings
from automode.llm.endpoints import NO_ADDRESS, Missing, Sources, endpoint
from automode.llm.keys import Keyring, system_keyring
from automode.llm.model import Model, Trouble
from automode.llm.providers import GGUF, PROVIDERS, provider_named
from automode.llm.registry import files_missing, resolve

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
    settings: Settings, environment: Mapping[str, str], keyring: Keyring = system_keyring
) -> list[Access]:
    """The user's own servers, then the known providers, those that can be asked first."""
    sources = _sources(settings, environment, keyring)
    own = [
        _access(server.name, server.base_url, _variables(server), sources, own=True)
        for server in settings.providers
    ]
    taken = {access.name for access in own}
    known = [
        _access(name, provider.base_url, provider.key_variables, sources, own=False)
        for name, provider in PROVIDERS.items()
        if name not in taken
    ]
    return [*own, *sorted(known, key=lambda access: not access.ready)]


def connected(
    name: str,
    settings: Settings,
    environment: Mapping[str, str],
    keyring: Keyring = system_keyring,
) -> Model:
    """The model called `name`. BadSettings with the reason when it cannot be asked."""
    found = resolve(name, _sources(settings, environment, keyring))
    if isinstance(found, Missing):
        raise BadSettings(found.reason, "`automode model` lists the providers and their keys")
    return found


def is_provider(name: str, settings: Settings) -> bool:
    """Also under another name that counts as it."""
    own = any(server.name == name for server in settings.providers)
    return own or provider_named(name) is not None


def _access(
    name: str, address: str, variables: tuple[str, ...], sources: Sources, *, own: bool
) -> Access:
    found = endpoint(name, sources)
    if found is NO_ADDRESS:
        missing = files_missing()
        return Access(name, FILE_ADDRESS, variables, missing.reason if missing else "")
    if not isinstance(found, Missing):
        return Access(name, found.base_url, variables, own=own)
    return Access(name, address, variables, found.reason, found.trouble is Trouble.NO_KEY, own=own)


def _variables(server: Provider) -> tuple[str, ...]:
    return (server.api_key_env,) if server.api_key_env else ()


def _sources(settings: Settings, environment: Mapping[str, str], keyring: Keyring) -> Sources:
    return Sources(
        environment,
        own=settings.providers,
        trust_environment=settings.trust_environment,
        keyring=keyring,
    )
