"""Other gates from the package registries, pinned, each in an environment of its own.

Who cannot be installed or run is left out, and `Skipped` says why: never silently.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "e2e" / "programs"))

import install

PEERS = Path(".venv/peers").absolute()
PINS = Path(__file__).parent / "pins"
SECONDS = 600.0
NODE = "node"
PYTHON = "python"
NEWER_PYTHON = "python after 3.11"

_PYTHON_LOOP = """
import json, sys, time
answers, sys.stdout = sys.stdout, sys.stderr  # some print what they load
{judging}
for line in sys.stdin:
    command = json.loads(line)
    start = time.perf_counter()
    try:
        word = verdict(command)
    except Exception:
        word = "none"
    print(json.dumps([word, (time.perf_counter() - start) * 1e6]), file=answers, flush=True)
"""
_NODE_LOOP = """
import {{ createInterface }} from "node:readline";
{judging}
for await (const line of createInterface({{ input: process.stdin }})) {{
  const command = JSON.parse(line);
  const start = performance.now();
  let word = "none";
  try {{ word = verdict(command); }} catch {{}}
  process.stdout.write(JSON.stringify([word, (performance.now() - start) * 1000]) + "\\n");
}}
"""
_NAH = """
from nah.bash import classify_command
def verdict(command):
    word = str(classify_command(command).final_decision).lower()
    return {"block": "deny"}.get(word, word)
"""
_SAFECMD = """
from safecmd.core import validate
def verdict(command):
    try:
        validate(command)
    except Exception:
        return "ask"
    return "allow"
"""
_HERMES = """
from tools.approval import detect_dangerous_command, detect_hardline_command
def verdict(command):
    if detect_hardline_command(command)[0]:
        return "deny"
    return "ask" if detect_dangerous_command(command)[0] else "allow"
"""
_VECTIMUS = """
import os
from vectimus.engine.evaluator import PolicyEngine
from vectimus.engine.normaliser import normalise
engine = PolicyEngine()
def verdict(command):
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": os.getcwd(),
            "hook_event_name": "PreToolUse", "session_id": "bench"}
    word = str(engine.evaluate(normalise(call, "claude-code")).decision)
    return {"escalate": "ask"}.get(word, word)
"""
_OPENHANDS = """
import os
os.environ["OPENHANDS_SUPPRESS_BANNER"] = "1"
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
from openhands.sdk.event import ActionEvent
from openhands.sdk.llm import MessageToolCall
from openhands.sdk.security import (
    ConfirmRisky, EnsembleSecurityAnalyzer, PatternSecurityAnalyzer, PolicyRailSecurityAnalyzer
)
analyzers = [PolicyRailSecurityAnalyzer(), PatternSecurityAnalyzer()]
analyzer, policy = EnsembleSecurityAnalyzer(analyzers=analyzers), ConfirmRisky()
def verdict(command):
    given = json.dumps({"command": command})
    call = MessageToolCall(id="1", name="terminal", arguments=given, origin="completion")
    event = ActionEvent(thought=[], tool_name="terminal", tool_call_id="1", tool_call=call,
                        llm_response_id="1", action=None)
    return "ask" if policy.should_confirm(analyzer.security_risk(event)) else "allow"
"""
_SAFETY_NET = """
import { checkCommand } from "cc-safety-net/api";
const verdict = (command) => checkCommand({ command, cwd: process.cwd() }).kind;
"""


class Skipped(Exception):
    """Why a peer is left out."""


@dataclass(frozen=True, slots=True)
class Peer:
    """`judging` defines `verdict(command)` for its runtime. `hook` is what its own installer writes
    into Claude Code's settings, none where it is a library; `ending` ends what that leaves running.
    `only_denies`: what it does not deny it leaves to others, which counts as let through."""

    name: str
    version: str
    folder: str
    judging: str
    runtime: str = PYTHON
    hook: tuple[str, ...] = ()
    ending: tuple[str, ...] = ()
    only_denies: bool = False

    @property
    def home(self) -> Path:
        return PEERS / self.folder

    def words(self, words: Sequence[str]) -> list[str]:
        """The program of its environment in front of its own words."""
        if self.runtime == NODE:
            return [str(install.node_of(PEERS)), str(self.home / words[0]), *words[1:]]
        return [str(self.home / "bin" / words[0]), *words[1:]]


@dataclass(frozen=True, slots=True)
class Answer:
    """`verdict` is `allow`, `ask`, `deny`, or `none` where it broke."""

    verdict: str
    micros: float


KNOWN = (
    Peer("nah", "0.11.0", "nah", _NAH, hook=("nah", "_claude-hook")),
    Peer("safecmd", "0.1.16", "safecmd", _SAFECMD),
    Peer("hermes-agent", "0.19.0", "hermes-agent", _HERMES),
    Peer("openhands-sdk", "1.58.0", "openhands-sdk", _OPENHANDS, NEWER_PYTHON),
    Peer(
        "cc-safety-net",
        "2.4.5",
        "cc-safety-net",
        _SAFETY_NET,
        NODE,
        hook=(
            "node_modules/cc-safety-net/dist/bin/cc-safety-net.js",
            "hook",
            "--claude-code",
        ),
        only_denies=True,
    ),
    Peer(
        "vectimus",
        "0.22.2",
        "vectimus",
        _VECTIMUS,
        NEWER_PYTHON,
        hook=("vectimus", "hook", "--source", "claude-code"),
        ending=("vectimus", "daemon", "stop"),
        only_denies=True,
    ),
)
ABSENT = {
    "yolonot, ccgate, OpenAgentLock": "written in Go; no registry of Python or Node has them",
    "safe-chains": "written in Rust; no registry of Python or Node has it",
    "hookwise": "no registry has it",
    "AgentGate": "the packages of that name are other programs",
    "hol-guard": "its test of a command says that its policy was not asked, and takes 2 seconds",
    "Dippy": "no registry has it: the `dippy` of PyPI is another program",
    "hall-pass": "no registry has it",
    "nah 1.x": "written in Rust, and no registry of Python or Node has it",
    "dcg, tirith, shellfirm": "written in Rust, and no registry of Python or Node has them",
    "Qwen Code": "its check of shell commands is inside the agent, without a way to ask it alone",
}


def ask(peer: Peer, commands: Sequence[str], project: Path, home: Path) -> list[Answer]:
    """Its answers, asked in an empty project. Raises Skipped."""
    installed(peer)
    feed = "".join(json.dumps(command) + "\n" for command in commands)
    environment = {"HOME": str(home), "PATH": _path(peer)}
    try:
        done = subprocess.run(
            _driver(peer),
            input=feed,
            capture_output=True,
            text=True,
            check=False,
            cwd=project,
            env=environment,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Skipped(f"it did not answer: {type(error).__name__}") from error
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(commands):
        said = (done.stderr.strip().splitlines() or ["no word why"])[-1]
        raise Skipped(f"it answered {len(lines)} of {len(commands)} commands: {said}")
    return [Answer(*json.loads(line)) for line in lines]


def words(peer: Peer, commands: Sequence[str], project: Path, home: Path) -> dict[str, str]:
    """Its verdict about each command. It is asked once, until its pins change. Raises Skipped."""
    kept, pins = PEERS / f"{peer.folder}.words.json", _pins(peer)
    known = json.loads(kept.read_text()) if kept.is_file() else {}
    found = known.get(pins, {})
    if new := [command for command in commands if command not in found]:
        answers = ask(peer, new, project, home)
        found |= dict(zip(new, (answer.verdict for answer in answers), strict=True))
        kept.write_text(json.dumps({pins: found}))
    return {command: found[command] for command in commands}


def installed(peer: Peer) -> None:
    """Installs it where it is missing or its pins have changed. Raises Skipped."""
    stamp, pins = PEERS / f"{peer.folder}.installed", _pins(peer)
    if stamp.is_file() and stamp.read_text() == pins:
        return
    shutil.rmtree(peer.home, ignore_errors=True)
    PEERS.mkdir(parents=True, exist_ok=True)
    try:
        _from_node(peer) if peer.runtime == NODE else _from_python(peer)
    except install.NotInstalled as why:
        raise Skipped(str(why)) from why
    stamp.write_text(pins)


def _pins(peer: Peer) -> str:
    """Changes with what is pinned."""
    files = [PINS / f"{peer.folder}.txt", *sorted((PINS / peer.folder).glob("*.json"))]
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes() if file.is_file() else b"")
    return found.hexdigest()


def _from_python(peer: Peer) -> None:
    python = _newer_python() if peer.runtime == NEWER_PYTHON else sys.executable
    install.done((python, "-m", "venv", str(peer.home)), PEERS)
    pip = (str(peer.home / "bin/python"), "-m", "pip", "--disable-pip-version-check", "--quiet")
    pins = ("--no-deps", "--require-hashes", "-r", str(PINS / f"{peer.folder}.txt"))
    install.done((*pip, "install", *pins), PEERS)


def _from_node(peer: Peer) -> None:
    install.with_node(PEERS, latest=False)
    shutil.copytree(PINS / peer.folder, peer.home)
    install.npm(PEERS, peer.home, "ci")


def _newer_python() -> str:
    """A Python after 3.11: a name on the PATH may lead nowhere."""
    named = [f"python3.{minor}" for minor in (14, 13, 12)]
    versions = Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python")
    for python in (*named, *map(str, versions)):
        with suppress(OSError):
            if subprocess.run([python, "--version"], capture_output=True).returncode == 0:
                return python
    raise install.NotInstalled("it needs Python 3.12 or newer, and there is none")


def _path(peer: Peer) -> str:
    own = install.node_of(PEERS).parent if peer.runtime == NODE else peer.home / "bin"
    return f"{own}:{os.environ.get('PATH', '')}"


def _driver(peer: Peer) -> list[str]:
    if peer.runtime != NODE:
        return [str(peer.home / "bin/python"), "-c", _PYTHON_LOOP.format(judging=peer.judging)]
    script = peer.home / "asked.mjs"  # beside the package, or it would not be found
    script.write_text(_NODE_LOOP.format(judging=peer.judging))
    return [str(install.node_of(PEERS)), str(script)]
