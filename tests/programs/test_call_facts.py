"""What a call is, read once."""

from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Read, Shell, ToolCall
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.call_facts import CallFacts
from automode.programs.row import Kind
from automode.programs.use import READS, Effect, Use
from automode.shell.script import NoReader, Script
from tests.reading import READER, facts_of

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


def shell(text: str, dialect: str = "bash") -> CallFacts:
    return facts_of(ToolCall("bash", Shell(text, dialect)), WORKSPACE)


def test_a_command_is_looked_up_once() -> None:
    facts = shell("cp a b && cp a b")
    first, second = facts.script.commands

    assert facts.of(first) is facts.of(first)
    assert facts.of(first) is not facts.of(second)
    assert facts.of(first).touches is facts.of(first).touches


def test_only_both_parsers_prove_anything() -> None:
    facts = shell("ls")

    assert not facts.first.complete
    assert facts.script.complete
    assert facts.script.commands == facts.first.commands


def test_a_program_without_a_row_may_do_anything_to_its_words() -> None:
    facts = shell("frobnicate x")
    (command,) = facts.script.commands

    assert facts.of(command).program is None
    assert Effect.UNKNOWN in facts.of(command).effect
    assert [(one.kind, one.word.text) for one in facts.touched_files] == [(None, "x")]


def test_code_inside_a_command_touches_files_too() -> None:
    facts = shell("python3 -c \"import os; os.system('rm x')\" > out")

    touched = {(one.kind, one.word.text) for one in facts.touched_files}
    assert {(Kind.WRITES, "out"), (Kind.DELETES, "x")} <= touched


def test_to_guards_a_program_is_the_same_with_an_ending_and_in_any_case() -> None:
    facts = shell("RM.EXE x")
    (command,) = facts.script.commands

    assert facts.of(command).touches == ()
    assert [one.kind for one in facts.of(command).guarded_touches] == [Kind.DELETES]


def test_another_shell_is_read_by_its_words() -> None:
    facts = shell("Remove-Item -Recurse x", "powershell")

    assert [one.program for one in facts.script.commands] == ["rm"]


def test_a_call_that_is_no_script_has_no_commands() -> None:
    facts = CallFacts(ToolCall("read", Read(("x",))), WORKSPACE, NoReader())

    assert facts.script == Script(())
    assert CallFacts(facts.call, WORKSPACE, READER).other("ls").script.complete


USES = st.builds(Use, st.sampled_from(Effect), st.sampled_from(["", "one", "two"]))


@given(USES, USES)
def test_two_uses_have_all_effects_and_the_first_reason(one: Use, other: Use) -> None:
    assert one | other == Use(one.effect | other.effect, one.why or other.why)


@given(USES)
def test_reading_adds_nothing(use: Use) -> None:
    assert use | READS == READS | use == use
