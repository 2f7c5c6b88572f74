"""Allow patterns: what it takes to cover a whole script, and which of them amount to any code."""

from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.reads.read_only import ReadOnly
from automode.programs.call_facts import CallFacts
from automode.rules.pattern import Rule, parse
from automode.rules.shell_allow import broad, covering_patterns, notice, runners
from automode.shell.script import Command, Script, Word
from tests.reading import READER
from tests.rows import each_row, either, texts


class Listed(Names):
    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        return {"/w": ("AGENTS.md", "notes.md"), "/w/src": ("a.js", "b.js")}.get(folder, ())


WORKSPACE = Workspace("/w", "/w", "/home/u", Listed("/w"))


def protected(path: str) -> bool:
    return path.startswith("/w/.git") or path.endswith("AGENTS.md")


def is_covered(patterns: str | list[str], script: str | Script, raw: str = "…") -> bool:
    rules = [parse(Rule(text)) for text in ([patterns] if isinstance(patterns, str) else patterns)]
    read = READER.full(script, WORKSPACE) if isinstance(script, str) else script
    return bool(covering_patterns(rules, read, raw, WORKSPACE, protected, lambda command: False))


RULES = [parse(Rule(f"bash({one})")) for one in ("go test *", "git commit *", "mysql dev")]


def covered_with_proof(script: str) -> bool:
    call = tool_call("bash", {"command": script})
    facts = CallFacts(call, WORKSPACE, READER)
    reads = ReadOnly()
    return bool(
        covering_patterns(
            RULES,
            facts.script,
            script,
            WORKSPACE,
            protected,
            lambda command: reads.proves(facts.of(command)),
        )
    )


@each_row("script, covered", either("rules", "allow-beside-reading", "allow-not-beside-reading"))
def test_what_only_reads_needs_no_rule_unless_it_feeds_moves_or_shows_secrets(
    script: str, covered: bool
) -> None:
    assert covered_with_proof(script) is covered


@each_row("patterns, script, covered", either("rules", "allow-covered", "allow-uncovered"))
def test_a_script_is_covered_when_every_command_is_and_nothing_is_left_over_or_unknown(
    patterns: str | list[str], script: str, covered: bool
) -> None:
    assert is_covered(patterns, script) is covered


def test_an_incomplete_or_oversized_script_is_never_covered() -> None:
    npm = Command((Word("npm"), Word("test")), cwd="/w")

    assert is_covered("bash(npm test)", Script((npm,)))
    assert not is_covered("bash(npm test)", Script(()))
    assert not is_covered("bash(npm test)", Script((npm,), ("unread",)))
    assert not is_covered("bash(npm test)", Script((npm,)), "npm test" + " " * 1_048_576)


@each_row("text", texts("rules", "set-aside-broad"))
def test_a_rule_that_lets_any_code_run_is_set_aside(text: str) -> None:
    rule = Rule(text, "config.json:3")

    assert broad(parse(rule))
    assert (notice(rule) or "").startswith(f"allow rule `{text}` (config.json:3) is set aside: ")


@each_row("text", texts("rules", "set-aside-narrow"))
def test_a_rule_that_says_what_may_run_stays(text: str) -> None:
    assert broad(parse(Rule(text))) is None
    assert notice(Rule(text)) is None


def test_every_runner_with_a_wildcard_is_set_aside() -> None:
    rules = [f"bash({runner.words} *)" for runner in runners()]

    assert [text for text in rules if not broad(parse(Rule(text)))] == []


def test_an_unreadable_rule_has_no_notice_of_its_own() -> None:
    assert notice(Rule("bash(")) is None
