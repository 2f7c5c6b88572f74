"""`automode config`, `defaults` and `schema`."""

import json
from pathlib import Path

import pytest

from automode.config.keys import DEFAULT_VALUES, SHARED_ROWS, schema
from automode.policy.defaults import Section, default_rules
from tests.cli.conftest import Run, Write


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


def test_an_environment_counts_in_full_only_where_it_is_trusted(
    automode: Run, settings: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"autoMode": {"enabled": False, "remoteReads": False}}
    monkeypatch.setenv("AUTOMODE_SETTINGS_JSON", json.dumps(given))

    untrusted = json.loads(automode("config", "--json").stdout)
    settings({"trustEnvironment": True})
    trusted = json.loads(automode("config", "--json").stdout)["settings"]["autoMode.enabled"]

    assert untrusted["settings"]["autoMode.enabled"]["value"] is True
    assert untrusted["settings"]["autoMode.remoteReads"]["source"] == "environment"
    assert any(one["key"] == "autoMode.enabled" for one in untrusted["diagnostics"])
    assert (trusted["value"], trusted["source"]) == (False, "environment")


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


def test_providers_are_listed_and_a_password_is_never_shown(automode: Run, settings: Write) -> None:
    server = {"api": "openai", "baseUrl": "http://localhost:8000/v1"}
    store = "postgresql://ada:pass-4711@db/automode"
    settings({"store": store, "autoMode": {"providers": {"mine": server}}})

    text, told = automode("config").stdout, automode("config", "--json").stdout

    (provider,) = json.loads(told)["providers"]
    assert provider["name"] == "mine"
    assert "provider mine" in text
    assert "pass-4711" not in text + told


def test_every_rule_is_printed_as_a_bullet(automode: Run) -> None:
    lines = automode("defaults").stdout.splitlines()

    bullets = sum(line.startswith("- ") for line in lines)
    assert bullets == sum(len(rules) for rules in default_rules().values())
    assert [line[3:] for line in lines if line.startswith("## ")] == [one.value for one in Section]


def test_one_section_can_be_chosen(automode: Run) -> None:
    for section in Section:
        data = json.loads(automode("defaults", section.value, "--json").stdout)

        assert list(data) == [section.value]
        assert len(data[section.value]) == len(default_rules()[section])
        assert set(data[section.value][0]) >= {"name", "covers", "excludes"}


def test_the_schema_is_that_of_the_settings_or_of_the_shared_file(automode: Run) -> None:
    whole = json.loads(automode("schema", "--json").stdout)

    assert whole == json.loads(automode("schema").stdout) == schema()
    assert json.loads(automode("schema", "--shared").stdout) == schema(SHARED_ROWS)
