"""Hidden files and environments in a workspace: tools act upon them, unless they are only data."""

import re

from automode.core.files import Kind
from automode.core.paths import exactly_within
from automode.core.workspace import Workspace
from automode.guards.protected import comparable_parts, may_be_short

# Whoever reads these takes nothing from them but text, numbers and names of files: no command,
# program, plug-in, module, address of a package or instruction. With a `/` at its end an entry
# stands for all that is below, as far as no hidden name comes there again.
HARMLESS = tuple(
    """
    .editorconfig .gitkeep .keep .mailmap .git-blame-ignore-revs .gitmessage .nojekyll
    .dockerignore .npmignore .prettierignore .eslintignore .stylelintignore .markdownlintignore
    .gcloudignore .vercelignore .helmignore .slugignore .cfignore .ebignore .clang-format-ignore
    .clang-format .rustfmt.toml .yamllint .yamllint.yml .yamllint.yaml .hadolint.yml .hadolint.yaml
    .markdownlint.json .markdownlint.jsonc .markdownlint.yml .markdownlint.yaml .jshintrc
    .htmlhintrc .typos.toml .codecov.yml .codecov.yaml .all-contributorsrc .zenodo.json
    .release-please-manifest.json .env.dist .*.example .*.sample .*.template
    .changeset/*.md .changeset/pre.json .changeset .*/docs/**/*.md .*/progress.md
    .planning .planning/ .context .context/ .learnings .learnings/ .superpowers .superpowers/
    .entire/metadata/ .entire/logs/ .entire/*.log
    .github/*.md .github/funding.yml .github/release.yml .github/issue_template/
    .github/discussion_template/ .github/pull_request_template/ .well-known/
    .worktrees/ .*/worktrees/
    """.split()
)
_INSTALLED = frozenset("bin lib lib64 scripts include share".split())


def _pattern(entry: str) -> str:
    text = re.escape(entry).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    return f"{text}.+" if entry.endswith("/") else text


_HARMLESS = re.compile("|".join(map(_pattern, HARMLESS)), re.DOTALL)


def is_acted_upon(full: str, workspace: Workspace) -> bool:
    """Whether the absolute path has a hidden name in the workspace that is not known to stand for
    data, or lies in an environment that holds programs."""
    for folder in dict.fromkeys((*workspace.folders, *_real_folders(workspace))):
        if exactly_within(full, folder):
            below = full[len(folder) :].strip("/")
            if _is_hidden(below) or _is_installed(folder, below, workspace):
                return True
    return False


def _real_folders(workspace: Workspace) -> list[str]:
    return [workspace.files.resolve(folder) or folder for folder in workspace.folders]


def _is_hidden(below: str) -> bool:
    parts = comparable_parts(below.replace("\\", "/"))
    return any(
        may_be_short(name) or (name[:1] == "." and not _HARMLESS.fullmatch("/".join(parts[at:])))
        for at, name in enumerate(parts)
        if not (name == "." or name == "..")
    )


def _is_installed(folder: str, below: str, workspace: Workspace) -> bool:
    """In the root of a workspace that is an environment itself, only its own folders are."""
    names = below.split("/")
    if _is_environment(folder, workspace) and names[0].casefold() in _INSTALLED:
        return True
    above = ("/".join((folder, *names[:end])) for end in range(1, len(names)))
    return any(_is_environment(one, workspace) for one in above)


def _is_environment(folder: str, workspace: Workspace) -> bool:
    files = workspace.files
    return (
        files.kind(f"{folder}/pyvenv.cfg") is Kind.FILE
        or files.kind(f"{folder}/conda-meta") is Kind.FOLDER
    )
