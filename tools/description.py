"""The description in the wheel: the README without links that only work inside the repository."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")
WHERE = "\nPaths of pages are paths in the repository and in the source archive.\n"


def describe(readme: str) -> str:
    """Pictures go; a link becomes its words and the path of its page."""
    return LINK.sub(_words, PICTURE.sub("", readme)) + WHERE


def _words(link: re.Match[str]) -> str:
    words, path = link.groups()
    return f"`{path}`" if words == path else f"{words} (`{path}`)"


class Description(MetadataHookInterface):
    def update(self, metadata: dict[str, object]) -> None:
        readme = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": describe(readme)}
