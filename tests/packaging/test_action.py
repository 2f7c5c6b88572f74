"""The GitHub Action: its script, run with the variables that a runner sets."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
SCRIPT = ROOT / "tools/action/policy_test.py"
INSTALLED = str(Path(sys.executable).parent / "automode")
GOOD = '{"command": "ls -la", "expect": "allow"}\n'
BAD = '{"name": "a | <b>\\n::error::x", "command": "ls -la", "expect": "deny", "source": "floor"}\n'


@dataclass(frozen=True, slots=True)
class Runner:
    """What a runner gives a step: a workspace, and files for its answers."""

    folder: Path

    def file(self, name: str, text: str) -> None:
        path = self.folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def answer(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    @property
    def outputs(self) -> dict[str, str]:
        lines = self.answer("output").splitlines()
        return {name: value for name, _, value in (line.partition("=") for line in lines)}

    def run(self, files: str, **inputs: str) -> "subprocess.CompletedProcess[str]":
        """The step as `action.yml` describes it, in the workspace."""
        action = yaml.safe_load(ACTION.read_text())
        (step,) = action["runs"]["steps"]
        given = {name: str(one.get("default", "")) for name, one in action["inputs"].items()}
        given |= {"files": files, "automode": INSTALLED}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        variables = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda one: given[one[1]], value)
            for name, value in step["env"].items()
        }
        own = {
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.folder / "work"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "HOME": str(self.folder / "home"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return subprocess.run(
            ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]),
            cwd=self.folder / "work",
            env={**kept, **own, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    for name in ("work/.git", "temp", "home"):
        (tmp_path / name).mkdir(parents=True)
    return Runner(tmp_path)


def test_verdicts_as_expected_pass_with_a_summary_and_outputs(runner: Runner) -> None:
    runner.file("cases/one.jsonl", GOOD)
    runner.file("cases/two.jsonl", GOOD * 2)

    done = runner.run("cases/*.jsonl\n\n  cases/one.jsonl\n")

    assert done.returncode == 0, done.stdout + done.stderr
    junit = str(runner.folder / "work/automode-policy.xml")
    assert runner.outputs == {"cases": "3", "different": "0", "junit": junit}
    assert len(ElementTree.parse(junit).findall(".//testcase")) == 3
    assert "3 cases: 3 as expected, 0 different" in runner.answer("summary")
    assert "::error" not in done.stdout


def test_a_verdict_that_differs_fails_and_is_named_without_commanding_the_runner(
    runner: Runner,
) -> None:
    runner.file("shop/policy.jsonl", GOOD + BAD)

    done = runner.run("policy.jsonl", working_directory="shop", junit="out.xml")

    assert done.returncode == 1, done.stdout + done.stderr
    assert runner.outputs["different"] == "1"
    assert (runner.folder / "work/shop/out.xml").exists()
    lines = done.stdout.splitlines()
    (error,) = (line for line in lines if line.startswith("::error"))
    assert error.startswith("::error file=shop/policy.jsonl,line=2::a | <b> ::error::x: wanted ")
    (stop,) = (line for line in lines if line.startswith("::stop-commands::"))
    assert f"::{stop.removeprefix('::stop-commands::')}::" in lines
    (row,) = (line for line in runner.answer("summary").splitlines() if "deny floor" in line)
    assert r"a \| \<b\> ::error::x" in row
    assert re.sub(r"\\.", "", row).count("|") == 5


WRONG = {
    "no file is named": ("", {}, "names no file of cases"),
    "a pattern that matches nothing": ("cases/*.jsonl", {}, "no file of cases: cases/*.jsonl"),
    "a file that cannot be read": ("broken.jsonl", {}, "broken.jsonl"),
    "a working directory that is not there": ("x", {"working_directory": "no"}, "no such working"),
    "an automode that is not there": ("good.jsonl", {"automode": "/no"}, "could not be run"),
    "an automode that says nothing": ("good.jsonl", {"automode": "true"}, "could not be run"),
    "an automode that says something else": ("good.jsonl", {"automode": "echo"}, "could not be"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_tested_never_passes(runner: Runner, case: str) -> None:
    files, inputs, said = WRONG[case]
    runner.file("broken.jsonl", "{")
    runner.file("good.jsonl", GOOD)

    done = runner.run(files, **inputs)

    assert done.returncode == 2, done.stdout + done.stderr
    (error,) = (line for line in done.stdout.splitlines() if line.startswith("::error::"))
    assert said in error
    assert runner.outputs == {}


def test_words_of_a_workflow_reach_the_script_as_variables_only() -> None:
    (step,) = yaml.safe_load(ACTION.read_text())["runs"]["steps"]

    assert "${{" not in step["run"]


@pytest.mark.real
@pytest.mark.slow
def test_without_an_automode_it_installs_its_own_once(runner: Runner) -> None:
    runner.file("cases.jsonl", GOOD)
    runner.file("cases.yaml", "- command: ls -la\n  expect: allow\n")

    first, again = (runner.run("cases.*", automode="") for _ in range(2))

    assert (first.returncode, again.returncode) == (0, 0), first.stdout + first.stderr
    assert (runner.folder / "temp/automode-action/bin/automode").exists()
    assert runner.outputs["cases"] == "2"


@pytest.mark.real
def test_the_action_fits_the_schema(from_registry: Callable[..., Path]) -> None:
    tool = from_registry("check-jsonschema") / "check-jsonschema"

    done = subprocess.run(
        (tool, "--builtin-schema", "vendor.github-actions", "--output-format", "json", ACTION),
        capture_output=True,
        text=True,
        check=False,
    )

    assert json.loads(done.stdout)["status"] == "ok", done.stdout
