"""The patterns that would cover a call: they do cover it, and no more than they say."""

import asyncio
import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automode.core.call import ToolCall
from automode.core.decision import Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.rules.layer import Rules
from automode.rules.pattern import Rule
from automode.rules.proposal import proposals
from tests.reading import facts_of
from tests.rows import each_row

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
    'git commit -m "it\'s done now"': [
        ("bash(git commit -m it's?done?now)",),
        ("bash(git commit *)",),
    ],
    "git commit -m 'a\n\nb'": [("bash(git commit -m a??b)",), ("bash(git commit *)",)],
    "git push origin 'refs/heads/*'": [
        ("bash(git push origin refs/heads/?)",),
        ("bash(git push *)",),
    ],
    "deploy 'a* b'": [("bash(deploy 'a? b')",)],
    "deploy 'a > b' '2>' c": [("bash(deploy 'a?>?b' 2? c)",)],
    "echo hi > 'a b*'": [("bash(echo hi > a?b?)",)],
    "npm run": [("bash(npm run)",)],
}


@each_row("command", SCRIPTS)
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
    "a file with a wildcard in its name": (
        tool_call("write", {"path": "~/n/a*", "content": ""}),
        [("write(~/n/a?)",), ("write(~/n/**)",)],
    ),
    "a file in a folder that is called like the home": (
        tool_call("read", {"path": "/w/~/x"}),
        [("read(./~/x)",), ("read(./~/**)",)],
    ),
    "a file in the root of everything": (tool_call("write", {"path": "/x"}), [("write(/x)",)]),
    "another tool": (
        tool_call("mcp__db__query", {"sql": "SELECT 1"}),
        [('mcp__db__query({"sql":"SELECT 1"})',), ("mcp__db__query",)],
    ),
    "an input with a star": (
        tool_call("mcp__db__query", {"sql": "SELECT *"}),
        [('mcp__db__query({"sql":"SELECT ?"})',), ("mcp__db__query",)],
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


@each_row("call, expected", CALLS.values())
def test_other_calls_are_covered_by_their_own_patterns(
    call: ToolCall, expected: list[tuple[str, ...]]
) -> None:
    assert texts(call) == expected


COVERED = [
    *(bash(command) for command in SCRIPTS if command != "npm run"),
    *(call for call, _ in CALLS.values()),
]


def covers(patterns: tuple[str, ...], call: ToolCall) -> bool:
    layer = Rules(Verdict.ALLOW, [Rule(text) for text in patterns], protected=lambda path: False)
    return asyncio.run(layer(facts_of(call, WORKSPACE), Session("s", WORKSPACE), ())) is not None


@each_row("call", COVERED)
def test_every_proposal_lets_its_call_through(call: ToolCall) -> None:
    assert [
        one for one in proposals(call, WORKSPACE, READER) if not covers(one.patterns, call)
    ] == []


WIDER = {
    'git commit -m "it\'s done"': 'git commit -m "it\'s done" --amend',
    "git push origin 'refs/heads/*'": "git push origin refs/heads/evil --force",
    "deploy '>' file": "deploy > file",
}


@pytest.mark.parametrize("command", WIDER)
def test_the_spelling_of_a_call_does_not_widen_its_rule(command: str) -> None:
    narrow = proposals(bash(command), WORKSPACE, READER)[0]

    assert covers(narrow.patterns, bash(command))
    assert not covers(narrow.patterns, bash(WIDER[command]))


WORDS = st.lists(st.text("ab-'\" *?<>\\$#\n", max_size=4), min_size=1, max_size=3)


@given(WORDS)
def test_whatever_the_words_the_narrowest_rule_covers_them_and_has_no_star(
    words: list[str],
) -> None:
    call = bash(shlex.join(["deploy", *words]))
    found = proposals(call, WORKSPACE, READER)
    assume(found)  # the reader does not follow every escape

    narrow = found[0].patterns

    assert covers(narrow, call)
    assert "*" not in "".join(narrow)


SPELLED = st.lists(st.text("ab-'\"\\$#<>", min_size=1, max_size=4), min_size=1, max_size=3)


@given(SPELLED | WORDS, st.data())
def test_an_exact_rule_covers_no_other_words(words: list[str], data: st.DataObject) -> None:
    found = proposals(bash(shlex.join(["deploy", *words])), WORKSPACE, READER)
    exact = next((one.patterns for one in found if one.exact), ("bash(deploy)",))
    spelled = exact[0].removeprefix("bash(deploy ").removesuffix(")")
    likely = st.sampled_from((spelled.split(" "), [spelled], " ".join(words).split()))
    others = data.draw(SPELLED | WORDS | likely)

    covered = covers(exact, bash(shlex.join(["deploy", *others])))

    assert not covered or others == words or not others


BEYOND = {
    "npm test": "",
    "npm test > /dev/null 2>&1": "",
    "npm test  # as asked": "",
    "rm a'b'": "",
    "rm 'a src b'": "",
    "deploy ''": "",
    "deploy || deploy": "without what stands around it",
    "ls *.py": "anything in place of `*`",
    "rm 'a?'": "any one character in place of each `?`",
    "cd src && npm test": "each of these rules covers on its own",
    "timeout 5 npm test": "without what stands around it",
    "case x in y) deploy;; esac": "without what stands around it",
    "CI=1 npm test": "without what stands around it",
    "npm test &": "without what stands around it",
}


@each_row("command", BEYOND)
def test_a_rule_says_what_it_covers_beyond_the_call(command: str) -> None:
    narrow = proposals(bash(command), WORKSPACE, READER)[0]

    assert narrow.exact == (not BEYOND[command])
    assert BEYOND[command] in narrow.beyond


OTHERS_BEYOND: dict[str, tuple[dict[str, object], list[str]]] = {
    "web_fetch": ({"url": "https://a.example/x", "prompt": "p"}, ["", "sub-domains"]),
    "fetch": (
        {"url": "https://a.example/x", "body": "b"},
        ["anything else beside the address", "sub-domains"],
    ),
    "read": ({"path": "src/a"}, ["", "every file in the folder"]),
    "write": ({"path": "a", "content": "x"}, ["any other content"]),
    "grep": ({"path": "/etc/x", "pattern": "p"}, ["any other search", "every file"]),
    "mcp__a__b": ({"x": 1}, ["", "whatever its input is"]),
    "mcp__a__long": ({"x": "y" * 70_000}, ["whatever its input is"]),
}


@pytest.mark.parametrize("tool", OTHERS_BEYOND)
def test_other_rules_say_what_they_cover_beyond_the_call(tool: str) -> None:
    given_input, expected = OTHERS_BEYOND[tool]

    found = [one.beyond for one in proposals(tool_call(tool, given_input), WORKSPACE, READER)]

    assert len(found) == len(expected)
    assert all(part in said for part, said in zip(expected, found, strict=True))
    assert [bool(said) for said in found] == [bool(part) for part in expected]
