"""Skills that a repository is there to offer: its product, not what steers who works on it."""

import re

from automode.core.files import Kind
from automode.core.paths import exactly_within, parents
from automode.core.workspace import Workspace

_SKILL = re.compile(r"/skills/[\w-]+/SKILL\.md$")
# A folder that an agent looks into by itself.
_HIDDEN = re.compile(r"/\.[^/]+/")
_OFFERS = re.compile(r"(?:[\w-]+-)?(?:skills|plugins?|marketplace)")
_MANIFESTS = (".claude-plugin", ".codex-plugin", ".cursor-plugin", "gemini-extension.json")


def is_product(full: str, workspace: Workspace) -> bool:
    """Whether an absolute path is a skill of a plug-in that is worked on here."""
    root = next((one for one in workspace.folders if exactly_within(full, one)), None)
    if root is None or not _SKILL.search(full) or _HIDDEN.search(full.removeprefix(root)):
        return False
    if _OFFERS.fullmatch(root.rsplit("/", 1)[-1].casefold()):
        return True
    folders = [one for one in parents(full) if one == root or exactly_within(one, root)]
    present = (Kind.FILE, Kind.FOLDER)
    return any(
        workspace.files.kind(f"{one}/{name}") in present for one in folders for name in _MANIFESTS
    )
