"""Protected names, however a disk lets them be spelled."""

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.protected import PROTECTED_PATHS, Protected
from tests.rows import each_row

PROTECTED = Protected.of(PROTECTED_PATHS)

SPELLINGS = [
    *("/w/.git/config", "/w/.GIT/config", "/w/.git./config", "/w/.git /config", "/w/.git. ./x"),
    *("/w/AGENTS.md.", "/w/agents.MD", "/w/.npmrc ", "/w/.git::$INDEX_ALLOCATION/x"),
    *("/w/AGENTS.md:stream", "/w/AGENTS.md::$DATA", "/w/git~1/config", "/w/GIT~2/config"),
    *("/w/gi7eba~1/config", "/w/CLAUDE~1.MD", "/w/github~1/workfl~1/x.yml", "/w/PRE-CO~1.YAM"),
    *("/w/.g\u200cit/config", "/w/.gi\ufefft/x", "/w/\uff0egit/x", "/w/.\uff47it/config"),
    *(
        "/w/.gi\u00adt/x",
        "/w\uff0f.git/x",
        "/w/AGENT\u017f.md",
        "/w/.git\\config",
        "C:\\x\\.git\\y",
    ),
    *("/w/.claude/worktrees/fix/.git", "/w/.claude/worktrees"),
    *("/w/.hg/hgrc", "/w/.jj/x", "/w/mise.toml", "/w/.mise.toml", "/w/lefthook.toml"),
    *("/w/lefthook.json", "/w/lefthook-local.yml", "/w/.windsurf/x", "/w/.roo/x", "/w/.kiro/x"),
    *("/w/.continue/x", "/w/.zed/x", "/w/rust-toolchain", "/w/rust-toolchain.toml"),
    *("/w/ansible.cfg", "/w/.exrc", "/w/.gdbinit", "/w/.gitlab-ci.yml", "/w/Jenkinsfile"),
    *("/w/azure-pipelines.yml", "/w/bitbucket-pipelines.yml", "/w/.travis.yml", "/w/.drone.yml"),
    *("/w/.woodpecker/x", "/w/.buildkite/x", "/w/.github/instructions/x", "/w/.github/prompts/x"),
    *("/w/.github/agents/x", "/w/.github/hooks/x", "/w/.yarnrc.yml", "/w/.terraformrc"),
    *("/w/lefthook-local.toml", "/w/.lefthook-local.yaml", "/w/.huskyrc", "/w/.huskyrc.js"),
    *("/w/mise.local.toml", "/w/.mise.local.toml", "/w/.config/mise/config.toml", "/w/.mise/x"),
    *("/w/.pnp.js", "/w/devbox.json", "/w/.pdbrc", "/w/.autoenv", "/w/.autoenv.zsh"),
    *("/w/.github/CODEOWNERS", "/w/.github/dependabot.yml", "/w/renovate.json"),
    *("/w/.direnv/x", "/w/.cline/hooks/PreToolUse", "/w/.clinerules/hooks/PreToolUse"),
]

ORDINARY = [
    *("/w/src/a.py", "/w/git/config", "/w/a.b/c.", "/w/notes:x", "/w/x~1", "/w/a~", "/w/.gitkeep"),
    *("/c/Users/RUNNER~1/w/a.py", "/w/.github/ISSUE_TEMPLATE/x", "/w/.claude/worktrees/fix/a.py"),
    *("/w/caf\u00e9/\u6587.txt", "/w/.env.example", "/w/continue/x", "/w/.sops.yaml"),
    *("/w/lefthook/x", "/w/mise/x.py", "/w/promise.toml", "/w/src/mise.py"),
]


@each_row("path", SPELLINGS)
def test_a_protected_name_is_known_in_every_spelling(path: str) -> None:
    assert PROTECTED.matches(path)
    assert PROTECTED.covers(path, Workspace("/w", "/w", "/home/u", Names("/w")))


@each_row("path", ORDINARY)
def test_ordinary_names_are_not_protected(path: str) -> None:
    assert not PROTECTED.matches(path)
