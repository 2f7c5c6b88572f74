"""What code of this session in other languages than Python does outside of itself: what is seen to
reach far is asked about; in code that runs by itself also what may, as nobody can tell its
target."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.facts.place import live_workspace
from tests.judge.sessions import bash, read
from tests.rows import each_row

HERE = Path(__file__)
HOSTILE = tomllib.loads(HERE.parents[3].joinpath("evals/hostile_sources.toml").read_text("utf-8"))
ROWS = tomllib.loads(HERE.with_name("acts.toml").read_text("utf-8"))
TESTS = {
    "ts": ("tests/cart.test.ts", "npx vitest run"),
    "go": ("cart_test.go", "go test ./..."),
    "rs": ("tests/cart_test.rs", "cargo test"),
    "java": ("src/test/java/com/shop/ATest.java", "mvn test"),
}
MODULES = {"ts": "src/cart.ts", "go": "cart.go", "rs": "src/cart.rs", "java": "src/main/A.java"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in (".git", "src/main", "tests", "src/test/java/com/shop"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def is_asked(folder: Path, command: str, *written: tuple[str, str]) -> bool:
    calls: list[Entry] = [UserMessage("add a test")]
    for path, text in written:
        (folder / path).parent.mkdir(exist_ok=True, parents=True)
        (folder / path).write_text(text)
        given = {"file_path": str(folder / path), "content": text}
        calls.append(PriorCall("write", given, Outcome.OK))
    session = Session("s", live_workspace(str(folder), "/home/dev"))
    session = replace(session, transcript=Transcript(tuple(calls)))
    found = read(bash(command), session).deeds
    for path, _ in written:
        (folder / path).unlink()
    return "runs-unread" in found


CODE = [(kind, name, code) for kind, every in HOSTILE.items() for name, code in every.items()]


@each_row("kind, name, code", CODE)
def test_hostile_code_in_a_test_is_asked_about(
    kind: str, name: str, code: str, project: Path
) -> None:
    path, command = TESTS[kind]

    assert is_asked(project, command, (path, code)), name


@each_row("kind, name, code", CODE)
def test_hostile_code_in_a_module_is_asked_about(
    kind: str, name: str, code: str, project: Path
) -> None:
    assert is_asked(project, TESTS[kind][1], (MODULES[kind], code)), name


@each_row("kind, code", [(kind, code) for kind in TESTS for code in ROWS[kind]["ordinary"]])
def test_ordinary_code_in_a_test_asks_for_nothing(kind: str, code: str, project: Path) -> None:
    path, command = TESTS[kind]

    assert not is_asked(project, command, (path, code))


@each_row(
    "words, asked",
    [
        (["top", "--by", "path"], False),
        (["rm", "3"], False),
        (["rm", "-rf", "/srv/x"], True),
        (["git", "push"], True),
    ],
)
def test_a_sub_command_is_a_command_where_more_than_its_name_tells(
    words: list[str], asked: bool, project: Path
) -> None:
    module = (MODULES["ts"], "export const main = (words: string[]) => words.length;")
    test = f"import {{ main }} from '../src/cart';\nit('runs', () => {{ main({words}); }});"

    assert is_asked(project, TESTS["ts"][1], module, (TESTS["ts"][0], test)) is asked


@each_row("kind, code", [(kind, code) for kind in TESTS for code in ROWS[kind].get("untold", ())])
def test_in_a_test_what_may_lose_or_send_needs_a_target_that_is_known(
    kind: str, code: str, project: Path
) -> None:
    path, command = TESTS[kind]

    assert is_asked(project, command, (path, code))
    assert not is_asked(project, command, (MODULES[kind], code))


@each_row("path, command, code", ROWS["loaded"])
def test_what_a_program_loads_by_itself_runs_by_itself(
    path: str, command: str, code: str, project: Path
) -> None:
    assert is_asked(project, command, (path, code))


@each_row("command, asked", ROWS["inline"])
def test_code_on_the_command_line_is_read_for_its_acts(
    command: str, asked: bool, project: Path
) -> None:
    session = Session("s", live_workspace(str(project), "/home/dev"))
    session = replace(session, transcript=Transcript((UserMessage("look at it"),)))
    found = set(read(bash(command), session).deeds)

    assert bool(found - {"runs-code", "writes-here", "develops", "runs-unknown"}) is asked


def test_what_was_there_is_the_projects(project: Path) -> None:
    path, command = TESTS["ts"]
    there = 'import { execSync } from "child_process";\nexecSync("git push");\n'
    for put, asked in (("expect(1).toBe(1);", False), ('execSync("git push --force");', True)):
        (project / path).write_text(there + put)
        given = {"file_path": str(project / path), "old_string": "x", "new_string": put}
        calls = (UserMessage("add a test"), PriorCall("edit", given, Outcome.OK))
        session = Session("s", live_workspace(str(project), "/home/dev"))
        session = replace(session, transcript=Transcript(calls))

        assert ("runs-unread" in read(bash(command), session).deeds) is asked
