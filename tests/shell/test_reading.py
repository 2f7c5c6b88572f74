"""Scripts and what they are read as: commands, words, folders, redirects, gaps."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.reads.read_only import ReadOnly
from automode.shell.builtins import BUILTINS
from automode.shell.script import HOLE, Command, Script, Word
from tests.reading import READER, facts_of
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))
WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


def read(script: str) -> Script:
    return READER.full(script, WORKSPACE)


def shown(word: Word) -> str:
    """A word as tables write it: `…` for what is not known, `+` behind what may be several."""
    return word.text.replace(HOLE, "…") + ("+" if word.splits else "")


def run(script: str) -> list[str]:
    """The commands with a program in them, wrappers left out."""
    listed = [c for c in read(script).commands if c.words and not c.transparent]
    return [" ".join(shown(word) for word in command.words) for command in listed]


def last(script: str) -> Command:
    return read(script).commands[-1]


@each_row("script, expected", ROWS["words"])
def test_a_script_is_read_as_its_commands(script: str, expected: list[str]) -> None:
    assert run(script) == expected


@each_row("script, expected", ROWS["variables"])
def test_variables_are_known_exactly_where_they_are_certain(script: str, expected: str) -> None:
    assert [line for line in run(script) if line.startswith("a")][-1] == expected


@each_row("script, ops", ROWS["fed-and-written"])
def test_a_here_document_stands_first_where_the_order_says_nothing(
    script: str, ops: list[str]
) -> None:
    assert read(script).complete
    assert [redirect.op for redirect in last(script).redirects] == ops


@each_row("script, folder", ROWS["folders"])
def test_the_folder_is_known_exactly_where_it_is_certain(script: str, folder: str) -> None:
    found = [c for c in read(script).commands if c.words and c.words[0].text == "a"]
    assert found[-1].cwd == (None if folder == "?" else folder)


@each_row("script", ROWS["wrappers"])
def test_the_command_inside_a_wrapper_is_found(script: str) -> None:
    assert any(line.startswith("rm y") for line in run(script))


@pytest.mark.parametrize("script", ROWS["transparent-wrappers"])
def test_a_wrapper_that_adds_nothing_is_transparent(script: str) -> None:
    assert read(script).commands[0].transparent


def test_below_mnt_lie_the_drives_of_windows() -> None:
    found = read("wsl -e sh -c 'cd /mnt/d/shop && ls /mnt/c/x /mnt/data/y'").commands[-1]

    assert found.cwd == "/d/shop"
    assert [word.text for word in found.args] == ["/c/x", "/mnt/data/y"]


@each_row("script", ROWS["adding-wrappers"])
def test_a_wrapper_that_may_add_something_is_not(script: str) -> None:
    wrapper = next(c for c in read(script).commands if c.words)
    assert not wrapper.transparent


@each_row(
    "prefix", ["bash -c '", "/bin/", "env ", "command ", "xargs ", "exec ", "\\time ", "nice "]
)
def test_a_function_does_not_stand_for_a_program_of_its_name(prefix: str) -> None:
    end = "'" if prefix.endswith("'") else ""
    listed = read(f"rm() {{ echo no; }}; {prefix}rm -rf x{end}").commands
    assert not listed[-1].transparent
    assert listed[-1].program == "rm"


@each_row("script", [*ROWS["incomplete"], *ROWS["lent"]])
def test_what_cannot_be_known_makes_the_reading_incomplete(script: str) -> None:
    """So does a variable that is not plain before what runs in this shell."""
    assert not read(script).complete


@each_row("script", ROWS["complete"])
def test_everyday_scripts_are_complete(script: str) -> None:
    assert read(script).gaps == ()


@each_row("script, expected", ROWS["redirects"])
def test_redirects_reach_every_command_they_hold_for(
    script: str, expected: list[list[str]]
) -> None:
    found = [[r.fd, r.op, r.target.text] for r in last(script).redirects]
    assert found == expected


@each_row("script, text", ROWS["fed"])
def test_standard_input_is_known_only_when_it_is_certain(script: str, text: str) -> None:
    assert last(script).fed == (None if text == "?" else text)


def test_loop_values_are_listed_as_assignments() -> None:
    listed = read("for f in a ~/b; do :; done").commands[0]
    assert [a.value.text for a in listed.assignments] == ["a", "/home/u/b"]


def test_a_value_that_grows_without_end_is_given_up() -> None:
    script = "x=aaaaaaaa;" + "x=$x$x;" * 60 + "a $x"
    assert run(script)[-1] == "a …+"


@pytest.mark.parametrize("count", ["99999999999999999999", "9" * 5_000])
def test_huge_ranges_are_unknown(count: str) -> None:
    assert run(f"a {{1..{count}}}") == ["a …"]


@pytest.mark.parametrize(("short", "long"), ROWS["errors-passed-on"])
def test_a_pipe_that_passes_errors_on_is_read_as_its_long_form(short: str, long: str) -> None:
    assert read(short) == read(long)
    assert read(short).complete


def test_messages_may_hold_words_that_look_like_options() -> None:
    assert last("git rev-list HEAD | xargs git show").args[-1].plain
    assert not last("git rev-list HEAD |& xargs git show").args[-1].plain


def test_errors_are_passed_on_from_a_command_that_is_fed() -> None:
    first, shell, inner = read("cat <<E |& sh\necho x\nE").commands
    assert [(one.op, one.fd) for one in first.redirects] == [("<<", ""), (">&", "2")]
    assert (shell.program, inner.text) == ("sh", "echo x")


READ_ONLY = ReadOnly()
TAKES_TEXT = frozenset(
    "echo printf : true false test [ cd chdir pushd set help type whence where which command "
    "getopts alias time".split()
)


@each_row("script", ROWS["evaluated"])
def test_text_that_is_evaluated_is_a_gap_and_its_commands_are_listed(script: str) -> None:
    reading = read(script)

    assert not reading.complete
    assert "rm -rf x" in [command.text for command in reading.commands]


@pytest.mark.parametrize("script", ROWS["called"])
def test_commands_that_builtins_call_are_listed(script: str) -> None:
    assert "rm -rf x" in [command.text for command in read(script).commands]


@each_row("script", ROWS["text"])
def test_text_that_stays_text_is_no_gap_and_runs_nothing(script: str) -> None:
    reading = read(script)

    assert reading.gaps == ()
    assert "rm" not in [command.program for command in reading.commands]


def test_jobs_x_is_a_wrapper_that_runs_in_this_shell() -> None:
    reading = read("jobs -x cd sub; ls")

    assert [(command.text, command.cwd) for command in reading.commands] == [
        ("jobs -x cd sub", "/w"),
        ("cd sub", "/w"),
        ("ls", "/w/sub"),
    ]


@each_row("option", ["", "-a ", "-n ", "-p ", "-v ", "-x "])
@each_row("name", sorted(BUILTINS - TAKES_TEXT))
def test_no_builtin_proves_a_text_that_holds_a_substitution(name: str, option: str) -> None:
    call = ToolCall("bash", Shell(f"{name} {option}'a[$(touch x)]'"))

    assert not isinstance(READ_ONLY.script(facts_of(call, WORKSPACE)), Decision)


@each_row(
    "first, program",
    [("ls", "ls"), ("/usr/bin/ls", "ls"), ("./x/run.sh", "run.sh"), ("a/", "a/"), (HOLE, HOLE)],
)
def test_the_program_is_the_last_name_of_the_first_word(first: str, program: str) -> None:
    made = Command((Word(first), Word("-l")))

    assert made.program == program
    assert replace(made, words=()).program == ""
    assert replace(Command((Word("x"),)), words=made.words) == made
