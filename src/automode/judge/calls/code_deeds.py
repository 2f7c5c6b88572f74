"""Which deeds code is that an interpreter is given: what is proved of it, and what it starts."""

import ast
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import TypeAlias

from automode.core.paths import absolute, exactly_within
from automode.core.workspace import Kind as FileKind
from automode.core.workspace import Workspace
from automode.guards.reads.secret_reads import leads_to_credential
from automode.judge.calls import file_deeds
from automode.judge.calls.file_deeds import How, Touch
from automode.judge.code.act import Act, quoted
from automode.judge.code.acts import loaded_modules, script_acts, texts_in
from automode.judge.places import where
from automode.judge.python.acts import python_acts
from automode.judge.python.calls import standard
from automode.judge.words import expand, patterns, read_words, word_lists
from automode.programs.python_code import parse
from automode.shell.script import HOLE, Assignment, Command
from automode.shell.variables import only_presents

_FILE_DEEDS_P = patterns("file_deeds")
_P = patterns("command_deeds")
_W = word_lists("command_deeds")
LONGEST_CODE = 20_000
HIDES = "hides-option"  # code gives each word by itself, and what it gives is no option
_FILLING = re.compile(r"(?i)write|dump|print|save|copy|to_|connect|shelve|dbm")
_CALLED = re.compile(r"\w+(?=\s*\()")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STREAMS = frozenset({"stdout", "stderr", "file", "fp", "stream"})
_CODE_OPTION = re.compile(r"-[a-zA-Z]*[cepE]|--eval|--print|eval")
_PERL_CODE = re.compile(r"-[a-zA-Z0-9]*[eE]")
_SPACED = re.compile(
    r"[^\n\"'<>|;:,()]{1,200}/[^\s\"'<>|;:,()]{1,80}"
)  # a path with a blank in a folder
DATA = ".json"
_ENDING = re.compile(r"\.[cm]?[jt]sx?$")
# What is put behind a name that is loaded, where there is no such file.
_ENDINGS = tuple(f".{one}" for one in "js cjs mjs jsx ts cts mts tsx node wasm".split())
_LOADED = (*_ENDINGS, *(f"/index{one}" for one in _ENDINGS), "/package.json")
_PLAINLY = {
    name: re.compile(expand(value, {}))
    for names, value in read_words("command_deeds")["plainly"].items()
    for name in names.split()
}
"""Variables that may lead to other code, with the values that do not."""

Within: TypeAlias = Callable[[str], tuple[str, ...] | None]
"""The deeds of a script that proved code starts; None where that may be more than is told."""


def code_acts(*texts: str) -> bool:
    return any(_P.acts.search(text[:LONGEST_CODE]) for text in texts)


def inline_deeds(
    name: str, command: Command, workspace: Workspace, within: Within | None = None
) -> Iterator[str]:
    """Of an interpreter that is given code: nothing where it is proved to look and to print."""
    code = code_of(command)
    if code is None or HOLE in code:
        yield "code-acts"
    elif name in _W.pythons:
        yield from python_deeds(code, command, workspace, within)
    elif name in _W.scripts:
        at = f"{command.cwd or workspace.cwd}/-.js"
        yield from script_deeds(code, at, command, workspace, within)
    elif not (name == "perl" and _P.perl_filter.fullmatch(code)):
        yield "code-acts"


def script_deeds(
    code: str,
    path: str,
    command: Command,
    workspace: Workspace,
    within: Within | None = None,
    *,
    whole: bool = False,
) -> Iterator[str]:
    """The same of code in other languages, by the ending of its path. `whole`: of a file, whose
    modules are looked at by themselves."""
    place = replace(workspace, cwd=command.cwd or workspace.cwd)
    yield from _deeds_of(script_acts(code, path, place), command, place, within)
    texts = texts_in(code, path.rpartition(".")[2])
    loaded = () if whole else loaded_modules(code, path, place)
    own = [one for one in loaded if one.startswith((".", "/"))]
    if _reaches(code, own) or any(_takes_place(one, command, workspace) for one in loaded):
        yield "code-acts"
    for one in own:
        if one.endswith(DATA):
            continue
        if command.cwd is None or _P.acting.search(one) or _P.scripts.search(one):
            yield "code-acts"  # it is there to be run, not to be looked at
        elif run_deed(one, command, workspace) == "runs-scratch":
            yield "runs-scratch"
    yield from _secrets((*texts, *loaded), command, workspace)


def python_deeds(
    code: str, command: Command, workspace: Workspace, within: Within | None = None
) -> Iterator[str]:
    """What code does outside of itself, as the commands that do the same."""
    place = replace(workspace, cwd=command.cwd or workspace.cwd)
    nodes = parse(code)
    how = How.WRITES if any(map(_fills, nodes)) else How.EMPTIES
    yield from _deeds_of(python_acts(code, f"{place.cwd}/-", place), command, place, within, how)
    if _reaches(code, _foreign(nodes)):
        yield "code-acts"
    texts = (one.value for one in nodes if isinstance(one, ast.Constant))
    yield from _secrets((one for one in texts if isinstance(one, str)), command, workspace)


def _foreign(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Modules that are not Python's own."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not standard(node.module or ""):
            yield node.module or "."
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if not standard(one.name))


def _reaches(code: str, loaded: Iterable[str]) -> bool:
    """Whether it calls functions of other modules that are named after what reaches beyond the
    project: `billing.refund_all()`."""
    modules = list(loaded)
    names = [*modules, *_CALLED.findall(code)] if modules else ()
    return any(_P.reaching.search(_HUMPS.sub("_", one)) for one in names)


def _deeds_of(
    acts: Iterable[Act] | None,
    command: Command,
    place: Workspace,
    within: Within | None,
    how: How = How.WRITES,
) -> Iterator[str]:
    """`how`: what the code does to the files that it opens for writing."""
    led = any(steers(one, command, place) for one in command.environment)
    if acts is None or led or command.cwd is None:
        yield "code-acts"
        return
    for one in acts:
        if one.hint or one.grave:
            yield "code-acts"
        elif one.is_told:
            yield from _act_deeds(one, command, place, within, how)


def _fills(node: ast.AST) -> bool:
    """Whether it puts something into a file, or hands a file on."""
    if not isinstance(node, ast.Call):
        return False
    empty = [one for one in node.args if isinstance(one, ast.Constant) and not one.value]
    named = [one.arg or "" for one in node.keywords]
    given = len(node.args) > len(empty) or bool(named)
    fills = _FILLING.search(ast.unparse(node.func)) is not None
    return (given and fills) or not _STREAMS.isdisjoint(named)


def _act_deeds(
    act: Act, command: Command, place: Workspace, within: Within | None, how: How
) -> Iterator[str]:
    redirect = act.command.redirects[0] if act.command and act.command.redirects else None
    if redirect is not None and redirect.writes:
        yield from file_deeds.of_touch(Touch(redirect.target.text, how), command, place)
    elif redirect is not None:
        yield from _secrets((redirect.target.text,), command, place)
    elif within is not None:
        text = act.text or " ".join(quoted(one.text) for one in (act.command or command).words)
        at = "" if command.cwd == place.root else f"cd {shlex.quote(place.cwd)} && "
        found = within(at + text)
        yield from ("code-acts",) if found is None else (one for one in found if one != HIDES)
    else:
        yield "code-acts"


def loaded_paths(command: Command, workspace: Workspace) -> Iterator[str]:
    """What inline JavaScript loads."""
    name = command.program.removesuffix(".exe")
    code = code_of(command) if name in _W.scripts else None
    place = replace(workspace, cwd=command.cwd or workspace.cwd)
    found = loaded_modules(code, f"{place.cwd}/-.js", place) if code is not None else ()
    for one in found:
        if one.startswith((".", "/")):
            yield absolute(one, place.cwd)


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


def is_shadowed(
    modules: Iterable[str], command: Command, workspace: Workspace, folders: Iterable[str] = ()
) -> bool:
    """Whether a file of the folder takes the place of a library: `json.py`."""
    at = (*module_folders(command, workspace), *folders)
    names = {one.partition(".")[0] for one in modules}
    kinds = (
        workspace.files.kind(f"{folder}/{name}{end}")
        for folder in at
        for name in names
        for end in (".py", "/__init__.py")
    )
    return any(kind is not FileKind.MISSING for kind in kinds)


def module_folders(command: Command, workspace: Workspace) -> tuple[str, ...]:
    """Where Python looks for modules first: where it starts, and what `PYTHONPATH` names."""
    at = command.cwd or workspace.cwd
    given = [one.value.text for one in command.assignments if one.name == "PYTHONPATH"]
    named = [absolute(one, at) for value in given for one in value.split(":") if one]
    return (at, *named)


def _secrets(texts: Iterable[str], command: Command, workspace: Workspace) -> Iterator[str]:
    if any(
        leads_to_credential(text, command.cwd, workspace)
        for text in texts
        if text and (" " not in text or _SPACED.fullmatch(text))
    ):
        yield "reads-secret"


def code_of(command: Command) -> str | None:
    """The code, where there is one piece of it and nothing else is loaded with it."""
    words = [word.text for word in command.args]
    brings = _PERL_CODE if command.program == "perl" else _CODE_OPTION
    options = takewhile(lambda word: word[:1] == "-", words)
    if not all(brings.fullmatch(one) or _P.plain_option.fullmatch(one) for one in options):
        return None
    given = [value for option, value in pairwise(words) if brings.fullmatch(option)]
    python = command.program.removesuffix(".exe") in _W.pythons
    if len(given) == 1 and not python:
        # All others read options behind the code, too.
        behind = words[words.index(given[0]) + 1 :]
        own = behind[: behind.index("--")] if "--" in behind else behind
        if any(one[:1] == "-" and len(one) > 1 for one in own):
            return None
    if len(given) == 1:
        return given[0]
    return command.fed if not given else None


def run_deed(script: str, command: Command, workspace: Workspace) -> str:
    outside = where(script, command, workspace) in ("scratch", "outside")
    return "runs-scratch" if outside else "runs-own"


def steers(given: Assignment, command: Command, workspace: Workspace) -> bool:
    """Whether a variable leads the program to another one: `PATH` does where it names a folder that
    anybody may write to, `PYTHONPATH` where it names one outside of the workspace."""
    value = given.value.text
    if only_presents(given) or _is_plainly_set(given):
        return False
    if given.name == "PYTHONPATH":
        known = command.cwd is not None and HOLE not in value and "~" not in value
        return not known or not all(
            any(exactly_within(folder, one) for one in workspace.folders)
            for folder in module_folders(command, workspace)
        )
    if given.name == "PATH":
        return value == HOLE or not all(
            _may_hold_programs(one, workspace) for one in value.split(":")
        )
    if given.name in _W.tools:
        return re.search(r"[/ ]|exec|eval|agent", value) is not None
    return _P.steers.fullmatch(given.name) is not None


def _is_plainly_set(given: Assignment) -> bool:
    """Whether the value is one that leads nowhere: `GIT_EDITOR=true`, `PYTEST_ADDOPTS=-q`."""
    known = _PLAINLY.get(given.name)
    value = given.value.value
    return known is not None and value is not None and known.fullmatch(value) is not None


def _may_hold_programs(folder: str, workspace: Workspace) -> bool:
    if any(exactly_within(folder, one) for one in workspace.folders):
        return True
    return folder[:1] in ("/", "~", HOLE) and not _FILE_DEEDS_P.scratch.search(folder)
