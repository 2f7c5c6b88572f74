"""Settings of a project that this session wrote: whether what reads them runs nothing by them but
the usual tools."""

import configparser
from collections.abc import Mapping

from automode.judge.words import patterns, word_lists, word_table

_P = patterns("settings_files")
_W = word_lists("settings_files")


def is_plain(path: str, text: str) -> bool:
    """Whether every section and key is listed: they name no code, no plug-in and no other place."""
    sections = word_table("settings_files", "sections").get(path.rpartition("/")[2])
    if sections is None:
        return False
    given = configparser.RawConfigParser(strict=False)
    try:
        given.read_string(text)
    except configparser.Error:
        return False
    named = ((section, dict(given.items(section))) for section in given.sections())
    return not given.defaults() and all(
        one in sections and _is_plain_tool(_TOOLS.get(one, one), keys) for one, keys in named
    )


_TOOLS = {"pytest": "pytest.ini_options", "tool:pytest": "pytest.ini_options"}


def is_plain_pyproject(given: Mapping[str, object]) -> bool:
    """The same of a pyproject.toml, or of a part of it, whatever packages it names."""
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
    paths = table.get("pythonpath", "")
    paths = paths.split() if isinstance(paths, str) else paths
    return (
        isinstance(words, list)
        and all(isinstance(one, str) and _P.option.fullmatch(one) for one in words)
        and not any(_P.elsewhere.search(one) for one in _texts(paths))
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
