"""Which scripts and targets of real projects the embedded judge clears, read from the disk.

The recordings have no files, so what stands behind `npm run x`, `make x` and `./x.sh` is measured
on folders of projects. Each project is in one of two halves, by a hash of its name.
"""

import argparse
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from automode.library.gate import Gate, ToolCall

SAID = "please fix the failing checks"
MOST = 60  # commands of a project
_RULE = re.compile(r"^([A-Za-z][\w./-]*(?:[ \t]+[A-Za-z][\w./-]*)*)[ \t]*:(?![=:])", re.M)
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)[^:=\n]*:(?!=)", re.M)
_SCRIPTS = ("*.sh", "scripts/*", "script/*", "tools/*.sh", "hack/*.sh", "bin/*.sh", "ci/*.sh")


def half(project: str) -> str:
    return "develop" if hashlib.sha256(project.encode()).digest()[0] % 2 else "hold"


def commands_of(folder: Path) -> Iterator[str]:
    """What somebody might run there."""
    yield from (f"npm run {name}" for name in _keys(folder / "package.json", "scripts"))
    yield from (f"composer run {name}" for name in _keys(folder / "composer.json", "scripts"))
    yield from (f"deno task {name}" for name in _keys(folder / "deno.json", "tasks"))
    makefile = next(
        (one for one in ("GNUmakefile", "makefile", "Makefile") if (folder / one).is_file()), ""
    )
    names = " ".join(_RULE.findall(_text(folder / makefile))).split() if makefile else []
    yield from (f"make {name}" for name in names if "." not in name and "/" not in name)
    justfile = next(
        (one for one in ("justfile", "Justfile", ".justfile") if (folder / one).is_file()), ""
    )
    yield from (
        f"just {name}" for name in (_RECIPE.findall(_text(folder / justfile)) if justfile else ())
    )
    found = sorted({one for pattern in _SCRIPTS for one in folder.glob(pattern) if one.is_file()})
    for one in found:
        path = one.relative_to(folder).as_posix()
        if _text(one).startswith("#!") and re.fullmatch(r"[\w./-]+", path):
            yield f"./{path}"


def _first(folder: Path, *names: str) -> str:
    return next((_text(folder / one) for one in names if (folder / one).is_file()), "")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _keys(path: Path, name: str) -> list[str]:
    try:
        found = json.loads(_text(path) or "{}").get(name)
    except (ValueError, AttributeError):
        return []
    return (
        [one for one in found if re.fullmatch(r"[\w.:/@-]+", one)]
        if isinstance(found, dict)
        else []
    )


def _unwrapped(folder: Path) -> Path:
    """An archive often holds one folder."""
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def decide(project: Path) -> Iterator[dict[str, str]]:
    folder = _unwrapped(project)
    with (
        tempfile.TemporaryDirectory() as state,
        tempfile.TemporaryDirectory() as config,
        Gate(str(folder), attended=True, config_folder=config, state_folder=state) as gate,
    ):
        gate.said_sync(SAID)
        for number, command in enumerate(islice(dict.fromkeys(commands_of(folder)), MOST)):
            found = gate.decide_sync(ToolCall("bash", {"command": command}, id=f"c{number}"))
            yield {
                "project": project.name,
                "half": half(project.name),
                "command": command,
                "verdict": str(found.verdict),
                "source": str(found.source),
                "reason": found.reason,
            }


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("folders", nargs="+", type=Path, help="each holds projects")
    given.add_argument("--out", type=Path, help="a JSON line for each command")
    options = given.parse_args()
    rows = [
        row
        for folder in options.folders
        for project in sorted(one for one in folder.iterdir() if one.is_dir())
        for row in decide(project)
    ]
    if options.out:
        options.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    counts = Counter((row["half"], _kind(row["command"]), row["verdict"]) for row in rows)
    print(f"{'half':8} {'kind':9} {'n':>6} {'cleared':>8}")
    for name, kind in sorted({key[:2] for key in counts}):
        n = sum(count for key, count in counts.items() if key[:2] == (name, kind))
        print(f"{name:8} {kind:9} {n:6} {counts[name, kind, 'allow']:8}")


def _kind(command: str) -> str:
    return "script" if command.startswith("./") else command.split()[0]


if __name__ == "__main__":
    main()
