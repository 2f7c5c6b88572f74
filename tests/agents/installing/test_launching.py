"""An agent is started so that a project cannot take the gate away, or not at all."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.claude_code.install import INSTALLER as CLAUDE
from automode.agents.claude_code.install import plan_install
from automode.agents.claude_code.settings import Wish, claude_launch, named_plugins
from automode.agents.installing.hooks import LATER, MOMENTS
from automode.agents.installing.installer import Launch, installer_of, nobody_there
from automode.agents.installing.json_files import NAMES, OURS
from automode.agents.installing.own_files import filled
from automode.agents.installing.plan import CannotInstall, Receipts, Scope, apply
from automode.agents.installing.site import AgentProgram, Http, Program, Site, is_ours
from automode.agents.pi.install import INSTALLER as PI
from automode.agents.pi.install import TEMPLATE
from tests.rows import each_row


@pytest.fixture
def installed(site: Site, program: Program, receipts: Receipts) -> None:
    wish = Wish(Scope.USER, found=AgentProgram("/srv/claude", (2, 1, 325)))
    apply(plan_install(wish, site, program, None, receipts), receipts)


def claude(site: Site, program: Program, *arguments: str) -> tuple[dict[str, object], list[str]]:
    """The settings that are handed over, and the words behind them."""
    launch = claude_launch(arguments, site, program, closes=True)
    managed, policy, option, text, *rest = launch.words
    assert (managed, option) == ("--managed-settings", "--settings")
    assert {"source": "skills-dir"} in json.loads(policy)["blockedMarketplaces"]
    settings = json.loads(text)
    assert isinstance(settings, dict)
    return settings, rest


@pytest.mark.usefixtures("installed")
def test_where_hooks_are_installed_only_the_switch_is_put_back(
    site: Site, program: Program
) -> None:
    settings, rest = claude(site, program, "-p", "--", "--settings", "x")

    assert settings == {"disableAllHooks": False}
    assert rest == ["-p", "--", "--settings", "x"]


def test_where_they_are_not_they_come_along_without_a_token(site: Site, program: Program) -> None:
    settings, _ = claude(site, program)

    match settings["hooks"]:
        case dict(hooks):
            assert set(hooks) == set(MOMENTS | LATER)
            assert all(is_ours(group["hooks"][0]) for (group,) in hooks.values())
        case other:
            raise AssertionError(other)
    assert "Bearer" not in json.dumps(settings)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    "arguments",
    [("--setting-sources", "project"), ("--setting-sources=local,project",), ("--restricted",)],
)
def test_they_come_along_where_the_persons_settings_are_not_loaded(
    site: Site, program: Program, arguments: tuple[str, ...]
) -> None:
    settings, rest = claude(site, program, *arguments)

    assert "hooks" in settings
    assert rest == list(arguments)


@pytest.mark.usefixtures("installed")
def test_they_come_along_where_those_installed_are_broken(site: Site, program: Program) -> None:
    settings, _ = claude(site, replace(program, state="/srv/other"))

    assert "hooks" in settings


@pytest.fixture
def over_http(site: Site, program: Program, receipts: Receipts) -> None:
    wish = Wish(Scope.USER, found=AgentProgram("/srv/claude", (2, 1, 325)))
    apply(plan_install(wish, site, program, Http(4711, "ab12"), receipts), receipts)


LISTS: dict[str | None, dict[str, str]] = {
    # given with --settings: handed over
    None: dict.fromkeys(NAMES, OURS),
    '{"env": {"A": "1", "NO_PROXY": "a"}}': {"A": "1", "NO_PROXY": f"a,{OURS}", "no_proxy": OURS},
    '{"env": {"NO_PROXY": "*", "no_proxy": ""}}': {"NO_PROXY": "*", "no_proxy": OURS},
}


@pytest.mark.usefixtures("over_http")
@pytest.mark.parametrize(("given", "handed"), LISTS.items())
def test_over_http_no_proxy_of_a_project_stands_before_the_daemon(
    site: Site, program: Program, given: str | None, handed: dict[str, str]
) -> None:
    settings, _ = claude(site, program, *(() if given is None else ("--settings", given)))

    assert settings == {"disableAllHooks": False, "env": handed}


@pytest.mark.usefixtures("over_http")
@pytest.mark.parametrize("given", ['{"env": []}', '{"env": {"NO_PROXY": 1}}'])
def test_variables_that_cannot_be_read_are_refused(
    site: Site, program: Program, given: str
) -> None:
    with pytest.raises(CannotInstall, match="in your --settings is no") as refused:
        claude_launch(("--settings", given), site, program, closes=True)

    assert refused.value.hint


@pytest.mark.parametrize("way", ["json", "file", "equals"])
def test_settings_of_the_person_are_kept(
    site: Site, program: Program, tmp_path: Path, way: str
) -> None:
    theirs = {"model": "opus", "hooks": {"Stop": [{"hooks": []}], "Notification": []}}
    file = tmp_path / "mine.json"
    file.write_text("\ufeff" + json.dumps(theirs))
    given = {
        "json": ("--settings", json.dumps(theirs)),
        "file": ("--settings", str(file)),
        "equals": (f"--settings={file}",),
    }

    settings, rest = claude(site, program, "a", *given[way], "b")

    match settings:
        case {"model": "opus", "hooks": {"Stop": [ours, {"hooks": []}], "Notification": []}}:
            assert is_ours(ours["hooks"][0])
        case other:
            raise AssertionError(other)
    assert rest == ["a", "b"]


REFUSED = {
    ("--bare",): "runs no hooks",
    ("-p", "--safe-mode"): "runs no hooks",
    ("--settings", '{"disableAllHooks": true}'): "disableAllHooks",
    ("--settings", "{}", "--settings", "{}"): "2 times",
    ("--settings", "/nowhere.json"): "no such file",
    ("--settings", "{"): "cannot be read",
    ("--settings",): "cannot be read",
    ("--settings", '{"hooks": []}'): "no object",
    ("--settings", '{"hooks": {"Stop": 1}}'): "no list",
}


@pytest.mark.parametrize(("arguments", "why"), REFUSED.items())
def test_what_would_start_it_unguarded_is_refused(
    site: Site, program: Program, arguments: tuple[str, ...], why: str
) -> None:
    with pytest.raises(CannotInstall, match=why) as refused:
        CLAUDE.launch(arguments, site, program)

    assert refused.value.hint


def test_a_settings_file_that_is_no_object_is_refused(
    site: Site, program: Program, tmp_path: Path
) -> None:
    (tmp_path / "list.json").write_text("[]")

    with pytest.raises(CannotInstall, match="are no object"):
        claude_launch(("--settings", str(tmp_path / "list.json")), site, program, closes=True)


def test_no_plug_in_from_a_folder_of_skills_is_loaded_and_policy_of_the_person_stays(
    site: Site, program: Program
) -> None:
    theirs = '{"blockedMarketplaces": [{"source": "github", "repo": "a/b"}], "deniedModels": ["x"]}'
    launch = claude_launch(("--managed-settings", theirs, "-p"), site, program, closes=True)
    older = claude_launch(("-p",), site, program, closes=False)

    assert json.loads(launch.words[1]) == {
        "blockedMarketplaces": [{"source": "skills-dir"}, {"source": "github", "repo": "a/b"}],
        "deniedModels": ["x"],
    }
    assert launch.words[-1] == "-p"
    # An option that it does not know would keep it from starting.
    assert "--managed-settings" not in older.words


@pytest.mark.parametrize("theirs", ["[]", "{", '{"blockedMarketplaces": {}}'])
def test_policy_that_cannot_be_read_is_refused(site: Site, program: Program, theirs: str) -> None:
    with pytest.raises(CannotInstall, match="managed-settings"):
        claude_launch(("--managed-settings", theirs), site, program, closes=True)


def test_plug_ins_of_the_command_line_and_of_the_environment_are_named() -> None:
    words = ("--plugin-dir", "/a", "--plugin-dir=/b", "--plugin-url", "https://x/y.zip", "--", "-p")

    found = named_plugins(words, {"CLAUDE_CODE_PLUGIN_DIRS": "/c:/d"})

    assert found == ["/c", "/d", "/a", "/b", "https://x/y.zip"]


def test_words_of_a_prompt_are_no_options(site: Site, program: Program) -> None:
    _, rest = claude(site, program, "-p", "--", "--bare", "--settings", "{")

    assert rest == ["-p", "--", "--bare", "--settings", "{"]


def test_pi_gets_its_extension_along(site: Site, program: Program) -> None:
    launch = PI.launch(("-p", "hello"), site, program)

    file = f"{program.state}/install/run/automode.ts"
    assert launch == Launch(("-e", file, "-p", "hello"), (file, filled(TEMPLATE, program)))


def test_a_projects_own_extension_is_not_relied_on(
    site: Site, program: Program, receipts: Receipts
) -> None:
    apply(PI.plan_install(Scope.PROJECT, site, program, receipts), receipts)

    assert PI.launch((), site, program).words[0] == "-e"


ALONE = {
    ("claude-code", ()): False,
    ("claude-code", ("fix it",)): False,
    ("claude-code", ("--", "-p")): False,
    ("claude-code", ("-p", "fix it")): True,
    ("claude-code", ("--print",)): True,
    ("claude-code", ("--bg", "fix it")): True,
    ("claude-code", ("-cp", "fix it")): True,
    ("gemini-cli", ("-yp", "fix it")): True,
    ("gemini-cli", ("-pfix it",)): True,
    ("gemini-cli", ("-y", "- a plan")): False,
    ("pi", ("fix it",)): False,
    ("pi", ("-np", "fix it")): False,
    ("pi", ("--mode", "rpc")): True,
    ("pi", ("--mode=json",)): True,
}


@each_row("started, alone", ALONE.items())
def test_who_prints_and_ends_has_nobody_there(
    started: tuple[str, tuple[str, ...]], alone: bool
) -> None:
    agent, words = started

    assert nobody_there(installer_of(agent).about.alone, words, terminal=True) is alone
    assert nobody_there(installer_of(agent).about.alone, words, terminal=False) is True
