"""Writes the table of secret formats anew from a named release of a maintained source.

    python -m tools.sources.secret_patterns            writes the table
    python -m tools.sources.secret_patterns --check    only says whether it is out of date
    python -m tools.sources.secret_patterns --rules FILE   reads the rules from a file instead

The rules are those of Betterleaks, the successor of Gitleaks, and of Veles, as the package
`kingfisher-bin` carries them. `requirements.txt` beside this file pins it with hashes.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tools.sources.left_out import LEFT_OUT
from tools.sources.regex_tree import Untranslatable
from tools.sources.translation import KINDS, Row, translated

PACKAGE = "kingfisher-bin"
TABLE = Path(__file__).parents[2] / "src/automode/classifier/secret_formats.json"
_ORIGINS = ("betterleaks.", "veles.secrets/")
_PATIENCE = 120  # seconds
_NUMBERED = re.compile(r"\.\d+$")


class SourceProblem(Exception):
    """What to tell the person who runs this."""


def main(arguments: list[str]) -> int:
    try:
        text = table(_rules_from(arguments))
    except SourceProblem as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    if "--check" not in arguments:
        TABLE.write_text(text, encoding="utf-8")
    elif not TABLE.exists() or TABLE.read_text(encoding="utf-8") != text:
        sys.stderr.write(f"out of date: {TABLE.name}; run `make secrets`\n")
        return 1
    return 0


def _rules_from(arguments: list[str]) -> str:
    if "--rules" in arguments:
        return Path(arguments[arguments.index("--rules") + 1]).read_text(encoding="utf-8")
    return listed_rules()


def listed_rules() -> str:
    """What the pinned package says, in a home folder of its own; it asks nobody."""
    try:
        found = version(PACKAGE)
    except PackageNotFoundError:
        raise SourceProblem(f"`{PACKAGE}` is not installed; run `make secrets`") from None
    if found != pinned():
        raise SourceProblem(f"`{PACKAGE}` is {found}, not {pinned()}; run `make secrets`")
    ask = (sys.executable, "-m", "kingfisher", "rules", "list", "--no-update-check")
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(  # noqa: S603 - our own interpreter, words of our own
            (*ask, "--quiet", "--format", "json"),
            env=os.environ | {"HOME": home},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
    return done.stdout.decode()


def pinned() -> str:
    text = (Path(__file__).parent / "requirements.txt").read_text(encoding="utf-8")
    found = re.search(rf"^{PACKAGE}==(\S+)", text, re.MULTILINE)
    if found is None:
        raise SourceProblem(f"requirements.txt does not pin `{PACKAGE}`")
    return found[1]


def table(listing: str) -> str:
    rules = rules_of(listing)
    if unknown := sorted(LEFT_OUT.keys() - rules.keys()):
        raise SourceProblem(f"left out, but not in the source any more: {', '.join(unknown)}")
    said = json.dumps(sorted(rules.items())).encode()
    source = {
        "package": PACKAGE,
        "version": pinned(),
        "sha256 of its rules": hashlib.sha256(said).hexdigest(),
        "rules": len(rules),
        "left out": len(LEFT_OUT),
        "licences": "secret_formats.NOTICE.txt",
    }
    rows = _rows({name: rule for name, rule in rules.items() if name not in LEFT_OUT})
    lists = (f'"{kind}": [\n{_lines(rows, kind)}\n]' for kind in KINDS)
    return "{\n" + ",\n".join((f'"source": {json.dumps(source)}', *lists)) + "\n}\n"


def rules_of(listing: str) -> dict[str, str]:
    """The pattern of each rule, by its name in the source."""
    found: dict[str, str] = {}
    listed = json.loads(listing)
    for rule in listed if isinstance(listed, list) else ():
        match rule:
            case {"id": str(name), "pattern": str(pattern)} if name.startswith(_ORIGINS):
                found[name.removeprefix(_ORIGINS[0]).removeprefix(_ORIGINS[1])] = pattern
            case _:
                raise SourceProblem(f"no rule that we know how to read: `{rule}`")
    if not found:
        raise SourceProblem("the source lists no rules")
    return found


def _rows(rules: dict[str, str]) -> dict[Row, str]:
    """Each row under its name; of equal rows, the first name."""
    rows: dict[Row, str] = {}
    problems = []
    for name, pattern in rules.items():
        try:
            rows.setdefault(translated(pattern), _NUMBERED.sub("", name))
        except (Untranslatable, re.error) as problem:
            problems.append(f"{name}: {problem}")
    if problems:
        raise SourceProblem(
            "\n".join(("translate these or leave them out with a reason:", *problems))
        )
    return rows


def _lines(rows: dict[Row, str], kind: str) -> str:
    lines = (
        json.dumps([name, row.marks, *row.patterns])
        for row, name in rows.items()
        if row.kind == kind
    )
    return ",\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
