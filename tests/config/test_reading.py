"""What one file says, and what is wrong with it."""

import json

import pytest

from automode.config.merge import Part
from automode.config.reading import read_part, read_shared
from automode.config.settings import (
    MOST_PER_FILE,
    Findings,
    Level,
    Rule,
    SharedSettings,
    Source,
    excerpt,
    printable,
)
from automode.llm.providers import Api, OwnServer
from tests.rows import each_row, rows


def part(text: str, source: Source = Source.USER) -> Part:
    return read_part(source, "config.json", text.encode())


@each_row("text, findings", rows("config", "findings"))
def test_each_mistake_is_named_with_its_file_key_and_line(text: str, findings: list[str]) -> None:
    """A leading `!` marks a finding that closes."""
    found = part(text).diagnostics

    assert [("!" if one.closes else "") + str(one) for one in found] == findings


def test_a_pattern_may_have_4096_characters_and_no_more() -> None:
    text = json.dumps({"permissions": {"deny": [f"bash({'x' * 4090})", "x" * 4097]}})

    found = part(text)

    assert [len(rule.text) for rule in found.lists["permissions.deny"].rules] == [4096]
    assert [one.closes for one in found.diagnostics] == [True]


def test_the_rest_of_a_file_with_a_mistake_still_counts() -> None:
    found = part(
        '{"autoMode": {"enabled": "yes", "redact": false}, "permissions": {"ask": [1, "a"]}}'
    )

    assert found.scalars.keys() == {"autoMode.redact"}
    assert found.lists["permissions.ask"].rules == (Rule("a", Source.USER, "config.json", 1),)


@each_row("text, key, value", rows("config", "set-twice"))
def test_of_a_value_that_stands_twice_the_stricter_counts(
    text: str, key: str, value: object
) -> None:
    assert part(text).scalars[key].value == value


def test_prohibitions_that_stand_twice_are_joined_and_permissions_narrowed() -> None:
    found = part(
        '{"permissions": {"deny": ["a"], "allow": ["x", "y"], "deny": ["b"], "allow": ["y"]},'
        ' "autoMode": {"soft_deny": ["$defaults"], "softDeny": ["s"]}}'
    )

    texts = {key: [rule.text for rule in one.rules] for key, one in found.lists.items()}
    assert texts == {
        "permissions.deny": ["a", "b"],
        "permissions.allow": ["y"],
        "autoMode.soft_deny": ["$defaults", "s"],
    }
    assert found.lists["autoMode.soft_deny"].keeps is True


def test_a_shared_file_says_deny_and_ask_and_nothing_else() -> None:
    text = json.dumps(
        {
            "permissions": {"deny": ["read"], "ask": ["$defaults", "write"], "allow": ["x"]},
            "autoMode": {"enabled": False, "allow": ["x"], "providers": {"p": {}}, "local": 3},
            "trustEnvironment": True,
            "other": 1,
        }
    )

    said, findings = read_shared(".automode/config.json", text.encode())

    file = ".automode/config.json"
    assert said == SharedSettings(
        (Rule("read", Source.SHARED, file, 1),), (Rule("write", Source.SHARED, file, 1),)
    )
    assert {one.key for one in findings} == {
        "permissions.allow",
        "autoMode.enabled",
        "autoMode.allow",
        "autoMode.providers.p",
        "autoMode.local",
        "trustEnvironment",
        "other",
    }
    assert not any(one.closes for one in findings)


@pytest.mark.parametrize(
    "text", ['{"permissions": {"deny": [1]}}', '{"permissions": 1}', "[]", "x"]
)
def test_a_malformed_shared_file_closes(text: str) -> None:
    said, findings = read_shared("f", text.encode())

    assert said == SharedSettings()
    assert any(one.closes for one in findings)


@each_row("text, wrong_key", rows("config", "providers"))
def test_a_provider_is_whole_or_not_at_all(text: str, wrong_key: str) -> None:
    found = part(f'{{"autoMode": {{"providers": {{"mine": {text}}}}}}}')

    wrong = [one.key for one in found.diagnostics]
    assert wrong == ([wrong_key] if wrong_key else [])
    assert bool(found.providers) is not bool(wrong)
    assert not any("sk-1" in str(one) or "u:p" in str(one) for one in found.diagnostics)


def test_two_servers_cannot_share_one_key() -> None:
    urls = {"a": "https://h/1", "b": "https://other/1", "c": "https://H/2", "d/e": "https://h"}
    servers = {
        name: {"api": "openai", "baseUrl": url, "apiKeyEnv": "K"} for name, url in urls.items()
    }

    found = part(json.dumps({"autoMode": {"providers": servers}}))

    assert [one.name for one in found.providers] == ["a", "c"]
    assert found.providers[0] == OwnServer("a", Api.OPENAI, "https://h/1", "K")
    assert [one.key for one in found.diagnostics] == [
        "autoMode.providers.b.apiKeyEnv",
        "autoMode.providers.d/e",
    ]


def test_a_project_cannot_add_an_endpoint() -> None:
    text = '{"autoMode": {"providers": {"p": {"api": "openai", "baseUrl": "http://h"}}}}'

    found = part(text, Source.LOCAL)

    assert found.providers == ()
    assert [one.key for one in found.diagnostics] == ["autoMode.providers.<name>"]


FLOODS = {
    "unknown keys": "{" + ",".join(f'"k{n}": 1' for n in range(40_000)) + "}",
    "wrong entries": '{"permissions": {"deny": [' + "1," * 40_000 + "]}}",
    "keys set again": '{"permissions": {' + '"deny": ["a"],' * 20_000 + "}}",
    "sections set again": "{" + '"permissions": 1,' * 40_000 + "}",
    "providers": '{"autoMode": {"providers": {'
    + ",".join(
        f'"p{n}": {{"api": "openai", "baseUrl": "http://h{n}", "apiKeyEnv": "K"}}'
        for n in range(10_000)
    )
    + "}}}",
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_of_mistakes_becomes_a_few_findings(name: str) -> None:
    found = part(FLOODS[name])

    assert MOST_PER_FILE <= len(found.diagnostics) <= MOST_PER_FILE + 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain é 😀", "plain é 😀"), ("\x1b[2J", "\\x1b[2J"), ("\u202e", "\\u202e")],
)
def test_what_could_steer_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut() -> None:
    assert excerpt("x" * 1000) == "x" * 60 + "…"


def test_a_flood_is_counted_but_the_first_that_closes_is_kept() -> None:
    findings = Findings(Source.SHARED, "f")
    for _ in range(MOST_PER_FILE + 5):
        findings.add(Level.ERROR, "k", 1, "unknown key")
    findings.add(Level.ERROR, "permissions.deny[0]", 2, "wrong", closes=True)
    findings.add(Level.ERROR, "permissions.deny[1]", 2, "wrong", closes=True)

    found = findings.all()

    assert len(found) == MOST_PER_FILE + 2
    assert [one.key for one in found if one.closes] == ["permissions.deny[0]"]
    assert found[-1].message == "and 6 more findings in this file"
