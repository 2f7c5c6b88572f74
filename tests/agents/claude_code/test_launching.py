"""Claude Code is started so that a project cannot take the gate away, or not at all."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.claude_code.launching import named_plugins
from automode.agents.claude_code.settings import NAMES, OURS
from automode.agents.installing.plan import CannotInstall, Transport
from automode.agents.installing.site import AgentProgram, is_ours
from tests.agents.conftest import Machine
from tests.rows import each_row, rows


@pytest.fixture
def claude(machine: Machine) -> Machine:
    return replace(machine, agent="claude-code", found=AgentProgram("/srv/claude", (2, 1, 325)))


@pytest.fixture
def installed(claude: Machine) -> None:
    claude.install(transport=Transport.COMMAND)


def started(claude: Machine, *arguments: str) -> tuple[dict[str, object], list[str]]:
    """The settings that are handed over, and the words behind them."""
    managed, policy, option, text, *rest = claude.launch(*arguments).words
    assert (managed, option) == ("--managed-settings", "--settings")
    assert {"source": "skills-dir"} in json.loads(policy)["blockedMarketplaces"]
    settings = json.loads(text)
    assert isinstance(settings, dict)
    return settings, rest


@pytest.mark.usefixtures("installed")
def test_where_hooks_are_installed_only_the_switch_is_put_back(claude: Machine) -> None:
    settings, rest = started(claude, "-p", "--", "--bare", "--settings", "{")

    assert settings == {"disableAllHooks": False}
    assert rest == ["-p", "--", "--bare", "--settings", "{"]


def test_where_they_are_not_they_come_along_without_a_token(claude: Machine) -> None:
    settings, _ = started(claude)

    match settings["hooks"]:
        case dict(hooks):
            assert set(hooks) == set(claude.installer.about.moments)
            assert all(is_ours(group) for (group,) in hooks.values())
        case other:
            raise AssertionError(other)
    assert "Bearer" not in json.dumps(settings)


@pytest.mark.usefixtures("installed")
@each_row(
    "arguments",
    [("--setting-sources", "project"), ("--setting-sources=local,project",), ("--restricted",)],
)
def test_they_come_along_where_the_persons_settings_are_not_loaded_or_are_broken(
    claude: Machine, arguments: tuple[str, ...]
) -> None:
    settings, rest = started(claude, *arguments)
    elsewhere = replace(claude, program=replace(claude.program, state="/srv/other"))

    assert "hooks" in settings
    assert rest == list(arguments)
    assert "hooks" in started(elsewhere)[0]


LISTS: dict[str | None, dict[str, str]] = {
    # given with --settings: handed over
    None: dict.fromkeys(NAMES, OURS),
    '{"env": {"A": "1", "NO_PROXY": "a"}}': {"A": "1", "NO_PROXY": f"a,{OURS}", "no_proxy": OURS},
    '{"env": {"NO_PROXY": "*", "no_proxy": ""}}': {"NO_PROXY": "*", "no_proxy": OURS},
}


def test_over_http_no_proxy_of_a_project_stands_before_the_daemon(claude: Machine) -> None:
    claude.install()

    for text, handed in LISTS.items():
        settings, _ = started(claude, *(() if text is None else ("--settings", text)))
        assert settings == {"disableAllHooks": False, "env": handed}
    for text in ('{"env": []}', '{"env": {"NO_PROXY": 1}}'):
        with pytest.raises(CannotInstall, match="in your --settings is no") as refused:
            claude.launch("--settings", text)
        assert refused.value.hint


@each_row("way", ["json", "file", "equals"])
def test_settings_of_the_person_are_kept(claude: Machine, tmp_path: Path, way: str) -> None:
    theirs = {"model": "opus", "hooks": {"Stop": [{"hooks": []}], "Notification": []}}
    file = tmp_path / "mine.json"
    file.write_text("\ufeff" + json.dumps(theirs))
    given = {
        "json": ("--settings", json.dumps(theirs)),
        "file": ("--settings", str(file)),
        "equals": (f"--settings={file}",),
    }

    settings, rest = started(claude, "a", *given[way], "b")

    match settings:
        case {"model": "opus", "hooks": {"Stop": [ours, {"hooks": []}], "Notification": []}}:
            assert is_ours(ours)
        case other:
            raise AssertionError(other)
    assert rest == ["a", "b"]


@each_row("arguments, why", rows("agents", "claude-refused-arguments"))
def test_what_would_start_it_unguarded_or_cannot_be_read_is_refused(
    claude: Machine, arguments: list[str], why: str
) -> None:
    with pytest.raises(CannotInstall, match=why) as refused:
        claude.launch(*arguments)

    assert refused.value.hint


def test_a_settings_file_that_is_no_object_is_refused(claude: Machine, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[]")

    with pytest.raises(CannotInstall, match="are no object"):
        claude.launch("--settings", str(tmp_path / "list.json"))


def test_no_plug_in_from_a_folder_of_skills_is_loaded_and_policy_of_the_person_stays(
    claude: Machine,
) -> None:
    theirs = '{"blockedMarketplaces": [{"source": "github", "repo": "a/b"}], "deniedModels": ["x"]}'
    launch = claude.launch("--managed-settings", theirs, "-p")
    older = replace(claude, found=None).launch("-p")

    assert json.loads(launch.words[1]) == {
        "blockedMarketplaces": [{"source": "skills-dir"}, {"source": "github", "repo": "a/b"}],
        "deniedModels": ["x"],
    }
    assert launch.words[-1] == "-p"
    # An option that it does not know would keep it from starting.
    assert "--managed-settings" not in older.words


def test_plug_ins_of_the_command_line_and_of_the_environment_are_named() -> None:
    words = ("--plugin-dir", "/a", "--plugin-dir=/b", "--plugin-url", "https://x/y.zip", "--", "-p")

    found = named_plugins(words, {"CLAUDE_CODE_PLUGIN_DIRS": "/c:/d"})

    assert found == ["/c", "/d", "/a", "/b", "https://x/y.zip"]
