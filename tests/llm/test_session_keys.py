"""A lent key is the last resort, for its session and its provider, and never seen."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import BadCall
from automode.llm.endpoints import Endpoint, Missing, Sources, endpoint
from automode.llm.keys import Keyring, no_keyring
from automode.llm.providers import PROVIDERS
from automode.llm.session_keys import MOST_LENDERS, SessionKeys
from tests.rows import each_row, rows


def key_in(sources: Sources, provider: str = "anthropic") -> str | None:
    found = endpoint(provider, sources)
    return found.key if isinstance(found, Endpoint) else None


def test_a_lent_key_is_used_where_none_is_configured() -> None:
    lent = SessionKeys()

    news = lent.lend("pi/s1", "anthropic", "lent", "https://api.anthropic.com")
    again = lent.lend("pi/s1", "anthropic", "lent")

    assert (news, again) == (True, False)
    assert key_in(Sources({}, keyring=lent.keyring("pi/s1"))) == "lent"


CONFIGURED: dict[str, tuple[dict[str, str], Keyring]] = {
    "by the environment": ({"ANTHROPIC_API_KEY": "own"}, no_keyring),
    "in the keyring": ({}, lambda host: "own"),
}


@pytest.mark.parametrize("name", CONFIGURED)
def test_a_configured_key_comes_first(name: str) -> None:
    lent = SessionKeys()
    lent.lend("pi/s1", "anthropic", "lent")

    environment, keyring = CONFIGURED[name]
    sources = Sources(environment, keyring=lent.keyring("pi/s1", keyring))

    assert key_in(sources) == "own"


def test_a_lent_key_is_for_its_own_session_and_provider() -> None:
    lent = SessionKeys()
    lent.lend("pi/s1", "anthropic", "lent")

    assert key_in(Sources({}, keyring=lent.keyring("pi/s2"))) is None
    assert key_in(Sources({}, keyring=lent.keyring("pi/s1")), "openai") is None


def test_a_key_is_forgotten_with_its_session() -> None:
    lent = SessionKeys()
    lent.lend("pi/s1", "anthropic", "lent")

    assert (lent.lends("pi/s1"), lent.forget("pi/s1"), lent.forget("pi/s1")) == (True, True, False)
    assert not lent.lends("pi/s1")
    assert key_in(Sources({}, keyring=lent.keyring("pi/s1"))) is None


def test_the_oldest_lender_leaves_first() -> None:
    lent = SessionKeys()

    for number in range(MOST_LENDERS + 1):
        lent.lend(f"pi/{number}", "anthropic", "lent")

    assert not lent.lends("pi/0")
    assert lent.lends("pi/1")


def test_an_environment_lends_the_keys_of_known_providers_and_moves_none() -> None:
    lent = SessionKeys()
    given = {
        "ANTHROPIC_API_KEY": "own",
        "GEMINI_API_KEY": "the gateway's",
        "GOOGLE_GEMINI_BASE_URL": "https://gateway.example",
        "OPENAI_API_KEY": "no\nkey",
        "OFFICE_LLM_KEY": "secret",
        "AWS_BEARER_TOKEN_BEDROCK": "regional",
    }

    first, again = (lent.lend_environment("pi/s1", given) for _ in range(2))

    found = endpoint("anthropic", Sources({}, keyring=lent.keyring("pi/s1")))
    assert (first, again) == (("anthropic",), ())
    assert isinstance(found, Endpoint)
    assert (found.key, found.host) == ("own", "api.anthropic.com")
    assert "own" not in repr(lent)


def test_sessions_that_lend_the_same_keys_share_a_lender() -> None:
    lent = SessionKeys()
    for session, key in {"pi/s1": "a", "pi/s2": "a", "pi/s3": "b"}.items():
        lent.lend(session, "anthropic", key)

    shared = [lent.lender(f"pi/s{number}") for number in range(1, 5)]
    lent.forget("pi/s1")

    assert shared == ["pi/s1", "pi/s1", "pi/s3", ""]
    assert lent.lender("pi/s2") == "pi/s2"


HOSTS = ["", "https://api.openai.com", "https://evil.example", "not an address"]


@given(
    provider=st.sampled_from([*PROVIDERS, "nobody", ""]),
    key=st.text(max_size=20),
    host=st.sampled_from(HOSTS),
)
def test_a_key_meets_no_other_host(provider: str, key: str, host: str) -> None:
    lent = SessionKeys()
    with suppress(BadCall):
        lent.lend("pi/s1", provider, f"sekret{key}", host)

    found = endpoint(provider, Sources({}, keyring=lent.keyring("pi/s1")))

    key_sent = found.key if isinstance(found, Endpoint) else None
    assert (key_sent is not None) == lent.lends("pi/s1")
    assert key_sent is None or host in ("", PROVIDERS[provider].base_url.removesuffix("/v1"))
    assert isinstance(found, Missing) or found.base_url in (
        PROVIDERS[provider].base_url,
        PROVIDERS[provider].base_url.replace("{region}", "us-east-1"),
    )
    assert "sekret" not in repr(lent)


@each_row("provider, key, host", rows("llm", "keys-not-lent"))
def test_a_refusal_names_the_way_out_and_not_the_key(provider: str, key: str, host: str) -> None:
    with pytest.raises(BadCall) as caught:
        SessionKeys().lend("pi/s1", provider, key, host)

    assert caught.value.hint
    assert "sekret" not in str(caught.value)
