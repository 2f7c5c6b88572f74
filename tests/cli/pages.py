"""The commands that a page shows, with what it says they print, and the files that it names.

A page shows commands in blocks of the kind `console`, each behind `$ `. `# exit N` says how one
ends, if not with 0; `…` in its output stands for anything. A block with a title is a file that is
there for the commands after it. `<!-- not run: why -->` before a block: no test can run it.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>.+?) -->\n+)?"
    r"(?P<indent> *)```(?P<kind>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_NOTE = re.compile(r"\s+# .*$")
_EXIT = re.compile(r"# exit (\d+)")


@dataclass(frozen=True)
class Block:
    kind: str
    title: str | None
    text: str
    why: str | None


@dataclass(frozen=True)
class Shown:
    """A command with what the page says it prints; empty where it does not say."""

    line: str
    prints: str
    status: int
    why_not: str | None

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line)

    def agrees(self, printed: str) -> bool:
        parts = (re.escape(" ".join(part.split())) for part in self.prints.split("…"))
        return re.fullmatch(".*".join(parts), " ".join(printed.split())) is not None


def blocks_in(page: Path) -> list[Block]:
    return [
        Block(found["kind"], found["title"], found["text"], found["why"])
        for found in _BLOCK.finditer(page.read_text())
    ]


def commands_of(block: Block) -> Iterator[Shown]:
    if block.kind != "console":
        return
    for part in re.split(r"^\s*\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, rest = part.partition("\n")
        status = _EXIT.search(line)
        yield Shown(_NOTE.sub("", line), rest, int(status[1]) if status else 0, block.why)


def put_file(name: str, text: str, *, home: Path, config: Path, project: Path) -> None:
    """Where the page says it is."""
    if name.startswith("~/.config/automode/"):
        file = config / name.removeprefix("~/.config/automode/")
    else:
        file = home / name[2:] if name.startswith("~/") else project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
