"""Which allow rules amount to running any code."""

from automode.rules.pattern import Rule, parse
from automode.rules.set_aside import broad, notice, runners
from tests.rows import each_row

BROAD = [
    *("bash", "bash(*)", "Bash()", "shell", "*", "run_*", "mcp__*", "mcp__*__read", "bash(**)"),
    *("agent", "Task", "task(*)", "agent(do x)", "powershell", "PowerShell(*)", "pwsh(Get-*)"),
    *("bash(python *)", "bash(python:*)", "bash(python*)", "bash(python3.12 *)", "bash(p*)"),
    *("bash(/usr/bin/python3 *)", "bash(python -c *)", "bash(python -m *)", "bash(python)"),
    *("bash(python -W ignore *)", "bash(python scripts/*)", "bash(node *)", "bash(node -e *)"),
    *("bash(ruby*)", "bash(perl -e *)", "bash(bash -c *)", "bash(sh *)", "bash(bash)"),
    *("bash(npx *)", "bash(bunx *)", "bash(npm run *)", "bash(npm *)", "bash(npm run:*)"),
    *("bash(yarn *)", "bash(pnpm run *)", "bash(uvx *)", "bash(uv run *)", "bash(pipx run *)"),
    *("bash(eval *)", "bash(exec *)", "bash(env *)", "bash(xargs *)", "bash(sudo *)"),
    *("bash(ssh *)", "bash(docker run *)", "bash(docker exec *)", "bash(docker *)"),
    *("bash(make *)", "bash(awk *)", "bash(git -c *)", "bash(* --version)", "bash(?ython x)"),
    *("bash(cargo *)", "bash(go run *)", "bash(deno run *)", "bash(tsx *)", "bash(sudo)"),
]

NARROW = [
    *("bash(npm run test)", "bash(npm run test:*)", "bash(npm test *)", "bash(npm test:*)"),
    *("bash(python scripts/build.py)", "bash(python scripts/build.py *)", "bash(make test)"),
    *("bash(python -m pytest *)", "bash(git *)", "bash(git status)", "bash(git commit -m *)"),
    *("bash(ls *)", "bash(cargo test *)", "bash(docker ps*)", "bash(pytest*)", "bash(make)"),
    *("bash(uv run pytest *)", "bash(python -c 'print(1)')", "bash(ruff check *)"),
    *("write(src/**)", "read", "mcp__github__*", "mcp__github__get_*", "web_fetch(domain:a.b)"),
    *("powershell(Get-ChildItem)", "web_search"),
]


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
