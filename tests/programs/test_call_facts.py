"""What a call is, read once."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Read, Shell, ToolCall
from automode.core.workspace import Workspace
from automode.facts.files import Names, OneLook
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

    assert [one.program for one in facts.script.commands] == ["remove-item"]


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


def at(folder: Path, text: str = "cat file") -> CallFacts:
    place = Workspace(str(folder), str(folder), "/home/u", OneLook())
    return facts_of(ToolCall("bash", Shell(text)), place)


def content(facts: CallFacts) -> str | None:
    return facts.workspace.files.text(f"{facts.workspace.cwd}/file", 100)


def size(facts: CallFacts) -> int:
    return len(facts.workspace.files.text(f"{facts.workspace.cwd}/other", 100) or "")


def never(facts: CallFacts) -> str | None:
    raise AssertionError("asked again")


def test_an_answer_is_remembered_for_the_same_call_while_its_files_are_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("one")

    assert at(tmp_path).remember("content", content) == "one"
    assert at(tmp_path).remember("content", never) == "one"
    assert at(tmp_path, "cat  file").remember("content", lambda facts: "another call") != "one"
    assert at(tmp_path).remember("another question", lambda facts: 2) == 2
    elsewhere = replace(at(tmp_path), workspace=replace(at(tmp_path).workspace, cwd="/"))
    assert elsewhere.remember("content", content) is None

    (tmp_path / "file").write_text("two")
    assert at(tmp_path).remember("content", content) == "two"


def test_an_answer_of_one_of_two_calls_at_once_rests_on_all_files_it_looked_at(
    tmp_path: Path,
) -> None:
    first, second = at(tmp_path), at(tmp_path)
    first.remember("content", content)
    second.remember("size", size)
    first.remember("third", lambda facts: 3)  # after the look of the second, which it lacks

    (tmp_path / "other").write_text("later")

    assert at(tmp_path).remember("size", size) == 5
