"""Settings of a project that only hold what is known to be harmless.

Files that a program picks up from the folder are described in settings.toml; those that a pattern
or a list of keys cannot describe have a function here, which gets the text of the file.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.resources import files

from automode.core.word_lists import word_sets

WORDS = word_sets("automode.programs")
_NPM_KEYS = WORDS["npm-settings"]
_PLAIN = re.compile(r"[\w.*@/ ^~>=<|+-]*")


def harmless(name: str) -> Callable[[str], bool]:
    """Says of the text of a file whether all its settings are known to be harmless."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    row = _rows()[name]
    return partial(_fits, {**_rows()[row["like"]], **row} if "like" in row else row)


@cache
def _rows() -> Mapping[str, Mapping[str, str]]:
    text = files("automode.programs").joinpath("settings.toml").read_text("utf-8")
    return tomllib.loads(text)


def _fits(row: Mapping[str, str], text: str) -> bool:
    lines = text.splitlines()
    if "lines" in row and not all(re.fullmatch(row["lines"], line.strip()) for line in lines):
        return False
    if "whole" in row and not re.fullmatch(row["whole"], text):
        return False
    if "no-line" in row and any(re.search(row["no-line"], line) for line in lines):
        return False
    if "never" in row and re.search(row["never"], text):
        return False
    if "yaml" in row and not _outer_keys(text, row):
        return False
    return "toml" not in row or _toml_fits(row, text)


def _outer_keys(text: str, row: Mapping[str, str]) -> bool:
    """Whether each line that is not indented starts with a known key, as most YAML is written."""
    text = text.translate(dict.fromkeys(map(ord, row.get("besides", ""))))
    if re.search(r"[\\!&*{}\t\r\x85\u2028\u2029]|^(---|\.\.\.|[?\"'\[])", text, re.MULTILINE):
        return False
    lines = [line for line in text.splitlines() if line.strip() and line.lstrip()[0] != "#"]
    outer = [line for line in lines if line[0] not in " -"]
    known = row["yaml"].split()
    return lines[:1] == outer[:1] and all(line.partition(":")[0] in known for line in outer)


def _toml_fits(row: Mapping[str, str], text: str) -> bool:
    try:
        found: object = tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    for key in row["toml"].split("."):
        found = found.get(key, {}) if isinstance(found, dict) and key else found
    if not isinstance(found, dict) or found.keys() & {*row.get("not-keys", "").split()}:
        return False
    paths = _keys(found)
    if "keys" in row and not found.keys() <= {*row["keys"].split()}:
        return False
    begins = tuple(row.get("paths", "").split())
    if begins and not all(f"{path}.".startswith(begins) for path in paths):
        return False
    return not {*row.get("without", "").split()} & {
        one for path in paths for one in path.split(".")
    }


def _keys(table: dict[str, object], above: str = "") -> list[str]:
    found: list[str] = []
    for key, value in table.items():
        whole = f"{above}{key}"
        # A key with a dot in quotes is no path of keys: it is not known.
        if "." in key:
            return ["?"]
        found += _keys(value, f"{whole}.") if isinstance(value, dict) and value else [whole]
    return found


def npmrc(text: str) -> bool:
    """No `registry`: it gets the tokens of the settings."""
    for line in text.splitlines():
        key, _, value = (part.strip().strip("\"'") for part in line.partition("="))
        if not key or key[0] in "#;":
            continue
        known = key.removesuffix("[]") in _NPM_KEYS and _PLAIN.fullmatch(value)
        if not known:
            return False
    return True


def _json(text: str) -> dict[str, object] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


_MANAGER = re.compile(r"(npm|yarn|pnpm|bun)@\d[\w.-]*(\+sha\d+\.[\w+/=-]+)?")
_RANGE = re.compile(r"(npm:(@[\w.-]+/)?[\w.-]+@)?[\w.*^~>=<| +-]*|workspace:[\w.*^~]*")


def package_json(text: str) -> bool:
    """The package manager that it names is one of the usual ones, by its version."""
    found = _json(text)
    if found is None or "devEngines" in found:
        return False
    manager, own = found.get("packageManager", "npm@1"), found.get("pnpm", {})
    usual = isinstance(manager, str) and _MANAGER.fullmatch(manager) is not None
    return usual and isinstance(own, dict) and "configDependencies" not in own


def yarn_package(text: str) -> bool:
    """Every package that it names is one of the registry, by its version."""
    found = _json(text)
    if found is None or "workspaces" in found:
        return False
    ends = ("dependencies", "resolutions")
    tables = [value for key, value in found.items() if key.lower().endswith(ends)]
    versions = [one for table in tables if isinstance(table, dict) for one in table.values()]
    return all(isinstance(one, str) and _RANGE.fullmatch(one) for one in versions)


def global_json(text: str) -> bool:
    """It names a version of the SDK, no folder of one."""
    found = _json(text)
    if found is None or not found.keys() <= {"sdk"}:
        return False
    sdk = found.get("sdk", {})
    return isinstance(sdk, dict) and sdk.keys() <= {"version", "rollForward", "allowPrerelease"}


_OUTER = WORDS["compose-keys"]
# A key that is not written plainly in front of its line: quoted, tagged, in braces.
_HIDDEN_KEY = re.compile(r"^[\s-]*[\"'?!{&*\[]|(?<!\$)\{|[\t\r\x85\u2028\u2029]|^%", re.MULTILINE)
_QUOTED_ITEM = re.compile(r"^\s*- *(\"[^\"\\]*\"|'[^']*')\s*(#.*)?$", re.MULTILINE)
_OTHER_FILE = re.compile(r"^[\s-]*(include|extends|env_file|label_file)\s*:", re.MULTILINE)


def compose(text: str) -> bool:
    """A compose file in the plain block style, so that each key stands in front of its line, that
    takes nothing from other files. They may lie on other machines, or hold credentials."""
    text = _QUOTED_ITEM.sub("", text.replace("\r\n", "\n"))
    if _HIDDEN_KEY.search(text) or _OTHER_FILE.search(text):
        return False
    outer = [line for line in text.splitlines() if line[:1] not in ("", " ", "#", "-")]
    return all(_is_outer(line.partition(":")[0].rstrip()) for line in outer)


def _is_outer(key: str) -> bool:
    return key in _OUTER or key.startswith("x-")


_FUNCTIONS = {
    "compose": compose,
    "npmrc": npmrc,
    "package_json": package_json,
    "yarn_package": yarn_package,
    "global_json": global_json,
}
