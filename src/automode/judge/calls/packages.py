"""Packages and usual tools: what a command brings in or takes out, and what leads a tool away from
the project."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from automode.core.paths import exactly_within, parents
from automode.core.workspace import Kind, Workspace
from automode.judge.words import USUAL_NAMES, keys_by_word, patterns, word_lists, word_table
from automode.shell.script import HOLE, Command

_P = patterns("packages")
_W = word_lists("packages")
_KNOWN_W = word_lists("known_packages")
_KNOWN_NAMES = frozenset(re.sub(r"[-_.]+", "-", one) for one in _KNOWN_W.python)
_EDITABLE = frozenset({"-e", "--editable"})
_SCOPED = re.compile(r"@([a-z\d][a-z\d-]*)/[a-z\d][a-z\d_.-]*")
_UPDATES = frozenset("update upgrade up".split())
REMOVES = frozenset("uninstall remove rm un".split())
EVERYTHING = "*"
"""What an update is done to that names no package."""
_DECLARED = (".txt", ".toml", ".lock", ".in", ".yml", ".yaml")
_IMAGE_VERBS = frozenset({"run", "pull", "create"})
RUNS, INSTALLS = "runs-unnamed", "installs-unnamed"
_STARTERS = frozenset("npx bunx pnpx uvx".split())
_PYTHONS = frozenset("python python3 py".split())
_ELSEWHERE = re.compile(r"^--?[\w-]+=(?:[/~]|\.\./)")


def put_scripts(command: Command) -> list[str] | None:
    """The scripts that `npm pkg set` puts into package.json; None where it is something else, puts
    in more than scripts and what a package says of itself, or a check that always succeeds."""
    words = [word.text for word in command.args]
    if command.program not in _W.package_editors or words[:2] != ["pkg", "set"]:
        return None
    pairs = [one.partition("=") for one in words[2:]]
    known = all(_P.package_key.fullmatch(key) and equals for key, equals, _ in pairs)
    if not (pairs and known) or any(HOLE in one for one in words) or command.remote:
        return None
    scripts = [value for key, _, value in pairs if key.startswith("scripts.")]
    return None if any(map(_P.idle.search, scripts)) else scripts


def real_name(word: str) -> str:
    """The package without its version. What another one is to be installed as, or a place that it
    comes from, is no version: `axios@npm:other`."""
    name, _, rest = word[1:].partition("@")
    if rest.startswith("npm:"):
        return real_name(rest.removeprefix("npm:"))
    if ":" in rest or "/" in rest:
        return rest
    return re.split(r"[=<>~!\[;]", word[:1] + name, maxsplit=1)[0]


def bare_name(word: str) -> str:
    return real_name(word).removeprefix("@types/")


def package_source(word: str) -> str:
    """Where a package comes from, if not from its registry: `x@npm:y`, `x@file:../y`."""
    _, at, version = word[1:].partition("@")
    if at and re.search(r"[:/]", version):
        return version
    return word if re.match(r"[\w+]+:", word) else ""


def kind_of(manager: str) -> str:
    """The language whose packages it adds."""
    return keys_by_word("known_packages", "managers").get(manager, "")


def is_plainly_added(word: str, command: Command) -> bool:
    """Whether a package manager takes it from its own registry: no option or variable leads it
    elsewhere."""
    texts = [one.text for one in command.args]
    options = {one for one in texts if one[:1] == "-"}
    own = all(b in (".", "") or b[:2] == ".[" for a, b in pairwise((*texts, "")) if a in _EDITABLE)
    options -= _EDITABLE if own else frozenset()
    led = any(_P.leading.match(one.name) for one in command.assignments)
    return not led and options <= _KNOWN_W.options and is_plain(word)


def is_plain(word: str) -> bool:
    """Whether it is a package of a registry: no file, no folder and nobody's repository."""
    return _P.plain.fullmatch(word) is not None and not package_source(word)


def known_package(name: str, kind: str) -> bool:
    """Whether everybody knows a package of a language's own registry."""
    name = name.casefold()
    if kind == "node":
        scoped = _SCOPED.fullmatch(name)
        return scoped[1] in _KNOWN_W.scopes if scoped else name in _KNOWN_W.node
    if kind == "go":
        return any(f"{name}/".startswith(f"{one}/") for one in _KNOWN_W.go)
    if kind == "python":
        return re.sub(r"[-_.]+", "-", name) in _KNOWN_NAMES
    return name in {"rust": _KNOWN_W.rust, "ruby": _KNOWN_W.ruby}.get(kind, ())


def removed_packages(words: list[str]) -> list[str]:
    """Of a package manager's words: what it is to take out."""
    words = words[1:] if words[:1] == ["pip"] else words
    return words[1:] if words and words[0] in REMOVES else []


def added_packages(words: list[str]) -> Iterator[str]:
    """Of a package manager's words: what it is to add."""
    if words[:1] == ["pip"]:
        words = words[1:]
    if words[:2] == ["tool", "install"]:
        words = words[1:]
    if not words or words[0] not in _W.adds:
        return
    if words[0] in _UPDATES and len(words) == 1:
        yield EVERYTHING
    for word in words[1:]:
        own = word in (".", "./", "..") or word.startswith((".[", "install"))
        # What begins so is the value of an option, unless it is a package.
        own = own or (word.startswith("/") and not _P.archive.search(word))
        if not own and not word.endswith(_DECLARED):
            yield word


def foreign_images(words: list[str], usual: frozenset[str]) -> Iterator[str]:
    """Of a container program's words: the image, where it is none that everybody has."""
    if words[:1] == ["image"]:
        words = words[1:]
    if not words or words[0] not in _IMAGE_VERBS:
        return
    # Options take values: any word may be the image.
    plain = (re.split(r"[:@](?!//)", word)[0].removeprefix("docker.io/") for word in words[1:])
    if any(word.removeprefix("library/") in usual for word in plain):
        return
    yield from [word for word in words[1:] if words[0] == "pull" or _P.image.fullmatch(word)][:1]


@dataclass(frozen=True, slots=True)
class Need:
    """What the user has to name. `deed`: what the call is where they do not."""

    deed: str
    name: str  # of the object, as a user would write it
    cwd: str = ""  # where a script is looked for
    gone: bool = False  # a file that is deleted: its name has to be said, as it is
    line: tuple[str, ...] = ()  # of the command that runs it by a name that some file explains
    why: str = ""  # of a file that runs: what it does, in words


def led_away(name: str, words: list[str], command: Command) -> Iterator[Need]:
    """Of a command that nobody proved to be a step of development."""
    tool, _ = _tool_of(name, words)
    known = tool in USUAL_NAMES.tools
    if known and tool not in _W.named and any(_leads(command)):
        yield Need(RUNS, tool)


def generates(name: str, words: list[str], command: Command) -> bool:
    """Whether it is a generator that most projects have installed, kept to the project."""
    tool, following = _tool_of(name, words)
    listed = word_table("packages", "generators").get(tool)
    given = [word.text for word in command.args if word.text not in ("-y", "--yes", "--no-install")]
    if listed is None or given[:1] != [tool] or any(_leads(command)):
        return False
    if any(HOLE in one for one in given):
        return False  # it may run any settings
    return not listed or (bool(following) and following[0] in listed)


def is_installed(name: str, words: list[str], command: Command, workspace: Workspace) -> bool:
    """Whether `npx TOOL` starts what the project has installed under that very name: nothing is
    fetched then."""
    texts = [word.text for word in command.args if word.text not in ("-y", "--yes", "--no-install")]
    if name not in ("npx", "bunx", "pnpx") or not words or texts[:1] != words[:1]:
        return False
    if command.cwd is None or not _P.tool.fullmatch(words[0]):
        return False
    folders = (
        one for one in (command.cwd, *parents(command.cwd)) if exactly_within(one, workspace.root)
    )
    return any(
        workspace.files.kind(f"{one}/node_modules/.bin/{words[0]}") is Kind.FILE for one in folders
    )


def is_known_checker(name: str, words: list[str], command: Command) -> bool:
    """Whether `uvx` or `npx -y` starts a tool that everybody knows, kept to the project, with no
    other package beside it."""
    texts = [one.text for one in command.args if one.text not in ("-y", "--yes")]
    if not words or texts[0] != words[0] or any(HOLE in one for one in texts):
        return False
    known = real_name(words[0]) in (_W.uvx if name == "uvx" else _W.npx)
    return known and not package_source(words[0]) and not any(_leads(command))


def unusual_words(name: str, words: list[str]) -> Iterator[Need]:
    tool, following = _tool_of(name, words)
    listed = word_table("packages", "tool_words").get(tool)
    if listed is not None and following and following[0] not in listed:
        yield Need(RUNS, following[0])


def _tool_of(name: str, words: list[str]) -> tuple[str, list[str]]:
    """The tool that is started, and the words after it."""
    first, rest = (bare_name(words[0]), words[1:]) if words else ("", [])
    if name in _STARTERS:
        return first, rest
    if name in _W.managers:
        if first in ("exec", "run", "x", "dlx") and rest:
            return bare_name(rest[0]), rest[1:]
        return first, rest
    return (first, rest) if name in _PYTHONS else (name, words)


def _leads(command: Command) -> Iterator[bool]:
    """For each word, whether it may name code or data that is not the project's. What is searched
    for is only a pattern."""
    quiet = False
    for word in command.args:
        text = word.text
        if not quiet and HOLE not in text:
            output = _P.output.match(text) is not None or text == "/dev/null"
            yield not output and bool(_P.leads.search(text) or _ELSEWHERE.match(text))
        quiet = bool(_P.quiet.match(text) or (_P.output.match(text) and "=" not in text))
