"""Which allow rules amount to running any code."""

from automode.rules.pattern import Rule, parse
from automode.rules.set_aside import broad, notice, runners
from tests.rows import each_row, texts

BROAD = texts("rules", "set-aside-broad")

NARROW = texts("rules", "set-aside-narrow")


@each_row("text", BROAD)
def test_a_rule_that_lets_any_code_run_is_set_aside(text: str) -> None:
    rule = Rule(text, "config.json:3")

    assert broad(parse(rule))
    assert (notice(rule) or "").startswith(f"allow rule `{text}` (config.json:3) is set aside: ")


@each_row("text", NARROW)
def test_a_rule_that_says_what_may_run_stays(text: str) -> None:
    assert broad(parse(Rule(text))) is None
    assert notice(Rule(text)) is None


@each_row("runner", runners())
def test_every_runner_with_a_wildcard_is_set_aside(runner: object) -> None:
    words = getattr(runner, "words", "")

    assert broad(parse(Rule(f"bash({words} *)")))


def test_an_unreadable_rule_has_no_notice_of_its_own() -> None:
    assert notice(Rule("bash(")) is None
