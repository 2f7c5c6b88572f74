"""Checks for node and the package managers of JavaScript."""

import re

from automode.core.files import Kind
from automode.core.paths import absolute
from automode.programs.checks.tools import script
from automode.programs.development import FOREIGN, ordinary, plain_file
from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, runs

_PACKAGE = re.compile(r"(@[\w.-]+/)?[\w.-]+(@[\w.^~<>=*|+ -]*)?")
_SECRET_KEY = re.compile(r"auth|token|pass|secret|key\b|^_|:_", re.IGNORECASE)
_PROPERTY = r"(\.[A-Za-z_]\w*|\[(\d+|'[^'\\]*'|\"[^\"\\]*\")\])*"
_VALUE = rf"(process\.(version|versions|platform|arch){_PROPERTY}|\d+([+*/-]\d+)*)"
_JSON_FILE = rf"require\((?P<quote>['\"])(?P<file>\.{{1,2}}/[\w./-]+\.json)(?P=quote)\){_PROPERTY}"
_SIMPLE = re.compile(rf"(console\.log\()?({_VALUE}|{_JSON_FILE})\)?;?")
_LOOKS = ("--check", "-c", "-p", "-e", "--print", "--eval")
_PRELOADS = frozenset(("--require", "-r", "--import", "--loader", "--experimental-loader"))


def package(given: Given) -> Use:
    """A package of the registry, not an address of somebody's choosing, then its fields."""
    strange = [word.text for word in given.operands[:1] if not _PACKAGE.fullmatch(word.text)]
    strange += [word.text for word in given.args if "://" in word.text]
    return network(f"`{strange[0]}` may name another server") if strange else READS


def setting(given: Given) -> Use:
    if any(_SECRET_KEY.search(word.text) or word.value is None for word in given.args):
        return Use(Effect.SECRETS, "the key may hold a credential")
    return READS


def node(given: Given) -> Use:
    if given.options.has(*_LOOKS):
        return READS if _looks(given) else runs("it runs code")
    if given.args and given.args[0].value == "--test":
        return READS if ordinary(given.inner, _PRELOADS) else runs(FOREIGN)
    return script(given)


def _looks(given: Given) -> bool:
    match [word.value for word in given.args]:
        case ["--check" | "-c", str(file)]:
            return not file.startswith("-")
        case ["-p" | "-e" | "--print" | "--eval" | "-pe", str(code)]:
            return _simple_code(given, code)
        case _:
            return False


def _simple_code(given: Given, code: str) -> bool:
    """A version, or a field of a JSON file that exists: without the file, node would look for
    code of a similar name, and behind a link it goes by the name that the link leads to."""
    found = _SIMPLE.fullmatch(code.strip())
    if not found or code.count("(") != code.count(")"):
        return False
    cwd, file = given.invocation.command.cwd, found["file"]
    if file is None:
        return True
    if cwd is None or not plain_file(given.invocation, file):
        return False
    return given.invocation.workspace.files.kind(absolute(file, cwd)) is Kind.FILE
