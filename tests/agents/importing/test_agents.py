"""Each agent's own files become these entries of ours."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from automode.agents.importing.theirs import Theirs, hold_back, importable, permissions_of, rules_in
from automode.agents.installing.site import Site
from automode.core.errors import BadSettings
from tests.rows import each_row


def site(home: Path) -> Site:
    return Site(str(home), {}, str(home / "project"))


def told(home: Path, agent: str, *, project: bool = False) -> list[Theirs]:
    permissions = permissions_of(agent)
    found, _ = rules_in((permissions.project if project else permissions.user)(site(home)))
    return hold_back(found)


def write(home: Path, files: Mapping[str, object]) -> None:
    for name, text in files.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text if isinstance(text, str) else json.dumps(text))


GEMINI_POLICY = """
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git push", "rm"]
decision = "deny"
priority = 100
[[rule]]
mcpName = "jira"
decision = "ask_user"
[[rule]]
toolName = "read_file"
decision = "deny"
modes = ["plan"]
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git status"
decision = "allow"
[[rule]]
toolName = "web_fetch"
decision = "allow"
modes = ["yolo"]
"""
CODEX_RULES = """
# mine
prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt", match = ["git push"])
prefix_rule(pattern = ["rm"], decision = "forbidden")
prefix_rule(pattern = ["gh", "pr", "view"])
prefix_rule(pattern = ["echo", "a b"])
prefix_rule(pattern = ["echo", "a b"], decision = "forbidden")
prefix_rule(pattern = ["echo", 1])
prefix_rule(pattern = [[], "x"])
"""
FOUND: list[tuple[str, Mapping[str, object], list[tuple[str, ...]]]] = [
    (
        "codex",
        {".codex/rules/default.rules": CODEX_RULES},
        [
            ("ask", "bash(git push *)", "bash(git fetch *)"),
            ("deny", "bash(rm *)"),
            ("allow", "bash(gh pr view *)"),
            ("allow",),
            ("deny", "bash(echo a?b *)"),
            *[("allow",)] * 2,
        ],
    ),
    (
        "gemini-cli",
        {
            ".gemini/settings.json": {
                "tools": {"allowed": ["run_shell_command(npm test)"], "exclude": ["web_fetch"]}
            },
            ".gemini/policies/mine.toml": GEMINI_POLICY,
        },
        [
            ("allow", "bash(npm test *)"),
            ("deny", "web_fetch"),
            ("deny", "bash(git push*)"),
            ("deny", "bash(rm*)"),
            ("ask", "mcp__jira__*"),
            ("deny", "read"),
            ("allow", "bash(git status *)"),
            ("allow",),
        ],
    ),
    (
        "qwen-code",
        {
            ".qwen/settings.json": {
                "permissions": {"allow": ["Bash(git log *)"], "deny": ["Read(.env)"]},
                "tools": {"exclude": ["run_shell_command(rm -rf)"]},
            }
        },
        [
            ("deny", "read(.env)", "edit(.env)"),
            ("allow", "bash(git log *)"),
            ("deny", "bash(rm -rf*)"),
        ],
    ),
    (
        "opencode",
        {
            ".config/opencode/opencode.json": {
                "permission": {
                    "*": "ask",
                    "bash": {
                        "*": "ask",
                        "git status *": "allow",
                        "rm *": "deny",
                        "git pus?": "deny",
                    },
                    "edit": {"docs/*.md": "allow"},
                    "read": {"*.env": "deny"},
                    "webfetch": "deny",
                    "task": {"explore": "deny", "general": "allow"},
                    "jira_*": "ask",
                    "external_directory": {"~/x/*": "allow"},
                }
            }
        },
        [
            ("ask",),
            ("ask",),
            ("allow", "bash(git status *)"),
            ("deny", "bash(rm *)"),
            ("deny", "bash(git pus?)"),
            ("allow",),
            ("deny", "read(//**.env)"),
            ("deny", "web_fetch"),
            ("deny", "agent"),
            ("allow",),
            ("ask", "mcp__opencode__jira_*"),
            ("allow",),
        ],
    ),
    (
        "opencode",
        {
            ".config/opencode/opencode.json": (
                '{"tools": {"write": false, "bash": true, "jira_*": false}, "permission": {'
                '"bash": {"git *": "allow"}, "write": "allow", "jira_get": "allow",'
                '"bash": {"npm *": "ask", "npm *": "allow"}}}'
            )
        },
        [
            ("allow", "bash(npm *)"),
            ("allow",),
            ("allow",),
            ("deny", "edit"),
            ("deny", "mcp__opencode__jira_*"),
        ],
    ),
    (
        "gemini-cli",
        {
            ".gemini/settings.json": {
                "tools": {
                    "allowed": ["Web_Fetch", "WebFetchTool", "mcp__a__b", "read_file", "glob(x)"],
                    "exclude": ["WriteFileTool", "EditTool", "ReadFileTool", "web_fetch(x)"],
                },
                "mcp": {"excluded": ["jira"]},
                "mcpServers": {"db": {"excludeTools": ["drop"]}},
            },
            ".gemini/policies/mine.toml": (
                '[[rule]]\nmcpName="jira"\ntoolName="jira"\ndecision="allow"\n'
                '[[rule]]\nmcpName=["a"]\ntoolName="web_fetch"\ndecision="allow"\n'
                '[[rule]]\nmcpName="a"\ntoolName="get_*"\ndecision="allow"\n'
                '[[rule]]\ndecision="allow"\n'
            ),
        },
        [
            ("allow",),
            ("allow", "web_fetch"),
            *[("allow",)] * 3,
            ("deny", "write"),
            ("deny", "edit"),
            ("deny", "read"),
            ("deny", "web_fetch"),
            ("deny", "mcp__jira__*"),
            ("deny", "mcp__db__drop"),
            ("allow", "mcp__jira__jira"),
            *[("allow",)] * 3,
        ],
    ),
    (
        "qwen-code",
        {
            ".qwen/settings.json": {
                "permissions": {"deny": ["ShellTool(rm:*)"], "allow": ["shell(ls)", "WebFetch"]},
                "tools": {"exclude": ["WriteFileTool"]},
            }
        },
        [
            ("deny", "bash(rm:*)"),
            ("allow",),
            ("allow", "web_fetch"),
            ("deny", "write"),
        ],
    ),
    (
        "cursor",
        {
            ".cursor/cli-config.json": {
                "permissions": {
                    "deny": [
                        *("Shell(rm)", "Shell(git*)", "Read(.env*)", "Read(/etc/passwd)"),
                        "Mcp(db:drop)",
                    ],
                    "allow": [
                        *("Shell(ls)", "Shell(git:status*)", "Write(src/**)"),
                        *("WebFetch(a.com)", "Mcp(db:query)", "Browse(x)", "Shell(g*t:status)"),
                    ],
                }
            }
        },
        [
            ("deny", "bash(rm *)"),
            ("deny", "bash(git*)"),
            ("deny", "read(.env*)", "edit(.env*)"),
            ("deny", "read(//etc/passwd)", "edit(//etc/passwd)"),
            ("deny", "mcp:drop"),
            ("allow", "bash(ls *)"),
            ("allow", "bash(git status*)"),
            ("allow",),
            ("allow", "web_fetch(https://a.com/*)"),
            *[("allow",)] * 3,
        ],
    ),
    (
        "pi",
        {
            ".pi/agent/extensions/pi-automode/config.json": {
                "autoMode": {"hard_deny": ["$defaults", "No mail."], "deniedPaths": ["~/.ssh/*"]},
                "permissions": {
                    "deny": ["bash(git push *)", "read(/srv/?.key)", "grep(TODO)"],
                    "allow": ["bash(npm test *)", "ls", "read(a)", "grep(TODO)", "no pattern!"],
                },
            }
        },
        [
            ("hard_deny", "No mail."),
            ("deny", "bash(git push *)"),
            ("deny", "read(/srv/**.key)"),
            ("deny", "grep"),
            ("allow", "bash(npm test ?*)"),
            ("allow", "ls"),
            *[("allow",)] * 3,
            ("deny", "read(~/.ssh/**)", "edit(~/.ssh/**)"),
        ],
    ),
]


@pytest.mark.parametrize(("agent", "files", "expected"), FOUND)
def test_the_files_of_an_agent_become_these_entries(
    agent: str, files: Mapping[str, object], expected: list[tuple[str, ...]], tmp_path: Path
) -> None:
    write(tmp_path, files)

    found = [(one.key.rpartition(".")[2], *one.said.ours) for one in told(tmp_path, agent)]

    assert found == expected


def test_every_agent_with_rules_of_its_own_is_known() -> None:
    agents = {row[0] for row in FOUND} | {"claude-code"}

    assert set(importable()) == agents


GEMINI_ALLOWS = """
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "allow"
"""
MISSED: list[tuple[str, str, object]] = [
    (
        "gemini-cli",
        ".gemini/policies/a.toml",
        '[[rule]]\ntoolName="run_shell_command"\ncommandPrefix="git"\ndecision="allow"\n'
        '[[rule]]\ncommandRegex="git push"\ndecision="deny"\n',
    ),
    *(
        ("gemini-cli", ".gemini/policies/a.toml", f"{GEMINI_ALLOWS}{stop}")
        for stop in (
            '[[rule]]\ntoolName="my-server__*"\ndecision="deny"\n',
            '[[rule]]\ntoolName="read_many_files"\ndecision="deny"\n',
            '[[rule]]\nmcpName=["s1","s2"]\ndecision="deny"\n',
            '[[rule]]\nmcpName=["s1"]\ntoolName="read_file"\ndecision="deny"\n',
            '[[rule]]\nmcpName="a b"\ndecision="deny"\n',
            '[[rule]]\ncommandPrefix="rm"\ndecision="deny"\n',
            '[[rule]]\ndecision="never"\n',
            '[[safety_checker]]\ntoolName="*"\n',
        )
    ),
    *(
        (agent, file, {"tools": {"allowed": ["run_shell_command(git)"]}} | stop)
        for agent, file in (
            ("gemini-cli", ".gemini/settings.json"),
            ("qwen-code", ".qwen/settings.json"),
        )
        for stop in (
            {"excludeTools": ["srv__drop"]},
            {"excludeTools": ["WRITE_FILE"]},
            {"coreTools": ["read_file"]},
            {"mcp": {"allowed": ["a"]}},
            {"mcp": {"excluded": ["a__b"]}},
            {"mcpServers": {"a": {"includeTools": ["b"]}}},
        )
    ),
    *(
        (
            "opencode",
            ".config/opencode/opencode.json",
            {"permission": {"bash": {"git *": "allow"}, **rules}, **others},
        )
        for rules, others in (
            ({"web*": "deny"}, {}),
            ({"ba*": "ask"}, {}),
            ({"grep": {"*password*": "deny"}}, {}),
            ({"glob": {"*.pem": "deny"}}, {}),
            ({"batch": "deny"}, {}),
            ({}, {"tools": {"*": False}}),
            ({}, {"tools": {"we*": False}}),
            ({}, {"agent": {"a": {"tools": {"write": False}}}}),
            ({}, {"mode": {"a": {"permission": "deny"}}}),
        )
    ),
    (
        "pi",
        ".pi/agent/extensions/pi-automode/config.json",
        {"permissions": {"deny": ["drop_table"], "allow": ["bash(npm test *)"]}},
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        {"permission": {"bash": {"git *": "allow", "*": "deny"}}},
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        {"permission": {"bash": {"git *": "allow"}}, "agent": {"a": {"permission": "deny"}}},
    ),
    (
        "codex",
        ".codex/rules/a.rules",
        'prefix_rule(pattern=["git"])\nprefix_rule(pattern=[X], decision="forbidden")',
    ),
]


@each_row("agent, name, text", MISSED)
def test_beside_a_prohibition_that_cannot_be_said_nothing_is_allowed(
    agent: str, name: str, text: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    write(home, {name: text})

    assert [one for one in told(home, agent) if one.said.ours] == []


BAD: list[tuple[str, str, object]] = [
    ("claude-code", ".claude/settings.json", '{"permissions": {"deny": ["Re'),
    ("claude-code", ".claude/settings.json", {"permissions": {"deny": "Read"}}),
    ("claude-code", ".claude/settings.json", {"permissions": {"deny": [1]}}),
    ("claude-code", ".claude/settings.json", ["x"]),
    ("claude-code", ".claude/settings.json", "x" * (1 << 21)),
    ("codex", ".codex/rules/a.rules", "prefix_rule("),
    ("codex", ".codex/rules/a.rules", "(" * 5000),
    ("gemini-cli", ".gemini/policies/a.toml", "[[rule"),
    ("gemini-cli", ".gemini/policies/a.toml", "rule = 3"),
    ("gemini-cli", ".gemini/policies/a.toml", "[[rule]]\ntoolName = 3"),
    ("opencode", ".config/opencode/opencode.json", {"permission": {"bash": "maybe"}}),
    ("opencode", ".config/opencode/opencode.json", {"permission": [1]}),
    ("cursor", ".cursor/cli-config.json", {"permissions": {"allow": {}}}),
]


@each_row("agent, name, text", BAD)
def test_a_file_that_cannot_be_understood_is_named(
    agent: str, name: str, text: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    write(home, {name: text})

    with pytest.raises(BadSettings, match="nothing was imported") as caught:
        told(home, agent)

    assert str(home / name) in str(caught.value)


@pytest.mark.parametrize("kind", ["circle", "folder"])
def test_a_link_in_a_circle_and_a_folder_are_named(kind: str, tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    if kind == "circle":
        file.symlink_to(file)
    else:
        file.mkdir()

    with pytest.raises(BadSettings, match=r"settings\.json"):
        told(tmp_path, "claude-code")


def test_too_many_files_of_rules_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {f".codex/rules/{number}.rules": "" for number in range(101)})

    with pytest.raises(BadSettings, match="more than 100"):
        told(tmp_path, "codex")


@each_row("agent", list(importable()))
def test_a_home_without_the_agent_holds_no_rules(agent: str, tmp_path: Path) -> None:
    assert told(tmp_path, agent) == []
    assert told(tmp_path, agent, project=True) == []
