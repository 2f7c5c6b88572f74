"""What a project tells an agent is harmless only where every key is known to be; all else waits
for a person."""

import json
import os
import subprocess
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automode.facts import agent_settings
from automode.facts.agent_settings import LARGEST_BYTES, Switch
from automode.facts.project_files import foreign, foreign_stamp, rows

CLAUDE, LOCAL = ".claude/settings.json", ".claude/settings.local.json"
HOOK = '[{"hooks": [{"type": "command", "command": "sh .claude/x.sh"}]}]'
SET = "[shell_environment_policy.set]\n"
HEAD = "---\nname: x\ndescription: does all\n%s---\nText.\n"

HARMLESS = [
    # agent, file, text
    ("claude-code", CLAUDE, "{}"),
    ("claude-code", CLAUDE, '{"model": "x", "includeCoAuthoredBy": false, "outputStyle": "y"}'),
    ("claude-code", CLAUDE, '{"permissions": {"allow": ["Bash"], "deny": ["Read(.env)"]}}'),
    ("claude-code", CLAUDE, '{"permissions": {"defaultMode": "bypassPermissions"}}'),
    ("claude-code", CLAUDE, '{"env": {"NO_COLOR": "1", "ANTHROPIC_MODEL": "x"}}'),
    ("claude-code", CLAUDE, '{"env": {}, "hooks": {"PreToolUse": []}}'),
    ("claude-code", ".mcp.json", '{"mcpServers": {"a": {"command": "x"}}}'),
    ("claude-code", "CLAUDE.md", "!`touch x`"),
    ("claude-code", ".claude/commands/a/fix.md", "Fix it!"),
    ("claude-code", ".claude/commands/fix.md", HEAD % "allowed-tools:\n- Bash\n- Read\n"),
    ("claude-code", ".claude/agents/x.md", HEAD % "tools: Read\nmodel: haiku\n"),
    ("claude-code", ".claude/skills/x/SKILL.md", HEAD % "metadata:\n  hooks: none\n"),
    ("claude-code", ".claude/skills/x/SKILL.md", "--- no head"),
    ("claude-code", ".claude/skills/x/scripts/run.sh", "#!/bin/sh"),
    ("claude-code", ".claude/hooks/x.sh", "#!/bin/sh"),
    ("claude-code", ".env", "PYTHONPATH=x"),
    ("codex", ".codex/config.toml", 'model = "x"\n[tui]\ntheme = "y"\n[features]\nhooks = true\n'),
    ("codex", ".codex/config.toml", f'{SET}LANG = "C"\n'),
    ("gemini-cli", ".gemini/settings.json", '{"ui": {"theme": "x"}, "model": {"name": "y"}}'),
    ("gemini-cli", ".env", "DATABASE_URL=x\n# LD_PRELOAD=x\nOPENAI_API_KEY=y\nPORT=1\n"),
    ("gemini-cli", ".gemini/commands/a.toml", 'description = "x"\nprompt = "do it"\n'),
    ("qwen-code", ".qwen/settings.json", '{"ui": {"theme": "x"}, "env": {"QWEN_MODEL": "y"}}'),
    ("opencode", "opencode.json", '{"model": "x", "theme": "y", "permission": {"bash": "ask"}}'),
    ("opencode", "opencode.jsonc", '// ours\n{"agent": {"build": {"model": "x",}}}'),
    ("opencode", ".opencode/agents/x.md", "---\ndescription: x\nmode: primary\n---\nText"),
    ("opencode", ".opencode/themes/x.json", "{}"),
    ("pi", ".pi/settings.json", '{"theme": "x", "compaction": {"enabled": true}}'),
    ("pi", ".pi/extensions/.gitkeep", ""),
    ("pi", ".pi/skills/x/SKILL.md", HEAD % "hooks: x\n"),
    ("copilot-cli", ".github/workflows/x.yml", "on: push"),
    ("cline", ".clinerules/style.md", "Be brief."),
    ("nobody", CLAUDE, '{"unknown": 1}'),
]

LOOKED_AT = [
    # agent, file, text, what is named, whether it may answer in the person's place
    ("claude-code", CLAUDE, '{"sandbox": {"network": {"httpProxyPort": 1}}}', "sandbox", True),
    ("claude-code", CLAUDE, '{"enabledPlugins": {"a@b": true}}', "enabledPlugins", True),
    ("claude-code", CLAUDE, '{"enabledPlugins": {"automode@automode": false}}', "enabled", True),
    ("claude-code", CLAUDE, '{"extraKnownMarketplaces": {"a": {}}}', "Marketplaces", True),
    ("claude-code", CLAUDE, '{"additionalMarketplaces": {"a": {}}}', "Marketplaces", True),
    ("claude-code", CLAUDE, '{"allowedHttpHookUrls": []}', "allowedHttpHookUrls", True),
    ("claude-code", CLAUDE, f'{{"hooks": {{"PermissionRequest": {HOOK}}}}}', "Permission", True),
    ("claude-code", CLAUDE, f'{{"hooks": {{"PreToolUse": {HOOK}}}}}', "hooks.PreToolUse", True),
    ("claude-code", CLAUDE, f'{{"hooks": {{"SessionStart": {HOOK}}}}}', "SessionStart", True),
    ("claude-code", CLAUDE, f'{{"hooks": {{"UserPromptSubmit": {HOOK}}}}}', "UserPrompt", True),
    ("claude-code", CLAUDE, f'{{"hooks": {{"CwdChanged": {HOOK}}}}}', "CwdChanged", True),
    ("claude-code", CLAUDE, f'{{"hooks": {{"ComesLater": {HOOK}}}}}', "ComesLater", True),
    ("claude-code", CLAUDE, f'{{"hooks": {{"PostToolUse": {HOOK}}}}}', "PostToolUse", True),
    ("claude-code", CLAUDE, '{"hooks": "x"}', "hooks", True),
    ("claude-code", CLAUDE, '{"statusLine": {"command": "x"}}', "statusLine", True),
    ("claude-code", CLAUDE, '{"apiKeyHelper": "x"}', "apiKeyHelper", True),
    ("claude-code", CLAUDE, '{"awsAuthRefresh": "x"}', "awsAuthRefresh", True),
    ("claude-code", CLAUDE, '{"otelHeadersHelper": "x"}', "otelHeadersHelper", True),
    ("claude-code", CLAUDE, '{"fileSuggestion": {"command": "x"}}', "fileSuggestion", True),
    ("claude-code", CLAUDE, '{"enableAllProjectMcpServers": true}', "enableAll", True),
    ("claude-code", LOCAL, '{"enabledMcpjsonServers": ["x"]}', "enabledMcpjson", True),
    ("claude-code", CLAUDE, '{"__proto__": {"disableAllHooks": true}}', "__proto__", True),
    ("claude-code", CLAUDE, '{"permissions": {"unknown": true}}', "permissions.unknown", True),
    ("claude-code", CLAUDE, '{"\\u0065nv": {"X": "1"}}', "env.X", True),
    ("claude-code", CLAUDE, '{"env": {"LANG": "C"}, "env": {"LD_PRELOAD": ""}}', "LD_PR", True),
    *(
        ("claude-code", CLAUDE, json.dumps({"env": {name: "x"}}), f"env.{name}"[:40], True)
        for name in (
            "RIPGREP_CONFIG_PATH PYTHONPATH GIT_CONFIG_COUNT GIT_EXTERNAL_DIFF LD_PRELOAD PATH HOME"
            " BASH_ENV HTTP_PROXY https_proxy CLAUDE_CODE_SHELL_PREFIX SHELLOPTS BASH_FUNC_ls%%"
            " NODE_OPTIONS CLAUDE_ENV_FILE ANTHROPIC_BASE_URL PAGER TZ"
        ).split()
    ),
    ("claude-code", ".claude/agents/x.md", HEAD % "hooks:\n  PreToolUse: []\n", "hooks", True),
    ("claude-code", ".claude/agents/x.md", HEAD % "mcpServers: x\n", "mcpServers", True),
    ("claude-code", ".claude/agents/x.md", HEAD % '"hooks": {}\n', "hooks", True),
    ("claude-code", ".claude/agents/x.md", HEAD % "hooks : {}\n", "hooks", True),
    ("claude-code", ".claude/agents/x.md", HEAD % "? hooks\n: {}\n", "hooks", True),
    ("claude-code", ".claude/agents/x.md", HEAD % "<<: *a\n", "<<", True),
    ("claude-code", ".claude/agents/x.md", "---\n{hooks: {}}\n---\n", "hooks", True),
    ("claude-code", ".claude/agents/x.md", "\n---\n  name: x\n  hooks: {}\n---\n", "name", True),
    ("claude-code", ".claude/agents/x.md", "---\r\nname: x\r\nhooks: {}\r\n---\r\n", "hook", True),
    ("claude-code", ".claude/agents/a/b/x.MD", HEAD % "hooks: {}\n", "hooks", True),
    ("claude-code", ".claude/commands/x.md", HEAD % "hooks: {}\n", "hooks", True),
    ("claude-code", ".claude/skills/x/SKILL.md", HEAD % "hooks: {}\n", "hooks", True),
    ("claude-code", ".claude/skills/x/SKILL.md", "Now: !`date`\n", "!`", False),
    ("claude-code", ".claude/commands/x.md", "```!\ndate\n```\n", "```!", False),
    ("claude-code", ".claude/skills/x/.claude-plugin/plugin.json", "{}", "", True),
    ("claude-code", ".claude/workflows/x.js", "x", "", True),
    ("codex", ".codex/config.toml", f'{SET}PYTHONPATH = "x"\n', "PYTHONPATH", True),
    ("codex", ".codex/config.toml", f'{SET}"BASH_FUNC_ls%%" = "x"\n', "BASH_FUNC", True),
    ("codex", ".codex/config.toml", 'notify = ["x"]\n', "notify", True),
    ("codex", ".codex/config.toml", '[mcp_servers.a]\ncommand = "x"\n', "mcp_servers", True),
    ("codex", ".codex/config.toml", "[features]\nnew = true\n", "features.new", True),
    ("codex", ".codex/hooks.json", '{"hooks": {}}', "hooks", True),
    ("gemini-cli", ".gemini/settings.json", '{"hooks": {"AfterTool": [{}]}}', "AfterTool", True),
    ("gemini-cli", ".gemini/settings.json", '{"tools": {"callCommand": "x"}}', "call", True),
    ("gemini-cli", ".gemini/settings.json", '{"mcpServers": {"a": {}}}', "mcpServers", True),
    ("gemini-cli", ".env", "A_KEY=1\n export PYTHONPATH = x\n", "PYTHONPATH", True),
    ("gemini-cli", ".gemini/.env", "GEMINI_CLI_HOME: x\n", "GEMINI_CLI_HOME", True),
    ("gemini-cli", ".gemini/commands/a.toml", 'prompt = "!{date}"\n', "!{", False),
    ("qwen-code", ".qwen/settings.json", '{"env": {"QWEN_CODE_SAFE_MODE": "1"}}', "SAFE", True),
    ("qwen-code", ".qwen/settings.json", '{"ui": {"statusLine": {"a": 1}}}', "status", True),
    ("qwen-code", ".qwen/.env", "LD_LIBRARY_PATH: ./lib\n", "LD_LIBRARY_PATH", True),
    ("opencode", "opencode.json", '{"shell": "x"}', "shell", True),
    ("opencode", ".opencode/opencode.jsonc", '{"plugin": ["x"]}', "plugin", True),
    ("opencode", "opencode.json", '{"provider": {"a": {"npm": "x"}}}', "provider", True),
    ("opencode", "opencode.json", '{"command": {"a": {"template": "!`x`"}}}', "!`", False),
    ("opencode", ".opencode/plugins/x.ts", "x", "", True),
    ("opencode", ".opencode/tools/read.ts", "x", "", True),
    ("opencode", ".opencode/command/x.md", "Now: !`date`", "!`", False),
    ("pi", ".pi/extensions/x.ts", "x", "", True),
    ("pi", ".pi/settings.json", '{"packages": ["./x"]}', "packages", True),
    ("pi", ".pi/settings.json", '{"extensions": ["-automode.ts"]}', "extensions", True),
    ("pi", ".pi/settings.json", '{"shellCommandPrefix": "x"}', "shellCommandPrefix", True),
    ("pi", ".pi/settings.json", '{"npmCommand": ["x"]}', "npmCommand", True),
    ("copilot-cli", CLAUDE, f'{{"hooks": {{"PreToolUse": {HOOK}}}}}', "PreToolUse", True),
    ("copilot-cli", ".github/copilot/settings.json", '{"hooks": {"x": []}}', "hooks", True),
    ("copilot-cli", ".github/hooks/x.json", "{}", "", True),
    ("copilot-cli", ".github/extensions/x/extension.mjs", "x", "", True),
    ("cline", ".clinerules/hooks/PreToolUse", "#!/bin/sh", "", True),
    ("cline", ".cline/hooks/PreToolUse", "#!/bin/sh", "", True),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(project: Path, agent: str = "claude-code") -> tuple[Switch, ...]:
    return foreign(str(project), home=str(project.parent / "home"), agent=agent)


def stamp(project: Path, agent: str = "claude-code") -> str:
    return foreign_stamp(str(project), home=str(project.parent / "home"), agent=agent)


@pytest.mark.parametrize(("agent", "name", "text"), HARMLESS)
def test_what_an_ordinary_project_says_is_harmless(
    project: Path, agent: str, name: str, text: str
) -> None:
    written(project / name, text)

    assert found(project, agent) == ()


@pytest.mark.parametrize(("agent", "name", "text", "said", "blinds"), LOOKED_AT)
def test_all_else_waits_for_a_person(
    project: Path, agent: str, name: str, text: str, said: str, *, blinds: bool
) -> None:
    before = stamp(project, agent)
    path = written(project / name, text)

    (one,) = found(project, agent)

    assert str(path).startswith(one.path)
    assert said in one.what
    assert (one.blinds, one.asks) == (blinds, not blinds)
    assert "automode trust --project" in one.fix
    assert one.digest
    assert stamp(project, agent) != before


READ_DIFFERENTLY = [
    ("claude-code", ".claude/agents/x.md", "---\n# x\u2028name: y\n hooks: {}\n---\n"),
    ("claude-code", ".claude/agents/x.md", "---\nname: x\x85hooks: {}\n---\n"),
    ("claude-code", ".claude/agents/x.md", "---\nhooks: {} ---\n"),
    ("opencode", ".opencode/command/x.md", "---js\nx\n"),
    ("opencode", "opencode.jsonc", '{ // a\r "shell": "x",\n "username": "x"}'),
    ("gemini-cli", ".gemini/.env", "PORT=1\rBASH_ENV=x"),
    ("gemini-cli", ".env", "PORT=1\n\xa0BASH_ENV=x"),
]


@pytest.mark.parametrize(("agent", "name", "text"), READ_DIFFERENTLY)
def test_what_agents_may_read_differently_is_refused(
    project: Path, agent: str, name: str, text: str
) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())

    (one,) = found(project, agent)

    assert one.blinds
    assert not one.digest


FILLED_IN = [
    ("claude-code", ".claude/commands/x.md", "See !$ARGUMENTS`touch x`\n", "!`"),
    ("claude-code", ".claude/commands/x.md", "``$ARGUMENTS`!\ntouch x\n```\n", "```!"),
    ("opencode", "opencode.json", '{"command": {"a": {"template": "!\\u0060x\\u0060"}}}', "!`"),
    ("opencode", "opencode.json", '{"command": {"a": {"template": "!{env:NO}`x`"}}}', "!`"),
    (
        "opencode",
        "opencode.json",
        '{"username": "{env:", /* }", "plugin": ["x"], "theme": "{env: */ "theme": "}"}',
        "plugin",
    ),
    ("opencode", "opencode.json", '{"command": {"a": {"template": "{file:./t}"}}}', "{file:"),
    ("gemini-cli", ".env", "BASH_ENV\n=x", "BASH_ENV"),
    ("opencode", ".claude/skills/x/SKILL.md", "---js\nx\n---\n", "js"),
]


@pytest.mark.parametrize(("agent", "name", "text", "said"), FILLED_IN)
def test_what_an_agent_fills_in_first_counts(
    project: Path, agent: str, name: str, text: str, said: str
) -> None:
    written(project / name, text)

    (one,) = found(project, agent)

    assert said in one.what


def test_folders_above_count_without_a_repository_and_above_a_submodule(project: Path) -> None:
    written(project / ".claude/skills/x/SKILL.md", HEAD % "hooks: {}\n")
    inner = project / "sub"
    inner.mkdir()
    assert len(foreign(str(inner), home="/nowhere", agent="claude-code")) == 1

    written(inner / ".git", "gitdir: ../.git/modules/sub\n")
    assert len(foreign(str(inner), home="/nowhere", agent="claude-code")) == 1


@pytest.mark.parametrize(
    "command",
    [
        '"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh',
        '"${CLAUDE_PROJECT_DIR:-.}"/.claude/hooks/x.sh',
        "$(git rev-parse --show-toplevel)/.claude/hooks/x.sh",
        "cd .claude/hooks && ./x.sh",
        "sh .claude/hooks/*.sh",
    ],
)
def test_trust_ends_when_the_script_of_a_hook_changes(project: Path, command: str) -> None:
    script = written(project / ".claude/hooks/x.sh", "true\n")
    told = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    written(project / ".claude/settings.json", json.dumps(told))
    (before,) = found(project, "claude-code")

    script.write_text("touch x\n")

    (after,) = found(project, "claude-code")
    assert before.digest != after.digest


def test_a_link_to_tracked_settings_is_no_answer_of_a_person(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    written(project / "cfg/settings.local.json", '{"enableAllProjectMcpServers": true}')
    (project / ".claude").symlink_to("cfg")
    subprocess.run(["git", "-C", str(project), "add", "-A"], check=True)

    assert [one.blinds for one in found(project, "claude-code")] == [True]


ONE_OF_EACH = [one for one in HARMLESS if one[0] != "nobody" and one[1].endswith((".json", "toml"))]


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    row=st.sampled_from(
        [one for one in ONE_OF_EACH if one[1].startswith((".claude", ".pi", ".q"))]
    ),
    name=st.text(min_size=1, max_size=8).map(lambda text: f"{text}?"),
    value=st.one_of(st.none(), st.booleans(), st.text(max_size=4), st.just([]), st.just({})),
    first=st.booleans(),
)
def test_a_key_that_nobody_knows_never_stays_silent(
    project: Path, row: tuple[str, str, str], name: str, value: object, *, first: bool
) -> None:
    agent, file, text = row
    known: dict[str, object] = json.loads(text)
    told = {name: value, **known} if first else {**known, name: value}
    path = written(project / file, json.dumps(told))

    assert [one.path for one in found(project, agent)] == [str(path)]
    path.unlink()


UNREADABLE = ['{"a"', "[" * 100_000, "not json", '{"a": ' + "9" * 10_000 + "}", "[]", '"x"', "1"]


@pytest.mark.parametrize("text", UNREADABLE, ids=lambda text: text[:12])
def test_what_nobody_understands_waits_for_a_person(project: Path, text: str) -> None:
    written(project / CLAUDE, text)

    (one,) = found(project)

    assert "cannot be understood" in one.what
    assert one.blinds
    assert one.digest == ""
    assert len(one.what) < 300


@pytest.mark.parametrize("kind", ["pipe", "large", "bytes", "many"])
def test_what_nobody_can_look_at_waits_for_a_person(
    project: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / CLAUDE
    path.parent.mkdir()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "large":
            path.write_text(" " * (LARGEST_BYTES + 1))
        case "bytes":
            path.write_bytes(b"\xff\xfe{}")
        case _:
            monkeypatch.setattr(agent_settings, "MOST_NAMES", 3)
            for number in range(5):
                (project / f".claude/skills/{number}").mkdir(parents=True)

    assert [one.blinds for one in found(project)][:1] == [True]
    assert stamp(project)


def test_a_folder_or_nothing_in_the_place_of_settings_says_nothing(project: Path) -> None:
    (project / ".env").mkdir()
    (project / ".gemini").mkdir()
    (project / ".gemini/settings.json").symlink_to("nowhere")

    assert found(project, "gemini-cli") == ()


def test_the_home_folder_is_no_project(project: Path) -> None:
    home = project.parent / "home"
    written(home / CLAUDE, '{"apiKeyHelper": "x"}')
    (home / ".git").mkdir()

    assert foreign(str(home), home=str(home), agent="claude-code") == ()


def test_what_is_trusted_is_what_is_not_harmless_and_the_files_that_it_names(
    project: Path,
) -> None:
    path = written(project / LOCAL, f'{{"hooks": {{"Stop": {HOOK}}}}}')
    script = written(project / ".claude/x.sh", "true")
    [first], stamps = found(project), {stamp(project)}

    path.write_text(f'{{"hooks": {{"Stop": {HOOK}}}, "permissions": {{"allow": ["Bash"]}}}}')
    assert [one.digest for one in found(project)] == [first.digest]
    script.write_text("something else")
    [second] = found(project)
    stamps.add(stamp(project))
    path.write_text(f'{{"hooks": {{"Stop": {HOOK}, "Notification": {HOOK}}}}}')
    [third] = found(project)

    assert len({first.digest, second.digest, third.digest}) == 3
    assert len(stamps) == 2


@pytest.mark.parametrize("name", ["b.ts", "b.d.ts", "deep/c.js"])
def test_every_file_of_a_folder_of_code_counts(project: Path, name: str) -> None:
    written(project / ".pi/extensions/a.ts", "x")
    [before], stamps = found(project, "pi"), stamp(project, "pi")
    written(project / ".pi/extensions" / name, "x")

    [after] = found(project, "pi")

    assert after.digest not in ("", before.digest)
    assert stamp(project, "pi") != stamps


def test_a_folder_of_code_that_leads_elsewhere_is_never_trusted(project: Path) -> None:
    (project / ".pi").mkdir()
    (project / ".pi/extensions").mkdir()
    (project / ".pi/extensions/a").symlink_to("/")

    (one,) = found(project, "pi")

    assert one.digest == ""


def test_the_persons_own_answers_about_servers_count_where_git_did_not_bring_them(
    project: Path,
) -> None:
    path = written(project / LOCAL, '{"enabledMcpjsonServers": ["x"]}')
    git = ["git", "-C", str(project)]
    subprocess.run([*git, "init", "-q"], check=True)
    written(project / "a.txt", "x")
    subprocess.run([*git, "add", "a.txt"], check=True)
    assert found(project) == ()

    subprocess.run([*git, "add", "-f", LOCAL], check=True)
    assert [one.path for one in found(project)] == [str(path)]


def test_without_a_name_every_agent_is_looked_at(project: Path) -> None:
    written(project / ".env", "PYTHONPATH=x")
    written(project / "opencode.json", '{"shell": "x"}')

    seen = foreign(str(project), home=str(project.parent / "home"))

    assert {one.agent for one in seen} == {"gemini-cli", "qwen-code", "opencode"}


def test_the_table_says_nothing_that_is_not_read() -> None:
    text = files("automode.facts").joinpath("harmless.toml").read_text("utf-8")
    known = set("agents files harmless asked variables names marks untracked inside".split())
    for row in tomllib.loads(text)["row"]:
        assert set(row) <= known | {"code", "marker"}
        assert row["agents"]
        assert row["files"]
    assert len(rows()) > 10
