"""The commands that a page shows, run with the files it names, and compared with its output."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner, Result

from automode.cli.main import cli

GUIDES = Path(__file__).parents[3] / "docs" / "guides"
_FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```', re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit (\d+)$")


@dataclass(frozen=True)
class Shown:
    """A command with what the page says it prints; empty where it does not say."""

    words: list[str]
    prints: str
    status: int


def files_in(page: str) -> dict[str, str]:
    return dict(_FILE.findall((GUIDES / page).read_text()))


def commands_in(page: str) -> Iterator[Shown]:
    for block in _CONSOLE.findall((GUIDES / page).read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, rest = part.partition("\n")
            status = _EXIT.search(line)
            words = shlex.split(_EXIT.sub("", line))
            yield Shown(words, rest, int(status[1]) if status else 0)


def put(page: str, home: Path, project: Path) -> None:
    for name, text in files_in(page).items():
        file = home / name[2:] if name.startswith("~/") else project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def run(home: Path, shown: Shown) -> Result:
    assert shown.words[0] == "automode", shown.words
    words = ["--config-folder", str(home / ".config/automode"), *shown.words[1:]]
    return CliRunner().invoke(cli, words, prog_name="automode")
