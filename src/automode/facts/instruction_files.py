"""The instruction files of a project that its agents load by themselves, read within bounds."""

import os
import stat

from automode.agents.events import Instructions

NAMES = (
    "CLAUDE.md",
    "AGENTS.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
)
LONGEST_READ = 65_536  # bytes


def instruction_files(root: str) -> tuple[Instructions, ...]:
    """Never raises: what is not there, is no file or cannot be read is left out. So is what a link
    leads to outside the project: it may be anything, and what is found here goes to a model."""
    real = _real(root)
    found: dict[str, Instructions] = {}
    for name in NAMES if real else ():
        path = os.path.join(root, name)
        target = _real(path)
        inside = target.startswith(f"{real.rstrip('/')}/")
        text = _text(target) if inside and target not in found else None
        if text is not None and text.strip():
            found[target] = Instructions(path, text)
    return tuple(found.values())


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return ""


def _text(path: str) -> str | None:
    try:
        # What is a file now may be a pipe in a moment: opening it must not wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return file.read(LONGEST_READ).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
