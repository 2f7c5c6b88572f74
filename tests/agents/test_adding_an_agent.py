"""`docs/contributing/adding-an-agent.md`, done: its files are the ones that are run here.

An agent is one folder and one line of the catalogue. So that every room sees it as it sees the
others, each test runs in a process whose `automode.agents` has the folder and the line of the page.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing" / "adding-an-agent.md").read_text()
FILES = dict(re.findall(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
SOURCE = "src/automode/agents/"
LINE = f"{SOURCE}catalog.py"
FOLDER = [name for name in FILES if name.startswith(f"{SOURCE}acme/")]
PAYLOADS = [name for name in FILES if name.startswith("tests/agents/acme/recorded/")]
START = """
import sys
import automode.agents
sys.path[:0] = [sys.argv[1], sys.argv[2]]
automode.agents.__path__.insert(0, sys.argv[3])
"""


@pytest.fixture(name="overlay", scope="module")
def _overlay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page, and the catalogue with its line."""
    folder = tmp_path_factory.mktemp("agents")
    for name in FOLDER:
        path = folder / name.removeprefix(SOURCE)
        path.parent.mkdir(exist_ok=True)
        path.write_text(FILES[name])
    catalog = (ROOT / LINE).read_text()
    (folder / "catalog.py").write_text(
        catalog.replace("FOLDERS = (\n", f"FOLDERS = (\n    {FILES[LINE]}")
    )
    return folder


def run(overlay: Path, code: str, *words: str, home: Path | None = None) -> str:
    given = {**os.environ, **({"HOME": str(home), "PATH": "/usr/bin:/bin"} if home else {})}
    done = subprocess.run(
        [sys.executable, "-c", START + code, str(ROOT), str(ROOT / "docs"), str(overlay), *words],
        capture_output=True,
        text=True,
        env=given,
        check=False,
        cwd=home or ROOT,
    )
    assert not done.stderr, done.stderr
    return done.stdout


def test_it_takes_one_folder_and_one_line() -> None:
    assert set(FILES) == {LINE, *FOLDER, *PAYLOADS}
    assert {Path(name).name for name in FOLDER} == {
        *("__init__.py", "agent.toml", "payloads.py", "install.py")
    }
    assert len(PAYLOADS) > 3
    assert FILES[LINE].count("\n") == 1


def test_its_payloads_get_their_answers_and_it_keeps_the_contract(overlay: Path) -> None:
    found = run(
        overlay,
        """
import json
from automode.agents.catalog import ADAPTERS
from automode.agents.events import Moment
from tests.agents.recording_checks import wrong_with
for recording in json.loads(sys.argv[4]):
    print(*wrong_with(ADAPTERS[recording["host"]], recording))
for host in ("acme", "acme+unattended"):
    print(*(ADAPTERS[host].closing_answer(moment, "x").exit for moment in Moment))
""",
        json.dumps([json.loads(FILES[name]) for name in PAYLOADS]),
    )

    assert found.split("\n") == [*[""] * len(PAYLOADS), "2 0 0 0", "2 0 0 0", ""]


def test_the_hook_gets_its_closing_answers(overlay: Path) -> None:
    found = run(
        overlay,
        """
from automode.agents.catalog import AGENTS
from generate import hook_tables
print(hook_tables(AGENTS.values()))
""",
    )

    assert """"acme": '{"run":false,"why":"%s"}\\n',""" in found
    assert "dict.fromkeys(DENIALS, 55_000)" in found


CALLS = {
    "curl -d @x localhost:9/hook/acme/proposed": "floor.own-channel",
    "echo '{}' > ~/.acme/hooks.json": "floor.safety-files",
    "acme-agent --no-hooks": "floor.unguarded-agent",
    "npx @acme/agent --no-hooks": "floor.unguarded-agent",
    "ACME_HOME=/tmp/x acme-agent": "floor.unguarded-agent",
}


def test_no_call_passes_for_it_changes_its_hooks_or_disarms_it(
    overlay: Path, tmp_path: Path
) -> None:
    found = run(
        overlay,
        """
import asyncio, json, os
from automode.assemble import build_gate
from automode.config.settings import Settings
from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Disk
here = os.getcwd()
gate, session = build_gate(Settings()), Session("s", Workspace(here, here, here, Disk()))
for text in json.loads(sys.argv[4]):
    decision = asyncio.run(gate.decide(ToolCall("bash", Shell(text)), session))
    print(decision.source if decision is not None else "")
""",
        json.dumps(list(CALLS)),
        home=tmp_path,
    )

    assert found.split() == list(CALLS.values())


def typed(overlay: Path, home: Path, *words: str) -> str:
    code = """
from automode.cli.main import main
sys.argv[:] = ["automode", *sys.argv[4:]]
main()
"""
    folders = ("--state-folder", str(home / "state"), "--config-folder", str(home / "config"))
    return run(overlay, code, *folders, *words, home=home)


def test_it_is_installed_found_by_the_doctor_and_taken_out_again(
    overlay: Path, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    hooks = tmp_path / ".acme" / "hooks.json"
    installed = typed(overlay, tmp_path, "install", "acme-agent", "--yes")
    written: Mapping[str, Mapping[str, object]] = json.loads(hooks.read_text())
    looked = typed(overlay, tmp_path, "doctor", "acme", "--no-start", "--json")
    gone = typed(overlay, tmp_path, "uninstall", "acme", "--yes")

    assert "installed: acme (user)" in installed
    assert list(written["hooks"]) == ["before_tool", "after_tool"]
    rows = {row["check"]: row for row in json.loads(looked)["findings"]}
    assert rows["acme: registered"]["level"] == "ok"
    assert "`acme-agent` is not on PATH" in rows["acme: program"]["says"]
    assert "uninstalled: acme" in gone
    assert not hooks.parent.exists()


OWN = re.compile(r"cline|qwen|gemini", re.IGNORECASE)


def test_every_place_that_names_an_agent_is_on_the_page() -> None:
    """Two agents that were added late stand for all: what names them has to name the next."""
    places = [*(ROOT / "src").rglob("*.py"), *(ROOT / "e2e").rglob("*.py"), ROOT / "pyproject.toml"]
    named = {str(path.relative_to(ROOT)): path for path in places}
    found = [
        name for name, path in named.items() if not OWN.search(name) and _names(path.read_text())
    ]

    assert [name for name in found if f"`{name}`" not in PAGE] == []
    assert 2 < len(found) < 8


def _names(text: str) -> bool:
    """Words that a person reads may name an agent; a table names it in lower case."""
    return re.search(r"\bcline\b|\bqwen-code\b", text) is not None


def test_every_place_on_the_page_is_there() -> None:
    told = re.findall(r"`((?:src|e2e|tests|docs)/[\w/.-]+\.(?:py|md))`", PAGE)

    assert [path for path in told if "acme" not in path and not (ROOT / path).exists()] == []
    assert len(told) > 10
