"""What an install for Python reads beside the list that it is told: other lists, and the code and
the settings of the projects that it builds."""

import ast
import configparser
import re
from collections.abc import Iterable, Iterator

from automode.core.paths import absolute, exactly_within, parents
from automode.core.workspace import Workspace
from automode.judge.places import where
from automode.judge.runs.targets import table, toml
from automode.judge.words import patterns, word_lists
from automode.shell.script import HOLE, Command

_P = patterns("package_lists")
_W = word_lists("package_lists")
_FOLDER = re.compile(r"(?:~|/|\.{1,2}(?:[/\[]|$))")
_OF_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
_NEEDING = ("options", "options.extras_require")
LONGEST = 60_000


def _is_pip(command: Command) -> bool:
    return "pip" in (command.program.rstrip("3"), *(word.text for word in command.args))


def _options(command: Command) -> Iterator[tuple[str, str]]:
    """Each word with the option before it, or that it is glued to."""
    texts = [word.text for word in command.args]
    for before, text in zip(("", *texts), texts, strict=False):
        option, equals, value = text.partition("=")
        yield (option, value) if equals and text[:1] == "-" else (before, text)


def named_lists(command: Command, here: str) -> Iterator[str]:
    """The lists that an option names."""
    for option, value in _options(command):
        if option in _W.naming_lists:
            yield absolute(value, command.cwd or here)


def local_sources(command: Command, here: str) -> Iterator[str]:
    """Where pip takes packages from a folder or a file."""
    if _is_pip(command):
        for option, text in _options(command):
            if _FOLDER.match(text) and option not in _W.places:
                yield absolute(text.partition("[")[0], command.cwd or here)


def places_outside(command: Command, place: Workspace) -> Iterator[str]:
    """Where pip is told to put packages, outside of the workspace."""
    if _is_pip(command):
        for option, text in _options(command):
            told = option in _W.putting and HOLE not in text
            if told and (text[:1] == "~" or where(text, command, place) in ("near", "outside")):
                yield text


def projects(command: Command, place: Workspace) -> Iterator[str]:
    """The files of the projects that are built, and of what says how."""
    at = command.cwd or place.cwd
    folders = list(local_sources(command, place.cwd))
    if not _is_pip(command):
        folders += [at, *(one for one in parents(at) if exactly_within(one, place.root))]
    names = (*_OF_PROJECT, "noxfile.py") if "nox" in command.text else _OF_PROJECT
    if command.program in _W.script_runners:
        words = [one.text for one in command.args if one.text[:1] != "-"]
        yield from (absolute(one, at) for one in words[1:2] if one.endswith(".py"))
    for folder in folders:
        yield from (f"{folder}/{name}" for name in names)


def leads_to(path: str, text: str) -> Iterator[str]:
    """The files by which a list, or a project, names more."""
    folder = path.rpartition("/")[0]
    if path.endswith(".toml"):
        dynamic = table(table(table(toml(text).get("tool")).get("setuptools")).get("dynamic"))
        for one in dynamic.values():
            named = table(one).get("file")
            every = named if isinstance(named, list) else [named]
            yield from (absolute(file, folder) for file in every if isinstance(file, str))
    elif path.endswith((".py", ".cfg")):
        yield from (absolute(one[1], folder) for one in _P.list_in_code.finditer(text))
    else:
        for named in _P.names_list.finditer(text):
            yield absolute(named[1], folder)
        for named in _P.names_project.finditer(text):
            own = absolute(named[1] or named[2], folder)
            yield from (f"{own}/{name}" for name in _OF_PROJECT)


def requirements_in(text: str) -> list[str] | None:
    """What a setup.cfg says that a project needs."""
    given = configparser.RawConfigParser(strict=False)
    try:
        given.read_string(text)
    except configparser.Error:
        return None
    every = {one: dict(given.items(one)) for one in _NEEDING if given.has_section(one)}
    extras = every.get("options.extras_require", {}).values()
    values = [one for key, one in every.get("options", {}).items() if key in _W.of_setup]
    parts = (one.splitlines() if "\n" in one else one.split(";") for one in (*values, *extras))
    lines = [one.strip() for part in parts for one in part]
    return [one for one in lines if one and not one.startswith("file:")]


def names_in_code(text: str) -> frozenset[str] | None:
    """The packages that a setup.py, a noxfile.py or a script names for an installer; None where it
    does not say which."""
    try:
        tree = ast.parse(text[:LONGEST])
    except (SyntaxError, ValueError, RecursionError):
        return None
    nodes = list(ast.walk(tree))
    assigned = [one for one in nodes if isinstance(one, ast.Assign)]
    bound = {
        one.targets[0].id: one.value for one in assigned if isinstance(one.targets[0], ast.Name)
    }
    opened = [one for one in nodes if isinstance(one, ast.withitem)]
    bound |= {
        one.optional_vars.id: one.context_expr
        for one in opened
        if isinstance(one.optional_vars, ast.Name)
    }
    if any(isinstance(one, ast.Constant) and one.value in _W.of_setup for one in nodes):
        return None  # the key of a table
    given = [one for call in nodes if isinstance(call, ast.Call) for one in _packages_of(call)]
    seen: set[str] = set()
    every = [None if one is None else _strings(one, bound, seen) for one in given]
    every.append(_in_header(text))
    names: set[str] = set()
    for named in every:
        found = [_P.requirement.fullmatch(one) for one in named or ()]
        if named is None or None in found:
            return None
        names |= {one["name"] for one in found if one}
    return frozenset(names)


def _in_header(text: str) -> list[str] | None:
    """What a script says that it needs, in a comment for those that run it by itself."""
    header = _P.header.search(text)
    given = toml(re.sub(r"(?m)^# ?", "", header[1])) if header else {}
    listed = given.get("dependencies", [])
    plain = given.keys() <= {"dependencies", "requires-python"} and isinstance(listed, list)
    if not plain or (header and not given):
        return None
    return [str(one) for one in listed] if isinstance(listed, list) else None


def _packages_of(call: ast.Call) -> Iterator[ast.expr | None]:
    """The arguments that name packages; None for one that may be any."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    for keyword in call.keywords:
        if keyword.arg == "dependency_links" or (keyword.arg is None and name == "setup"):
            yield None
        elif keyword.arg in _W.of_setup:
            yield keyword.value
    words = [one.value for one in call.args if isinstance(one, ast.Constant)]
    if name in _W.nox_runs and "install" in words:
        yield from call.args[words.index("install") + 1 :]
    elif name in _W.nox_installs and isinstance(call.func, ast.Attribute):
        yield from _without_options(call.args)


def _without_options(given: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Lists that options name are followed, and the project itself is built by its own."""
    before = ""
    for one in given:
        text = str(one.value) if isinstance(one, ast.Constant) else "?"
        if text[:1] not in ("-", ".") and before not in _W.naming_lists:
            yield one
        before = text


def _strings(value: ast.expr, bound: dict[str, ast.expr], seen: set[str]) -> list[str] | None:
    """None where they cannot be told. What is read from a list is read there. `seen`: names that
    were followed."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return [value.value]
    if isinstance(value, ast.Name) and value.id in bound:
        if value.id in seen:
            return []
        seen.add(value.id)
        return _strings(bound[value.id], bound, seen)
    if isinstance(value, ast.Starred):
        return _strings(value.value, bound, seen)
    if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
        inside = value.values if isinstance(value, ast.Dict) else value.elts
        found = [_strings(one, bound, seen) for one in inside]
        known = [one for one in found if one is not None]
        return [name for one in known for name in one] if len(known) == len(found) else None
    reads = isinstance(value, ast.Call | ast.ListComp) and _reads_list(value, bound, set())
    return [] if reads else None


def _reads_list(value: ast.expr, bound: dict[str, ast.expr], seen: set[str]) -> bool:
    if _P.list_in_code.search(ast.unparse(value)):
        return True
    names = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)} & bound.keys() - seen
    seen |= names
    return any(_reads_list(bound[one], bound, seen) for one in names)
