"""The GitHub Action: installs automode, runs `automode policy test`, writes the job summary.

Standard library only, and Python 3.11: it runs before anything is installed. Words from files of
cases are printed between `stop-commands`, so that none of them is a command to the runner.
"""

# ruff: noqa: S603 - a script that starts its own programs and reports
import glob
import json
import os
import re
import secrets
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
OLDEST = (3, 11)
MOST_SHOWN = 200
_MARKUP = re.compile(r"([\\`*_{}\[\]()#|<>~!&])")
Outcome = Mapping[str, object]


def main(environment: Mapping[str, str]) -> int:
    if sys.version_info < OLDEST:
        fail("automode needs Python 3.11 or newer; use actions/setup-python before this action")
    folder = Path(environment.get("INPUT_WORKING_DIRECTORY") or ".").resolve()
    if not folder.is_dir():
        fail(f"no such working directory: {folder}")
    files = matching(environment.get("INPUT_FILES", ""), folder)
    junit = one_line(environment.get("INPUT_JUNIT") or "automode-policy.xml")
    words = [environment.get("INPUT_AUTOMODE") or str(install(environment))]
    words += ["policy", "test", "--json", f"--junit={junit}"]
    if environment.get("INPUT_CLASSIFIER", "false").lower() != "true":
        words.append("--no-classifier")
    try:
        done = subprocess.run(
            [*words, "--", *files], cwd=folder, capture_output=True, text=True, check=False
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError) as error:
        fail(f"`automode policy test` could not be run: {error}")
    if done.returncode not in (0, 1) or "outcomes" not in found:
        fail(f"{found.get('error') or done.stderr.strip()} ({found.get('hint') or 'no hint'})")
    outcomes: Sequence[Outcome] = found["outcomes"]
    report(outcomes, os.path.relpath(folder, environment.get("GITHUB_WORKSPACE") or "."))
    add(environment, "GITHUB_STEP_SUMMARY", summary(outcomes))
    values = {"cases": found["cases"], "different": found["failed"], "junit": str(folder / junit)}
    add(environment, "GITHUB_OUTPUT", "".join(f"{k}={v}\n" for k, v in values.items()))
    return int(done.returncode)


def matching(lines: str, folder: Path) -> list[str]:
    """A pattern that matches nothing is an error: a test that is not run must not pass."""
    found: list[str] = []
    for line in filter(None, map(str.strip, lines.splitlines())):
        named = sorted(glob.glob(line, root_dir=folder, recursive=True))
        if not named:
            fail(f"no file of cases: {line}")
        found += named
    if not found:
        fail("the input `files` names no file of cases")
    return list(dict.fromkeys(found))


def install(environment: Mapping[str, str]) -> Path:
    """Into an environment of its own, pinned; another step of the same job finds it there."""
    place = Path(environment.get("RUNNER_TEMP") or ".") / "automode-action"
    program = place / "bin" / "automode"
    if not program.exists():
        venv.create(place, with_pip=True, clear=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        pinned = [str(ROOT / "requirements" / name) for name in ("base.txt", "yaml.txt")]
        for more in (
            ["--require-hashes", "-r", pinned[0], "-r", pinned[1]],
            ["--no-deps", "--no-build-isolation", str(ROOT)],
        ):
            done = subprocess.run([*pip, *more], capture_output=True, text=True, check=False)
            if done.returncode:
                fail(f"automode could not be installed: {done.stderr.strip()[-1000:]}")
    return program


def report(outcomes: Sequence[Outcome], folder: str) -> None:
    """`folder`: the project, from where the runner looks for files to annotate."""
    different = [one for one in outcomes if not one["as_expected"]]
    for one in different[:MOST_SHOWN]:
        file, _, line = str(one["place"]).rpartition(":")
        where = f"file={_property(os.path.normpath(f'{folder}/{file}'))},line={_property(line)}"
        print(f"::error {where}::{_data(_sentence(one))}")
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}")
    for one in outcomes:
        print(f"{'ok  ' if one['as_expected'] else 'DIFF'} {one['place']}: {_sentence(one)}")
    print(f"::{token}::")
    print(f"{len(outcomes)} cases: {len(different)} different")


def _sentence(one: Outcome) -> str:
    wanted = " ".join(str(one[key]) for key in ("expect", "expect_source") if one[key])
    got = "as expected" if one["as_expected"] else f"wanted {wanted}, got {one['verdict']}"
    return one_line(f"{one['name']}: {got} ({one['source']}: {one['reason']})")


def summary(outcomes: Sequence[Outcome]) -> str:
    different = [one for one in outcomes if not one["as_expected"]]
    lines = [
        "### automode policy test",
        "",
        f"{len(outcomes)} cases: {len(outcomes) - len(different)} as expected, "
        f"{len(different)} different",
        "",
    ]
    if different:
        lines += ["| case | wanted | got | reason |", "| --- | --- | --- | --- |"]
    for one in different[:MOST_SHOWN]:
        wanted = " ".join(str(one[key]) for key in ("expect", "expect_source") if one[key])
        cells = (
            f"{one['name']} ({one['place']})",
            wanted,
            f"{one['verdict']} {one['source']}",
            one["reason"],
        )
        lines.append("| " + " | ".join(_cell(str(cell)) for cell in cells) + " |")
    if len(different) > MOST_SHOWN:
        lines.append(f"\nand {len(different) - MOST_SHOWN} more")
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return _MARKUP.sub(r"\\\1", one_line(text))


def one_line(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def add(environment: Mapping[str, str], name: str, text: str) -> None:
    path = environment.get(name)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def fail(sentence: str) -> NoReturn:
    print(f"::error::{_data(one_line(sentence))}")
    sys.exit(2)


if __name__ == "__main__":
    sys.exit(main(os.environ))
