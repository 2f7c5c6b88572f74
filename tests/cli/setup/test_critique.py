"""`automode critique`: rules and sentences that do not do what they look like, with their line."""

import json
from pathlib import Path

from automode.agents.scripted.model_server import JUDGE, ModelServer
from tests.cli.conftest import Run, Write, words_of

RULES = {
    "permissions": {
        "deny": [
            "bash(git push --force*)",
            "bash(rm *)",
            "bash(rm -rf *)",
            "bsh(ls)",
            "read(.env)",
        ],
        "ask": ["bash(rm x)", "mcp__github__*", "web_fetch(domain:example.com)"],
        "allow": [
            *("bash(git *)", "bash(git status)", "bash(npm test)", "bash(npm run *)"),
            *("bash(sudo apt update)", "bash(rm build)", "bash(ls*)", "bash(a && b)"),
            *("web_fetch(https://example.org*)", "write(.git/config)", "read(/**)"),
            *("bash(./gradlew test)", "bash(cargo test *)", "edit(docs/**)", "mcp__docs__search"),
        ],
    },
    "autoMode": {
        "allow": ["$defaults", "bash(ls)", "Deploys.", "Pushing to staging is fine."],
        "hard_deny": ["$defaults", "pushing to staging is fine"],
    },
}
FOUND = {
    "bash(rm -rf *)": "covered",
    "bsh(ls)": "never matches",
    "bash(rm x)": "covered",
    "bash(git *)": "broader than it looks",
    "bash(git status)": "covered",
    "bash(npm run *)": "set aside",
    "bash(sudo apt update)": "never matches",
    "bash(rm build)": "contradicts",
    "bash(ls*)": "broader than it looks",
    "bash(a && b)": "never matches",
    "web_fetch(https://example.org*)": "broader than it looks",
    "write(.git/config)": "never matches",
    "read(/**)": "broader than it looks",
    "bash(ls)": "not understood",
    "Deploys.": "not understood",
    "pushing to staging is fine": "contradicts",
}


def test_every_kind_of_finding_is_told_and_sound_rules_are_left_alone(
    automode: Run, settings: Write
) -> None:
    settings(RULES)

    told = json.loads(automode("critique", "--json").stdout)["findings"]

    assert {one["text"]: one["kind"] for one in told} == FOUND
    assert all(one["place"].endswith("config.json:1") for one in told)


def test_what_another_rule_stops_is_no_example(automode: Run, settings: Write) -> None:
    settings(RULES)

    (git,) = [
        one
        for one in json.loads(automode("critique", "--json").stdout)["findings"]
        if one["text"] == "bash(git *)"
    ]

    assert "git reset --hard" in git["says"]
    assert "git push --force" not in git["says"]


def test_equal_rules_are_told_once(automode: Run, settings: Write) -> None:
    settings({"permissions": {"deny": ["bash(git push *)", "bash(git push:*)"]}})

    told = json.loads(automode("critique", "--json").stdout)["findings"]

    assert [one["text"] for one in told] == ["bash(git push:*)"]


def test_nothing_found_ends_with_0_and_a_file_with_faults_is_told(
    automode: Run, settings: Write, config: Path
) -> None:
    settings({"permissions": {"deny": ["bash(rm -rf *)"], "allow": ["bash(npm test)"]}})
    fine = automode("critique")
    (config / "config.json").write_text('{"permissions": {"deny": ["bash(", 3]}}')
    faulty = automode("critique")

    assert (fine.exit_code, fine.stdout) == (0, "nothing to criticise\n")
    assert faulty.exit_code == 1
    assert "not understood" in faulty.stdout


def test_the_configured_model_comments_on_the_sentences_and_without_one_that_is_said(
    automode: Run, settings: Write
) -> None:
    prose = {"environment": ["$defaults", "The organisation is acme."]}
    settings({"autoMode": prose})
    without = automode("critique", "--model")
    with ModelServer(verdicts=lambda _: "1. Say which host.\x1b[2J") as server:
        own = {"api": "openai", "baseUrl": f"{server.url}{JUDGE}/v1"}
        settings({"autoMode": {**prose, "providers": {"own": own}, "classifierModel": "own/judge"}})
        with_one = automode("critique", "--model")
        data = json.loads(automode("critique", "--model", "--json").stdout)
        unasked = automode("critique")
    broken = automode("critique", "--model")

    assert "no model comments on the prose: no model is chosen" in words_of(without.stderr)
    assert "own/judge says:\n  1. Say which host." in with_one.stdout
    assert "\x1b" not in with_one.stdout
    assert data["comment"] == {"model": "own/judge", "text": "1. Say which host.\x1b[2J"}
    assert "says:" not in unasked.stdout
    assert "no model comments on the prose" in words_of(broken.stderr)
    assert (broken.exit_code, broken.stdout) == (0, "nothing to criticise\n")
    asked, _ = server.judged
    assert "environment: The organisation is acme." in str(asked)
    assert "trusted-repository" not in str(asked)
