"""Whether a file of settings in a project holds a credential: a token of a registry, a password in
an address, a header that signs in."""

import re

from automode.core.files import Files

_FILE_BYTES = 65_536
_REPOSITORY = ("config", "config.worktree")
_SIGN_IN = frozenset(
    """.npmrc .yarnrc .yarnrc.yml .yarnrc.yaml .terraformrc terraform.rc pip.conf pip.ini
    nuget.config .condarc .curlrc _curlrc .wgetrc .pnpmrc .gemrc""".split()
)
"""Where tokens lie as a rule."""
_MAY_HOLD = frozenset(
    """bunfig.toml .bunfig.toml gradle.properties local.properties sentry.properties settings.xml
    .mcp.json mcp.json mcp_config.json settings.json settings.local.json poetry.toml .gitconfig
    .gitmodules""".split()
)
_IN_A_FOLDER = ("/.cargo/config", "/.cargo/config.toml", "/.bundle/config")
SETTING_NAMES = (*sorted(_SIGN_IN | _MAY_HOLD), "config")
"""How the names of such files begin that are found in any folder."""

_KEY = r"(?:auth|token|secret|passw|pwd|pass\b|api[-_]?key|access[-_]?key|private[-_]?key|bearer)"
_NO_VALUE = r"(?:\$\{?\w|%\w+%|\{\{|(?:true|false|null|none|yes|no|always|never)\b)"
_TOKEN = re.compile(
    r"://[^/\s@:]*:[^/\s@$]+@|://[^/\s@:$]{20,}@|extraheader"
    # `_authToken=x`, `npmAuthToken: x`, `"apiKey": "x"`, `key="Password" value="x"`
    rf"|{_KEY}[\w.-]*[\"']?\]?[ \t]*(?:[=:]|value[ \t]*=)+[ \t]*[\"']?(?!{_NO_VALUE})"
    r"[^\s\"',;#{\[]"
    rf"|<[\w.:-]*{_KEY}[\w.-]*>\s*(?!{_NO_VALUE})[^<\s]"
    r"|--?(?:token|password|user|api-?key|oauth2-bearer)[\"',=\s]+\w|^-?u(?:ser)?[\s=]+\S+:\S"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|npm_\w{20}|xox[a-z]-|AKIA[A-Z0-9]{12}|sk-\w{8}|eyJ\w{8})",
    re.IGNORECASE | re.MULTILINE,
)


def holds_token(path: str, files: Files) -> bool:
    """Whether the absolute `path` is such a file and is seen to hold a credential."""
    folder, _, name = path.casefold().rpartition("/")
    in_repository = name in _REPOSITORY and "/.git" in f"{folder}/"
    in_a_folder = path.casefold().endswith(_IN_A_FOLDER)
    if not (in_repository or in_a_folder or name in _SIGN_IN or name in _MAY_HOLD):
        return False
    text = files.text(path, _FILE_BYTES)
    return text is not None and _TOKEN.search(text) is not None


def may_hold_token(path: str, files: Files) -> bool:
    """The same, or such a file where tokens lie as a rule and that cannot be looked at."""
    if path.casefold().rpartition("/")[2] in _SIGN_IN:
        text = files.text(path, _FILE_BYTES)
        if text is None or len(text) >= _FILE_BYTES:
            return True
    return holds_token(path, files)


def repository_configs(folder: str) -> tuple[str, ...]:
    """Where the configuration of a repository lies in a folder that is read as a whole."""
    inside = f"{folder}/" if folder.endswith("/.git") else f"{folder}/.git/"
    return tuple(inside + name for name in _REPOSITORY)
