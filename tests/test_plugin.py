"""The plugin for Claude Code: what it registers, and that its script closes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conformance.driver import ScenarioDriver
from conformance.programs import pinned
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.catalog import AGENTS
from automode.agents.claude_code.install import LATER
from automode.agents.scripted.driver import NoProgram, ScratchFolders
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import saying, using
from automode.cli.main import COMMANDS as KNOWN
from automode.daemon.client import running
from automode.daemon.placement import own_version
from automode.doctor.examine import SYSTEM_PROGRAMS
from automode.store.folder import StateFolder
from tests.rows import each_row

ROOT = Path(__file__).parent.parent
PLUGIN = ROOT / "plugins" / "automode"
SCRIPT = PLUGIN / "hooks" / "gate.sh"
HOME_LINE = 'eval "home=~$account"'
HARMLESS = ("finished", "prompt", "session")
PATIENCE_SECONDS = 120.0


def found(path: Path) -> dict[str, object]:
    read: object = json.loads(path.read_text())
    assert isinstance(read, dict)
    return read


@dataclass(frozen=True, slots=True)
class Account:
    """A home folder, and a copy of the plugin that takes it for the account's own."""

    home: Path
    script: Path

    @property
    def program(self) -> Path:
        return self.home / ".local" / "bin" / "automode"

    @property
    def state(self) -> StateFolder:
        return StateFolder(str(self.home / ".local" / "state" / "automode"))

    def installed(self, first_lines: str, *, mode: int = 0o755) -> None:
        self.program.parent.mkdir(parents=True, exist_ok=True)
        self.program.write_text(first_lines)
        self.program.chmod(mode)

    def interpreter(self, script: str) -> str:
        """A program in the place of Python."""
        path = self.home / "python"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    def asked(
        self, moment: str, payload: str = "{}", shell: str = "/bin/sh", **variables: str
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ("sh", str(self.script), moment),
            executable=shell,
            input=payload,
            capture_output=True,
            text=True,
            env=dict(os.environ) | variables,
            check=False,
            timeout=PATIENCE_SECONDS,
        )


def account_in(folder: Path) -> Account:
    home, plugin = folder / "home", folder / "plugin"
    home.mkdir()
    shutil.copytree(PLUGIN, plugin)
    script = plugin / "hooks" / "gate.sh"
    text = script.read_text()
    assert text.count(HOME_LINE) == 1
    # No automode of whoever runs the tests may be found either.
    for program in SYSTEM_PROGRAMS:
        text = text.replace(program, f"{folder}/nowhere{program}")
    script.write_text(text.replace(HOME_LINE, f"home={home}"))
    return Account(home, script)


@pytest.fixture
def account() -> Iterator[Account]:
    """With a path that is short enough for a socket. A daemon that runs there is ended."""
    folder = Path(tempfile.mkdtemp(prefix="am-")).resolve()
    try:
        made = account_in(folder)
        yield made
        status = running(made.state)
        if status is not None:
            os.kill(status.pid, signal.SIGKILL)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def call(command: str, folder: Path, call_id: str = "toolu_1") -> str:
    return json.dumps(
        {
            "session_id": "s1",
            "cwd": str(folder),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": call_id,
        }
    )


def assert_closed(done: "subprocess.CompletedProcess[str]") -> None:
    assert done.returncode == 2
    assert "must not run" in done.stderr
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert "must not run" in said["permissionDecisionReason"]


def test_it_hooks_into_the_same_events_as_the_installer() -> None:
    hooks = found(PLUGIN / "hooks" / "hooks.json")["hooks"]

    assert isinstance(hooks, dict)
    moments = AGENTS["claude-code"].moments
    assert set(hooks) == set(moments) - {LATER}
    for event in hooks:
        moment = moments[event]
        ((handler,),) = (group["hooks"] for group in hooks[event])
        words = f'/bin/sh "${{CLAUDE_PLUGIN_ROOT}}/hooks/gate.sh" {moment}'
        closing = moment == "proposed"
        assert handler["command"] == words + (" || exit 2" if closing else "")
        assert handler.get("onFailure") == ("block" if closing else None)


def test_it_has_the_release_of_the_package() -> None:
    assert found(PLUGIN / ".claude-plugin" / "plugin.json")["version"] == own_version()


def test_the_marketplace_offers_it() -> None:
    market = found(ROOT / ".claude-plugin" / "marketplace.json")

    assert isinstance(market["plugins"], list)
    (offered,) = market["plugins"]
    assert (ROOT / offered["source"]).resolve() == PLUGIN
    assert offered["name"] == found(PLUGIN / ".claude-plugin" / "plugin.json")["name"]


def test_the_doctor_looks_for_automode_where_the_script_does() -> None:
    text = SCRIPT.read_text()

    listed = [word.rstrip(";") for line in text.splitlines() for word in line.split()]
    expected = ['"$home/.local/bin/automode"', *SYSTEM_PROGRAMS]
    assert [word for word in listed if word.strip('"').endswith("bin/automode")] == expected


COMMANDS = sorted((PLUGIN / "commands").glob("*.md"))
READING = {"status", "denials", "usage", "config", "defaults"}
LOOSENING = {"on", "off", "reset", "approve", "model"}


def test_every_command_reads_or_sends_the_person_to_a_terminal() -> None:
    assert {path.stem for path in COMMANDS} == READING | LOOSENING
    assert set(KNOWN) >= READING | LOOSENING


@each_row("path", COMMANDS)
def test_no_command_lets_a_model_run_more_than_its_fixed_words(path: Path) -> None:
    text = path.read_text()
    runs = [line for line in text.splitlines() if line.startswith("!")]

    assert "disable-model-invocation: true" in text
    assert "$ARGUMENTS" not in text  # it would stand in a shell as it was typed
    expected = [f"!`automode {path.stem}`"] if path.stem in READING else []
    assert runs == expected
    assert f"automode {'denials' if path.stem == 'approve' else path.stem}" in text


BROKEN = {
    "no automode": None,
    "one that cannot be started": ("#!/bin/false\n", 0o644),
    "an interpreter looked up on the path": ("#!/usr/bin/env python3\n", 0o755),
    "an interpreter that is gone": ("#!/nowhere/python\n", 0o755),
    "an empty program": ("", 0o755),
    "no program at all": ("\x7fELF\x00\x01", 0o755),
    "a relative interpreter": ("#!python3\n", 0o755),
    "a shell script of another kind": ("#!/bin/sh\necho yes\n", 0o755),
    "an interpreter that fails": ("#!/bin/false\n", 0o755),
}


@pytest.mark.parametrize("program", BROKEN.values(), ids=BROKEN.keys())
def test_without_an_automode_that_works_no_call_runs(
    account: Account, program: tuple[str, int] | None
) -> None:
    if program is not None:
        account.installed(program[0], mode=program[1])

    assert_closed(account.asked("proposed"))
    for moment in HARMLESS:
        done = account.asked(moment)
        assert (done.returncode, done.stdout) == (0, "")
        assert "automode" in done.stderr


@pytest.mark.parametrize("ending", ["exit 1", "exit 127", "kill -9 $$", "kill -SEGV $$"])
def test_an_interpreter_that_ends_badly_closes(account: Account, ending: str) -> None:
    account.installed(f"#!{account.interpreter(ending)}\n")

    assert_closed(account.asked("proposed"))


@given(moment=st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=12))
def test_a_moment_that_nobody_knows_is_taken_for_a_call(moment: str) -> None:
    with tempfile.TemporaryDirectory(prefix="am-") as folder:
        done = account_in(Path(folder)).asked(moment)

    assert done.returncode == (0 if moment in HARMLESS else 2)


FIRST_LINES = {
    "plain": "#!{python}\n",
    "with an option": "#!{python} -s\n",
    "too long for a first line": "#!/bin/sh\n'''exec' {python} \"$0\" \"$@\"\n' '''\n",
    "in double quotes": "#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''\n",
    "in single quotes": "#!/bin/sh\n'''exec' '{python}' \"$0\" \"$@\"\n' '''\n",
}


@pytest.mark.parametrize("lines", FIRST_LINES.values(), ids=FIRST_LINES.keys())
def test_the_interpreter_stands_in_the_programs_first_lines(account: Account, lines: str) -> None:
    python = account.interpreter('echo "{\\"args\\": \\"$*\\"}"')
    account.installed(lines.format(python=python))

    told = json.loads(account.asked("proposed").stdout)["args"]

    folders = f"--state {account.state.path} --config {account.home}/.config/automode"
    assert told == f"-I -m automode.hook.client {folders} claude-code proposed"


def test_a_client_beside_the_interpreter_is_started_by_its_path(account: Account) -> None:
    python = account.interpreter('echo "{\\"args\\": \\"$*\\"}"')
    (account.home / "bin").mkdir()
    moved = account.home / "bin" / "python"
    Path(python).rename(moved)
    client = account.home / "lib/python3.11/site-packages/automode/hook/client.py"
    client.parent.mkdir(parents=True)
    client.touch()
    account.installed(f"#!{moved}\n")

    told = json.loads(account.asked("proposed").stdout)["args"]

    assert told.startswith(f"-I -S {moved.parent}/../lib/python3.11/site-packages/")


def test_the_environment_of_a_project_moves_nothing(account: Account, tmp_path: Path) -> None:
    """Whatever it offers in the place of automode, or of the programs that the script needs."""
    offered = tmp_path / ".local" / "bin"
    offered.mkdir(parents=True)
    for name in ("automode", "id", "sed", "python3", "printf"):
        (offered / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/taken\necho '{{}}'\n")
        (offered / name).chmod(0o755)
    hostile = {"PATH": str(offered), "HOME": str(tmp_path), "ENV": str(offered / "id")}
    hostile |= {"XDG_STATE_HOME": str(tmp_path), "IFS": "/a", "PYTHONPATH": str(tmp_path)}

    assert_closed(account.asked("proposed", **hostile))
    assert not (tmp_path / "taken").exists()


@pytest.mark.parametrize(
    "name", ["read", "printf", "id", "sed", "[", "test", "command", "unset", "exit", "close"]
)
def test_where_sh_is_bash_no_function_comes_from_the_environment(
    account: Account, tmp_path: Path, name: str
) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    taken = tmp_path / "taken"
    function = {f"BASH_FUNC_{name}%%": f"() {{ echo x >{taken}; first=#!/bin/true; }}"}
    account.installed("#!/bin/false\n")

    assert_closed(account.asked("proposed", shell=bash, **function))
    assert not taken.exists()


def test_it_has_calls_decided_by_the_installed_automode(account: Account) -> None:
    account.installed(f"#!{sys.executable}\n")
    account.state.prepared()
    project = account.home / "shop"
    (project / ".git").mkdir(parents=True)

    read = account.asked("proposed", call("ls", project))
    destroyed = account.asked("proposed", call("rm -rf /", project, "toolu_2"))

    verdicts = [
        json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]
        for done in (read, destroyed)
    ]
    assert verdicts == ["allow", "deny"]


@pytest.fixture
def claude() -> ScenarioDriver:
    try:
        return pinned("claude-code", os.environ.get("AUTOMODE_AGENTS", str(ROOT / ".venv/agents")))
    except NoProgram as error:
        pytest.skip(f"NO REAL CLAUDE CODE: {error}; `make agents` installs it")


def real(
    agent: ScenarioDriver, scratch: ScratchFolders, *words: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        (*agent.words, *words),
        env=agent.environment(scratch),
        cwd=scratch.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


@pytest.mark.parametrize("folder", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_claude_code_finds_it_valid(claude: ScenarioDriver, tmp_path: Path, folder: Path) -> None:
    scratch = ScratchFolders(str(tmp_path), str(tmp_path), "http://127.0.0.1:9")

    done = real(claude, scratch, "plugin", "validate", "--strict", str(folder))

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("installed", [True, False], ids=["installed", "without automode"])
def test_claude_code_runs_only_what_is_allowed(
    claude: ScenarioDriver, account: Account, installed: bool
) -> None:
    project = account.home / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "note").write_text("words of the project")
    if installed:
        account.installed(f"#!{sys.executable}\n")
        account.state.prepared()
    with ModelServer() as model:
        scratch = ScratchFolders(str(account.home), str(project), model.url)
        claude.prepare(scratch)
        model.plays(
            using(claude.read(str(project / "note"))),
            using(claude.shell("crontab -r; touch ran")),
            saying("done"),
        )
        plugin = str(account.script.parent.parent)
        once = claude.once("please go on")
        done = real(claude, scratch, "--plugin-dir", plugin, *once)

        results = model.results()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (project / "ran").exists()
    assert any("words of the project" in text for text in results) == installed
    assert any("automode" in text for text in results)


def test_what_loosens_the_gate_only_names_the_command_for_a_terminal(
    claude: ScenarioDriver, account: Account
) -> None:
    project = account.home / "shop"
    (project / ".git").mkdir(parents=True)
    with ModelServer() as model:
        scratch = ScratchFolders(str(account.home), str(project), model.url)
        claude.prepare(scratch)
        model.plays(saying("type it in a terminal"))
        plugin = str(account.script.parent.parent)
        done = real(claude, scratch, "--plugin-dir", plugin, *claude.once("/automode:off"))

        assert model.was_told("automode off --session ")
        assert not model.was_told("${CLAUDE_SESSION_ID}")
    assert done.returncode == 0, done.stdout + done.stderr
