"""What a command runs that is the project's or a registry's: scripts, targets and packages.

Builds, tests, checks and servers have names that every project shares. Whatever else runs may do
anything, so a user has to name it.
"""

import itertools
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from automode.core.paths import absolute
from automode.judge.calls import command_deeds, packages
from automode.judge.calls.packages import Need
from automode.judge.places import where
from automode.judge.words import USUAL_NAMES, keys_by_word, patterns, word_lists, word_table
from automode.programs.call_facts import CommandFacts
from automode.programs.table import programs
from automode.programs.use import Effect
from automode.shell.builtins import sets_up
from automode.shell.script import HOLE, Command

_FILE_DEEDS_P = patterns("file_deeds")
_PACKAGES_W = word_lists("packages")
_REACHES = re.compile(r"://|@|^[\w.-]+:[^\s]")  # another machine
_P = patterns("tasks")
_W = word_lists("tasks")
_TARGETS_W = word_lists("targets")

RUNS, INSTALLS = packages.RUNS, packages.INSTALLS
PRODUCTION = "production"
LONGEST = 2_000
USUAL = ""  # the deed of a script that needs nobody's word, as long as it is the project's
_BREAKS = re.compile(r"[:._/@-]+|(?<=[a-z])(?=[A-Z])")
_TESTS = re.compile(r"(?:^|/)(?:tests?|spec|__tests__|e2e)/")
_BUILT = re.compile(r"(?:^|/)target/(?:debug|release)/[\w-]+$")  # out of the project's sources
_VALUE = re.compile(r"[\w.-]+:?=|\d+$")
Found = Iterator[Need]
_BUILDS = frozenset({"build", "bundle", "compile", "rebuild"})
_NODE_RUN = frozenset({"run", "run-script", "rum", "urn", "task"})
_NODE_FETCH = frozenset({"exec", "x", "dlx", "create", "init"})
_SHORT = {"t": "test", "tst": "test"}
_OF_PROJECTS = (("pdm",), ("hatch",))
_MANAGERS = frozenset("pip pip3 poetry uv pdm pipenv hatch pipx".split())
_FRAMEWORKS = frozenset({"manage.py", "artisan", "rails", "console"})
_CHOOSES = ("--bin", "--example", "-p", "--package", "--project")
_MEASURED_INTO = ("-o", "--outfile", "-s", "--sort", "-C", "--coverdir", "-f", "--file")
_COMMANDS_P = patterns("command_deeds")
REACHES_FAR = re.compile(r"://|@|^[\w.-]+:[^\s]")  # another machine
_OWN = {".": "main", "./": "main", "./...": "main"}


def unusual(known: CommandFacts) -> Found:
    """What has to be named."""
    meant = _as_module(known.command)
    return _unusual(known if meant is None else CommandFacts(meant, known.workspace))


def _unusual(known: CommandFacts) -> Found:
    command, effect = known.command, known.effect
    if not command.words or command.transparent or command.remote:
        return
    first, name = command.words[0].text, command.program.removesuffix(".exe")
    has_row = name in programs()
    described = has_row and not _says_nothing(known)
    if _P.live.search(command.text[:LONGEST]) and "build" not in command.text and described:
        yield Need(RUNS, PRODUCTION)
    if HOLE in first:
        return
    words = plain_words(command)
    reading = _READING.get(keys_by_word("tasks", "programs").get(name, ""))
    wrapped = name in ("gradlew", "mvnw") or _P.environments.search(first) is not None
    if _BUILT.search(first) or _only_asks(command) or command_deeds.is_heavy(known):
        return  # the table says what it does, and the user has to ask for that
    if (
        "/" in first
        and not first.startswith(command_deeds.USUAL_PLACES)
        and not (wrapped and (reading or _tool(name)))
    ):
        yield from _script_task(first)
    elif reading is not None:
        yield from reading(name, words, command)
    elif first.startswith("npm:"):
        yield from _named_task(first[4:], ("npm", "run", first[4:]))
    elif not described and not _tool(name) and not _usual(name):
        inside = command.via[-1:] if command.via[-1:] in _OF_PROJECTS else ()
        yield Need(RUNS, name, line=(*inside, "run", *texts_of_command(command)) if inside else ())
    yield from packages.unusual_words(name, words)
    foreign = Effect.DEVELOPMENT not in effect and (not has_row or Effect.RUNS in effect)
    if foreign and not _makes_environment(known, words):
        yield from packages.led_away(name, words, command)


def _as_module(command: Command) -> Command | None:
    """`python -m pip install x` as `pip install x`."""
    if not command.program.removesuffix(".exe").startswith(("python", "py")):
        return None
    texts = [word.text for word in command.args]
    at = texts.index("-m") if "-m" in texts else len(texts)
    module = texts[at + 1] if at + 1 < len(texts) else ""
    plain = all(one[:1] == "-" for one in texts[:at])
    return replace(command, words=command.args[at + 1 :]) if plain and module in _MANAGERS else None


def _makes_environment(known: CommandFacts, words: list[str]) -> bool:
    """`python -m venv DIR`, in the workspace or a folder for what passes."""
    command = known.command
    made = command.program.startswith("python") and words[:1] == ["venv"] and len(words) == 2
    texts = [word.text for word in command.args]
    alone = texts[:2] == ["-m", "venv"] and all(one[:1] != "-" for one in texts[2:])
    place = where(words[1], command, known.workspace) if made and alone else ""
    return place in ("here", "generated", "scratch")


def _says_nothing(known: CommandFacts) -> bool:
    """Whether its row has no more to say of the command than that nobody knows what it does."""
    told = known.deeds or (known.program is not None and known.program.always)
    if known.effect != Effect.UNKNOWN or told:
        return False
    return known.given is None or known.given.row.base.effect == Effect.UNKNOWN


def _only_asks(command: Command) -> bool:
    """`x --help`. A script of a shell need not heed it."""
    last = command.words[-1].text
    return (
        last in ("--help", "--version")
        and not command.words[0].text.endswith(".sh")
        and command.program not in _W.shells
    )


def plain_words(command: Command) -> list[str]:
    """Without options, and without what follows `--`."""
    return [word for word in command_deeds.line_of(command).partition(" ¦ ")[0].split(" ") if word]


@lru_cache(maxsize=4_096)
def _usual(name: str) -> bool:
    """Whether a target or the stem of a script is what every project has: a verb that says what is
    done, or a usual target, and no other word than those that may stand beside it."""
    parts = [part.casefold() for part in _BREAKS.split(name) if part]
    if not parts or name.casefold() in USUAL_NAMES.verbs | USUAL_NAMES.targets:
        return True
    if parts[0] in _BUILDS:  # for production, and nothing there feels it
        parts = [part for part in parts if part not in ("prod", "production")]
    known = USUAL_NAMES.verbs | USUAL_NAMES.targets
    return not known.isdisjoint(parts) and all(
        part in USUAL_NAMES.beside or part in known or part.isdigit() or part in _W.checkers
        for part in parts
    )


def _tool(name: str) -> bool:
    return name.casefold() in USUAL_NAMES.tools


def is_test(path: str) -> bool:
    return _P.test_file.search(path) is not None


def _script_task(path: str, arguments: Iterable[str] = ()) -> Found:
    """What every project's program is called does whatever its arguments say."""
    before, _, after = path.rsplit("/", 1)[-1].rpartition(".")
    stem = (before or after).casefold()
    told = stem in USUAL_NAMES.programs and not all(map(_P.ordinary.fullmatch, arguments))
    loose = is_test(path) and _TESTS.search(path) is None  # a script that calls itself a test
    usual = not told and not loose and (is_test(path) or _usual(stem))
    yield Need(USUAL if usual else RUNS, path)


def texts_of_command(command: Command) -> tuple[str, ...]:
    given = (*command.environment, *command.assignments)
    return (
        *(f"{one.name}={one.value.text}" for one in given),
        *(one.text for one in command.words),
    )


def _named_task(target: str, line: tuple[str, ...], called: str = "") -> Found:
    """A name that a file of the project explains. `called`: without what chooses that file."""
    yield Need(USUAL if _usual(called or target) else RUNS, target, line=line)


def _target_tasks(name: str, words: list[str], command: Command) -> Found:
    several = name in ("make", "gmake", "gradle", "gradlew", "mvn", "mvnw", "rake", "gulp", "grunt")
    values = _values(command, word_table("tasks", "valued").get(name, frozenset()))
    words = [one for one in _without_variables(words, command) if one not in values]
    given = [word for word in words if not _VALUE.match(word)]
    if name == "mise" and given[:1] in (["exec"], ["x"]):
        return  # the command is read by itself
    if given[:1] in (["run"], ["run-many"], ["exec"], ["affected"]):
        given = given[1:]
    for target in (given if several else given[:1]) or [""]:
        called = target.rsplit(":", 1)[-1] if name in ("gradle", "gradlew", "nx") else target
        yield from _named_task(target, texts_of_command(command), called)


def _values(command: Command, options: Container[str]) -> set[str]:
    """What stands behind options, and nowhere else."""
    texts = [one.text for one in command.args]
    found = {b for a, b in itertools.pairwise(texts) if a in options}
    return {one for one in found if texts.count(one) == 1}


def _without_variables(words: Sequence[str], command: Command) -> list[str]:
    """Without those whose value has several words: `ARGS="-k total"`."""
    left = list(words)
    for text in (one.text[: command_deeds.LONGEST_WORD] for one in command.args):
        parts = text.split()
        if len(parts) > 1 and _VALUE.match(text):
            starts = range(len(left) - len(parts) + 1)
            at = next((at for at in starts if left[at : at + len(parts)] == parts), len(left))
            del left[at : at + len(parts)]
    return left


def _node_tasks(name: str, words: list[str], command: Command) -> Found:
    if name == "npm" and words and words[0] not in _W.node_own | _NODE_RUN:
        # The value of an option stands before what npm is told to do.
        words = words[next((at for at, one in enumerate(words) if one in _NODE_RUN), 0) :]
    verb, rest = (words[0], words[1:]) if words else ("", [])
    if verb in ("workspace",) and len(rest) > 1:
        verb, rest = rest[1], rest[2:]
    if verb in _NODE_RUN:
        texts = [word.text for word in command.args] if name in ("bun", "pnpm") else []
        for option, value in itertools.pairwise(texts):
            if option == "--filter" and value in rest:
                rest.remove(value)
        for target in rest[:1]:
            yield from _named_task(target, texts_of_command(command))
    elif verb in _NODE_FETCH:
        yield from _brought_tasks(rest[:1])
    elif verb in _PACKAGES_W.adds | packages.REMOVES:
        yield from _package_tasks(name, words, command)
    elif verb in _TARGETS_W.own or name != "npm":
        yield from _short_tasks(verb, command)


def _short_tasks(verb: str, command: Command) -> Found:
    """`yarn lint`, `npm t`: a script without `run`."""
    if "." in verb and not _usual(verb):
        yield from _script_task(verb)
    elif _tool(verb) or (verb in _W.node_own and verb not in _TARGETS_W.own):
        yield Need(USUAL, verb, line=texts_of_command(command))
    else:
        yield from _named_task(_SHORT.get(verb, verb), texts_of_command(command))


def _corepack_tasks(name: str, words: list[str], command: Command) -> Found:
    """`corepack pnpm run lint` is `pnpm run lint`."""
    if words and words[0] in ("npm", "pnpm", "yarn"):
        yield from _node_tasks(words[0], words[1:], command)
    else:
        yield Need(RUNS, name)


def _package_tasks(name: str, words: list[str], command: Command) -> Found:
    if name == "composer" and words:
        yield Need(
            USUAL, words[-1] if words[0] in _NODE_RUN else words[0], line=texts_of_command(command)
        )
    values = _values(command, word_table("packages", "valued").get(name, frozenset()))
    added = (one for one in packages.added_packages(words) if one not in values)
    yield from _brought_tasks(added, (name, command))
    if words[:1] in (["lock"], ["sync"]) and "--upgrade" in command.text:
        yield Need(INSTALLS, packages.EVERYTHING)
    kind = packages.kind_of(name)
    # An environment of the project is made again by its lists.
    within = _P.environment.match(command.words[0].text) is not None
    for one in packages.removed_packages(words):
        if not (within and packages.known_package(packages.real_name(one), kind)):
            yield Need(INSTALLS, one, line=(kind,) if kind and packages.is_plain(one) else ())


def _brought_tasks(given: Iterable[str], adding: tuple[str, Command] | None = None) -> Found:
    """A package that comes from elsewhere than its registry has to be named as it is written.
    `adding`: what adds it to the project, where it is not run at once."""
    for one in given:
        source = packages.package_source(one)
        if adding and source.startswith("workspace:"):
            continue  # of the project itself
        if source or adding is None:
            if source or not _tool(packages.bare_name(one)):
                yield Need(INSTALLS, source or one)
            continue
        kind, plain = packages.kind_of(adding[0]), packages.is_plainly_added(one, adding[1])
        known = plain and packages.known_package(packages.real_name(one), kind)
        if not known and not _tool(packages.bare_name(one)):
            yield Need(INSTALLS, one, line=(kind,) if plain and kind else ())


def _interpreter_tasks(name: str, words: list[str], command: Command) -> Found:
    options = [word.text for word in command.args if word.text.startswith("-")]
    if name == "deno" and words[:1] == ["task"]:
        yield from _target_tasks(name, words[1:], command)
        return
    if name in ("deno", "bun", "tsx") and words[:1] in (["run"], ["watch"], ["serve"]):
        words = words[1:]
    fed = [one.target.text for one in command.redirects if one.op == "<"]
    values = _values(command, word_table("tasks", "valued").get(name, frozenset()))
    words = [one for one in words if one not in values] or fed[:1]
    if (
        not words
        or command_deeds.runs_inline(name, command, command_deeds.line_of(command))
        or (name in _W.shells and any(re.fullmatch(r"-[a-z]*n[a-z]*", one) for one in options))
    ):
        return
    if "--run" in options:
        yield from _target_tasks(name, words, command)
    elif "-m" in options:
        yield from _module_tasks(name, [word.text for word in command.args])
    elif words[0].rsplit("/", 1)[-1] in _FRAMEWORKS:
        yield from _framework_tasks(name, words[1:], command)
    elif sets_up(command) and not _is_anybodys(words[0], command):
        yield Need(USUAL, words[0])
    elif name != "deno" or "." in words[0]:
        yield from _script_task(words[0], _after(words[0], command))


def _module_tasks(name: str, texts: list[str]) -> Found:
    """`python -m shop.cli`, `python -m cProfile -o /tmp/p -m shop.cli`."""
    module, *rest = texts[texts.index("-m") + 1 :] or [""]
    if module in _W.measuring:
        values = {b for a, b in itertools.pairwise(rest) if a in _MEASURED_INTO}
        plain = [one for one in rest if one not in values | {"run"}]
        started = next((one for one in plain if one[:1] != "-" or one == "-m"), "")
        if not all(map(_is_passing, values)):
            yield Need(RUNS, module)
        elif started == "-m":
            yield from _module_tasks(name, rest)
        else:
            yield from _script_task(started) if started else ()
    elif module in _MANAGERS or not (_tool(module) or _usual(module)):
        yield Need(RUNS, module, line=(name, "-m", module))


def _is_passing(path: str) -> bool:
    """Whether it lies in the project, or in a folder for what passes."""
    near = path[:1] not in ("/", "~", "$") and ".." not in path and HOLE not in path
    return near or path.isidentifier() or _FILE_DEEDS_P.scratch.search(path) is not None


def _is_anybodys(path: str, command: Command) -> bool:
    """Whether it lies where anybody may write to, or nobody knows where."""
    full = absolute(path, command.cwd) if command.cwd else path
    return full[:1] not in ("/", "~") or _FILE_DEEDS_P.scratch.search(full) is not None


def _framework_tasks(name: str, words: list[str], command: Command) -> Found:
    known = USUAL_NAMES.commands
    for one in words[:1]:
        own = name == "flask" and one in ("run", "routes", "shell")
        if one not in known and not own and not _usual(one):
            yield Need(RUNS, one)


def _build_tasks(name: str, words: list[str], command: Command) -> Found:
    """`go run ./cmd/x`, `cargo run --bin x`."""
    if words[:1] in (["xtask"], ["make"]):
        yield from _target_tasks(name, words[1:], command)
    elif words[:1] == ["run"]:
        texts = [word.text for word in command.args]
        chosen = [b for a, b in itertools.pairwise(texts) if a in _CHOOSES]
        run = words[1:2] if name == "go" else chosen or ["main"]
        told = _after(run[0] if name == "go" and run else "--", command)
        if name == "go" and run and _is_own_package(run[0], told, command):
            yield Need(USUAL, run[0])
            return
        line = texts_of_command(command) if _is_plainly_run(name, told, command) else ()
        for one in run:
            tasks = _script_task(_OWN.get(one, one), told)
            yield from (replace(task, line=line if task.deed == RUNS else ()) for task in tasks)
    else:
        yield from _package_tasks(name, words, command)


def _is_plainly_run(name: str, told: Sequence[str], command: Command) -> bool:
    """Whether it is a program of the project whose sources tell what it does: no option leads to
    others, and what it is told names no other machine and none of what nobody takes back."""
    texts = [one.text for one in command.args]
    before = texts[: len(texts) - len(told)] if told else texts
    told = [one for one in told if one not in ("--", *before[:2])]
    if command.assignments or any(
        _REACHES.search(one) or _COMMANDS_P.acting.search(one) for one in told
    ):
        return False
    if name == "go":
        return (
            before[:1] == ["run"]
            and before[1:2] != []
            and before[1][:1] == "."
            and len(before) == 2
        )
    values = _values(command, _CHOOSES)
    options = [one for one in before[1:] if one not in values and one != "--"]
    return before[:1] == ["run"] and _W.cargo_run.issuperset(options)


def _is_own_package(path: str, told: Sequence[str], command: Command) -> bool:
    """Whether it is a program of the project that is told to show something, and nothing else is
    said: no option that leads to other sources, and no file for what it shows."""
    words = [path, *told]
    if [one.text for one in command.args[:2]] != ["run", path] or command.assignments:
        return False
    if any(one.writes and one.target.text != "/dev/null" for one in command.redirects):
        return False
    if not {one for one in told if one[:1] == "-"} <= _W.showing_options:
        return False
    verb = next((one for one in told if one[:1] != "-"), "")
    return (
        (path.startswith("./") and verb in _W.showing)
        and ".." not in path
        and not any(
            HOLE in one or REACHES_FAR.search(one) or _COMMANDS_P.acting.search(one)
            for one in words
        )
    )


def _after(word: str, command: Command) -> list[str]:
    """What follows a word: the arguments of the program that it starts."""
    texts = [one.text for one in command.args]
    return texts[texts.index(word) + 1 :] if word in texts else []


def _run_tasks(names: Iterable[str]) -> Found:
    return (Need(RUNS, name) for name in names)


def _image_tasks(words: list[str]) -> Found:
    return (Need(INSTALLS, one) for one in packages.foreign_images(words, USUAL_NAMES.images))


def _bundled_tasks(name: str, words: list[str], command: Command) -> Found:
    """`npm-run-all lint build`: several scripts of a package."""
    yield Need(RUNS, name, line=texts_of_command(command))


_READING: Mapping[str, Callable[[str, list[str], Command], Found]] = {
    "targets": _target_tasks,
    "node": _node_tasks,
    "starters": lambda _, words, __: _brought_tasks(words[:1]),
    "bundles": _bundled_tasks,
    "corepack": _corepack_tasks,
    "managers": _package_tasks,
    "interpreters": _interpreter_tasks,
    "frameworks": _framework_tasks,
    "builders": _build_tasks,
    "containers": lambda _, words, __: _image_tasks(words),
    # What is no command of git's own is an alias, or a program of that name.
    "git": lambda _, words, __: _run_tasks(x for x in words[:1] if x not in _PACKAGES_W.git),
    # `bazel run` starts what it built.
    "bazel": lambda _, words, __: _run_tasks(words[1:2] if words[:1] == ["run"] else ()),
}
