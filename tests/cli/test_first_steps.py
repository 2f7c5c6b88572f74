"""A new user's way from nothing to a judge: the commands, and the doctor proves who judges."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree

import pytest
from conformance.programs import pinned
from conformance.signed_in import KEY, served, sign_in, words_for

from automode.agents.scripted.driver import NoProgram
from automode.agents.scripted.model_server import JUDGE, ModelServer
from automode.agents.scripted.wire import ModelRequest, Turn, saying
from automode.classifier.canary import WORDS
from automode.store.folder import StateFolder

AGENTS_FOLDER = Path(__file__).parents[2] / ".venv" / "agents"
PATIENCE = 60.0


@dataclass
class Account:
    """Of somebody who has installed automode and nothing else."""

    home: Path
    typed: list[str] = field(default_factory=list)

    @property
    def state(self) -> StateFolder:
        return StateFolder(str(self.home / ".local/state/automode"))

    @property
    def variables(self) -> dict[str, str]:
        path = f"{self.home / 'bin'}:{Path(sys.executable).parent}:{os.defpath}"
        return {"HOME": str(self.home), "PATH": path, "NO_COLOR": "1", "COLUMNS": "200"}

    def words(self, command: str) -> list[str]:
        return words_for(self.home, *shlex.split(command)[1:])

    def types(self, command: str, fed: str = "") -> str:
        """What `automode …` prints. It has to succeed."""
        self.typed.append(command)
        done = self.ends(command, fed)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ends(self, command: str, fed: str = "") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.words(command),
            input=fed,
            capture_output=True,
            text=True,
            cwd=self.home / "project",
            env=self.variables,
            timeout=PATIENCE * 3,
            check=False,
        )

    def doctor(self, *options: str) -> Mapping[str, str]:
        """What it says of the judge. Whether it ends well is for the other checks too."""
        self.typed.append("automode doctor")
        done = self.ends(shlex.join(["automode", "doctor", "--json", *options]))
        assert done.stdout, done.stderr
        found = {one["check"]: one for one in json.loads(done.stdout)["findings"]}
        return {**found["judge"], "checks": json.dumps(found)}

    def settings(self, auto_mode: object) -> None:
        file = self.home / ".config/automode/config.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"autoMode": auto_mode}))

    def records(self) -> tuple[object, object]:
        audit = json.loads(self.ends("automode audit list --json").stdout)
        denials = json.loads(self.ends("automode denials --json").stdout)
        return audit, denials


@pytest.fixture
def account() -> Iterator[Account]:
    """With a path that is short enough for a socket, and a daemon as a hook starts it: without
    any key."""
    home = Path(tempfile.mkdtemp(prefix="am-")).resolve()
    (home / "project" / ".git").mkdir(parents=True)
    (home / "bin").mkdir()
    made = Account(home)
    try:
        with served(home, made.state, made.variables):
            yield made
    finally:
        rmtree(home, ignore_errors=True)


def test_with_a_key(account: Account) -> None:
    """A server of the user's own stands for the provider's host, which is not asked here."""
    with ModelServer() as server:
        own = {"api": "anthropic", "baseUrl": f"{server.url}{JUDGE}", "apiKeyEnv": "OWN_KEY"}
        account.settings({"providers": {"anthropic": own}})

        account.types("automode model anthropic/claude-haiku-4-5")
        before = account.doctor("--no-start")
        account.types("automode key set anthropic", fed=KEY)
        after = account.doctor("--no-start")

        assert len(server.judged) == 1
    assert (before["level"], before["fix"]) == ("problem", "automode key set anthropic")
    assert after["level"] == "ok"
    assert "judged by anthropic/claude-haiku-4-5 in " in after["says"]
    assert "through the daemon: allow" in after["says"]
    assert account.records() == ([], [])
    assert (
        KEY not in after["checks"] + (account.home / ".local/state/automode/daemon.log").read_text()
    )


ALLOW = '{"decision": "allow", "tier": "none", "reason": "the user asked for it"}'
SIGNED_IN = {"claude-code": "claude-cli/haiku", "codex": "codex-cli/default"}


class Answering(ModelServer):
    """Also where it is given no tools."""

    def next_turn(self, asked: ModelRequest, *, judge: bool) -> Turn:
        self.asked.append(asked)
        return saying(ALLOW)


@pytest.mark.real
@pytest.mark.parametrize("agent", SIGNED_IN)
def test_with_a_signed_in_agent(account: Account, agent: str) -> None:
    """Gated by automode, and automode's judge as well."""
    model = SIGNED_IN[agent]
    try:
        driver = pinned(agent, str(AGENTS_FOLDER))
    except NoProgram as missing:
        pytest.skip(f"NO {agent.upper()}: {missing}")
    with Answering() as server:
        sign_in(driver, account.home, account.home / "bin", server.url)

        account.types(f"automode model {model} --test")
        account.types(f"automode install {agent} --yes")
        found = account.doctor(agent)

        (asked,) = [one for one in server.asked if WORDS in one.whole]
    assert found["level"] == "ok"
    assert f"judged by {model} in " in found["says"]
    assert "through the daemon: allow" in found["says"]
    assert json.loads(found["checks"])[f"{agent}: fires"]["level"] == "ok"
    assert asked.tools <= {"request_user_input"}
    assert len(account.typed) == 3
    assert KEY not in Path(account.state.log).read_text()
