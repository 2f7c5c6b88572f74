"""Code and variables inside a call: whether they do more than look at what they were given."""

import itertools
import re
from collections.abc import Iterator

from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge import file_deeds, javascript_code, python_code
from automode.judge.touching import How, Touch
from automode.shell.script import HOLE, Command

LONGEST_CODE = 20_000
INLINE = re.compile(r"^eval\b|^- ¦| ¦.*(?:^| )(?:-c|-e|-r|-p|-pe|-ne|-es|--eval|--print|-)(?: |$)")
_ACTS = re.compile(
    r"rmSync|rmdir|unlink|rmtree|rm_rf|removeSync|\.remove\(|system\s*\(|exec\w*\s*\(|spawn|subprocess|"
    r"popen|child_process|fetch\s*\(|requests?\.|https?\.|urlopen|urllib|socket|net\.|\.shell|writeFile|"
    r"write_text|write_bytes|appendFile|open\([^)]{0,200}[\"'][wax]|environ|process\.env|Deno\.|"
    r"eval\s*\(|__import__|getattr|base64|b64|pickle|ctypes|\.rename|shutil|chmod|kill|`|%x|qx",
    re.IGNORECASE,
)
# Variables that lead a program to another one, or past its checks.
STEERS = re.compile(
    r"GIT_\w+|HUSKY\w*|SKIP|LEFTHOOK|PRE_COMMIT\w*|LD_\w+|DYLD_\w+|NODE_OPTIONS|"
    r"PYTHON(?:STARTUP|PATH|HOME|INSPECT)|RUSTC_\w*WRAPPER|PYTEST_(?:PLUGINS|ADDOPTS)|NODE_PATH|_?JAVA_(?:TOOL_)?OPTIONS|"
    r"LESS(?:OPEN|CLOSE)|MANPAGER|MAKEFILES|"
    r"BASH_ENV|ENV|PERL5\w*|RUBYOPT|EDITOR|VISUAL|PAGER|BROWSER|SHELL|PROMPT_COMMAND|"
    r"(?i:npm_config_\w+|\w*_proxy|pip_(?:index|extra|trusted)\w*|uv_\w*index\w*|cargo_regist\w*|goproxy)"
)


def acts(*texts: str) -> bool:
    return any(_ACTS.search(text[:LONGEST_CODE]) for text in texts)


_PYTHONS = frozenset("python python3 python2 py pypy pypy3".split())
_SCRIPTS = frozenset("node nodejs deno bun tsx ts-node".split())
_PLAIN_OPTION = re.compile(r"-[uBIEsSqOWw0anplFi]+(?:\.\w+)?|--?input-type=\w+|--no-warnings|-|--")
_CODE_OPTION = re.compile(r"-[a-zA-Z]*[cepE]|--eval|--print|eval")
# A substitution without code in it: what it gives back is text.
_PERL_FILTER = re.compile(
    r"\s*(?:s|tr|y)([/|#!,])(?:(?!\1)[^\\$@`]|\\.|\$(?![{(\w]))*\1(?:(?!\1)[^\\@`{]|\\.)*\1[gimsxcd]*\s*;?\s*"
    r"|\s*print(?: if [/m][^{}`@]*)?\s*;?\s*"
)


def inline_deeds(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    """Of an interpreter that is given code: nothing where it is proved to look and to print."""
    code = _code_of(name, command)
    if code is None or HOLE in code:
        yield "code-acts"
    elif name in _PYTHONS:
        yield from python_deeds(code, command, workspace)
    elif name in _SCRIPTS:
        texts = javascript_code.texts_of(code)
        yield from ("code-acts",) if texts is None else _secrets(texts, workspace)
    elif not (name == "perl" and _PERL_FILTER.fullmatch(code)):
        yield "code-acts"


def python_deeds(code: str, command: Command, workspace: Workspace) -> Iterator[str]:
    found = python_code.proved(code)
    if found is None:
        yield "code-acts"
        return
    how = How.WRITES if found.fills else How.EMPTIES
    for path in found.written:
        yield from file_deeds.of_touch(Touch(path, how), command, workspace)
    yield from _secrets(found.texts, workspace)


def _secrets(texts: tuple[str, ...], workspace: Workspace) -> Iterator[str]:
    if any(may_be_credential(text, workspace.home) for text in texts if " " not in text):
        yield "reads-secret"


def _code_of(name: str, command: Command) -> str | None:
    """The code, where there is one piece of it and nothing else is loaded with it."""
    words = [word.text for word in command.args]
    options = itertools.takewhile(lambda word: word[:1] == "-", words)
    if not all(_CODE_OPTION.fullmatch(one) or _PLAIN_OPTION.fullmatch(one) for one in options):
        return None
    given = [following for option, following in itertools.pairwise(words)
             if _CODE_OPTION.fullmatch(option)]  # fmt: skip
    if len(given) == 1:
        return given[0]
    return command.fed if not given else None
