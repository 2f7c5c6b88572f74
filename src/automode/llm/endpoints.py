"""Joins a server and its key. The only place that does: a key never meets another's host.

Three kinds of server, and the only keys each may get:
- a known provider at its own address: the provider's own variables, or what the keyring has for
  the address;
- a known provider moved by a trusted environment: the provider's variables of that environment;
- a server of the user's own: the variable its settings name, unless that is a known provider's, or
  what the keyring has for the address.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from automode.llm.keys import KeyHelper, Keyring, first_set, no_keyring, usable
from automode.llm.model import ModelFault
from automode.llm.providers import GGUF, Api, OwnServer, Provider, owner_of_variable, provider_named

_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+){1,3}-\d")
_ODD = re.compile(r"[\s\\\x00-\x1f?#]")  # what two readers of an address could read differently
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no model: a sentence a person can act on."""

    kind: ModelFault
    reason: str


NO_ADDRESS = Missing(
    ModelFault.UNKNOWN_MODEL, f"a model file has no address: write `{GGUF}/` and its whole path"
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    provider: Provider
    base_url: str
    key: str | None = field(default=None, repr=False)
    helper: KeyHelper | None = None  # prints the key, where there is no other

    @property
    def host(self) -> str:
        return host_of(self.base_url)

    def headers(self) -> dict[str, str]:
        version = {"anthropic-version": "2023-06-01"}
        fixed = version if self.provider.api is Api.ANTHROPIC else {}
        if self.key is None:
            return fixed
        match self.provider.api:
            case Api.ANTHROPIC:
                return fixed | {"x-api-key": self.key}
            case Api.GOOGLE:
                return {"x-goog-api-key": self.key}
            case Api.OPENAI | Api.BEDROCK:
                return {"authorization": f"Bearer {self.key}"}


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything a server or a key may be taken from."""

    environment: Mapping[str, str] = field(repr=False)
    own: tuple[OwnServer, ...] = ()
    trust_environment: bool = False
    home: str = ""  # of the account; empty: as the environment says
    keyring: Keyring = no_keyring
    helper: KeyHelper | None = None  # for the provider that the person chose in the same file


def endpoint(name: str, sources: Sources) -> Endpoint | Missing:
    """The server called `name`, with the key that is its own."""
    for server in sources.own:
        if server.name == name:
            return _own_endpoint(server, sources)
    provider = provider_named(name)
    if provider is None:
        return Missing(
            ModelFault.UNKNOWN_MODEL,
            f"unknown provider `{name}`: use a known one, or describe the server under"
            f" `autoMode.providers.{name}` in your settings",
        )
    if not provider.base_url:
        return NO_ADDRESS
    moved = first_set(provider.base_url_variables, sources.environment)
    if sources.trust_environment and moved is not None:
        return _moved_provider(provider, moved, sources)
    return _known_provider(provider, sources)


def host_of(url: str) -> str:
    """Host and port, to compare and to file keys under; empty for what is not a web address."""
    if _ODD.search(url):
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return ""
    return parts.hostname if port is None else f"{parts.hostname}:{port}"


def region_of(environment: Mapping[str, str]) -> str:
    """Amazon's, which is a part of the host."""
    return first_set(("AWS_REGION", "AWS_DEFAULT_REGION"), environment) or "us-east-1"


def _known_provider(provider: Provider, sources: Sources) -> Endpoint | Missing:
    region = region_of(sources.environment)
    if "{region}" in provider.base_url and not _REGION.fullmatch(region):
        return Missing(ModelFault.REJECTED, "the region in `AWS_REGION` is not one of Amazon's")
    base_url = provider.base_url.replace("{region}", region)
    if not provider.key_variables:
        return Endpoint(provider, base_url)
    key = first_set(provider.key_variables, sources.environment)
    key = key or sources.keyring(host_of(base_url))
    if key or sources.helper is not None:
        return Endpoint(provider, base_url, key, None if key else sources.helper)
    where = "before the daemon starts" if "{" in provider.base_url else "where you start the agent"
    return _no_key(provider.name, provider.title, provider.key_variables[0], where)


def _moved_provider(provider: Provider, address: str, sources: Sources) -> Endpoint | Missing:
    variable = provider.base_url_variables[0]
    base_url = address if "://" in address else f"http://{address}"
    if not host_of(base_url):
        return Missing(ModelFault.REJECTED, f"`{variable}` is not a web address")
    if not provider.key_variables:
        path = "" if urlsplit(base_url).path.strip("/") else "/v1"
        return Endpoint(provider, base_url.rstrip("/") + path)
    key = first_set(provider.key_variables, sources.environment)
    if key is None:
        return _no_key(provider.name, provider.title, provider.key_variables[0])
    if urlsplit(base_url).scheme != "https" and urlsplit(base_url).hostname not in _LOOPBACK:
        return Missing(
            ModelFault.REJECTED, f"`{variable}` is not encrypted: a key is sent over https only"
        )
    return Endpoint(provider, base_url.rstrip("/"), key)


def _own_endpoint(server: OwnServer, sources: Sources) -> Endpoint | Missing:
    base_url = server.base_url.rstrip("/")
    if server.api is Api.ANTHROPIC:
        base_url = base_url.removesuffix("/v1")  # written with it as often as without
    provider = Provider(server.name, server.name, server.api, base_url)
    host = host_of(server.base_url)
    if not host:
        return Missing(ModelFault.REJECTED, f"`{server.name}` has no web address as its `baseUrl`")
    if server.api_key_env is None:
        return Endpoint(provider, provider.base_url, sources.keyring(host))
    owner = owner_of_variable(server.api_key_env)
    if owner is not None and host_of(owner.base_url) != host:
        return Missing(
            ModelFault.REJECTED,
            f"`{server.name}` asks for {owner.title}'s key, which goes to {owner.title} only: put"
            " its own key into a variable of its own",
        )
    key = usable(sources.environment.get(server.api_key_env)) or sources.keyring(host)
    if key is None and sources.helper is not None:
        return Endpoint(provider, provider.base_url, None, sources.helper)
    if key is None:
        return _no_key(server.name, server.name, server.api_key_env)
    return Endpoint(provider, provider.base_url, key)


def _no_key(
    name: str, title: str, variable: str, where: str = "before the daemon starts"
) -> Missing:
    return Missing(
        ModelFault.NO_KEY,
        f"no key for {title}: store one with `automode key set {name}`, or set `{variable}`"
        f" {where}",
    )
