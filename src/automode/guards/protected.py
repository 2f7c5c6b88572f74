"""Protected paths: files whose change changes what runs later. No fast path may allow one."""

from collections.abc import Iterable
from dataclasses import dataclass

from automode.core.paths import normal
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace

PROTECTED_PATHS: tuple[str, ...] = tuple(
    """
    .git .config/git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .pi .claude .codex .gemini
    .qwen .opencode .copilot .cursor .clinerules .automode .github/workflows .github/actions
    .github/copilot-instructions.md .gitlab-ci.yml .circleci
    AGENTS.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md SKILL.md .cursorrules .windsurfrules
    .gitconfig .gitmodules .gitignore .gitattributes
    .bashrc .bash_profile .bash_login .bash_aliases .bash_logout .zshrc .zprofile .zshenv .zlogin
    .zlogout .profile .kshrc .cshrc .tcshrc .config/fish .config/powershell .envrc
    .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml
    .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml .pre-commit-hooks.yaml
    lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml
    gradle-wrapper.properties maven-wrapper.properties .devcontainer.json .ripgreprc
    pyrightconfig.json .mcp.json .claude.json opencode.json opencode.jsonc pip.conf .pip .pypirc
    .condarc .netrc .curlrc .wgetrc .ssh .gnupg .aws .kube .docker
    """.split()
)

_EXEMPT = (".claude/worktrees",)
"""Whole checkouts that hosts keep in a protected folder; they are judged by their own contents."""


@dataclass(frozen=True, slots=True)
class Protected:
    """Matches a name anywhere in a path, so another checkout's `.git/config` counts too."""

    patterns: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Protected":
        return cls(tuple(tuple(path.strip("/").casefold().split("/")) for path in paths))

    def matches(self, path: str) -> bool:
        """Whether the absolute `path` is protected by its name."""
        whole = normal(path).casefold()
        for exempt in _EXEMPT:
            before, found, after = whole.partition(f"/{exempt}/")
            if found:
                whole = f"{before}/{after}"
        parts = tuple(whole.split("/"))
        return any(_contains(parts, pattern) for pattern in self.patterns)

    def covers(self, path: str, workspace: Workspace) -> bool:
        """Whether `path`, in any reading of it and with its links followed, is protected. What
        cannot be resolved counts as protected."""
        for full in meant_paths(path, workspace):
            resolved = workspace.files.resolve(full)
            if resolved is None or self.matches(full) or self.matches(resolved):
                return True
        return False


def _contains(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    width = len(pattern)
    return any(parts[i : i + width] == pattern for i in range(len(parts) - width + 1))
