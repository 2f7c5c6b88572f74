"""Programs of a project are what their sources do, however they are started and measured."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.facts.place import live_workspace
from automode.judge.embedded import EmbeddedJudge, shipped_model
from automode.judge.reading import CallReader
from tests.judge.sessions import bash, judged
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_name("started.toml").read_text("utf-8"))["rows"]
JUDGE = EmbeddedJudge(CallReader(), shipped_model())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in (".git", "src/shop", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    scripts = '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cli:main"\n'
    (tmp_path / "pyproject.toml").write_text(scripts)
    (tmp_path / "src/shop/__init__.py").write_text("")
    return tmp_path


@each_row("written, command, asked, before", [(*row, [])[:4] for row in ROWS])
def test_a_program_is_what_its_sources_do(
    written: list[tuple[str, str]], command: str, asked: bool, before: list[str], project: Path
) -> None:
    calls: list[Entry] = [UserMessage("make it faster")]
    calls += [PriorCall("bash", {"command": one}, Outcome.OK) for one in before]
    for path, text in written:
        (project / path).parent.mkdir(exist_ok=True, parents=True)
        (project / path).write_text(text)
        given = {"file_path": str(project / path), "content": text}
        calls.append(PriorCall("write", given, Outcome.OK))
    session = Session("s", live_workspace(str(project), "/home/dev"))
    session = replace(session, transcript=Transcript(tuple(calls)))
    found = judged(JUDGE, bash(command), session, ())
    for path, _ in written:
        (project / path).unlink()

    assert (found.probability >= JUDGE.model.clear_below_alone) is asked
