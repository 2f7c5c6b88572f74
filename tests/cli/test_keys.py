"""`automode key`: stored for the account alone, shown to nobody, out of an agent's reach."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.assemble import key_store
from automode.store.folder import StateFolder

Run = Callable[..., Result]
SECRET = "sk-very-secret-0123456789"  # a made-up key


@pytest.fixture(autouse=True)
def no_system_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("automode.llm.keys.find_spec", lambda _name: None)


def test_a_stored_key_is_found_listed_and_removed_and_never_shown(
    automode: Run, state: StateFolder
) -> None:
    stored = automode("key", "set", "anthropic", stdin=f"{SECRET}\n")
    model = automode("model")
    listed = automode("key", "list")
    data = json.loads(automode("key", "list", "--json").stdout)

    assert stored.exit_code == 0, stored.output
    assert (Path(state.tokens, "keys.json")).stat().st_mode & 0o777 == 0o600
    row = next(line for line in model.stdout.splitlines() if line.split()[:1] == ["anthropic"])
    assert "key found" in row
    assert data == {
        "keys": [
            {
                "provider": "anthropic",
                "host": "api.anthropic.com",
                "stored": str(Path(state.tokens, "keys.json")),
            }
        ]
    }
    assert SECRET not in stored.output + model.output + listed.output

    removed = automode("key", "remove", "anthropic")

    assert removed.exit_code == 0
    assert key_store(state)("api.anthropic.com") is None
    assert "no key is stored" in automode("key", "list").stdout


@pytest.mark.parametrize(
    ("words", "given", "said"),
    [
        (("set", "nobody"), SECRET, "no provider is called `nobody`"),
        (("set", "ollama"), SECRET, "`ollama` takes no key"),
        (("set", "claude-cli"), SECRET, "it is signed in by itself"),
        (("set", "anthropic"), "two\nlines", "that is no key"),
        (("set", "anthropic"), "", "that is no key"),
        (("remove", "anthropic"), "", "no key is stored for api.anthropic.com"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_stored(
    automode: Run, state: StateFolder, words: tuple[str, ...], given: str, said: str
) -> None:
    done = automode("key", *words, stdin=given)

    assert done.exit_code != 0
    assert said in done.output
    assert SECRET not in done.output
    assert not (Path(state.tokens, "keys.json")).exists()


def test_who_an_agent_started_stores_nothing(
    automode: Run, state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("automode.daemon.agents.refusal", lambda *_a, **_k: "an agent is above it")

    for words in (("set", "anthropic"), ("list",), ("remove", "anthropic")):
        done = automode("key", *words, stdin=SECRET)
        assert done.exit_code != 0
        assert "only a person may do this" in done.output
    assert not (Path(state.tokens, "keys.json")).exists()
