"""Whether the configuration of a repository holds a credential: a password in an address, a header
that signs in."""

import re

from automode.core.files import Files

_CONFIG_BYTES = 65_536
_NAMES = ("config", "config.worktree")
_TOKEN = re.compile(
    r"://[^/\s@:]*:[^/\s@]+@|://[^/\s@:]{20,}@|extraheader|\b(?:password|token|secret)\s*=",
    re.IGNORECASE,
)


def holds_token(path: str, files: Files) -> bool:
    """Whether the absolute `path` is such a file with a credential in it, as far as it can be
    read."""
    folder, _, name = path.rpartition("/")
    if name not in _NAMES or "/.git" not in f"{folder}/":
        return False
    text = files.text(path, _CONFIG_BYTES)
    return text is not None and _TOKEN.search(text) is not None


def repository_configs(folder: str) -> tuple[str, ...]:
    """Where the configuration of a repository lies in a folder that is read as a whole."""
    inside = f"{folder}/" if folder.endswith("/.git") else f"{folder}/.git/"
    return tuple(inside + name for name in _NAMES)
