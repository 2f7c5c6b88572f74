"""`automode denials --propose`: the rule that would have covered a call, and writing it down."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.core.decision import Failure, Verdict
from automode.core.record import Record
from automode.store.folder import StateFolder
from tests.cli.recorded import keep, needs_a_person, state_folder
from tests.cli.records import record

Run = Callable[..., Result]


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return state_folder(tmp_path)


@pytest.fixture
def denied(state: StateFolder, project: Path) -> Callable[..., Record]:
    """Records a call of the project as denied by the classifier."""

    def made(command: str, **changed: object) -> Record:
        one = replace(
            record(1, verdict=Verdict.DENY, source="classifier.deliberate", action=command),
            input=json.dumps({"command": command}),
            root=str(project),
            cwd=str(project),
            clearable=True,
        )
        one = replace(one, **changed)  # type: ignore[arg-type]  # fields of Record
        keep(state, one)
        return one

    return made


def proposed(result: Result) -> list[tuple[str, list[str], str | None]]:
    data = json.loads(result.stdout)
    return [(one["key"], one["entries"], one["void"]) for one in data["proposals"]]


def test_a_denied_call_gets_patterns_and_a_sentence(
    automode: Run, denied: Callable[..., Record], project: Path
) -> None:
    denied("npm publish --dry-run")

    found = proposed(automode("denials", "--propose", "r0", "--json"))

    assert found == [
        ("permissions.allow", ["bash(npm publish --dry-run)"], None),
        ("permissions.allow", ["bash(npm publish *)"], None),
        ("autoMode.allow", [f"In the project {project}: running `npm publish --dry-run`."], None),
    ]


def test_people_see_the_same(automode: Run, denied: Callable[..., Record]) -> None:
    denied("npm publish")

    result = automode("denials", "--propose", "r0")

    assert result.exit_code == 0
    assert '1. in `permissions.allow`: exactly this call\n     "bash(npm publish)"' in result.stdout
    assert "--write adds the first" in result.stdout


def test_an_outage_cannot_be_talked_to(automode: Run, denied: Callable[..., Record]) -> None:
    denied("npm publish", error=Failure.UNAVAILABLE)

    keys = {key for key, _, _ in proposed(automode("denials", "--propose", "r0", "--json"))}

    assert keys == {"permissions.allow"}


def test_an_allowed_call_gets_an_ask_rule(automode: Run, denied: Callable[..., Record]) -> None:
    denied("git push", verdict=Verdict.ALLOW)

    found = proposed(automode("denials", "--propose", "r0", "--json"))

    assert found == [
        ("permissions.ask", ["bash(git push)"], None),
        ("permissions.ask", ["bash(git push *)"], None),
    ]


NEVER = {
    "rules.deny": "a deny rule",
    "floor.delete-root": "the floor denied it",
    "classifier.deliberate": "`hard_deny`",
}


@pytest.mark.parametrize("source", NEVER)
def test_what_nobody_may_permit_gets_no_proposal(
    automode: Run, denied: Callable[..., Record], source: str
) -> None:
    denied("rm -rf /", source=source, clearable=False)

    result = automode("denials", "--propose", "r0")
    written = automode("denials", "--propose", "r0", "--write")

    assert result.exit_code == 1
    assert NEVER[source] in result.stdout
    assert written.exit_code == 2
    assert "nothing to write" in written.stderr


def test_another_rule_that_decides_first_makes_a_proposal_void(
    automode: Run, denied: Callable[..., Record], settings: Callable[[object], None]
) -> None:
    settings({"permissions": {"ask": ["bash(npm publish*)"]}})
    denied("npm publish")

    found = proposed(automode("denials", "--propose", "r0", "--json"))

    assert found[0][2] is not None
    assert "`rules.ask` decides all the same" in found[0][2]


def test_a_call_that_the_floor_denies_today_stays_denied(
    automode: Run, denied: Callable[..., Record]
) -> None:
    denied("rm -rf ~", source="gate.undecided")

    result = automode("denials", "--propose", "r0", "--json")

    assert result.exit_code == 1
    assert all("floor." in str(void) for _, _, void in proposed(result))


def test_a_rule_that_is_set_aside_already_is_named(
    automode: Run, denied: Callable[..., Record], settings: Callable[[object], None]
) -> None:
    settings({"permissions": {"allow": ["bash(npm run *)"]}})
    denied("npm run build")

    data = json.loads(automode("denials", "--propose", "r0", "--json").stdout)

    assert data["proposals"][0]["entries"] == ["bash(npm run build)"]
    [remark] = data["remarks"]
    assert "`bash(npm run *)`" in remark
    assert "is set aside" in remark


UNREADABLE = {
    "git $X": "cannot be read in full",
    "deploy [secret:api-key#1a2b]": "a secret stood in the call",
}


@pytest.mark.parametrize("command", UNREADABLE)
def test_a_call_that_no_rule_covers_says_so(
    automode: Run, denied: Callable[..., Record], command: str
) -> None:
    denied(command, source="gate.undecided")

    result = automode("denials", "--propose", "r0")

    assert result.exit_code == 1
    assert UNREADABLE[command] in " ".join(result.stdout.split())


def test_an_input_that_was_cut_is_not_guessed(automode: Run, denied: Callable[..., Record]) -> None:
    denied("x", input='{"command": "echo ')

    result = automode("denials", "--propose", "r0")

    assert result.exit_code == 2
    assert "too long to be recorded whole" in result.stderr


@pytest.fixture
def person(state: StateFolder) -> None:
    needs_a_person(state)


@pytest.mark.usefixtures("person")
def test_writing_adds_the_rule_and_tells_where(
    automode: Run, denied: Callable[..., Record], config: Path
) -> None:
    (config / "config.json").write_text('{\n  // mine\n  "store": "sqlite"\n}\n')
    denied("npm publish")
    before = automode("check", "bash", "npm publish", "--no-record").exit_code

    written = automode("denials", "--propose", "r0", "--write")

    line = int(written.stdout.strip().rpartition(":")[2])
    text = (config / "config.json").read_text()
    assert written.stdout == f"added to `permissions.allow` in {config / 'config.json'}:{line}\n"
    assert '"bash(npm publish)"' in text.splitlines()[line - 1]
    assert "// mine" in text
    assert (before, automode("check", "bash", "npm publish", "--no-record").exit_code) == (10, 0)


@pytest.mark.usefixtures("person")
def test_a_sentence_keeps_the_built_in_policy(
    automode: Run, denied: Callable[..., Record], config: Path
) -> None:
    denied("npm publish")

    written = automode("denials", "--propose", "r0", "--write", "--choice", "3", "--json")

    assert json.loads(written.stdout)["key"] == "autoMode.allow"
    allow = json.loads((config / "config.json").read_text())["autoMode"]["allow"]
    assert allow[0] == "$defaults"
    assert len(allow) == 2


BAD_CHOICES = {"9": "there is no proposal 9", "1": "proposal 1 is void"}


@pytest.mark.parametrize("choice", BAD_CHOICES)
def test_only_what_helps_can_be_chosen(
    automode: Run,
    denied: Callable[..., Record],
    settings: Callable[[object], None],
    config: Path,
    choice: str,
) -> None:
    settings({"permissions": {"ask": ["bash(npm publish*)"]}})
    before = (config / "config.json").read_bytes()
    denied("npm publish")

    result = automode("denials", "--propose", "r0", "--write", "--choice", choice)

    assert result.exit_code == 2
    assert BAD_CHOICES[choice] in result.stderr
    assert (config / "config.json").read_bytes() == before


def test_an_agent_may_look_and_not_write(
    denied: Callable[..., Record], state: StateFolder, config: Path, project: Path
) -> None:
    denied("npm publish")
    command = [sys.executable, "-m", "automode", "--config-folder", str(config)]
    command += ["--state-folder", state.path, "denials", "--propose", "r0"]
    environment = os.environ | {"CLAUDECODE": "1"}

    looked = subprocess.run(command, env=environment, capture_output=True, cwd=project)
    wrote = subprocess.run(
        [*command, "--write"], env=environment, capture_output=True, text=True, cwd=project
    )

    assert looked.returncode == 0
    assert wrote.returncode == 2
    assert "only a person may do this" in wrote.stderr
    assert not (config / "config.json").exists()
