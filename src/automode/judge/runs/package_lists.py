"""Lists of packages that this session changed: which names an install by them brings in, which
scripts they have, and whether they are anything else."""

import re
import tomllib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from automode.core.paths import absolute, exactly_within, parents, within
from automode.core.workspace import Workspace
from automode.judge.runs.python_lists import named_lists, names_in_code, requirements_in
from automode.judge.runs.settings_files import is_plain_pyproject
from automode.judge.runs.targets import Table, package_of, table
from automode.judge.runs.written_code import lines_with
from automode.judge.words import patterns, read_words, word_lists, word_table
from automode.shell.script import Command

_P = patterns("package_lists")
_W = word_lists("package_lists")
LONGEST_KEPT = 2_000_000
MOST_NAMES = 400
LONGEST_LINE = 400
LONGEST_VERSION = 60
_DEPENDENCIES = "dependencies devDependencies peerDependencies optionalDependencies".split()
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*")
_KINDS = ("node", "python", "rust", "go", "ruby")
_AROUND = frozenset({"", "{", "}", "]"})


@dataclass(frozen=True, slots=True)
class Put:
    """What a session put into a list. `pieces`: None where it wrote the whole. `stood`: words and
    lines that were there before."""

    pieces: Sequence[str] | None = None
    stood: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Listed:
    """What is new in a list, and nothing else is. `scripts`: by their names."""

    packages: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()


def kind_of(path: str) -> str:
    """The language whose packages a file lists; empty for none."""
    return next((kind for kind in _KINDS if getattr(_P, kind).search(path)), "")


def words_of(text: str) -> frozenset[str]:
    """Words and lines of a text: what may be looked for in it later."""
    return frozenset((*_P.word.findall(text), *map(_bare, text.splitlines())))


def _bare(line: str) -> str:
    return line.strip().removesuffix(",")


def new_in(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    """None where something else than packages, versions and scripts may have been put in."""
    if put.pieces is not None and not all(one in text for one in put.pieces):
        put = Put()
    own = path.rpartition("/")[2]
    usual = _of_code if own.endswith(".py") else _READERS[kind_of(path) or "python"]
    reader = _BY_NAME.get(own, usual)
    found = (_of_lock if own in _LOCKS else reader)(path, text, put, place)
    if found is None or put.pieces is None:
        return found
    rest = text
    for one in put.pieces:
        rest = rest.replace(one, "\0\n\0")
    around = "\n".join(one for one in rest.splitlines() if "\0" in one)
    new = {
        one
        for one in found.packages
        if one not in put.stood and not _says(path, rest, one) and not _stands(one, around)
    }
    return Listed(frozenset(new), found.scripts)


def _stands(name: str, around: str) -> bool:
    """Whether a name is in what was left of the lines into which something was put."""
    return re.search(rf"(?<![\w@/.\0-]){re.escape(name)}(?![\w/.\0-])", around) is not None


def _says(path: str, text: str, name: str) -> bool:
    """Whether a list or a lock has a package."""
    return _declaring(path, re.escape(name)).search(text) is not None


def _declaring(path: str, name: str) -> re.Pattern[str]:
    declares = read_words("package_lists")["declares"]
    pattern = declares.get(path.rpartition("/")[2], r"^NAME(?![\w.-])")
    return re.compile(pattern.replace("NAME", name), re.MULTILINE | re.IGNORECASE)


def _new_lines(text: str, put: Put) -> list[str]:
    """The lines that were put in, as a whole; those that stood there before apart."""
    if put.pieces is None:
        return text.splitlines()
    every = [_bare(one) for one in text.splitlines()]
    lines = [one for piece in lines_with(put.pieces, text) for one in piece.splitlines()]
    return [one for one in lines if _bare(one) not in put.stood or every.count(_bare(one)) > 1]


def _of_node(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    package = package_of(text)
    if put.pieces is None:
        return _of_tables(package) if package else None
    every = [_entry(one) for one in text.splitlines()]
    names: set[str] = set()
    scripts: set[str] = set()
    for line in _new_lines(text, put):
        entry, bare = _entry(line), _bare(line)
        if bare in _AROUND or bare.removesuffix("{") in _OPENING:
            continue
        found = _of_entry(entry, package, once=every.count(entry) == 1)
        if found is None:
            return None
        names |= found.packages
        scripts |= found.scripts
    return Listed(frozenset(names), frozenset(scripts))


def _of_entry(entry: Table, package: Table, *, once: bool) -> Listed | None:
    """Of a line of a package.json. `package`: empty where it cannot be parsed."""
    if len(entry) != 1:
        return None
    name, value = next(iter(entry.items()))
    if table(package.get("scripts")).get(name) == value and once:
        return Listed(scripts=frozenset({name}))
    if isinstance(value, str) and _P.member.fullmatch(value):
        return Listed()
    listed = any(table(package.get(kind)).get(name) == value for kind in _DEPENDENCIES)
    if (listed or not package) and _is_version(value):
        return Listed(frozenset({name}))
    return _of_tables(entry) if package.get(name) == value else None


_OPENING = frozenset(f'"{one}": ' for one in (*_DEPENDENCIES, "scripts"))


def _of_tables(package: Table) -> Listed | None:
    if not package.keys() <= _W.keys:
        return None
    every = [
        (name, one) for kind in _DEPENDENCIES for name, one in table(package.get(kind)).items()
    ]
    if any(not isinstance(package.get(one, {}), dict) for one in (*_DEPENDENCIES, "scripts")):
        return None
    own = {name for name, one in every if isinstance(one, str) and _P.member.fullmatch(one)}
    if not all(name in own or _is_version(one) for name, one in every):
        return None
    names = frozenset(name for name, _ in every if name not in own)
    return Listed(names, frozenset(table(package.get("scripts"))))


def _is_version(value: object) -> bool:
    short = isinstance(value, str) and len(value) < LONGEST_VERSION
    return short and _P.version.fullmatch(str(value)) is not None


def _entry(line: str) -> Table:
    return package_of(f"{{{_bare(line)}}}")


def _of_python(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    if not path.endswith((".toml", "/Pipfile")):
        return _by_lines(text, put, _P.requirement, _P.beside)
    if put.pieces and all(map(_P.python_version.fullmatch, map(_bare, put.pieces))):
        return Listed()
    given = _touched(text, put)
    if given is not None and path.endswith("/Pipfile"):
        return _of_versions(given, ("packages", "dev-packages"))
    if given is None or not is_plain_pyproject(given):
        return None
    names: set[str] = set()
    for one in _requirements(given):
        found = _P.requirement.fullmatch(one) if len(one) <= LONGEST_LINE else None
        if found is None:
            return None
        names.add(found["name"])
    poetry = table(table(given.get("tool")).get("poetry"))
    for own in map(table, (poetry, *table(poetry.get("group")).values())):
        listed = _of_versions({one: own[one] for one in _POETRY if one in own}, _POETRY)
        if listed is None:
            return None
        names |= listed.packages
    return Listed(frozenset(names))


_POETRY = ("dependencies", "dev-dependencies")


def _of_versions(given: Table, kinds: Sequence[str]) -> Listed | None:
    """Of tables of names with their versions, and of nothing else."""
    every = [(name, one) for kind in kinds for name, one in table(given.get(kind)).items()]
    if not given.keys() <= {*kinds, "requires"} or not all(_is_plain_version(v) for _, v in every):
        return None
    return Listed(frozenset(name for name, _ in every if name != "python"))


def _requirements(given: Table) -> Iterator[str]:
    for path in _W.tables:
        found: object = given
        for part in path.split("."):
            found = table(found).get(part)
        lists = found.values() if isinstance(found, dict) else [found]
        for one in lists:
            yield from (
                (each for each in one if isinstance(each, str)) if isinstance(one, list) else ()
            )


def _is_plain_version(version: object) -> bool:
    if isinstance(version, dict):
        return version.keys() <= {"version", "extras", "optional", "python"}
    return isinstance(version, str) and re.search(r"[:/@]", version) is None


def _touched(text: str, put: Put) -> Table | None:
    """The tables and keys of a TOML file of which a line was put in; None where that cannot be
    told."""
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    if put.pieces is None:
        return given
    if "'''" in text or '"""' in text:
        return None
    new = set(_new_lines(text, put))
    header: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    found: dict[str, object] = {}
    for line in text.splitlines():
        if _HEADER.match(line):
            header, key = _keys(line), ()
        elif _KEY.match(line):
            key = _keys(f"{line.partition('=')[0]}=0")
        if line in new and (header or key) and line.strip() and line.lstrip()[0] != "#":
            _copy((*header, *key), given, found)
    return found


_HEADER = re.compile(r"\s*\[[^\]\"',]+\]|\s*\[\[|\s*\[[^,=]*\]\s*(?:#|$)")
_KEY = re.compile(r"\s*(?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*[\w\"'-]+)*\s*=")


def _keys(line: str) -> tuple[str, ...]:
    """The names in a header, or before a value."""
    try:
        found: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    names: list[str] = []
    while isinstance(found, dict | list) and found:
        if isinstance(found, list):
            found = found[0]
            continue
        name = next(iter(found))
        names.append(name)
        found = found[name]
    return tuple(names)


def _copy(path: Sequence[str], given: Table, into: dict[str, object]) -> None:
    """With the whole of what stands there."""
    for name in path[:-1]:
        value = given.get(name)
        if not isinstance(value, dict):
            into[name] = value
            return
        below = into.setdefault(name, {})
        into, given = (below if isinstance(below, dict) else {}), value
    into[path[-1]] = given.get(path[-1])


def _of_rust(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    given = _touched(text, put)
    if given is None or not given.keys().isdisjoint(("patch", "replace")):
        return None
    if not all(_is_inside(one, path, place) for one in _places_of(given)):
        return None
    build = table(given.get("package")).get("build", "build.rs")
    if build != "build.rs" and build is not False:
        return None
    targets = [table(one) for one in table(given.get("target")).values()]
    names: set[str] = set()
    for own in (given, table(given.get("workspace")), *targets):
        for kind in _W.of_crates:
            for name, version in table(own.get(kind)).items():
                crate = _crate(name, version)
                if crate is None:
                    return None
                names |= {crate} - {""}
    return Listed(frozenset(names))


def _crate(name: str, version: object) -> str | None:
    """What is fetched; empty where it lies in the project, None where it comes from elsewhere."""
    if isinstance(version, str):
        return name
    given = table(version)
    if not given.keys() <= _W.of_crate:
        return None
    own = "path" in given or given.get("workspace") is True
    return "" if own else str(given.get("package", name))


def _places_of(given: object) -> Iterator[object]:
    """What is built as a part of a crate, wherever it is named."""
    for key, value in table(given).items():
        if key in _W.crate_places:
            yield from value if isinstance(value, list) else [value]
    inside = given if isinstance(given, list) else list(table(given).values())
    for one in inside:
        if isinstance(one, dict | list):
            yield from _places_of(one)


def _is_inside(folder: object, path: str, place: Workspace) -> bool:
    """Whether what a list names lies in the project."""
    if not isinstance(folder, str):
        return isinstance(folder, bool)  # `workspace = true`
    return exactly_within(absolute(folder, path.rpartition("/")[0]), place.root)


def _of_go(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    return _by_lines(text, put, _P.module, _P.module_beside)


def _of_ruby(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    return _by_lines(text, put, _P.gem, _P.gem_beside)


def _of_code(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    names = names_in_code(text)
    new = "\n".join(_new_lines(text, put))
    return None if names is None else Listed(frozenset(one for one in names if one in new))


def _of_setup(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    """Of a setup.cfg. What names no package is judged where it runs."""
    required = requirements_in(text)
    new = "\n".join(_new_lines(text, put))
    if required is None:
        return None
    return _by_lines("\n".join(one for one in required if one in new), Put(), _P.requirement, _NO)


_NO = re.compile(r"(?!)")


def _of_pnpm(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    return _by_lines(text, put, _P.catalog, _P.catalog_beside)


def _of_lock(path: str, text: str, put: Put, place: Workspace) -> Listed | None:
    """Versions, and names as in a list. Nothing may name another source."""
    lines = "\n".join(put.pieces or (text,))
    if _P.leads.search(lines):
        return None
    whole = "\n".join(_new_lines(text, put))
    named = {one[1] for one in _declaring(path, f"({_P.word.pattern})").finditer(whole)}
    named |= {one[1] or one[2] for one in _P.beside_places.finditer(whole)}
    own = package_of(
        place.files.text(f"{path.rpartition('/')[0]}/package.json", LONGEST_KEPT) or ""
    )
    bare = {one.rpartition("node_modules/")[2] for one in named}
    return Listed(frozenset(bare - _W.lock_keys - {str(own.get("name"))}))


def _by_lines(
    text: str, put: Put, named: re.Pattern[str], beside: re.Pattern[str]
) -> Listed | None:
    names: set[str] = set()
    for line in map(str.strip, _new_lines(text, put)):
        if len(line) > LONGEST_LINE:
            return None
        found = named.fullmatch(line)
        if found:
            names.add(found["name"])
        elif line and not beside.fullmatch(line):
            return None
    return Listed(frozenset(names))


_READERS: Mapping[str, Callable[[str, str, Put, Workspace], Listed | None]] = {
    "node": _of_node,
    "python": _of_python,
    "rust": _of_rust,
    "go": _of_go,
    "ruby": _of_ruby,
}
_BY_NAME = {
    "pnpm-workspace.yaml": _of_pnpm,
    "setup.cfg": _of_setup,
}
_LOCKS = frozenset().union(*word_table("package_lists", "locks").values())


def installs(command: Command) -> str:
    """The kind of the lists by which a command may install; empty for none."""
    words = [word.text for word in command.args]
    name = command.program.removesuffix(".exe")
    if _PYTHON.fullmatch(name) and "-m" in words:
        words = words[words.index("-m") + 1 :]
        name, words = (words[0], words[1:]) if words and words[0] in _W.python_m else ("", [])
    if _PYTHON.fullmatch(name) and words[:1] and words[0].endswith("setup.py"):
        return "python" if _W.setup_verbs.intersection(words) else ""
    name = {"pip3": "pip", "corepack": words[0] if words else ""}.get(name, name)
    verbs = word_table("package_lists", "installs").get(name)
    if verbs is None:
        return ""
    plain = [one for one in words if one[:1] != "-"]
    alone = name in ("yarn", "bundle") and not plain
    if verbs and not alone and verbs.isdisjoint(plain):
        return ""
    managers = word_table("package_lists", "managers")
    return next((kind for kind in managers if name in managers[kind]), "")


def lists_of(
    command: Command, kind: str, place: Workspace, written: Iterable[str]
) -> Iterator[str]:
    """The lists among files that were written by which a command installs."""
    at = command.cwd or place.cwd
    named = set(named_lists(command, place.cwd))
    texts = [word.text for word in command.args]
    local = any(re.match(r"\.{1,2}(?:[/\[]|$)", one) for one in texts)
    pip = "pip" in (command.program.rstrip("3"), *texts)
    for one in written:
        own = kind_of(one) == kind and _is_near(one, at, place)
        used = kind != "python" or (one.endswith((".toml", "/Pipfile")) and (local or not pip))
        if one in named or (own and used):
            yield one


def belongs(name: str, kind: str, folder: str, place: Workspace, written: Container[str]) -> bool:
    """Whether the project has a package, by its lists and locks that this session did not write."""
    locks = word_table("package_lists", "locks")[kind]
    around = [one for one in (folder, *parents(folder)) if exactly_within(one, place.root)]
    kept = [
        f"{at}/{one}"
        for at in around
        for one in place.files.names(at, MOST_NAMES)
        if one in locks or kind_of(one) == kind
    ]
    return any(
        path not in written and _says(path, place.files.text(path, LONGEST_KEPT) or "", name)
        for path in kept
    )


def _is_near(path: str, at: str, place: Workspace) -> bool:
    """Whether a file counts for what is installed in a folder."""
    near = any(exactly_within(path, folder) for folder in (*place.folders, at))
    return near or within(at, path.rpartition("/")[0])


def locks_of(
    command: Command, kind: str, place: Workspace, written: Iterable[str]
) -> Iterator[str]:
    """The locks among files that were written by which a command installs."""
    names = word_table("package_lists", "locks")[kind]
    at = command.cwd or place.cwd
    return (one for one in written if one.rpartition("/")[2] in names and _is_near(one, at, place))


def by_themselves(names: Iterable[str]) -> Iterator[str]:
    return (one for one in names if _P.by_itself.fullmatch(one))
