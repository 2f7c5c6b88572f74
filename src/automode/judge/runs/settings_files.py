"""Settings of a project that this session wrote whole: whether what reads them runs nothing by
them but the usual tools."""

import json
import re
import tomllib
from collections.abc import Mapping

from automode.judge.calls.packages import known_node
from automode.judge.words import patterns, word_lists, word_table

_P = patterns("settings_files")
_W = word_lists("settings_files")
_PACKAGES = "dependencies devDependencies peerDependencies optionalDependencies".split()


def is_plain(path: str, text: str) -> bool:
    """Whether every table and key is listed: they name no code, no plug-in and no other place."""
    match path.rpartition("/")[2]:
        case "pyproject.toml":
            return _is_plain_pyproject(text)
        case "package.json":
            return _is_plain_package(text)
        case _:
            return False


def _is_plain_pyproject(text: str) -> bool:
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    build = given.get("build-system", {})
    tools = given.get("tool", {})
    if not (isinstance(build, dict) and isinstance(tools, dict)):
        return False
    known = build.get("build-backend", "setuptools.build_meta") in _W.backends
    return (
        given.keys() <= _W.tables
        and known
        and build.keys() <= {"requires", "build-backend"}
        and all(_is_plain_tool(name, table) for name, table in tools.items())
    )


def _is_plain_tool(name: str, table: object) -> bool:
    if name == "pytest" and isinstance(table, dict) and table.keys() == {"ini_options"}:
        name, table = "pytest.ini_options", table["ini_options"]
    listed = word_table("settings_files", "tools").get(name)
    if listed is None or not isinstance(table, dict):
        return False
    if "*" not in listed and not table.keys() <= listed:
        return False
    if not _W.barred.isdisjoint(_keys(table)):
        return False
    options = table.get("addopts", "")
    words = options.replace("-p no:", "-pno:").split() if isinstance(options, str) else options
    return (
        isinstance(words, list)
        and all(isinstance(one, str) and _P.option.fullmatch(one) for one in words)
        and not any(_P.elsewhere.search(one) for one in _texts(table.get("pythonpath", "")))
    )


def _keys(table: Mapping[str, object]) -> set[str]:
    found: set[str] = set()
    waiting: list[object] = [table]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            found |= one.keys()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _is_plain_package(text: str) -> bool:
    """Its scripts run by their names alone, and its packages are those that everybody knows."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(given, Mapping) or not given.keys() <= _W.keys:
        return False
    scripts = given.get("scripts", {})
    if not isinstance(scripts, Mapping) or any(map(_P.by_itself.fullmatch, scripts)):
        return False
    for kind in _PACKAGES:
        packages = given.get(kind, {})
        if not isinstance(packages, Mapping):
            return False
        for name, version in packages.items():
            if not known_node(name) or not re.fullmatch(r"[\w.^~<>=* |-]*", str(version)):
                return False
    return True
