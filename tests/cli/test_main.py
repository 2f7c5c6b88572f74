"""The command as a whole: help, errors, completion, the real process, the reference page."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from automode.cli.main import COMMANDS as ENTRIES
from automode.cli.main import Commands, cli
from tests.cli.conftest import Run
from tests.rows import each_row

PAGE = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text()
ALWAYS_FOR_PROGRAMS = {"hook-alone", "extension", "audit export"}
BECOMES_THE_AGENT = {"run"}  # all words behind its name are the agent's
SPEAKS_MCP = {"mcp-proxy"}  # its standard output is the protocol's
A_CONVERSATION = {"init"}
FOR_A_SHELL = {"completion"}
FOR_A_BROWSER = {"ui"}
WITHOUT_JSON = (
    ALWAYS_FOR_PROGRAMS
    | BECOMES_THE_AGENT
    | SPEAKS_MCP
    | FOR_A_SHELL
    | A_CONVERSATION
    | FOR_A_BROWSER
)
WITHOUT_SURROUNDINGS = {
    *("defaults", "schema", "demo", "screen", "completion"),
    *("eval report", "eval compare", "eval baseline"),
}
AUTOMODE = str(Path(sys.executable).parent / "automode")


def process(
    *words: str, stdin: bytes = b"", variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = dict(os.environ) | {"NO_COLOR": "1"} | (variables or {})
    return subprocess.run(words, input=stdin, capture_output=True, env=environment, check=False)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, those of groups as `group command`."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None, name
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {each}", one) for each, one in command.commands.items())


COMMANDS = dict(commands())
HIDDEN = {"confine", "hook-alone", "extension"}
SINGLE = [name for name, one in COMMANDS.items() if not isinstance(one, click.Group)]


@each_row("words", [("--help",), ("-h",), ()])
def test_help_names_every_command_that_is_not_hidden(automode: Run, words: tuple[str, ...]) -> None:
    text = automode(*words).stdout

    shown = {name for name in COMMANDS if re.search(rf"^  {name} ", text, re.MULTILINE)}
    assert shown == {name for name in COMMANDS if " " not in name} - HIDDEN


def test_every_command_has_help_and_json(automode: Run) -> None:
    for name in SINGLE:
        result = automode(*name.split(), "--help")

        assert result.exit_code == 0, name
        assert "--json" in result.stdout or name in WITHOUT_JSON, name
        assert automode(*name.split(), "-h").stdout == result.stdout, name


def test_every_command_takes_the_folders_of_its_surroundings() -> None:
    for name in SINGLE:
        options = {one for parameter in COMMANDS[name].params for one in parameter.opts}

        assert {"--config-folder", "--state-folder"} <= options or name in WITHOUT_SURROUNDINGS, (
            name
        )


HEAVY = {
    *("automode.assemble", "automode.classifier.stages", "automode.judge.embedded"),
    *("automode.programs.table", "automode.guards.floor.layer", "automode.facts.reader"),
    *("automode.evaluation.running", "automode.doctor.examine", "tree_sitter", "httpx2"),
}
_LOADED = (
    "import sys; from automode.cli.main import cli; cli(%r, standalone_mode=False); "
    "print(*sys.modules)"
)


def loaded(code: str, **variables: str) -> set[str]:
    done = process(sys.executable, "-c", code, variables=variables)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.decode().split())


def test_help_loads_no_command() -> None:
    found = loaded(_LOADED % (["--help"],))

    assert {f"automode.cli.{entry.module}" for entry in ENTRIES.values()} & found == set()
    assert (HEAVY | {"asyncio", "sqlite3"}) & found == set()


def test_completing_a_command_or_an_option_loads_nothing_that_decides() -> None:
    """Completion loads the module of the command whose option is completed, and what it imports."""
    visible = {entry.module for name, entry in ENTRIES.items() if name not in HIDDEN}
    names = ", ".join(f"automode.cli.{module}" for module in visible)

    assert HEAVY & loaded(f"import sys, {names}; print(*sys.modules)") == set()


def test_a_status_line_loads_nothing_that_decides() -> None:
    found = loaded("import sys, automode.cli.status; print(*sys.modules)")

    assert (HEAVY | {"asyncio", "sqlite3", "automode.config.load"}) & found == set()


def test_the_version_is_that_of_the_package(automode: Run) -> None:
    assert version("automode") in automode("--version").stdout


BAD = {
    "an unknown command": (("frobnicate",), "no such command"),
    "a misspelled command": (("chekc",), "no such command `chekc`; did you mean `check`?"),
    "an unknown shell": (("completion", "tcsh"), "`tcsh` is not one of"),
    "an unknown option": (("status", "--frobnicate"), "no such option"),
    "an unknown option before the command": (("--frobnicate",), "no such option"),
    "a missing argument": (("explain",), "missing argument"),
    "too many arguments": (("status", "now"), "unexpected extra argument"),
    "a missing value": (("check", "--cwd"), "requires an argument"),
    "a folder that is not there": (("--config-folder", "/no/such", "status"), "no such folder"),
}


@each_row("words, said", BAD.values())
def test_a_usage_error_is_an_error_and_a_hint_and_with_json_an_object(
    automode: Run, words: tuple[str, ...], said: str
) -> None:
    result = automode(*words)
    with_json = automode(words[0], "--json", *words[1:])

    error, hint = result.stderr.splitlines()
    assert (result.exit_code, with_json.exit_code) == (2, 2)
    assert error.startswith("error: ")
    assert said in error
    assert hint.startswith("hint: ")
    data = json.loads(with_json.stdout)
    lines = with_json.stderr.splitlines()
    assert [f"error: {data['error']}", f"hint: {data['hint']}"] == lines


def test_json_behind_two_dashes_is_part_of_a_call(automode: Run) -> None:
    result = automode("check", "--no-classifier", "nothing", "--", "--json")

    assert (result.exit_code, result.stdout.split()[:2]) == (10, ["ask", "gate.undecided"])


@pytest.mark.parametrize("start", [(AUTOMODE,), (sys.executable, "-m", "automode")])
def test_the_real_process_decides(start: tuple[str, ...]) -> None:
    allowed = process(*start, "--isolated", "check", "bash", "ls")
    denied = process(*start, "--isolated", "check", "bash", "rm -rf ~")
    wrong = process(*start, "check", "--cwd", "/no/such", "bash", "ls")

    assert (allowed.returncode, denied.returncode, wrong.returncode) == (0, 20, 2)
    assert allowed.stdout.startswith(b"allow")
    assert b"Traceback" not in wrong.stderr


def test_a_terminal_that_knows_ascii_alone_still_gets_an_answer() -> None:
    result = process(
        *(AUTOMODE, "--isolated", "check", "write", "/x/ü.py"),
        variables={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )

    assert result.returncode == 10
    assert result.stderr == b""


def test_words_that_are_no_unicode_get_an_answer() -> None:
    words = (AUTOMODE.encode(), b"--isolated", b"check", b"bash", b"ls \xff")
    result = subprocess.run(words, capture_output=True, check=False)

    assert result.returncode in (10, 20)
    assert b"Traceback" not in result.stderr


def test_a_closed_standard_input_or_output_is_an_error() -> None:
    batch = f"{AUTOMODE} --isolated check --batch - >&-"
    no_input = process("bash", "-c", f"{AUTOMODE} check <&-")
    no_output = process("bash", "-c", batch, stdin=b'{"command": "ls"}\n')

    assert (no_input.returncode, no_output.returncode) == (2, 2)
    assert b"no call to decide" in no_input.stderr
    assert b"standard output is closed" in no_output.stderr
    assert b"failed inside" not in no_output.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("options", ["", "--json"])
def test_answers_that_cannot_be_written_are_an_error(tmp_path: Path, options: str) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"command": "ls"}\n')
    script = f"{AUTOMODE} --isolated check {options} --batch {calls} >/dev/full"
    result = process("bash", "-c", script)

    assert (result.returncode, result.stderr) == (2, b"error: no space left on device\n")


def test_a_reader_that_goes_away_ends_a_batch_quietly() -> None:
    line = b'{"command": "ls"}\n'
    script = f"{AUTOMODE} --isolated check --batch - | head -1; exit ${{PIPESTATUS[0]}}"
    result = process("bash", "-c", script, stdin=line * 500)

    assert result.stdout.count(b"\n") == 1
    assert (result.returncode, result.stderr) == (141, b"")


def completion(instruction: str, **variables: str) -> str:
    """What a shell gets that asks for it."""
    variables["_AUTOMODE_COMPLETE"] = instruction
    return CliRunner().invoke(cli, env=variables, prog_name="automode").stdout


def test_completion_scripts_are_printed() -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_AUTOMODE_COMPLETE" in completion(f"{shell}_source")


COMPLETED = {
    "automode ch": "check",
    "automode check web": "web_fetch",
    "automode check Ba": "bash",
    "automode explain --tool po": "powershell",
    "automode defaults hard": "hard_deny",
    "automode status --is": "--isolated",
    "automode model anth": "anthropic/claude-haiku-4-5",
    "automode model anthropic/claude-ha": "anthropic/claude-haiku-4-5",
}


@each_row("line, word", COMPLETED.items())
def test_words_are_completed(line: str, word: str) -> None:
    place = str(len(line.split()) - 1)

    assert word in completion("zsh_complete", COMP_WORDS=line, COMP_CWORD=place).splitlines()


def _section(name: str) -> str:
    match = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return match[1] if match else ""


def test_the_reference_page_documents_every_command_and_option() -> None:
    shared = _section("Options of every command")
    for name in sorted(set(COMMANDS) - HIDDEN):
        options = [
            option
            for parameter in COMMANDS[name].params
            if isinstance(parameter, click.Option) and not parameter.hidden
            for option in parameter.opts
        ]

        section = _section(name) or _section(name.partition(" ")[0])
        assert section, f"`{name}` has no section"
        assert [one for one in options if f"`{one}" not in section + shared] == [], name


def test_the_reference_page_names_every_option_and_none_that_is_not_there() -> None:
    own = {one for parameter in cli.params for one in parameter.opts} | {"-h", "--help"}
    known = {one for command in COMMANDS.values() for p in command.params for one in p.opts}

    assert [one for one in own if f"`{one}" not in PAGE] == []
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) <= known | own


@each_row("group", ["daemon", "audit"])
def test_a_group_without_a_command_shows_its_help(group: str, automode: Run) -> None:
    result = automode(group)

    assert result.exit_code == 2
    assert result.stderr.startswith(f"Usage: automode {group} ")
    assert "Commands:" in result.stderr.splitlines()
    assert "\\n" not in result.stderr


def test_a_fault_inside_is_an_error_without_a_traceback_and_an_exit_status_passes() -> None:
    group = Commands("automode")

    @group.command()
    def broken() -> None:
        raise ZeroDivisionError("secret")

    @group.command()
    @click.pass_context
    def leaves(context: click.Context) -> None:
        context.exit(20)

    result = CliRunner().invoke(group, ["broken"])

    assert result.exit_code == 2
    assert "automode failed inside: ZeroDivisionError" in result.output
    assert "secret" not in result.output
    assert "Traceback" not in result.output
    assert CliRunner().invoke(group, ["leaves"]).exit_code == 20


@each_row("shell, word", [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --no")])
def test_a_shell_gets_its_completion_script(automode: Run, shell: str, word: str) -> None:
    result = automode("completion", shell)

    assert result.exit_code == 0
    assert word in result.stdout
    assert "_AUTOMODE_COMPLETE" in result.stdout


def test_windows_is_refused_with_one_sentence() -> None:
    code = "import sys; sys.platform = 'win32'; from automode.__main__ import main; main()"
    done = process(sys.executable, "-c", code)

    error, hint = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert error == "error: automode does not run on Windows"
    assert "WSL" in hint
