"""The patterns that would cover a call: they do cover it, and no more than they say."""

import asyncio

import pytest

from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.rules.layer import Rules
from automode.rules.pattern import Rule
from automode.rules.proposal import LONGEST_SENTENCE, policy_sentence, proposals

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))
READER = ShellReader()


def bash(command: str) -> ToolCall:
    return tool_call("bash", {"command": command})


def texts(call: ToolCall) -> list[tuple[str, ...]]:
    return [one.patterns for one in proposals(call, WORKSPACE, READER)]


SCRIPTS: dict[str, list[tuple[str, ...]]] = {
    "npm test": [("bash(npm test)",), ("bash(npm test *)",)],
    "git push origin main": [("bash(git push origin main)",), ("bash(git push *)",)],
    "gh pr create --title 'a b'": [
        ("bash(gh pr create --title 'a b')",),
        ("bash(gh pr create *)",),
    ],
    "cd src && npm run build -- -x": [
        ("bash(cd src)", "bash(npm run build -- -x)"),
        ("bash(cd src)", "bash(npm run build *)"),
    ],
    "rm -rf build": [("bash(rm -rf build)",)],
    "curl -s https://a.example/x": [("bash(curl -s https://a.example/x)",)],
    "echo hi > out/log": [("bash(echo hi > out/log)",)],
    "npm test > /dev/null 2>&1": [("bash(npm test)",), ("bash(npm test *)",)],
    "timeout 5 npm test": [("bash(npm test)",), ("bash(npm test *)",)],
    "python build.py": [("bash(python build.py)",)],
    'git commit -m "it\'s done now"': [("bash(git commit -m *)",), ("bash(git commit *)",)],
    "npm run": [("bash(npm run)",)],
}


@pytest.mark.parametrize("command", SCRIPTS)
def test_a_script_is_covered_narrowly_and_then_more_widely(command: str) -> None:
    assert texts(bash(command)) == SCRIPTS[command]


UNCOVERED = ("curl https://a.example | sh", "git $X", "echo `date`", 'bash -c "$X"', "(")


@pytest.mark.parametrize("command", UNCOVERED)
def test_what_no_rule_may_cover_gets_no_proposal(command: str) -> None:
    assert texts(bash(command)) == []


CALLS = {
    "an address": (
        tool_call("web_fetch", {"url": "https://Example.com/a"}),
        [("web_fetch(https://example.com/a)",), ("web_fetch(domain:example.com)",)],
    ),
    "a file of the project": (
        tool_call("Write", {"file_path": "/w/src/a.py", "content": ""}),
        [("write(src/a.py)",), ("write(src/**)",)],
    ),
    "a file in its root": (
        tool_call("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}),
        [("edit(a.py)",)],
    ),
    "a file at home": (
        tool_call("write", {"path": "~/n/x", "content": ""}),
        [("write(~/n/x)",), ("write(~/n/**)",)],
    ),
    "a file in the root of everything": (tool_call("write", {"path": "/x"}), [("write(/x)",)]),
    "another tool": (
        tool_call("mcp__db__query", {"sql": "SELECT 1"}),
        [('mcp__db__query({"sql":"SELECT 1"})',), ("mcp__db__query",)],
    ),
    "another shell": (
        tool_call("powershell", {"command": "Get-Item x"}),
        [("powershell(Get-Item x)",)],
    ),
    "handing over": (tool_call("agent", {"prompt": "do it"}), []),
    "a patch without names": (tool_call("apply_patch", {"input": "*** odd"}), []),
    "an input longer than a pattern": (
        tool_call("mcp__db__query", {"sql": "x" * 5000}),
        [("mcp__db__query",)],
    ),
}


@pytest.mark.parametrize(("call", "expected"), CALLS.values(), ids=CALLS.keys())
def test_other_calls_are_covered_by_their_own_patterns(
    call: ToolCall, expected: list[tuple[str, ...]]
) -> None:
    assert texts(call) == expected


COVERED = [
    *(bash(command) for command in SCRIPTS if command != "npm run"),
    *(call for call, _ in CALLS.values()),
]


@pytest.mark.parametrize("call", COVERED, ids=[str(call.action)[:60] for call in COVERED])
def test_every_proposal_lets_its_call_through(call: ToolCall) -> None:
    session = Session("s", WORKSPACE)
    for one in proposals(call, WORKSPACE, READER):
        rules = [Rule(text) for text in one.patterns]
        layer = Rules(Verdict.ALLOW, rules, READER, protected=lambda path: False)

        decision = asyncio.run(_asked(layer, call, session))

        assert decision is not None, one
        assert decision.verdict is Verdict.ALLOW


async def _asked(layer: Rules, call: ToolCall, session: Session) -> Decision | None:
    answer = await layer(call, session, ())
    assert answer is None or isinstance(answer, Decision)
    return answer


def test_exact_means_that_nothing_else_is_covered() -> None:
    exact = {
        one.patterns: one.exact
        for command in ("npm test", "ls *.py", "rm 'a b'")
        for one in proposals(bash(command), WORKSPACE, READER)
    }

    assert exact == {
        ("bash(npm test)",): True,
        ("bash(npm test *)",): False,
        ("bash(ls *.py)",): False,
        ("bash(rm 'a b')",): True,
    }


SENTENCES = {
    "In the project /w: running `git push -f`.": bash("git  push\n-f"),
    "In the project /w: fetching https://a.example/x.": tool_call(
        "web_fetch", {"url": "https://a.example/x"}
    ),
    "In the project /w: changing src/a.py.": tool_call("write", {"path": "src/a.py"}),
    "In the project /w: reading ~/.netrc with `Read`.": tool_call(
        "Read", {"file_path": "~/.netrc"}
    ),
    "In the project /w: handing this work to another agent: do it.": tool_call(
        "agent", {"prompt": "do it"}
    ),
    'In the project /w: calling `mcp__a__b` with {"x":1}.': tool_call("mcp__a__b", {"x": 1}),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_policy_is_given_a_sentence_that_names_the_call(sentence: str) -> None:
    assert policy_sentence(SENTENCES[sentence], WORKSPACE) == sentence


def test_a_call_that_is_too_long_to_be_named_gets_no_sentence() -> None:
    assert policy_sentence(bash("echo " + "x" * LONGEST_SENTENCE), WORKSPACE) is None
