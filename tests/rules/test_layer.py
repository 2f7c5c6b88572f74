"""The three layers of rules, from a call to a decision."""

import asyncio
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.call_facts import CallFacts
from automode.rules.layer import Rules
from automode.rules.pattern import Rule
from automode.shell.script import Command, Reader, Script, Word
from tests.reading import READER
from tests.rows import each_row, either, rows, texts

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


def protected(path: str) -> bool:
    return "/.git" in path or path.endswith("AGENTS.md")


def decided(layer: Rules, call: ToolCall, reader: Reader = READER) -> Decision | None:
    answer = asyncio.run(layer(CallFacts(call, WORKSPACE, reader), Session("s", WORKSPACE), ()))
    assert answer is None or isinstance(answer, Decision)
    return answer


def verdict(kind: Verdict, rule: str, tool: str, given: Mapping[str, object]) -> Verdict | None:
    layer = Rules(kind, [Rule(rule, "config.json:1")], protected=protected)
    decision = decided(layer, tool_call(tool, given))
    return None if decision is None else decision.verdict


PUSH = "bash(git push*)"


@each_row("script", texts("rules", "layer-denied-scripts"))
def test_a_deny_rule_holds_through_every_wrapping(script: str) -> None:
    assert verdict(DENY, PUSH, "Bash", {"command": script}) is DENY
    assert verdict(ASK, PUSH, "Bash", {"command": script}) is ASK


@each_row("script, unsure", either("rules", "layer-unsure-scripts", "layer-other-scripts"))
def test_a_deny_rule_asks_where_it_could_match_and_has_no_opinion_elsewhere(
    script: str, unsure: bool
) -> None:
    assert verdict(DENY, PUSH, "Bash", {"command": script}) is (ASK if unsure else None)


@each_row("kind, rule, tool, given, expected", rows("rules", "layer-calls"))
def test_a_rule_decides_the_calls_it_is_about(
    kind: str, rule: str, tool: str, given: Mapping[str, object], expected: str
) -> None:
    decision = verdict(Verdict[kind.upper()], rule, tool, given)

    assert ("none" if decision is None else decision.word) == expected


def test_a_script_too_long_to_be_read_could_be_what_the_rule_is_about() -> None:
    assert verdict(DENY, "bash(a*)", "Bash", {"command": "ls " + "x" * 1_100_000}) is ASK


def test_a_decision_names_its_rule_and_where_it_was_written() -> None:
    rule = Rule(PUSH, "~/.config/automode/config.json:12")
    call = tool_call("Bash", {"command": "git push"})
    shown = f"`{PUSH}` (~/.config/automode/config.json:12)"

    denied = decided(Rules(DENY, [rule]), call)
    asked = decided(Rules(ASK, [rule]), call)

    assert denied is not None
    assert asked is not None
    assert (denied.source, denied.clearable) == ("rules.deny", False)
    assert shown in denied.reason
    assert (asked.source, asked.reason) == ("rules.ask", f"ask rule {shown} matches")


def test_an_unsure_deny_says_why_and_cannot_be_talked_away() -> None:
    unsure = decided(Rules(DENY, [Rule(PUSH)]), tool_call("Bash", {"command": "git $X"}))

    assert unsure is not None
    assert (unsure.verdict, unsure.source, unsure.clearable) == (ASK, "rules.deny", False)
    assert "could match" in unsure.reason


def test_a_sure_match_comes_before_an_unreadable_rule() -> None:
    layer = Rules(DENY, [Rule("bash("), Rule(PUSH)])
    decision = decided(layer, tool_call("Bash", {"command": "git push"}))

    assert decision is not None
    assert decision.verdict is DENY


def test_all_shell_allow_rules_can_be_suspended() -> None:
    layer = Rules(ALLOW, [Rule("bash(npm test)"), Rule("read")], classify_all_shell=True)

    assert decided(layer, tool_call("Bash", {"command": "npm test"})) is None
    assert decided(layer, tool_call("Read", {"path": "a"})) is not None


def test_without_a_word_on_what_is_protected_nothing_may_be_written() -> None:
    layer = Rules(ALLOW, [Rule("write")])

    assert decided(layer, tool_call("Write", {"path": "a"})) is None


def test_rules_set_aside_are_kept_for_the_notice() -> None:
    layer = Rules(ALLOW, [Rule("bash(*)"), Rule("bash(npm test)")])

    assert [pattern.rule.text for pattern in layer.aside] == ["bash(*)"]
    assert layer.name == "rules.allow"


class Scripted:
    """A reader that gives fixed readings and remembers what it was asked for."""

    def __init__(self, first: Script, full: Script) -> None:
        self.readings = {"first": first, "full": full}
        self.asked: list[str] = []

    def first(self, text: str, workspace: Workspace) -> Script:
        self.asked.append("first")
        return self.readings["first"]

    def full(self, text: str, workspace: Workspace) -> Script:
        self.asked.append("full")
        return self.readings["full"]


def test_the_quick_reading_is_enough_to_deny_but_never_to_pass() -> None:
    push = Script((Command((Word("git"), Word("push"))),), ("only one parser",))
    nothing = Script((), ("only one parser",))
    call = tool_call("Bash", {"command": "…"})

    quick = Scripted(push, Script(()))
    slow = Scripted(nothing, push)

    assert decided(Rules(DENY, [Rule(PUSH)]), call, quick) is not None
    assert quick.asked == ["first"]
    assert decided(Rules(DENY, [Rule(PUSH)]), call, slow) is not None
    assert slow.asked == ["first", "full"]


def test_no_script_is_read_when_no_rule_is_about_shells() -> None:
    reader = Scripted(Script(()), Script(()))

    assert (
        decided(Rules(DENY, [Rule("web_fetch")]), tool_call("Bash", {"command": "a"}), reader)
        is None
    )
    assert reader.asked == []


RULES = st.sampled_from(["bash(git *)", "bash(ls*)", "bash(*x*)", "write(a)", "bash", "bash("])
SCRIPTS = st.text(alphabet="gitls xpush;&|$()'\"\n", max_size=20).filter(str.strip)


@given(st.lists(RULES, max_size=3), RULES, SCRIPTS)
def test_one_more_deny_rule_never_loosens(rules: list[str], more: str, script: str) -> None:
    call = tool_call("Bash", {"command": script})

    before = decided(Rules(DENY, [Rule(text) for text in rules]), call)
    after = decided(Rules(DENY, [Rule(text) for text in [*rules, more]]), call)

    assert before is None or (after is not None and after.verdict >= before.verdict)
