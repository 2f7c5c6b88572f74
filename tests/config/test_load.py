"""From files on a disk to the settings in force."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.config.load import Loaded, State, load
from automode.config.places import Places
from automode.config.settings import Builtins, Rule, Source
from automode.config.trust import trust
from automode.core.session import Mode
from tests.rows import rows

BUILTINS = Builtins(("env",), ("may",), ("soft",), ("hard",), (".git",))


class Disk:
    """A home, a project and an administrator's file, to write settings into."""

    def __init__(self, folder: Path) -> None:
        self.variables: dict[str, str] = {}
        self.paths = {
            "user": folder / "home/.config/automode/config.json",
            "pi": folder / "home/.pi/agent/automode.json",
            "local": folder / "project/.automode/config.local.json",
            "pi-local": folder / "project/.pi/automode.local.json",
            "managed": folder / "etc/config.json",
            "shared": folder / "project/.automode/config.json",
            "pi-shared": folder / "project/.pi/automode.json",
        }
        self.folder = folder
        for path in self.paths.values():
            path.parent.mkdir(parents=True, exist_ok=True)

    @property
    def places(self) -> Places:
        return Places.of(
            home=self.folder / "home",
            environment=self.variables,
            project=self.folder / "project",
            managed=self.paths["managed"],
        )

    def write(self, **files: object) -> "Disk":
        for name, value in files.items():
            key = name.replace("_", "-")
            if key == "env":
                self.variables["AUTOMODE_SETTINGS_JSON"] = json.dumps(value)
                continue
            self.paths[key].write_text(json.dumps(value))
            if "local" in key:
                trust(self.places.trust_file, str(self.paths[key]), self.paths[key].read_bytes())
        return self

    def load(self) -> Loaded:
        return load(self.places, BUILTINS)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def texts(rules: tuple[Rule, ...]) -> list[str]:
    return [rule.text for rule in rules]


def test_without_any_file_the_defaults_hold(disk: Disk) -> None:
    loaded = disk.load()

    assert loaded.diagnostics == ()
    assert {text.state for text in loaded.sources} == {State.MISSING}
    assert texts(loaded.settings.policy.hard_deny) == ["hard"]
    assert texts(loaded.settings.protected_paths) == [".git"]
    assert loaded.settings.enabled
    assert loaded.settings.closing == ()


def test_deny_rules_of_every_source_add_up_in_order(disk: Disk) -> None:
    names = ("user", "pi", "local", "pi_local", "env", "managed", "shared", "pi_shared")
    disk.write(**{name: {"permissions": {"deny": [name, "same"]}} for name in names})
    disk.variables["PI_AUTOMODE_SETTINGS_JSON"] = '{"permissions": {"deny": ["pi_env"]}}'

    deny = disk.load().settings.permissions.deny

    order = ["user", "same", "pi", "local", "pi_local", "env", "pi_env", "managed", "shared"]
    assert texts(deny) == [*order, "pi_shared"]
    assert deny[1].source is Source.MANAGED
    assert deny[0] == Rule("user", Source.USER, str(disk.paths["user"]), 1)


WINNERS = [("user", "local"), ("local", "managed"), ("env", "managed"), ("user", "pi")]


@pytest.mark.parametrize(("weaker", "stronger"), WINNERS)
def test_of_two_values_the_stronger_sources_wins(disk: Disk, weaker: str, stronger: str) -> None:
    disk.write(**{weaker: {"autoMode": {"classifierModel": "weak/model"}}})
    disk.write(**{stronger: {"autoMode": {"classifierModel": "strong/model"}}})

    assert disk.load().settings.classifier_model == "strong/model"


def test_an_untrusted_local_file_is_reported_and_not_read(disk: Disk) -> None:
    disk.paths["local"].write_text('{"autoMode": {"enabled": false}} nonsense')

    loaded = disk.load()

    assert loaded.settings.enabled
    assert loaded.settings.closing == ()
    assert [one.message for one in loaded.diagnostics] == ["ignored: not trusted as it is now"]


def test_a_changed_local_file_is_untrusted_again(disk: Disk) -> None:
    disk.write(local={"autoMode": {"enabled": False}})
    assert not disk.load().settings.enabled

    disk.paths["local"].write_text('{"autoMode": {"enabled": false} }')

    assert disk.load().settings.enabled


def test_a_corrupt_trust_file_is_reported(disk: Disk) -> None:
    disk.write(local={"autoMode": {"enabled": False}})
    Path(disk.places.trust_file).write_text("{")

    loaded = disk.load()

    assert loaded.settings.enabled
    assert "nothing is trusted" in loaded.diagnostics[0].message


@pytest.mark.parametrize(("key", "value"), rows("config", "loosening"))
def test_the_environment_loosens_only_if_the_user_says_so(
    disk: Disk, key: str, value: object
) -> None:
    strict = disk.load().settings
    disk.write(env={"autoMode": {key: value}})

    held = disk.load()
    trusting = disk.write(user={"trustEnvironment": True}).load()

    assert held.settings == strict
    assert any(one.message.startswith("ignored: ") for one in held.diagnostics)
    assert trusting.settings != replace(strict, trust_environment=True)


def test_the_environment_cannot_trust_itself(disk: Disk) -> None:
    disk.write(env={"trustEnvironment": True, "autoMode": {"enabled": False}})
    disk.write(local={"trustEnvironment": True}, managed={"trustEnvironment": True})

    assert disk.load().settings.enabled


def test_the_environment_tightens_and_chooses_a_model(disk: Disk) -> None:
    disk.write(
        user={"autoMode": {"mode": "shadow"}},
        env={
            "autoMode": {
                "mode": "enforce",
                "classifierModel": "a/b",
                "workspaceEdits": False,
                "hard_deny": ["more"],
            }
        },
    )

    settings = disk.load().settings

    assert (settings.mode, settings.classifier_model) == (Mode.ENFORCE, "a/b")
    assert not settings.workspace_edits
    assert texts(settings.policy.hard_deny) == ["hard", "more"]


def test_managed_settings_are_stronger_than_a_trusted_environment(disk: Disk) -> None:
    disk.write(
        user={"trustEnvironment": True, "autoMode": {"hard_deny": []}},
        env={"autoMode": {"enabled": False, "hard_deny": ["e"]}},
        managed={"autoMode": {"enabled": True, "hard_deny": ["$defaults", "m"]}},
    )

    settings = disk.load().settings

    assert settings.enabled
    assert texts(settings.policy.hard_deny) == ["e", "hard", "m"]


def test_the_program_of_a_subscription_comes_from_the_user_and_is_a_whole_path(
    disk: Disk,
) -> None:
    programs = {"claude-cli": {"command": "/opt/claude"}, "codex-cli": {"command": "codex"}}
    disk.write(user={"autoMode": {"providers": programs}})

    loaded = disk.load()

    assert [(one.name, one.command) for one in loaded.settings.providers] == [
        ("claude-cli", "/opt/claude")
    ]
    assert [one.key for one in loaded.diagnostics] == ["autoMode.providers.codex-cli.command"]


def test_the_command_for_a_key_counts_only_for_the_model_that_the_person_named(disk: Disk) -> None:
    """Else whoever names another provider has the key sent there."""
    helper = {"apiKeyHelper": "pass show key"}
    disk.write(user={"autoMode": {**helper, "classifierModel": "anthropic/x"}})
    own = disk.load().settings.api_key_helper
    disk.write(
        user={"autoMode": helper},
        env={"autoMode": {"classifierModel": "openai/x"}},
    )
    others = disk.load().settings.api_key_helper
    disk.write(
        user={"autoMode": {**helper, "classifierModel": "anthropic/x"}},
        managed={"autoMode": {"classifierModel": "openai/x"}},
    )
    of_another = disk.load().settings.api_key_helper
    disk.write(
        user={"autoMode": helper},
        managed={"autoMode": {"classifierModel": "openai/x"}},
    )
    administrators = disk.load().settings.api_key_helper

    assert (own, others, of_another) == ("pass show key", None, None)
    assert administrators == "pass show key"


def _unreadable_ways() -> dict[str, bytes | None]:
    return {
        "no JSON": b"{,",
        "empty": b"",
        "no UTF-8": b'{"a": "\xff"}',
        "a NUL byte": b"{}\0",
        "deep": b"[" * 5000,
        "large": b" " * (1 << 21),
        "no object": b"[]",
        "a folder": None,
    }


@pytest.mark.parametrize("name", ["user", "pi", "managed", "shared", "pi-shared"])
@pytest.mark.parametrize("way", _unreadable_ways())
def test_a_file_that_cannot_be_read_closes(disk: Disk, name: str, way: str) -> None:
    data = _unreadable_ways()[way]
    if data is None:
        disk.paths[name].mkdir()
    else:
        disk.paths[name].write_bytes(data)

    loaded = disk.load()

    assert [one.file for one in loaded.settings.closing] == [str(disk.paths[name])]
    assert loaded.diagnostics == loaded.settings.closing
    states = {text.file: text.state for text in loaded.sources}
    assert states[str(disk.paths[name])] is State.UNREADABLE


def test_a_local_file_that_cannot_be_read_closes(disk: Disk) -> None:
    os.mkfifo(disk.paths["local"])

    assert [one.source for one in disk.load().settings.closing] == [Source.LOCAL]


VARIABLES = [
    ("{", 1),
    ("[]", 1),
    ("\udcff", 1),
    ("\ud800", 1),
    (" " * 9, 0),
    ("", 0),
    ("x" * (1 << 21), 1),
]


@pytest.mark.parametrize(("value", "findings"), VARIABLES, ids=lambda value: ascii(value)[:8])
def test_a_variable_that_cannot_be_read_closes(disk: Disk, value: str, findings: int) -> None:
    disk.variables["AUTOMODE_SETTINGS_JSON"] = value

    assert len(disk.load().settings.closing) == findings
