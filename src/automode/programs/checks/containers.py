"""Checks of docker, compose, terraform and packer."""

import re

from automode.core.paths import located
from automode.core.workspace import Kind
from automode.programs.development import inside, project_code
from automode.programs.row import Given
from automode.programs.use import READS, Effect, Use, network, runs, unknown
from automode.shell.script import Word
from automode.shell.word_lists import word_lists

WORDS = word_lists("automode.programs")

_ACTION = re.compile(r"\{\{(.*?)\}\}", re.S)
_TOKEN = re.compile(
    r"""\s+|"[^"\\]*"|:=|[(),|=-]|\d+|(?P<verb>[a-z]+)|\$?\w*(\.\w+)*\.(?P<field>\w+)|\$\w+"""
)
_VERBS = WORDS["template-verbs"]
_FIELDS = WORDS["template-fields"]


def inspection(given: Given) -> Use:
    """All that is known of a container holds its environment, which holds credentials. A template
    must name what it prints."""
    templates = [o.value for o in given.options.options if o.name in ("-f", "--format")]
    if templates and all(one is not None and _plain(one.text) for one in templates):
        return READS
    return Use(Effect.SECRETS, "prints the environment of a container")


def _plain(template: str) -> bool:
    actions = _ACTION.findall(template)
    return bool(actions) and template.count("{{") == len(actions) and all(map(_harmless, actions))


def _harmless(action: str) -> bool:
    at = 0
    while at < len(action):
        token = _TOKEN.match(action, at)
        if token is None or (token["verb"] and token["verb"] not in _VERBS):
            return False
        if token["field"] and token["field"] not in _FIELDS:
            return False
        at = token.end()
    return True


_FILE_BYTES = 64 * 1024
_LOCAL = re.compile(r"(\.{0,2}/)?([\w-]+/|\.{1,2}/)*[\w.-]+\.ya?ml")
_OUTER = WORDS["compose-keys"]
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


def folder(given: Given) -> Use:
    """As ordinary as the folder it works in: `-chdir` out of the project is not ordinary."""
    places = [w.text.partition("=")[2] for w in given.invocation.args if "chdir" in w.text]
    if all(place and inside(given.invocation, place) for place in places):
        return READS
    return runs("it works in another folder, with the providers there")


def format_files(given: Given) -> Use:
    """`fmt` rewrites files unless told to only look, or fed from standard input."""
    write = given.options.value("-write", "--write")
    kept = write is not None and write.text == "false"
    piped = [word.text for word in given.operands] == ["-"]
    if kept or piped or given.options.has("-check", "--check"):
        return READS
    return Use(Effect.WRITES | Effect.DEVELOPMENT, "formats files")
