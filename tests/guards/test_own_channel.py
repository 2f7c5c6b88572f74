"""Tokens and keys are out of reach: through links, patterns, and folders above them."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.assemble import build_gate
from automode.config.settings import Settings
from automode.core.call import Action, Fetch, Read, Shell, ToolCall
from automode.core.decision import Verdict
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.guards.floor.layer import Floor
from automode.guards.own_files import OwnFolders
from tests.reading import facts_of
from tests.rows import texts

PORT = 47321
PORT_FILES = ("http.port", "ui.port")


def source(tmp_path: Path, action: Action, file: str = "http.port") -> str:
    state, project = tmp_path / "state", tmp_path / "project"
    for folder in (state, project):
        folder.mkdir(exist_ok=True)
    (state / file).write_text(f"{PORT}\n")
    place = Workspace(str(project), str(project), str(tmp_path), Disk())
    gate = build_gate(Settings(), folders=OwnFolders(state=(str(state),)))
    decision = asyncio.run(gate.decide(ToolCall("tool", action), Session("s", place)))
    return "" if decision is None else decision.source


@pytest.mark.parametrize("file", PORT_FILES)
def test_no_command_connects_to_it_and_other_numbers_are_no_matter(
    tmp_path: Path, file: str
) -> None:
    for table, denied in (("reaching", True), ("other-numbers-other-uses", False)):
        for command in texts("guards", f"own-port-{table}"):
            found = source(tmp_path, Shell(command), file)
            assert (found == "floor.own-channel") is denied, command


URLS = {
    f"http://127.0.0.1:{PORT}/": True,
    f"http://localhost:{PORT}/hook/claude-code/session": True,
    "http://localhost:9/hook/pi/prompt": True,
    f"http://127.0.0.1:{PORT + 1}/": False,
    f"https://example.com/{PORT}": False,
    "https://example.com/hook/pi/prompt": False,
}


@pytest.mark.parametrize("file", PORT_FILES)
@pytest.mark.parametrize(("url", "denied"), URLS.items())
def test_no_fetching_tool_does(tmp_path: Path, url: str, denied: bool, file: str) -> None:
    assert (source(tmp_path, Fetch(url), file) == "floor.own-channel") == denied


GATE = build_gate(Settings())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    tokens = home / ".local/state/automode/tokens"
    for folder in (tokens, home / ".ssh", home / ".local/state/other", home / "project/src"):
        folder.mkdir(parents=True)
    (tokens / "person").write_text("x")
    (home / ".ssh/known").write_text("x")
    project = home / "project"
    (project / "docs_link").symlink_to(tokens)
    (project / "up_link").symlink_to(home / ".local/state")
    (project / "person_link").symlink_to(tokens / "person")
    (project / "ssh_link").symlink_to(home / ".ssh")
    return home


def decided(home: Path, tool: str, action: Action, cwd: str = "project") -> tuple[Verdict, str]:
    place = Workspace(str(home / "project"), str(home / cwd), str(home), Disk())
    decision = asyncio.run(GATE.decide(ToolCall(tool, action), Session("s", place)))
    assert decision is not None
    return decision.verdict, decision.source


# A table, and what is decided about its commands.
COMMANDS = {
    "command-reads-tokens": (Verdict.DENY, "floor.own-channel"),
    "ordinary-reads-stay": (Verdict.ALLOW, "read-only"),
}


@pytest.mark.parametrize("table", COMMANDS)
def test_no_command_reads_the_tokens_and_ordinary_reads_stay(home: Path, table: str) -> None:
    for command in texts("guards", f"own-channel-{table}"):
        typed = command.replace("~", str(home)).replace("$HOME", str(home))
        assert decided(home, "bash", Shell(typed)) == COMMANDS[table], command


@pytest.mark.parametrize(
    ("tool", "path"),
    [
        *(("Grep", path) for path in ("~/.local", "up_link", "docs_link")),
        ("Grep", "~/.local/state/automode"),
        *(("Read", path) for path in ("docs_link/person", "person_link")),
    ],
)
def test_no_tool_reads_the_tokens(home: Path, tool: str, path: str) -> None:
    read = Read((path.replace("~", str(home)),))

    assert decided(home, tool, read) == (Verdict.DENY, "floor.own-channel")


def test_patterns_through_links_to_other_credentials_are_not_read_only(home: Path) -> None:
    for command in texts("guards", "own-channel-patterns-through-links"):
        found = decided(home, "bash", Shell(command.replace("~", str(home))))
        assert found[0] is not Verdict.ALLOW, command


@pytest.mark.parametrize("command", texts("guards", "own-channel-following-links"))
def test_following_links_to_credentials_is_not_read_only(home: Path, command: str) -> None:
    assert decided(home, "bash", Shell(command))[0] is not Verdict.ALLOW
    (home / "project/src/python").symlink_to("/usr/bin/env")
    assert decided(home, "bash", Shell(command), cwd="project/src")[0] is Verdict.ALLOW


def test_links_elsewhere_do_not_matter_to_a_search(home: Path) -> None:
    assert decided(home, "bash", Shell("grep -R token src"))[0] is Verdict.ALLOW


def test_a_search_that_names_no_folder_searches_where_it_is(home: Path) -> None:
    assert decided(home, "bash", Shell(f"cd {home} && grep -r token"))[0] is not Verdict.ALLOW
    assert decided(home, "bash", Shell("cd src && grep -r token"))[0] is Verdict.ALLOW


def test_a_pattern_over_too_many_names_is_not_read_only(home: Path) -> None:
    for number in range(300):
        (home / f"project/src/{number}/inner").mkdir(parents=True)

    assert decided(home, "bash", Shell("cat src/*/*/x"))[0] is not Verdict.ALLOW
    assert decided(home, "bash", Shell("cat src/*"))[0] is Verdict.ALLOW
    assert decided(home, "bash", Shell("ls src/*/*/x"))[0] is Verdict.ALLOW


def test_a_state_folder_inside_the_workspace_makes_wide_searches_unproved(home: Path) -> None:
    state = home / "project/state"
    state.mkdir()
    (state / "signing.key").write_text("x")
    gate = build_gate(Settings(), folders=OwnFolders(state=(str(state),)))
    place = Workspace(str(home / "project"), str(home / "project"), str(home), Disk())
    sources = {}
    for command in ("grep -r foo .", "grep -r foo src", "cat state/tokens/person", "cat s*/*/*"):
        call = ToolCall("bash", Shell(command))
        decision = asyncio.run(gate.decide(call, Session("s", place)))
        sources[command] = "" if decision is None else decision.source

    assert sources == {
        "grep -r foo .": "gate.undecided",
        "grep -r foo src": "read-only",
        "cat state/tokens/person": "floor.own-channel",
        "cat s*/*/*": "floor.own-channel",
    }


TOKEN = "/home/u/.local/state/automode/tokens/person"
FLOOR = Floor()
NAMED = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


@given(st.sets(st.integers(1, len(TOKEN) - 1), min_size=1), st.sampled_from("?*"))
def test_no_pattern_hides_the_token(places: set[int], mark: str) -> None:
    pattern = "".join(
        mark if at in places and letter != "/" else letter for at, letter in enumerate(TOKEN)
    )

    assert FLOOR.judge(facts_of(ToolCall("bash", Shell(f"cat {pattern}")), NAMED)) is not None
