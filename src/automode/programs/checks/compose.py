"""Checks of compose: files of the project that take nothing from other files or machines."""

import re

from automode.core.files import Kind
from automode.core.paths import located
from automode.programs.settings_above import project_code
from automode.programs.touch import Given
from automode.programs.use import READS, Use, network, unknown
from automode.shell.script import Word

_FILE_BYTES = 64 * 1024
_LOCAL = re.compile(r"(\.{0,2}/)?([\w-]+/|\.{1,2}/)*[\w.-]+\.ya?ml")
_OUTER = frozenset("version name services volumes networks secrets configs models".split())
# A key that is not written plainly in front of its line: quoted, tagged, in braces.
_HIDDEN_KEY = re.compile(r"^[\s-]*[\"'?!{&*\[]|(?<!\$)\{|[\t\r\x85\u2028\u2029]|^%", re.MULTILINE)
_QUOTED_ITEM = re.compile(r"^\s*- *(\"[^\"\\]*\"|'[^']*')\s*(#.*)?$", re.MULTILINE)
_OTHER_FILE = re.compile(r"^[\s-]*(include|extends|env_file|label_file)\s*:", re.MULTILINE)


def plain_file(text: str) -> bool:
    """A compose file in the plain block style, so that each key stands in front of its line, that
    takes nothing from other files. They may lie on other machines, or hold credentials."""
    text = _QUOTED_ITEM.sub("", text.replace("\r\n", "\n"))
    if _HIDDEN_KEY.search(text) or _OTHER_FILE.search(text):
        return False
    outer = [line for line in text.splitlines() if line[:1] not in ("", " ", "#", "-")]
    return all(_outer(line.partition(":")[0].rstrip()) for line in outer)


def _outer(key: str) -> bool:
    return key in _OUTER or key.startswith("x-")


def local_files(given: Given) -> Use:
    """`-f` names a file of the project; an address brings it from elsewhere."""
    options = given.before.options if given.outer is not None else given.options.options
    for option in options:
        if option.name in ("-f", "--file"):
            use = _file(given, option.value)
            if use is not READS:
                return use
    return READS


def _file(given: Given, word: Word | None) -> Use:
    cwd, files = given.invocation.command.cwd, given.invocation.workspace.files
    if word is None or word.value is None or not _LOCAL.fullmatch(word.value):
        return network("a file that may come from elsewhere")
    path = None if cwd is None else located(word.value, cwd, files)
    if path is None:
        return unknown("the folder is not known")
    if files.kind(path) is Kind.MISSING or not given.would_read:
        return READS
    text = files.text(path, _FILE_BYTES + 1)
    if text is None or len(text) > _FILE_BYTES or not plain_file(text):
        why = f"`{word.value}` may bring in other files"
        return project_code(given.invocation, READS, why)
    return READS
