"""`automode status`: mode, sources, findings, counts."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from automode.guards.catalog import GUARDS

Run = Callable[..., Result]
Write = Callable[[object], None]


def test_it_says_what_is_in_force(automode: Run) -> None:
    data = json.loads(automode("status", "--json").stdout)

    assert (data["enabled"], data["mode"]) == (True, "enforce")
    assert data["parsers"] == {"tree-sitter": True, "shfmt": True}
    assert data["counts"]["guards"] == len(GUARDS)
    assert data["counts"]["programs"] > 100
    assert data["counts"]["policy_rules"] > 50
    assert data["closing"] == []


def test_it_says_what_became_of_each_source(
    automode: Run, settings: Write, config: Path, project: Path
) -> None:
    settings({})
    (project / ".automode").mkdir()
    (project / ".automode/config.local.json").write_text("{}")

    sources = json.loads(automode("status", "--json").stdout)["sources"]

    states = {one["file"]: one["state"] for one in sources}
    assert states[str(config / "config.json")] == "read"
    assert states[str(project / ".automode/config.local.json")] == "not trusted"
    assert states[str(project / ".automode/config.json")] == "missing"


def test_findings_name_file_and_key(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"nonsense": 1}, "permissions": {"deny": [7]}})

    text = automode("status").stdout
    data = json.loads(automode("status", "--json").stdout)

    assert "Findings" in text
    assert "nonsense" in text
    assert "closed" in text
    assert data["closing"]
    assert {one["key"] for one in data["diagnostics"]} >= {"autoMode.nonsense"}


def test_allow_rules_that_were_set_aside_are_named_with_the_reason(
    automode: Run, settings: Write
) -> None:
    settings({"permissions": {"allow": ["bash(python *)", "bash(npm test)"]}})

    (sentence,) = json.loads(automode("status", "--json").stdout)["set_aside"]

    assert "`bash(python *)`" in sentence
    assert "Allow rules set aside" in automode("status").stdout


def test_off_and_shadow_are_said(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})
    off = automode("status").stdout
    settings({"autoMode": {"mode": "shadow"}})
    shadow = automode("status").stdout

    assert "off:" in off
    assert "shadow:" in shadow


def test_isolated_means_no_source_at_all(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})

    data = json.loads(automode("status", "--isolated", "--json").stdout)

    assert (data["enabled"], data["sources"]) == (True, [])
    assert "built-in defaults only" in automode("status", "--isolated").stdout
