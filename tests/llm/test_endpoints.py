"""A key only ever meets its own provider's host."""

from collections.abc import Mapping
from string import ascii_lowercase

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automode.llm.endpoints import Endpoint, Missing, Sources, endpoint, host_of
from automode.llm.model import ModelFault
from automode.llm.providers import PROVIDERS, Api, OwnServer, owner_of_variable
from tests.rows import each_row, rows, texts


def found(name: str, sources: Sources) -> Endpoint:
    got = endpoint(name, sources)
    assert isinstance(got, Endpoint)
    return got


def missing(name: str, sources: Sources) -> Missing:
    got = endpoint(name, sources)
    assert isinstance(got, Missing)
    return got


KEY_VARIABLES = sorted({name for row in PROVIDERS.values() for name in row.key_variables})
URL_VARIABLES = sorted({name for row in PROVIDERS.values() for name in row.base_url_variables})
ADDRESSES = texts("llm", "addresses")
REGIONS = ["eu-west-1", "us-gov-east-1", "evil.example/", "x@evil.example", "", "us-east-1\n"]
NAMES = [*sorted(PROVIDERS), "gemini", "OpenAI", "mine", "other"]


def key_in(variable: str) -> str:
    """A key that says where it was found."""
    return f"key-of-{variable}"


def filed_key(host: str) -> str:
    return f"filed-for-{host}"


@st.composite
def worlds(draw: st.DrawFn) -> Sources:
    keys = draw(st.sets(st.sampled_from([*KEY_VARIABLES, "MY_KEY"])))
    moved = draw(st.dictionaries(st.sampled_from(URL_VARIABLES), st.sampled_from(ADDRESSES)))
    environment = {name: key_in(name) for name in keys} | moved
    if draw(st.booleans()):
        environment["AWS_REGION"] = draw(st.sampled_from(REGIONS))
    own = st.builds(
        OwnServer,
        st.sampled_from(NAMES),
        st.sampled_from([Api.OPENAI, Api.ANTHROPIC]),
        st.sampled_from(ADDRESSES),
        st.none() | st.sampled_from([*KEY_VARIABLES, "MY_KEY", "openai_api_key"]),
    )
    return Sources(
        environment,
        own=tuple(draw(st.lists(own, max_size=3))),
        trust_environment=draw(st.booleans()),
        keyring=filed_key if draw(st.booleans()) else lambda host: None,
    )


def rightful_hosts(key: str, sources: Sources) -> set[str]:
    """Where `key` may go, worked out from where it came from."""
    if key.startswith("filed-for-"):
        return {key.removeprefix("filed-for-")}
    variable = key.removeprefix("key-of-")
    owner = owner_of_variable(variable)
    if owner is None:
        return {
            host_of(server.base_url) for server in sources.own if server.api_key_env == variable
        }
    hosts = {address(owner.base_url, sources.environment)}
    if sources.trust_environment:
        named = (sources.environment.get(name, "") for name in owner.base_url_variables)
        hosts |= {host_of(url if "://" in url else f"http://{url}") for url in named}
    return hosts


def address(base_url: str, environment: Mapping[str, str]) -> str:
    return host_of(
        base_url.replace("{region}", environment.get("AWS_REGION", "").strip() or "us-east-1")
    )


@given(worlds(), st.data())
def test_no_settings_and_no_environment_send_a_key_to_another_host(
    sources: Sources, data: st.DataObject
) -> None:
    own = [server.name for server in sources.own]
    got = endpoint(data.draw(st.sampled_from(own or NAMES) | st.sampled_from(NAMES)), sources)

    if isinstance(got, Missing):
        assert "key-of-" not in got.reason
        return
    assert got.host
    if got.key is not None:
        assert got.host in rightful_hosts(got.key, sources)
        assert got.key in " ".join(got.headers().values())
        assert got.key not in repr(got) + repr(sources)


@given(worlds(), st.sampled_from(sorted(PROVIDERS)))
def test_an_untrusted_environment_moves_no_provider(sources: Sources, name: str) -> None:
    assume(not sources.trust_environment and not any(s.name == name for s in sources.own))
    got = endpoint(name, sources)

    if isinstance(got, Endpoint):
        assert got.host == address(PROVIDERS[name].base_url, sources.environment)


@given(st.text(ascii_lowercase + "-./@:\\#?0123456789", max_size=30))
def test_no_region_moves_bedrock_out_of_amazon(region: str) -> None:
    got = endpoint("bedrock", Sources({"AWS_REGION": region, "AWS_BEARER_TOKEN_BEDROCK": "key"}))

    if isinstance(got, Endpoint):
        assert got.host.endswith(".amazonaws.com")
        assert got.host.count(".") == 3


@each_row("name, variable, header, value", rows("llm", "keys"))
def test_each_provider_finds_its_key_or_names_the_way_out(
    name: str, variable: str, header: str, value: str
) -> None:
    assert found(name, Sources({variable: " k\n"})).headers()[header] == value
    none = missing(name, Sources({}))

    assert none.kind is ModelFault.NO_KEY
    assert "`automode key set " in none.reason
    assert "or set `" in none.reason


@pytest.mark.parametrize("name", ["ollama", "llamacpp", "vllm", "lmstudio"])
def test_servers_on_this_machine_need_no_key(name: str) -> None:
    got = found(name, Sources(dict.fromkeys(KEY_VARIABLES, "k")))

    assert got.host.startswith("127.0.0.1:")
    assert got.headers() == {}


def test_the_keyring_comes_last() -> None:
    sources = Sources({}, keyring=filed_key)

    assert found("openai", sources).key == "filed-for-api.openai.com"
    assert found("openai", Sources({"OPENAI_API_KEY": "e"}, keyring=filed_key)).key == "e"


OWN = {
    "its own key": (OwnServer("mine", Api.OPENAI, "https://llm.example/v1/", "MY_KEY"), "k"),
    "no key": (OwnServer("mine", Api.OPENAI, "http://127.0.0.1:9/v1"), None),
    "a known name": (OwnServer("openai", Api.ANTHROPIC, "https://llm.example/v1", "MY_KEY"), "k"),
}


@pytest.mark.parametrize("case", OWN)
def test_a_server_of_ones_own_gets_its_own_key(case: str) -> None:
    server, key = OWN[case]
    environment = {"MY_KEY": "k", "OPENAI_API_KEY": "other"}

    got = found(server.name, Sources(environment, own=(server,), trust_environment=True))

    assert got.key == key
    assert got.host == host_of(server.base_url)
    assert not got.base_url.endswith("/v1/")


def test_a_server_of_ones_own_without_its_key_says_which() -> None:
    server = OwnServer("mine", Api.OPENAI, "https://llm.example/v1", "MY_KEY")

    assert "`MY_KEY`" in missing("mine", Sources({}, own=(server,))).reason


def test_a_server_of_ones_own_cannot_have_anothers_key() -> None:
    server = OwnServer("mine", Api.OPENAI, "https://llm.example/v1", "openai_api_key")
    sources = Sources({"openai_api_key": "k", "OPENAI_API_KEY": "k"}, own=(server,))

    assert "OpenAI's key" in missing("mine", sources).reason


@each_row("name, variable, url, place", rows("llm", "moved-providers"))
def test_a_trusted_environment_may_move_a_provider(
    name: str, variable: str, url: str, place: str
) -> None:
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}

    moved = found(name, Sources({variable: url, **keys}, trust_environment=True))
    stays = found(name, Sources({variable: url, **keys}))

    assert moved.base_url == place
    assert stays.base_url == PROVIDERS[name].base_url


@pytest.mark.parametrize("url", ["http://gate.example/v1", "nonsense://x", "http://[bad"])
def test_a_moved_provider_needs_an_encrypted_address(url: str) -> None:
    sources = Sources({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"}, trust_environment=True)

    assert missing("openai", sources).kind is ModelFault.REJECTED


def test_a_moved_provider_gets_no_filed_key() -> None:
    moved = {"OPENAI_BASE_URL": "https://gate.example"}
    sources = Sources(moved, trust_environment=True, keyring=filed_key)

    assert missing("openai", sources).kind is ModelFault.NO_KEY


def test_an_unknown_provider_is_told_how_to_become_known() -> None:
    assert "autoMode.providers.nobody" in missing("nobody", Sources({})).reason


@pytest.mark.parametrize("key", ["", "  ", "with\nline", "näive"])
def test_what_no_header_can_carry_is_no_key(key: str) -> None:
    assert missing("openai", Sources({"OPENAI_API_KEY": key})).kind is ModelFault.NO_KEY
