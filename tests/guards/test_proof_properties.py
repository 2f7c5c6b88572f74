"""Properties of proof: what is unknown never turns a question into an allow."""

import asyncio
import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.core.decision import Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.table import family_names
from tests.rows import texts

ROOT = "/home/ada/project"
NOWHERE = Places.of(home="/nonexistent", environment={}, managed="/nonexistent/config.json")
GATE = build_gate(load_settings(NOWHERE).settings)
SESSION = Session("s", Workspace(ROOT, ROOT, "/home/ada", Names(ROOT)))
CORPUS = Path(__file__).parents[1] / "corpus" / "shell-reads.jsonl"
_SIMPLE = re.compile(r"[\w.-]+( [\w./=:,@+-]+)*")
READS = [json.loads(line)["command"] for line in CORPUS.read_text().splitlines()]
SIMPLE = [line for line in READS if _SIMPLE.fullmatch(line)]
EXTERNAL = [line for line in SIMPLE if family_names().get(line.split()[0]) != "bash_builtins"]
UNKNOWN = st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=10)


def allowed(command: str) -> bool:
    decision = asyncio.run(GATE.decide(tool_call("bash", {"command": command}), SESSION))
    assert decision is not None
    return decision.verdict is Verdict.ALLOW


def test_the_commands_to_start_from_are_allowed() -> None:
    assert len(EXTERNAL) > 15
    assert [line for line in SIMPLE if not allowed(line)] == []


@given(st.sampled_from(EXTERNAL), UNKNOWN)
def test_a_program_that_nobody_knows_is_never_allowed(line: str, name: str) -> None:
    assert not allowed(f"zz{name} {line.partition(' ')[2]}")


@given(st.sampled_from(EXTERNAL), UNKNOWN)
def test_an_option_that_nobody_knows_is_never_allowed(line: str, option: str) -> None:
    program, _, rest = line.partition(" ")

    assert not allowed(f"{program} --zz{option} {rest}")


@given(st.sampled_from(EXTERNAL), UNKNOWN, st.sampled_from(["{}=1 {}", "export {}=1; {}"]))
def test_a_variable_that_nobody_knows_is_never_allowed(line: str, name: str, form: str) -> None:
    assert not allowed(form.format(f"ZZ{name.upper()}", line))


_EVALUATING = texts("guards", "proof-properties--evaluating")
_SUBSTITUTIONS = ("'a[$(touch x)]'", "'$(touch x)'", "'`touch x`'", "'($(touch x))'", "'x[`id`]'")


@given(st.sampled_from(_EVALUATING), st.sampled_from(_SUBSTITUTIONS))
def test_no_literal_with_a_substitution_is_proved_where_bash_may_evaluate_it(
    form: str, literal: str
) -> None:
    assert not allowed(form.format(literal))
