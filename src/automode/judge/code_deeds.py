"""Which deeds code of a call is: none where it is proved to look and to print, and files where it
writes what it names."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise, takewhile

from automode.core.paths import absolute
from automode.core.workspace import Kind as FileKind
from automode.core.workspace import Workspace
from automode.guards.reads.secret_reads import leads_to_credential
from automode.judge import file_deeds
from automode.judge.file_deeds import How, Touch
from automode.judge.words import patterns, word_lists
from automode.programs.javascript_code import prove_javascript
from automode.programs.python_code import Proved, prove_python
from automode.shell.script import HOLE, Command

_P = patterns("command_deeds")
_W = word_lists("command_deeds")
_CODE_OPTION = re.compile(r"-[a-zA-Z]*[cepE]|--eval|--print|eval")
DATA = ".json"
_ENDING = re.compile(r"\.[cm]?[jt]sx?$")
# What is put behind a name that is loaded, where there is no such file.
_ENDINGS = tuple(f".{one}" for one in "js cjs mjs jsx ts cts mts tsx node wasm".split())
_LOADED = (*_ENDINGS, *(f"/index{one}" for one in _ENDINGS), "/package.json")


def inline_deeds(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    """Of an interpreter that is given code: nothing where it is proved to look and to print."""
    code = _code_of(name, command)
    if code is None or HOLE in code:
        yield "code-acts"
    elif name in _W.pythons:
        yield from python_deeds(code, command, workspace)
    elif name in _W.scripts:
        yield from javascript_deeds(code, command, workspace)
    elif not (name == "perl" and _P.perl_filter.fullmatch(code)):
        yield "code-acts"


def javascript_deeds(
    code: str, command: Command, workspace: Workspace, *, whole: bool = False
) -> Iterator[str]:
    """`whole`: of a file, which loads what lies beside it."""
    found = prove_javascript(code)
    if found is None or any(_takes_place(one, command, workspace) for one in found.runs):
        yield "code-acts"
        return
    for one in found.runs:
        if one.endswith(DATA):
            continue
        if command.cwd is None or _P.acting.search(one) or _P.scripts.search(one):
            yield "code-acts"  # it is there to be run, not to be looked at
        elif whole:
            yield "code-acts"
        elif run_deed(one, command, workspace) == "runs-scratch":
            yield "runs-scratch"
    yield from _proved_deeds(found, command, workspace)


def python_deeds(code: str, command: Command, workspace: Workspace) -> Iterator[str]:
    found = prove_python(code)
    if found is None or is_shadowed(_P.imports.findall(code), command, workspace):
        yield "code-acts"
    else:
        yield from _proved_deeds(found, command, workspace)


def _proved_deeds(found: Proved, command: Command, workspace: Workspace) -> Iterator[str]:
    how = How.WRITES if found.fills else How.EMPTIES
    for path in found.written:
        yield from file_deeds.of_touch(Touch(path, how), command, workspace)
    yield from _secrets((*found.texts, *found.runs), command, workspace)


def loaded_paths(command: Command, workspace: Workspace) -> Iterator[str]:
    """What inline JavaScript loads."""
    name = command.program.removesuffix(".exe")
    code = _code_of(name, command) if name in _W.scripts else None
    found = prove_javascript(code) if code is not None and _P.loads.search(code) else None
    for one in found.runs if found is not None else ():
        yield absolute(one, command.cwd or workspace.cwd)


def may_be_loaded(path: str, loaded: str) -> bool:
    """Whether the code in a file may run where that is loaded: `x.ts` and `x/y.js` for `x`."""
    path, full = path.casefold(), loaded.casefold()
    if full.endswith(DATA):
        return path.removeprefix(full) in _LOADED
    stem = _ENDING.sub("", full)
    return path == full or path.startswith(f"{full}/") or path.removeprefix(stem) in _LOADED


def _takes_place(name: str, command: Command, workspace: Workspace) -> bool:
    """Whether code is there in the place of data: `x.json.js`, where there is no `x.json`."""
    full = absolute(name, command.cwd or workspace.cwd)
    kind = workspace.files.kind
    if not name.endswith(DATA) or kind(full) is FileKind.FILE:
        return False
    return any(kind(f"{full}{end}") is not FileKind.MISSING for end in ("", *_LOADED))


def is_shadowed(modules: Iterable[str], command: Command, workspace: Workspace) -> bool:
    """Whether a file of the folder takes the place of a library: `json.py`."""
    at = command.cwd or workspace.cwd
    places = (f"{at}/{one.partition('.')[0]}" for one in modules)
    kinds = (
        workspace.files.kind(f"{one}{end}") for one in places for end in (".py", "/__init__.py")
    )
    return any(kind is not FileKind.MISSING for kind in kinds)


def _secrets(texts: Iterable[str], command: Command, workspace: Workspace) -> Iterator[str]:
    if any(
        leads_to_credential(text, command.cwd, workspace)
        for text in texts
        if text and " " not in text
    ):
        yield "reads-secret"


def _code_of(name: str, command: Command) -> str | None:
    """The code, where there is one piece of it and nothing else is loaded with it."""
    words = [word.text for word in command.args]
    options = takewhile(lambda word: word[:1] == "-", words)
    if not all(_CODE_OPTION.fullmatch(one) or _P.plain_option.fullmatch(one) for one in options):
        return None
    given = [value for option, value in pairwise(words) if _CODE_OPTION.fullmatch(option)]
    if len(given) == 1:
        return given[0]
    return command.fed if not given else None


def run_deed(script: str, command: Command, workspace: Workspace) -> str:
    outside = file_deeds.where(script, command, workspace) in ("scratch", "outside")
    return "runs-scratch" if outside else "runs-own"
