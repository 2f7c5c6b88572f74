"""`automode config`, `defaults` and `schema`."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result

from automode.config.keys import DEFAULT_VALUES
from automode.policy.defaults import Section, default_rules

Run = Callable[..., Result]
Write = Callable[[object], None]


def test_without_files_everything_is_built_in(automode: Run) -> None:
    data = json.loads(automode("config", "--json").stdout)

    assert {key: one["value"] for key, one in data["settings"].items()} == DEFAULT_VALUES
    assert {one["source"] for one in data["settings"].values()} == {"built-in"}
    assert data["diagnostics"] == []


def test_a_value_says_which_file_and_line_it_comes_from(automode: Run, config: Path) -> None:
    file = config / "config.json"
    file.write_text('{\n  "autoMode": {\n    "remoteReads": false\n  }\n}')

    one = json.loads(automode("config", "--json").stdout)["settings"]["autoMode.remoteReads"]

    assert one == {"value": False, "source": "user", "file": str(file), "line": 3}
    assert "config.json" in automode("config").stdout


def test_what_an_untrusted_environment_may_not_say_does_not_count(
    automode: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"autoMode": {"enabled": False, "remoteReads": False}}
    monkeypatch.setenv("AUTOMODE_SETTINGS_JSON", json.dumps(said))

    data = json.loads(automode("config", "--json").stdout)

    assert data["settings"]["autoMode.enabled"]["value"] is True
    assert data["settings"]["autoMode.remoteReads"]["source"] == "environment"
    assert any(one["key"] == "autoMode.enabled" for one in data["diagnostics"])


def test_a_trusted_environment_counts(
    automode: Run, settings: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings({"trustEnvironment": True})
    monkeypatch.setenv("AUTOMODE_SETTINGS_JSON", '{"autoMode": {"enabled": false}}')

    data = json.loads(automode("config", "--json").stdout)

    assert data["settings"]["autoMode.enabled"]["source"] == "environment"
    assert data["settings"]["autoMode.enabled"]["value"] is False


def test_rules_are_listed_with_their_place(automode: Run, settings: Write, project: Path) -> None:
    settings({"permissions": {"allow": ["bash(npm test)"]}})
    (project / ".automode").mkdir()
    (project / ".automode/config.json").write_text('{"permissions": {"deny": ["web_fetch"]}}')

    lists = json.loads(automode("config", "--json").stdout)["lists"]
    text = automode("config").stdout

    assert [one["text"] for one in lists["permissions.allow"]] == ["bash(npm test)"]
    assert [one["source"] for one in lists["permissions.deny"]] == ["shared project"]
    assert "bash(npm test)" in text
    assert "built-in entries" in text


def test_a_password_is_never_shown(automode: Run, settings: Write) -> None:
    settings({"store": "postgresql://ada:pass-4711@db/automode"})

    assert "pass-4711" not in automode("config").stdout
    assert "pass-4711" not in automode("config", "--json").stdout


def test_providers_are_listed(automode: Run, settings: Write) -> None:
    server = {"api": "openai", "baseUrl": "http://localhost:8000/v1"}
    settings({"autoMode": {"providers": {"mine": server}}})

    (provider,) = json.loads(automode("config", "--json").stdout)["providers"]

    assert provider["name"] == "mine"
    assert "provider mine" in automode("config").stdout


def test_every_rule_is_printed_as_a_bullet(automode: Run) -> None:
    lines = automode("defaults").stdout.splitlines()

    bullets = sum(line.startswith("- ") for line in lines)
    assert bullets == sum(len(rules) for rules in default_rules().values())
    assert [line[3:] for line in lines if line.startswith("## ")] == [one.value for one in Section]


@pytest.mark.parametrize("section", [section.value for section in Section])
def test_one_section_can_be_chosen(automode: Run, section: str) -> None:
    data = json.loads(automode("defaults", section, "--json").stdout)

    assert list(data) == [section]
    assert len(data[section]) == len(default_rules()[Section(section)])
    assert set(data[section][0]) >= {"name", "covers", "excludes"}


def test_it_is_a_valid_schema(automode: Run) -> None:
    schema = json.loads(automode("schema").stdout)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")


GOOD = [
    {},
    {"$schema": "https://example.com/schema.json"},
    {"autoMode": {"enabled": False, "soft_deny": ["$defaults", "no deploys"]}},
    {"permissions": {"deny": ["bash(git push --force*)"]}},
]
NO_SETTINGS = [
    [],
    {"nonsense": 1},
    {"autoMode": {"enabled": "yes"}},
    {"permissions": {"deny": "bash"}},
]


@pytest.mark.parametrize("value", GOOD)
def test_it_accepts_settings(automode: Run, value: object) -> None:
    schema = json.loads(automode("schema", "--json").stdout)

    assert jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("value", NO_SETTINGS)
def test_it_rejects_what_is_none(automode: Run, value: object) -> None:
    schema = json.loads(automode("schema").stdout)

    assert not jsonschema.Draft202012Validator(schema).is_valid(value)


def test_the_schema_of_the_shared_file_knows_deny_and_ask_alone(automode: Run) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(automode("schema", "--shared").stdout))

    assert validator.is_valid({"permissions": {"deny": ["bash(ls)"], "ask": ["bash(id)"]}})
    assert not validator.is_valid({"permissions": {"allow": ["bash(ls)"]}})
