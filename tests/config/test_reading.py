"""What one file says, and what is wrong with it."""

import json

import pytest

from automode.config.merge import Part
from automode.config.reading import read_part, read_shared
from automode.config.settings import (
    MOST_PER_FILE,
    Diagnostic,
    Findings,
    Level,
    Rule,
    SharedSettings,
    Source,
    excerpt,
    printable,
)
from automode.llm.providers import Api, OwnServer
from tests.rows import each_row


def part(text: str, source: Source = Source.USER) -> Part:
    return read_part(source, "config.json", text.encode())


FINDINGS = {
    # text: the findings; a leading `!` marks one that closes
    "{}": [],
    '{"$schema": "x"}': [],
    '{"autoMode": {"enabled": 1}}': [
        "config.json:1: autoMode.enabled: expected true or false, found: 1"
    ],
    '{"autoMode": {"mode": "Shadow"}}': [
        'config.json:1: autoMode.mode: expected one of "enforce", "shadow", found: "Shadow"'
    ],
    '{"autoMode": {"enabled": null}}': [
        "config.json:1: autoMode.enabled: expected true or false, found: null"
    ],
    '{\n"autoMode": {\n"enabeld": true}}': [
        "config.json:3: autoMode.enabeld: unknown key (did you mean `autoMode.enabled`?)"
    ],
    '{"zzz": 1}': ["config.json:1: zzz: unknown key"],
    '{"autoMode.enabled": false}': [
        "config.json:1: autoMode.enabled: unknown key (did you mean `autoMode.enabled`?)"
    ],
    '{"permissions": {"deny": ["read",\n42]}}': [
        "!config.json:2: permissions.deny[1]: expected a pattern, found: 42"
    ],
    '{"permissions": {"deny": [""]}}': [
        "!config.json:1: permissions.deny[0]: expected a pattern, found an empty text"
    ],
    '{"permissions": {"ask": ["bash(x"]}}': [
        "!config.json:1: permissions.ask[0]: unreadable permission pattern: `bash(x` "
        "(write `tool` or `tool(glob)`)"
    ],
    '{"permissions": {"allow": ["npm test"]}}': [
        "config.json:1: permissions.allow[0]: unreadable permission pattern: `npm test` "
        "(write `bash(npm test)`)"
    ],
    '{"permissions": {"allow": ["Bash(x)", "mcp__a__b", "web*", "TodoWrite", "bsh(x)"]}}': [
        "config.json:1: permissions.allow[4]: no tool that automode knows is called so: "
        '"bsh(x)" (did you mean `bash`?)'
    ],
    '{"permissions": {"deny": ["git"]}}': [
        'config.json:1: permissions.deny[0]: no tool that automode knows is called so: "git" '
        "(for a command write `bash(git *)`)"
    ],
    '{"permissions": {"denny": ["bash(x)"]}}': [
        "!config.json:1: permissions.denny: unknown key (did you mean `permissions.deny`?)"
    ],
    '{"permissions": {"aks": ["bash(x)"]}}': [
        "!config.json:1: permissions.aks: unknown key (did you mean `permissions.ask`?)"
    ],
    '{"autoMode": {"hard_denny": ["no"]}}': [
        "!config.json:1: autoMode.hard_denny: unknown key (did you mean `autoMode.hard_deny`?)"
    ],
    '{"deny": ["bash(x)"]}': [
        "!config.json:1: deny: unknown key (did you mean `permissions.deny`?)"
    ],
    '{"permisions": {"deny": ["bash(x)"]}}': [
        "!config.json:1: permisions: unknown key (did you mean `permissions.deny`?)"
    ],
    '{"permisions": {"allow": ["bash(x)"]}}': [
        "config.json:1: permisions: unknown key (did you mean `permissions`?)"
    ],
    '{"permissions": {"additionalDirectories": []}, "autoMode": {"sandboxing": {"hold": 1}}}': [
        "config.json:1: permissions.additionalDirectories: unknown key",
        "config.json:1: autoMode.sandboxing: unknown key",
    ],
    '{"autoMode": {"asks": {"notify": "ntfys://token@host"}}}': [
        "config.json:1: autoMode.asks.notify: expected a list with one notification address per "
        "entry, found something else"
    ],
    '{"permissions": {"deny": "bash(x)"}}': [
        "!config.json:1: permissions.deny: expected a list with one pattern per entry, "
        'found: "bash(x)"'
    ],
    '{"permissions": []}': ["!config.json:1: permissions: expected an object, found: a list"],
    '{"autoMode": 5}': ["!config.json:1: autoMode: expected an object, found: 5"],
    '{"autoMode": {"local": 5}}': ["config.json:1: autoMode.local: expected an object, found: 5"],
    '{"autoMode": {"hard_deny": [[]]}}': [
        "!config.json:1: autoMode.hard_deny[0]: expected a sentence, found: a list"
    ],
    '{"autoMode": {"soft_deny": [true]}}': [
        "config.json:1: autoMode.soft_deny[0]: expected a sentence, found: true"
    ],
    '{"autoMode": {"hard_deny": ["$default"]}}': [
        "!config.json:1: autoMode.hard_deny[0]: expected a sentence or `$defaults`"
    ],
    '{"autoMode": {"soft_deny": []}}': [
        "config.json:1: autoMode.soft_deny: the empty list switches off the built-in entries "
        '(write ["$defaults"] to keep them)'
    ],
    '{"permissions": {"deny": []}}': [],
    '{"autoMode": {"hardDeny": ["no"]}}': [
        "config.json:1: autoMode.hardDeny: read as `autoMode.hard_deny` "
        "(write `autoMode.hard_deny`)"
    ],
    '{"permissions.deny": ["read"]}': [
        "config.json:1: permissions.deny: read as `permissions.deny` (write `permissions.deny`)"
    ],
    '{"store": "postgres:secret"}': [
        "config.json:1: store: expected `sqlite` or a PostgreSQL URL, found something else"
    ],
    "[]": ["!config.json:1: expected an object, found: a list"],
    "{": [
        "!config.json:1: expected a key in double quotes, found: the end of the file",
    ],
    '{"a": "\\ud800"}': [
        "!config.json:1: expected a pair of surrogates, found: half of one",
    ],
    '{"permissions": {"deny": ["read"],\n"deny": ["write"]}}': [
        "config.json:2: permissions.deny: set twice, first in line 1; the stricter reading counts"
    ],
}


@each_row("text", FINDINGS)
def test_each_mistake_is_named_with_its_file_key_and_line(text: str) -> None:
    found = part(text).diagnostics

    assert [("!" if one.closes else "") + str(one) for one in found] == FINDINGS[text]


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


TWICE = {
    # text: (key, what counts)
    '{"autoMode": {"enabled": false, "enabled": true}}': ("autoMode.enabled", True),
    '{"autoMode": {"enabled": true}, "autoMode": {"enabled": false}}': ("autoMode.enabled", True),
    '{"autoMode": {"probe": "off", "probe": "ask", "probe": "warn"}}': ("autoMode.probe", "ask"),
    '{"autoMode": {"stages": "fast", "stages": "local"}}': ("autoMode.stages", "fast"),
    '{"trustEnvironment": false, "trustEnvironment": true}': ("trustEnvironment", False),
    '{"trustEnvironment": true, "trustEnvironment": false}': ("trustEnvironment", False),
}


@pytest.mark.parametrize("text", TWICE)
def test_of_a_value_that_stands_twice_the_stricter_counts(text: str) -> None:
    key, value = TWICE[text]

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


PROVIDERS = {
    # the object: the key that is wrong, or "" when it is a provider
    '{"api": "openai", "baseUrl": "http://localhost:8000/v1"}': "",
    '{"api": "anthropic", "baseUrl": "https://h.example", "apiKeyEnv": "OWN_KEY"}': "",
    '{"api": "openai"}': "autoMode.providers.mine",
    '{"api": "grpc", "baseUrl": "https://h"}': "autoMode.providers.mine.api",
    '{"api": "openai", "baseUrl": "file:///etc"}': "autoMode.providers.mine.baseUrl",
    '{"api": "openai", "baseUrl": "https://u:p@h/"}': "autoMode.providers.mine.baseUrl",
    '{"api": "openai", "baseUrl": "https://h", "apiKey": "sk-1"}': "autoMode.providers.mine.apiKey",
    '{"api": "openai", "baseUrl": "https://h", "apiKeyEnv": "sk 1"}': (
        "autoMode.providers.mine.apiKeyEnv"
    ),
    '{"api": "openai", "baseUrl": "https://h", "apiKeyEnv": "OPENAI_API_KEY"}': (
        "autoMode.providers.mine.apiKeyEnv"
    ),
    "7": "autoMode.providers.mine",
    '{"command": "/bin/x"}': "autoMode.providers.mine",  # no subscription is called so
}


@each_row("text", PROVIDERS)
def test_a_provider_is_whole_or_not_at_all(text: str) -> None:
    found = part(f'{{"autoMode": {{"providers": {{"mine": {text}}}}}}}')

    wrong = [one.key for one in found.diagnostics]
    assert wrong == ([PROVIDERS[text]] if PROVIDERS[text] else [])
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


@pytest.mark.parametrize("source", [Source.LOCAL, Source.ENVIRONMENT, Source.MANAGED])
def test_only_the_user_can_trust_the_environment(source: Source) -> None:
    found = part('{"trustEnvironment": true}', source)

    assert found.scalars == {}
    assert [one.key for one in found.diagnostics] == ["trustEnvironment"]


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


SENTENCES = {
    "config.json:12: permissions.deny[3]: expected a pattern, found: 42": Diagnostic(
        Level.ERROR, "config.json", "permissions.deny[3]", 12, "expected a pattern, found: 42"
    ),
    "config.json: cannot be read (check it)": Diagnostic(
        Level.ERROR, "config.json", "", None, "cannot be read", "check it"
    ),
    "a\\x1bb:1: k\\n: m": Diagnostic(Level.WARNING, "a\x1bb", "k\n", 1, "m"),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_finding_reads_as_one_line(sentence: str) -> None:
    assert str(SENTENCES[sentence]) == sentence


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
