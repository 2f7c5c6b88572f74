"""Edits of hidden files that hold data and more: those that put nothing but data into them."""

import re
from collections.abc import Mapping

from automode.shell.variables import plain_name

_WORDS = r'"[\w -]+"'
_HERE = r'"\./(?:[\w-][\w.-]*/?)*"'
_LINES = {
    r"/\.[\w-]+-plugin/(?:plugin|marketplace)\.json": (
        r'"(?:\$schema|name|displayName|version|description|homepage|repository|license|url|email|'
        r'category)"\s*:\s*"[^"\\]*",?|"(?:author|owner|metadata)"\s*:\s*\{|'
        rf'"(?:keywords|tags|plugins)"\s*:\s*\[|"(?:keywords|tags)"\s*:\s*\[(?:{_WORDS},?\s*)*\],?|'
        rf'"(?:skills|source)"\s*:\s*{_HERE},?|{_WORDS},?|[][{{}}]*,?'
    ),
    r"/\.entire/settings(?:\.local)?\.json": (
        r'"(?:enabled|telemetry|strategy|log_level)"\s*:\s*(?:true|false|"[\w-]+"),?|[{}]?'
    ),
    r"/\.markdownlint-cli2\.ya?ml": r"MD\d{3}:\s*(?:true|false)?|\w+:\s*(?:true|false|\d+)|#.*|",
}
"""By file, the lines that name no program, plug-in, module or address."""

_KINDS = [(re.compile(path), re.compile(line)) for path, line in _LINES.items()]
_VARIABLES = re.compile(r"/\.env(?:\.[\w-]+)?")
_ASSIGNED = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)=([^`$]*)")
_THIS_MACHINE = r"https?://(?:localhost|127\.0\.0\.1)(?::\d+)?(?:/[\w./-]*)?"
_ADDRESSES = re.compile(rf"{_THIS_MACHINE}(?:,{_THIS_MACHINE})*")
# What begins so is meant for the pages of one project: no other program reads it.
_OF_PAGES = ("VITE_", "NEXT_PUBLIC_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_")
_FIELDS = frozenset("file_path content old_string new_string replace_all".split())


def adds_only_data(full: str, given: Mapping[str, object], before: str) -> bool:
    """Whether every line that comes into the file is data by the file's kind; `before` is what is
    in it now. A call with fields that are not known may do more."""
    path = full.replace("\\", "/")
    if not given.keys() <= _FIELDS:
        return False
    old, new = (str(given.get(field) or "") for field in ("old_string", "new_string"))
    if old.endswith("\n") != new.endswith("\n"):
        return False  # it would join or cut lines that are there
    known = {*before.splitlines(), *old.splitlines()}
    added = (*str(given.get("content") or "").splitlines(), *new.splitlines())
    lines = [line.strip() for line in added if line not in known]
    if _ends(_VARIABLES, path):
        return all(map(_is_variable, lines))
    allowed = next((line for kind, line in _KINDS if _ends(kind, path)), None)
    return allowed is not None and all(allowed.fullmatch(line) for line in lines)


def _ends(kind: re.Pattern[str], path: str) -> bool:
    return any(found.end() == len(path) for found in kind.finditer(path))


def _is_variable(line: str) -> bool:
    found = _ASSIGNED.fullmatch(line)
    if found is None:
        return not line or line.startswith("#")
    name, value = found[1], found[2]
    return name.startswith(_OF_PAGES) or plain_name(name) or bool(_ADDRESSES.fullmatch(value))
