"""What stands behind the name of a target: scripts of package.json, recipes, tasks.

Files are read through a function that is handed in. What cannot be told is left to the name.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from glob import escape
from itertools import takewhile
from typing import TypeAlias

from automode.config import jsonc
from automode.core.errors import BadSettings
from automode.core.paths import absolute, exactly_within, parents
from automode.core.workspace import Workspace
from automode.guards.guard import option_values
from automode.judge.calls.packages import Need
from automode.judge.runs.recipes import UNKNOWN, Book, as_script, justfile, makefile
from automode.judge.words import keys_by_word, word_lists, word_table
from automode.shell.script import HOLE

_W = word_lists("targets")
Look: TypeAlias = Callable[[str], str | None]
"""The text of a file, as it is when the target runs."""
Table: TypeAlias = Mapping[str, object]
MOST_NAMES = 200
MOST_PACKAGES = 60
DEEPEST = 6  # of names that stand for other names
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile", "JUSTFILE")
_MISE = (
    *("mise.toml", ".mise.toml", "mise/config.toml", ".mise/config.toml"),
    *(".config/mise.toml", ".config/mise/config.toml", "mise.local.toml", ".mise.local.toml"),
)
_MISE_FILES = ("mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks")
_GIVEN = re.compile(r"([\w.-]+):{0,3}=(.*)", re.S)
_GLUED = re.compile(r"-[jl]\d*$|-[CfF][^-\s]")
_WIDER = re.compile(r"\.\.\.|[\[\]!^]")  # a filter with what depends on it, or what changed


@dataclass(frozen=True, slots=True)
class Text:
    """A script for a shell. `sure`: nothing else runs. `file` and `name`: where it stands."""

    text: str
    folder: str
    file: str
    name: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class _Line:
    """The words of a command that runs a target."""

    kind: str
    program: str
    target: str
    given: tuple[str, ...]  # to the target
    at: str
    options: tuple[tuple[str, str], ...]
    words: tuple[str, ...]
    sure: bool  # nothing in it steers what runs

    def option(self, table: str, name: str) -> str:
        names = word_table("targets", table).get(name, frozenset[str]())
        return next((value for one, value in self.options if one in names and value), "")


def texts_of(need: Need, place: Workspace, look: Look) -> tuple[Text, ...]:
    """What a target runs; empty where that is not known."""
    line = _taken_apart(need)
    if line is None or not any(exactly_within(line.at, one) for one in place.folders):
        return ()
    found = tuple(_READERS[line.kind](line, place, look))
    return found if line.sure else tuple(replace(one, sure=False) for one in found)


def _taken_apart(need: Need) -> _Line | None:
    variables = list(takewhile(_GIVEN.fullmatch, need.line))
    words = need.line[len(variables) :]
    program = words[0].rsplit("/", 1)[-1].removesuffix(".exe") if words else ""
    kind = keys_by_word("targets", "runners").get(program, "")
    if kind not in _READERS:
        return None
    rest = words[1:]
    folders, files = (word_table("targets", one) for one in ("folder", "file"))
    options = word_table("targets", "options")
    choosing = folders.get(kind, frozenset()) | files.get(kind, frozenset()) | options["filter"]
    start = next(
        (
            place
            for place, one in enumerate(rest)
            if one == need.name and (place == 0 or rest[place - 1] not in choosing)
        ),
        len(rest),
    )
    own = rest if program in ("make", "gmake", "npm") else rest[:start]
    own = tuple(takewhile(lambda one: one != "--", own))
    given = tuple((name, value) for name, value in option_values(own) if name[:1] == "-")
    given += tuple((one[:2], one[2:]) for one in own if re.match(r"-[CfF][^-\s]", one))
    known = choosing | options["plain"] | options["every"]
    plain = all(one in known or _GLUED.match(one) for one, _ in given)
    set_here = [found for one in rest if kind == "make" and (found := _GIVEN.fullmatch(one))]
    plain = plain and not (kind == "just" and any(one[:1] != "-" for one in rest[:start]))
    plain = plain and all(one.partition("=")[0] in _W.plain_variables for one in variables)
    plain = plain and all(one[1] not in _W.steering for one in set_here)
    folder = next((value for name, value in given if name in folders.get(kind, ())), "")
    if HOLE in folder or HOLE in need.cwd:
        return None
    at = absolute(folder, need.cwd) if folder else need.cwd
    told = tuple(one for one in rest[start + 1 :] if one != "--")
    return _Line(kind, program, need.name, told, at, given, rest, plain)


def _found(
    names: Sequence[str], line: _Line, place: Workspace, look: Look
) -> Iterator[tuple[str, str, str]]:
    """The nearest folder that has one of the files, with the file and its text."""
    for folder in (line.at, *parents(line.at)):
        if not any(exactly_within(folder, one) for one in place.folders):
            return
        for name in names:
            text = look(f"{folder}/{name}")
            if text is not None:
                yield folder, f"{folder}/{name}", text
                return


def _of_make(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    chosen = line.option("file", line.kind)
    for path in (absolute(one, line.at) for one in ((chosen,) if chosen else _MAKEFILES)):
        text = look(path)
        if text is None:
            continue
        given = [found for one in line.words if (found := _GIVEN.fullmatch(one))]
        values = tuple((one[1], one[2].replace(HOLE, UNKNOWN)) for one in given)
        yield from _of_book(makefile(text, values), line, line.at, path)
        return


def _of_just(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    chosen = line.option("file", line.kind)
    names = (chosen,) if chosen else _JUSTFILES
    for folder, file, text in _found(names, line, place, look):
        yield from _of_book(justfile(text), line, folder, file)


def _of_book(book: Book, line: _Line, folder: str, file: str) -> Iterator[Text]:
    # What follows may be the name of another recipe.
    more = [one for one in line.given if one in book.recipes] if line.kind == "just" else []
    found = book.run((line.target, *more) if line.target else ())
    if found is not None:
        sure = found.sure and (line.kind == "make" or not line.given)
        yield Text(as_script(found.lines), folder, file, line.target or book.first, sure)


def _of_node(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    for folder, file, text in _found(("package.json",), line, place, look):
        several = line.program in _W.several
        names = [one for one in line.words if one[:1] != "-"] if several else [line.target]
        names = [one.replace("**", "*") if several else escape(one) for one in names]
        folders = list(_packages(line, folder, text, place, look))
        for at in folders:
            one = f"{at}/package.json"
            scripts = _scripts_of(text if one == file else look(one) or "")
            given = () if several else line.given
            for name in names:
                yield from _of_scripts(scripts, name, given, at, one)


def _of_scripts(
    scripts: Table, name: str, given: Sequence[str], at: str, file: str
) -> Iterator[Text]:
    """With the hooks beside it."""
    wanted = [one for one in scripts if fnmatchcase(one, name)]
    for one in wanted:
        for hook in (f"pre{one}", one, f"post{one}"):
            script = scripts.get(hook)
            if isinstance(script, str) and script.strip():
                text = " ".join((script, *map(_quoted, given))) if hook == one else script
                yield Text(text, at, file, hook, sure=script.split()[0] not in _W.opaque)


def _quoted(word: str) -> str:
    if HOLE in word:
        return UNKNOWN
    return f"~{shlex.quote(word[1:])}" if word[:1] == "~" else shlex.quote(word)


@lru_cache(maxsize=256)
def package_of(text: str) -> Table:
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _scripts_of(text: str) -> Table:
    return table(package_of(text).get("scripts"))


def table(given: object) -> Table:
    return given if isinstance(given, dict) else {}


def _packages(line: _Line, folder: str, text: str, place: Workspace, look: Look) -> Iterator[str]:
    """The folders of the packages whose script runs."""
    kinds = word_table("targets", "options")
    named = [value for name, value in line.options if name in kinds["filter"] and value]
    if line.words[:1] == ("workspace",):
        named = list(line.words[1:2])
    every = line.program in _W.every or any(one in kinds["every"] for one, _ in line.options)
    every = every or line.words[:1] == ("workspaces",)
    if not named:
        yield folder
    if not named and not every:
        return
    for root in (folder, *parents(folder)):
        if not any(exactly_within(root, one) for one in place.folders):
            return
        members = list(_members(root, place, look))
        if members:
            yield from (
                at
                for at, name in members
                if not named or any(_is_meant(one, name, at) for one in named)
            )
            return


def _is_meant(wanted: str, name: str, at: str) -> bool:
    bare = wanted.strip("'\"{}").removeprefix("./").rstrip("/")
    return _WIDER.search(bare) is not None or (
        fnmatchcase(name, bare) or name.rpartition("/")[2] == bare or at.endswith(f"/{bare}")
    )


def _members(root: str, place: Workspace, look: Look) -> Iterator[tuple[str, str]]:
    """The packages of a workspace: folders with names."""
    listed = package_of(look(f"{root}/package.json") or "").get("workspaces")
    listed = table(listed).get("packages") if isinstance(listed, dict) else listed
    globs = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    globs += re.findall(
        r"^\s*-\s*['\"]?([\w@./*-]+)['\"]?\s*$", look(f"{root}/pnpm-workspace.yaml") or "", re.M
    )
    count = 0
    for one in globs:
        base, star, _ = one.partition("*")
        base = base.removeprefix("./").rstrip("/")
        names = place.files.names(f"{root}/{base}".rstrip("/"), MOST_NAMES) if star else ("",)
        for name in names:
            at = "/".join(part for part in (root, base, name) if part)
            text = look(f"{at}/package.json")
            if text is not None and count < MOST_PACKAGES:
                count += 1
                yield at, str(package_of(text).get("name", ""))


def _of_mise(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    if line.words[:1] not in (("run",), ("r",)):
        return
    for folder, file, text in _found(_MISE, line, place, look):
        settings = toml(text)
        tasks = table(settings.get("tasks"))
        plain = settings.keys() <= _MISE_TABLES
        names = _closed(line.target, tasks, lambda one: _listed(table(one).get("depends")))
        for name in names:
            task = tasks.get(name)
            run = table(task).get("run") if isinstance(task, dict) else task
            lines = _listed(run)
            if task is not None:
                script = "\n".join(lines) if len(lines) < 2 else as_script(lines)
                sure = plain and (not isinstance(task, dict) or set(task) <= _MISE_KEYS)
                sure = sure and "{{" not in script and isinstance(run, str | list)
                given = " ".join(map(_quoted, line.given)) if name == line.target else ""
                yield Text(f"{script} {given}".strip(), folder, file, name, sure)
        if names:
            return
    for folder in (line.at, *parents(line.at)):
        if not any(exactly_within(folder, one) for one in place.folders):
            return
        for one in _MISE_FILES:
            path = f"{folder}/{one}/{line.target.replace(':', '/')}"
            if line.target and look(path) is not None:
                yield Text(shlex.quote(path), folder, path, line.target)
                return


_MISE_TABLES = {"tasks", "tools", "min_version"}
_MISE_KEYS = {"run", "depends", "description", "alias", "sources", "outputs", "quiet", "hide"}


def _of_deno(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    for folder, file, text in _found(("deno.json", "deno.jsonc"), line, place, look):
        tasks = table(_jsonc(text).get("tasks"))
        names = _closed(line.target, tasks, lambda one: _listed(table(one).get("dependencies")))
        for name in names:
            task = tasks.get(name)
            script = table(task).get("command") if isinstance(task, dict) else task
            if isinstance(script, str):
                given = line.given if name == line.target else ()
                yield Text(" ".join((script, *map(_quoted, given))), folder, file, name)
        if names:
            return
    yield from _of_node(line, place, look)


def _of_composer(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    for folder, file, text in _found(("composer.json",), line, place, look):
        scripts = _scripts_of(text)
        names = _closed(
            line.target,
            scripts,
            lambda one: [part[1:] for part in _listed(one) if re.match(r"@[\w:-]+$", part)],
        )
        for name in names:
            lines = [one for one in _listed(scripts.get(name)) if one[:1] != "@" or " " in one]
            called = [one for one in lines if "::" in one and " " not in one]
            plain = [
                re.sub(r"^@(?:no_additional_args )?", "", one) for one in lines if one not in called
            ]
            yield Text(as_script(plain), folder, file, name, not called)


def _of_poe(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    yield from _of_tables(line, place, look, ("tool", "poe", "tasks"), names=True)


def _of_pdm(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    yield from _of_tables(line, place, look, ("tool", "pdm", "scripts"))


def _of_taskipy(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    yield from _of_tables(line, place, look, ("tool", "taskipy", "tasks"))


def _of_hatch(line: _Line, place: Workspace, look: Look) -> Iterator[Text]:
    if line.words[:1] != ("run",):
        return
    environment, _, name = line.target.rpartition(":")
    keys = ("tool", "hatch", "envs", environment or "default", "scripts")
    yield from _of_tables(replace(line, target=name), place, look, keys, first=True)


def _of_tables(
    line: _Line,
    place: Workspace,
    look: Look,
    keys: Sequence[str],
    *,
    names: bool = False,  # a list holds names of tasks
    first: bool = False,  # the first word of a command may be a name
) -> Iterator[Text]:
    for folder, file, text in _found(("pyproject.toml",), line, place, look):
        around: Table = {}
        tasks: Table = toml(text)
        for key in keys:
            around, tasks = tasks, table(tasks.get(key))
        # Settings beside the tasks may say what runs them.
        plain = "_" not in tasks and (not names or around.keys() <= {"tasks"})

        def needs(task: object) -> list[str]:
            given = table(task)
            found = _listed(given.get("deps")) + _listed(given.get("sequence"))
            found += _listed(given.get("composite")) + _listed(given.get("ref"))
            found += _listed(task) if names and isinstance(task, list) else []
            found += _commands(task) if first else []
            return [one.split()[0] for one in found if one.split()]

        for name in _closed(line.target, tasks, needs):
            for one in (f"pre_{name}", name, f"post_{name}"):
                if one not in tasks:
                    continue
                lines = [] if names and isinstance(tasks[one], list) else _commands(tasks[one])
                sure = plain and table(tasks[one]).keys() <= _TASK_KEYS
                if first:
                    lines = [part for part in lines if part.split()[0] not in tasks]
                    sure = sure and not any("{" in part for part in lines)
                given = " ".join(map(_quoted, line.given)) if one == line.target else ""
                script = as_script(lines)
                yield Text(f"{script} {given}".strip(), folder, file, one, sure)


def program_of(name: str, pyproject: str) -> str:
    """The module behind a program that a pyproject.toml declares; empty for none."""
    given = toml(pyproject)
    poetry = table(table(given.get("tool")).get("poetry"))
    scripts = (table(table(given.get("project")).get("scripts")), table(poetry.get("scripts")))
    entry = next((one[name] for one in scripts if name in one), "")
    return entry.partition(":")[0] if isinstance(entry, str) else ""


_TASK_KEYS = {"cmd", "shell", "help", "deps", "sequence", "composite", "ref"}


def _commands(task: object) -> list[str]:
    """The command lines that a task of a pyproject.toml holds itself."""
    if isinstance(task, str):
        return [task]
    if isinstance(task, list):
        return _listed(task)
    given = table(task)
    words = given.get("cmd")
    if isinstance(words, list):
        return [shlex.join(_listed(words))]
    return [one for key in ("cmd", "shell") for one in _listed(given.get(key))]


def _closed(name: str, tasks: Table, needs: Callable[[object], Sequence[str]]) -> tuple[str, ...]:
    """A task with those that it needs, before it."""
    order: dict[str, None] = {}

    def visit(one: str, depth: int) -> None:
        if one in tasks and one not in order and depth < DEEPEST:
            order[one] = None
            for other in needs(tasks[one]):
                visit(other, depth + 1)

    visit(name, 0)
    return tuple(order)


def _listed(given: object) -> list[str]:
    if isinstance(given, str):
        return [given]
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


@lru_cache(maxsize=64)
def toml(text: str) -> Table:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


@lru_cache(maxsize=64)
def _jsonc(text: str) -> Table:
    try:
        return table(jsonc.content(jsonc.read(text.encode()).root))
    except (BadSettings, UnicodeError):
        return {}


_READERS: Mapping[str, Callable[[_Line, Workspace, Look], Iterator[Text]]] = {
    "make": _of_make,
    "just": _of_just,
    "node": _of_node,
    "mise": _of_mise,
    "deno": _of_deno,
    "composer": _of_composer,
    "poe": _of_poe,
    "pdm": _of_pdm,
    "hatch": _of_hatch,
    "taskipy": _of_taskipy,
}
