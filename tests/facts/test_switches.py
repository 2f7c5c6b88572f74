"""Settings that switch an agent's hooks off are found where the agent reads them."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.facts.settings_text import LARGEST_BYTES
from automode.facts.switches import MOST_FINDINGS, Switch, rewriters, switches

PROXY = '{"env": {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "%s"}}'

OFF = [
    # agent, file, text, a part of what is said
    ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("claude-code", ".claude/settings.local.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("claude-code", ".claude/settings.json", '{"disableAllHooks": "true"}', "disableAllHooks"),
    ("claude-code", ".claude/settings.json", '{"disableAllHooks": 1}', "disableAllHooks"),
    ("claude-code", ".claude/settings.json", '\ufeff{"disableAllHooks": true}', "disableAllHooks"),
    ("claude-code", ".claude/settings.json", '// x\n{"disableAllHooks": true,}', "disableAllHooks"),
    (
        "claude-code",
        ".claude/settings.json",
        '{"a": "/*", "disableAllHooks": /* x */ true, "b": "*/"}',
        "disableAllHooks",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        '{"disableAllHooks": true, "disableAllHooks": false}',
        "disableAllHooks",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        '{"\\u0064isableAllHooks": true}',
        "disableAllHooks",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        '{"enabledPlugins": {"automode@automode": false}}',
        "automode@automode",
    ),
    ("claude-code", ".claude/settings.json", '{"allowedHttpHookUrls": []}', "allowedHttpHookUrls"),
    (
        "claude-code",
        ".claude/settings.json",
        '{"allowedHttpHookUrls": ["https://hooks.example/*"]}',
        "allowedHttpHookUrls",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "./x.sh"}}',
        "CLAUDE_CODE_SHELL_PREFIX",
    ),
    ("claude-code", ".claude/settings.json", '{"env": {"http_proxy": "http://p:1"}}', "http_proxy"),
    ("claude-code", ".claude/settings.local.json", PROXY % "example.com", "HTTPS_PROXY"),
    ("claude-code", ".claude/settings.json", '{"env": {"LD_PRELOAD": "./x.so"}}', "LD_PRELOAD"),
    (
        "claude-code",
        ".claude/settings.json",
        '{"allowedHttpHookUrls": ["http://127.0.0.1:9/*"]}',
        "allowedHttpHookUrls",
    ),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
    ("codex", ".codex/config.toml", "features.hooks = false\n", "features.hooks"),
    ("codex", ".codex/config.toml", "[features]\ncodex_hooks = false\n", "codex_hooks"),
    ("codex", ".codex/config.toml", "[profiles.x.features]\nhooks = false\n", "features.hooks"),
    ("codex", ".codex/config.toml", '[hooks.state."a:b"]\nenabled = false\n', "a:b"),
    ("qwen-code", ".qwen/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig"),
    ("gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"disabled": ["gate"]}}', "`gate`"),
    ("gemini-cli", ".gemini/settings.json", '{"hooks": {"enabled": false}}', "hooks.enabled"),
    ("gemini-cli", ".gemini/settings.json", '{"tools": {"enableHooks": false}}', "enableHooks"),
    ("gemini-cli", ".gemini/.env", "A=1\n export BASH_ENV = ./x.sh\n", "BASH_ENV"),
    ("qwen-code", ".qwen/.env", "LD_LIBRARY_PATH: ./lib\n", "LD_LIBRARY_PATH"),
    ("qwen-code", ".qwen/.env", "QWEN_CODE_SAFE_MODE=1\n", "QWEN_CODE_SAFE_MODE"),
    ("gemini-cli", ".gemini/.env", "GEMINI_API_KEY=x\nGEMINI_SANDBOX=x\n", "GEMINI_SANDBOX"),
    (
        "copilot-cli",
        ".github/copilot/settings.json",
        '{"disableAllHooks": true}',
        "disableAllHooks",
    ),
    (
        "copilot-cli",
        ".github/copilot/settings.local.json",
        '{"disableAllHooks": true}',
        "disableAllHooks",
    ),
]

HARMLESS = [
    (".env", "DATABASE_URL=x\n# LD_PRELOAD=x\nBASH_ENV=\nMY_ENV=production\n"),
    (".claude/settings.json", "{}"),
    (".claude/settings.json", ""),
    (".claude/settings.json", '{"disableAllHooks": false}'),
    (".claude/settings.json", '{"notes": "disableAllHooks: true"}'),
    (".claude/settings.json", '{"deeper": {"disableAllHooks": true}}'),
    (".claude/settings.json", '{"allowManagedHooksOnly": true}'),
    (".claude/settings.json", '{"hooks": {"PreToolUse": []}, "permissions": {"allow": ["Bash"]}}'),
    (".claude/settings.json", '{"enabledPlugins": {"automode@automode": true, "x@y": false}}'),
    (".claude/settings.json", '{"allowedHttpHookUrls": ["http://127.0.0.1:*"]}'),
    (".claude/settings.json", '{"env": {"NODE_ENV": "test", "CLAUDE_CODE_SHELL_PREFIX": ""}}'),
    (".claude/settings.json", PROXY % "localhost, 127.0.0.1"),
    (".claude/settings.json", PROXY % "*"),
    (".claude/settings.json", '{"env": {"ENV": "test", "PS4": "+ ", "NODE_OPTIONS": "-r x"}}'),
    (".claude/settings.json", '{"env": {"PYTHONPATH": "x", "LD_PRELOAD": null, "OLD_LD_X": "1"}}'),
    (".codex/config.toml", 'model = "x"\n[features]\nhooks = true\nother = false\n'),
    (".gemini/settings.json", '{"hooksConfig": {"enabled": true, "disabled": []}}'),
    (".qwen/settings.json", '{"disableAllHooks": false}'),
    ("examples/.claude/settings.json", '{"disableAllHooks": true}'),
    ("docs/settings.json", '{"disableAllHooks": true}'),
    (".pi/settings.json", '{"extensions": ["-automode.ts"]}'),
    ("opencode.json", '{"plugin": []}'),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("home", "project", "system"):
        (tmp_path / name).mkdir()
    return tmp_path


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(place: Path, root: str = "project", agent: str = "") -> tuple[Switch, ...]:
    """Without an agent: of whom a file is. Copilot reads Claude Code's too."""
    seen = switches(
        str(place / root), home=str(place / "home"), agent=agent, system=str(place / "system")
    )
    return seen if agent else tuple(one for one in seen if not a_guest(one))


def a_guest(switch: Switch) -> bool:
    return switch.agent == "copilot-cli" and "/.claude/" in switch.path


@pytest.mark.parametrize(("agent", "name", "text", "said"), OFF)
def test_a_switch_in_a_project_is_found(
    place: Path, agent: str, name: str, text: str, said: str
) -> None:
    path = written(place / "project" / name, text)

    (switch,) = found(place)

    assert (switch.agent, switch.path) == (agent, str(path))
    assert said in switch.what
    assert switch.fix
    assert found(place, agent=agent) == (switch,)
    assert found(place, agent="another") == ()


@pytest.mark.parametrize(("name", "text"), HARMLESS)
def test_other_settings_are_no_switches(place: Path, name: str, text: str) -> None:
    written(place / "project" / name, text)

    assert found(place) == ()


def test_a_projects_variables_count_for_every_agent_that_hands_them_on(place: Path) -> None:
    path = written(place / "project" / ".env", "LD_PRELOAD=./x.so\n")

    blinding = [(one.agent, one.path) for one in found(place) if one.blinds]

    assert blinding == [("qwen-code", str(path)), ("gemini-cli", str(path))]


def test_a_folder_in_the_place_of_variables_is_no_switch(place: Path) -> None:
    (place / "project" / ".env").mkdir(parents=True)

    assert found(place) == ()


def test_variables_past_reading_are_reported(place: Path) -> None:
    written(place / "project" / ".env", "A=1\n" * LARGEST_BYTES)

    assert {one.agent for one in found(place)} == {"gemini-cli", "qwen-code"}


def test_an_empty_place_has_none(place: Path) -> None:
    assert found(place) == ()
    assert found(place, "nowhere") == ()


@pytest.mark.parametrize(
    ("agent", "name", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ("gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        ("qwen-code", ".qwen/settings.json", '{"disableAllHooks": true}'),
        ("copilot-cli", ".copilot/settings.json", '{"disableAllHooks": true}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["-extensions/automode.ts"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["-./extensions/automode.ts"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["-extensions/auto*"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["x.ts", "!**/*.ts"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["!extensions/{a,automode}.ts"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["!a?t[o]mode.ts"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["!*"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["!/home/*/agent/extensions/*.ts"]}'),
        ("pi", ".pi/agent/settings.json", '{"extensions": ["!@(auto|x)mode.ts"]}'),
    ],
)
def test_a_switch_of_the_account_is_found(place: Path, agent: str, name: str, text: str) -> None:
    path = written(place / "home" / name, text)

    assert [(one.agent, one.path) for one in found(place)] == [(agent, str(path))]


@pytest.mark.parametrize(
    ("variable", "agent", "name", "text"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", "settings.json", '{"disableAllHooks": true}'),
        ("CODEX_HOME", "codex", "config.toml", "features.hooks = false"),
        ("PI_CODING_AGENT_DIR", "pi", "settings.json", '{"extensions": ["!**/automode.ts"]}'),
        ("COPILOT_HOME", "copilot-cli", "config.json", '{"disableAllHooks": true}'),
    ],
)
def test_an_account_may_keep_its_settings_elsewhere(
    place: Path, variable: str, agent: str, name: str, text: str
) -> None:
    path = written(place / "moved" / name, text)

    seen = switches(
        str(place / "project"),
        home=str(place / "home"),
        environment={variable: str(place / "moved")},
        system=str(place / "system"),
    )

    assert [(one.agent, one.path) for one in seen] == [(agent, str(path))]


@pytest.mark.parametrize(
    "entry",
    [
        "x.ts",
        "*.ts",
        "+extensions/automode.ts",
        "!*.js",
        "-extensions/other.ts",
        "!extensions/b*.ts",
    ],
)
def test_a_choice_of_other_extensions_is_no_switch(place: Path, entry: str) -> None:
    written(place / "home/.pi/agent/settings.json", json.dumps({"extensions": [entry]}))

    assert found(place) == ()


REACHING = {
    # the only address that a project lets hooks go to: whether ours get there
    "*": True,
    "http://*": True,
    "http://127.0.0.1:*": True,
    "HTTP://127.0.0.1:4711/*": True,
    "http://127.0.0.1:4711": True,
    "http://127.0.0.1:4711/hook/claude-code/*": True,
    "http://*:4711/hook/*?settings=*": True,
    "http://127.0.0.1:4711/hook/claude-code/proposed": False,
    "http://127.0.0.1:47/*": False,
    "http://127.0.0.1": False,
    "http://localhost:*": False,
    "http://127.0.0.?:*": False,
    "https://*": False,
    "*/other": False,
    "": False,
}


@pytest.mark.parametrize("allowed", REACHING)
def test_hooks_that_may_not_reach_the_very_daemon_are_named(place: Path, allowed: str) -> None:
    url = "http://127.0.0.1:4711/hook/claude-code/proposed?settings=0f"
    hooks = {"PreToolUse": [{"hooks": [{"type": "http", "url": url}]}]}
    written(place / "home/.claude/settings.json", json.dumps({"hooks": hooks}))
    written(place / "project/.claude/settings.json", json.dumps({"allowedHttpHookUrls": [allowed]}))

    assert (found(place) == ()) == REACHING[allowed]


def test_a_project_cannot_say_itself_where_hooks_go(place: Path) -> None:
    urls = [f"http://127.0.0.1:{port}/hook/claude-code/proposed" for port in (4711, 9)]
    for folder, url in zip(("home", "project"), urls, strict=True):
        hooks = {"PreToolUse": [{"hooks": [{"type": "http", "url": url}]}]}
        allowed = {"allowedHttpHookUrls": ["http://127.0.0.1:9/*"]} if folder == "project" else {}
        written(place / folder / ".claude/settings.json", json.dumps({"hooks": hooks, **allowed}))

    assert len(found(place)) == 1


def test_a_proxy_of_the_account_is_the_persons_own_choice(place: Path) -> None:
    written(place / "home/.claude/settings.json", '{"env": {"HTTP_PROXY": "http://p:1"}}')

    assert found(place) == ()


def test_an_administrator_who_allows_managed_hooks_only_is_named(place: Path) -> None:
    path = place / "system/claude-code/managed-settings.json"
    written(path, '{"allowManagedHooksOnly": true}')
    assert [one.path for one in found(place)] == [str(path)]

    command = "/usr/bin/python3 -I -S /opt/lib/automode/hook/client.py claude-code proposed"
    hooks = f'{{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}'
    written(path, f'{{"allowManagedHooksOnly": true, "hooks": {hooks}}}')
    assert found(place) == ()


def test_the_folders_up_to_the_repositorys_root_count_and_no_others(place: Path) -> None:
    project = place / "project"
    (project / ".git").mkdir()
    (project / "a/b").mkdir(parents=True)
    above = written(project / ".claude/settings.local.json", '{"disableAllHooks": true}')
    between = written(project / "a/.codex/config.toml", "features.hooks = false")
    written(place / ".claude/settings.json", '{"disableAllHooks": true}')

    assert {one.path for one in found(place, "project/a/b")} == {str(above), str(between)}

    (project / ".git").rmdir()
    assert found(place, "project/a/b") == ()


@pytest.mark.parametrize("relative", ["false", "true"])
def test_a_worktree_is_ruled_by_its_main_checkout_too(place: Path, relative: str) -> None:
    project = place / "project"
    git = ["git", "-C", str(project), "-c", "user.name=x", "-c", "user.email=x@x.example"]
    git += ["-c", f"worktree.useRelativePaths={relative}"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    subprocess.run(
        [*git, "worktree", "add", "-q", str(place / "tree")], check=True, capture_output=True
    )
    path = written(project / ".claude/settings.local.json", '{"disableAllHooks": true}')

    assert [one.path for one in found(place, "tree")] == [str(path)]


def test_links_are_followed(place: Path) -> None:
    real = written(place / "elsewhere.json", '{"disableAllHooks": true}')
    (place / "project/.claude").mkdir()
    (place / "project/.claude/settings.json").symlink_to(real)
    (place / "linked").symlink_to(place / "project")

    assert len(found(place)) == 1
    assert len(found(place, "linked")) == 1


UNREADABLE = [
    '{"disableAllHooks"',
    "[" * 100_000,
    "not json",
    '{"a": ' + "9" * 10_000 + "}",
    '"' * 99_999,
    "/*" * 99_999,
]


@pytest.mark.parametrize("text", UNREADABLE, ids=lambda text: text[:12])
def test_a_file_nobody_understands_is_reported(place: Path, text: str) -> None:
    written(place / "project/.claude/settings.json", text)

    (switch,) = found(place)

    assert "cannot be understood" in switch.what
    assert len(switch.what) < 300
    assert switch.fix


def test_bytes_that_are_no_text_are_reported(place: Path) -> None:
    written(place / "project/.claude/settings.json", "").write_bytes(b"\xff\xfe{}")

    assert len(found(place)) == 1


@pytest.mark.parametrize(
    "text", [".".join("a" * 100_000) + " = 1", "x = [", "# x\n" * 100_000, "[features\n"]
)
def test_a_toml_file_that_takes_too_long_or_makes_no_sense_is_reported(
    place: Path, text: str
) -> None:
    written(place / "project/.codex/config.toml", text)

    (switch,) = found(place)

    assert "cannot be understood" in switch.what


def test_a_file_that_is_too_large_is_reported(place: Path) -> None:
    written(place / "project/.claude/settings.json", " " * (LARGEST_BYTES + 1))

    (switch,) = found(place)

    assert "cannot be read" in switch.what


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
def test_what_is_no_ordinary_file_is_reported_and_waits_for_nobody(place: Path, kind: str) -> None:
    path = place / "project/.claude/settings.json"
    path.parent.mkdir()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.symlink_to(path)

    (switch,) = found(place)

    assert "cannot be read" in switch.what


def test_what_is_said_of_a_file_moves_no_cursor(place: Path) -> None:
    names = '["\\u001b[2J' + "x" * 999 + '\\n"]'
    written(place / "project/.gemini/settings.json", f'{{"hooksConfig": {{"disabled": {names}}}}}')

    (switch,) = found(place)

    assert switch.what.isprintable()
    assert len(switch.what) < 300


def test_there_is_an_end_to_findings(place: Path) -> None:
    lines = "".join(f'[hooks.state."{n}"]\nenabled = false\n' for n in range(5 * MOST_FINDINGS))
    written(place / "project/.codex/config.toml", lines)

    assert len(found(place)) == MOST_FINDINGS


@given(st.binary(max_size=200), st.sampled_from([".claude/settings.json", ".codex/config.toml"]))
def test_no_content_makes_it_raise(place: Path, data: bytes, name: str) -> None:
    for old in (place / "project").rglob("*.*"):
        if old.is_file():
            old.unlink()
    path = written(place / "project" / name, "")
    path.write_bytes(data)

    assert all(one.path == str(path) for one in found(place))


@given(
    others=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=4),
    first=st.booleans(),
)
def test_nothing_beside_a_switch_hides_it(
    place: Path, others: dict[str, str], *, first: bool
) -> None:
    beside = json.dumps(others)[1:-1]
    parts = ['"disableAllHooks": true', beside] if first else [beside, '"disableAllHooks": true']
    text = "{" + ", ".join(part for part in parts if part) + "}"
    written(place / "project/.claude/settings.json", text)

    assert [one.what for one in found(place)][:1] == ["`disableAllHooks` switches every hook off"]


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_copilot_obeys_what_a_project_says_to_claude_code(place: Path, name: str) -> None:
    path = written(place / "project/.claude" / name, '{"disableAllHooks": true}')
    hook = '{"hooks": {"PreToolUse": [{"hooks": [{"command": "./x"}]}]}}'

    (switch,) = found(place, agent="copilot-cli")
    path.write_text(hook)
    (rewriter,) = rewriters(str(place / "project"), agent="copilot-cli")

    assert switch.path == rewriter.path == str(path)


REWRITING = [
    (".claude/settings.json", '{"hooks": {"PreToolUse": [{"hooks": [{"command": "./x"}]}]}}', 1),
    (".claude/settings.json", '{"env": {"PATH": "./bin:/usr/bin"}}', 1),
    (".claude/settings.json", '{"env": {"BASH_ENV": "./rc", "CLAUDE_ENV_FILE": "./rc"}}', 2),
    (".claude/settings.json", '{"env": {"SHELL": "./sh", "CLAUDE_CODE_SHELL": "./sh"}}', 2),
    (".claude/settings.json", '{"env": {"HOME": "", "ZDOTDIR": null, "LANG": "C"}}', 0),
    (".pi/settings.json", '{"shellCommandPrefix": "source ./x;"}', 1),
    (".pi/settings.json", '{"shellPath": "./sh"}', 1),
    ("opencode.json", '{"plugin": ["./mine.ts", "a-package"]}', 1),
    (".opencode/opencode.json", '{"plugin": []}', 0),
    (".claude/settings.json", '{"hooks": {"PostToolUse": [{"hooks": [{"command": "./x"}]}]}}', 0),
    (".claude/settings.json", '{"hooks": {"PreToolUse": []}}', 0),
    (".cline/hooks/PreToolUse.sh", "#!/bin/sh", 1),
    (".clinerules/hooks/PreToolUse", "#!/bin/sh", 1),
    (".github/hooks/any.json", "{}", 1),
    (".github/copilot/settings.json", '{"hooks": {"preToolUse": [{"bash": "./x"}]}}', 1),
    (".gemini/settings.json", '{"hooks": {"BeforeTool": [{"hooks": [{"command": "./x"}]}]}}', 1),
    (".gemini/settings.json", '{"hooks": {"AfterTool": [{"hooks": [{"command": "./x"}]}]}}', 0),
    (".codex/config.toml", '[shell_environment_policy.set]\nBASH_ENV = "./x"\nLANG = "C"', 1),
    (
        ".claude/settings.json",
        '{"hooks": {"PreToolUse": [{"hooks": [{"type": "http",'
        ' "url": "http://127.0.0.1:4711/hook/claude-code/proposed"}]}]}}',
        0,
    ),
]


@pytest.mark.parametrize(("name", "text", "count"), REWRITING)
def test_what_may_rewrite_a_decided_call_is_no_switch_but_is_shown(
    place: Path, name: str, text: str, count: int
) -> None:
    written(place / "project" / name, text)

    seen = [one for one in rewriters(str(place / "project")) if not a_guest(one)]

    assert len(seen) == count
    assert found(place) == ()


BLINDING = {
    '{"env": {"HTTP_PROXY": "http://p:1"}}': True,
    '{"env": {"https_proxy": "http://p:1"}}': True,
    '{"env": {"ALL_PROXY": "socks5://p:1"}}': True,
    '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "./x.sh"}}': True,
    '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "off"}}': True,
    '{"env": {"LD_PRELOAD": "./x.so"}}': True,
    '{"env": {"LD_LIBRARY_PATH": "0"}}': True,
    '{"env": {"LD_SHOW_AUXV": ""}}': True,
    '{"env": {"LD_TRACE_LOADED_OBJECTS": "1"}}': True,
    '{"env": {"DYLD_FALLBACK_LIBRARY_PATH": "lib"}}': True,
    '{"env": {"GLIBC_TUNABLES": "x"}}': True,
    '{"env": {"GCONV_PATH": "lib"}}': True,
    '{"env": {"LOCPATH": "lib"}}': True,
    '{"env": {"__PYVENV_LAUNCHER__": "./python"}}': True,
    '{"env": {"SHELLOPTS": "noexec"}}': True,
    '{"env": {"BASHOPTS": "extdebug"}}': True,
    '{"env": {"BASH_XTRACEFD": "1"}}': True,
    '{"env": {"BASH_FUNC_read%%": "() { :; }"}}': True,
    '{"env": {"__BASH_FUNC<read>()": "() { :; }"}}': True,
    '{"disableAllHooks": true}': False,
    '{"enabledPlugins": {"automode@automode": false}}': False,
    '{"allowedHttpHookUrls": []}': False,
    "{ no json": False,
}


@pytest.mark.parametrize("text", BLINDING)
def test_what_answers_in_the_place_of_hooks_is_told_from_what_switches_them_off(
    tmp_path: Path, text: str
) -> None:
    settings = tmp_path / "project" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(text)

    project = str(tmp_path / "project")
    found = switches(project, home=str(tmp_path), agent="claude-code", system=str(tmp_path))

    assert [one.blinds for one in found] == [BLINDING[text]]
    assert all(one.fix for one in found)


def test_the_systems_settings_are_looked_for_where_a_variable_says(place: Path) -> None:
    path = written(place / "elsewhere/mine.json", '{"disableAllHooks": true}')
    there = {"QWEN_CODE_SYSTEM_SETTINGS_PATH": str(path)}

    (found,) = switches(
        str(place / "project"), home=str(place / "home"), agent="qwen-code", environment=there
    )

    assert found.path == str(path)
