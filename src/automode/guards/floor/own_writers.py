"""Further ways to write a file, asked only about the files that keep the gate standing.

Most of these programs seldom write, or say only in part what they write. For other guards they are
nobody's business; here a command that names such a file and is not a plain reader is enough.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import translate
from itertools import pairwise

from automode.core.paths import within
from automode.core.tool_input import patched_files
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind
from automode.guards.guard import Aim, Sight, option_values
from automode.guards.own_files import brought_mods, filled_mod
from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE

_LISTS = word_lists("automode.guards.floor", "own_writers")
_LARGEST_PATCH = 1 << 20
_LONGEST_CODE = 20_000
_TREES = Spec(
    flags="rRaTvfinupzL",
    values="tS",
    long_flags=("--recursive", "--archive"),
    long_values=("--target-directory", "--suffix"),
)


def _trees(sight: Sight) -> Iterator[Aim]:
    """A folder copied or moved over another: what the source holds decides, so it is looked at."""
    given = arguments(sight.args, _TREES)
    deep = given.has("-r", "-R", "-a", "--recursive", "--archive") or sight.name in ("mv", "gmv")
    target = given.value("-t", "--target-directory")
    sources = [word.text for word in given.operands]
    place = target.text if target else (sources.pop() if len(sources) > 1 else "")
    for source in sources if deep and place else ():
        origin = sight.path(source)
        if origin is None or HOLE in origin or _touched(sight, origin):
            yield from _unseen(sight, place)
        if origin is None or HOLE in origin:
            continue
        for goal in _goals(sight, source, place, exact=given.has("-T")):
            path = sight.path(goal)
            if path is not None and HOLE not in path:
                yield Aim(goal)
                yield from (Aim(one) for one in _brought(sight, origin, path))
                mods = brought_mods(origin, path, sight.own.skills, sight.workspace.files)
                yield from (Aim(one) for one in mods)


def _touched(sight: Sight, origin: str) -> bool:
    """Whether another command of the script may fill the folder before."""
    return any(
        within(path, origin)
        for command in sight.script.commands
        if command is not sight.command and command.program not in _LISTS["reading"]
        for word in command.args
        if (path := sight.path(word.text)) is not None
    )


def _unseen(sight: Sight, place: str) -> Iterator[Aim]:
    """A folder of which nobody knows what it holds."""
    path = sight.path(place)
    if path is not None and filled_mod(path, sight.own.skills):
        yield Aim(place, fills=True)


def _goals(sight: Sight, source: str, place: str, *, exact: bool) -> Iterator[str]:
    """A folder lands inside the place where that is a folder already, else it becomes the place."""
    name = posixpath.basename(source.rstrip("/"))
    path = sight.path(place)
    content = name in ("", ".") or (sight.name == "rsync" and source.endswith("/"))
    known = place.endswith("/") or (path and sight.workspace.files.kind(path) is Kind.FOLDER)
    if exact or content or not known:
        yield place
    if not content:
        yield posixpath.join(place, name)


def _brought(sight: Sight, origin: str, path: str) -> Iterator[str]:
    below = sight.own.below(path)
    if not below:
        return
    files = sight.workspace.files
    if _made_here(sight) or (sight.own.holds(path) and files.kind(origin) is Kind.MISSING):
        yield below[0]  # what it will hold by then nobody can say
    if files.kind(origin) is Kind.FOLDER:
        for one in below:
            inner = one[len(path.rstrip("/")) + 1 :]
            if files.kind(f"{origin}/{inner}") is not Kind.MISSING:
                yield one


def _made_here(sight: Sight) -> bool:
    """Whether another command of the script names a file as the settings are named."""
    return any(
        sight.own.names_setting(text)
        for command in sight.script.commands
        if command is not sight.command
        for text in (
            *(word.text for word in command.args),
            *(redirect.target.text for redirect in command.redirects if redirect.writes),
        )
    )


def _find(sight: Sight) -> Iterator[Aim]:
    texts, files = sight.texts, sight.workspace.files
    first = next((i for i, text in enumerate(texts) if text[:1] in ("-", "(", "!")), len(texts))
    runs = [after for text, after in pairwise(texts) if text in ("-exec", "-execdir", "-ok")]
    acts = "-delete" in texts or any(run not in _LISTS["reading"] for run in runs)
    names = [after for text, after in pairwise(texts) if text in ("-name", "-iname")]
    pattern = re.compile("|".join(translate(name.casefold()) for name in names) or "(?!)")
    for start in (texts[:first] or ["."]) if acts else ():
        path = sight.path(start)
        if path is not None:
            yield Aim(start, fills=True)
            for one in sight.own.below(path) if names else ():
                if (
                    pattern.match(posixpath.basename(one).casefold())
                    and files.kind(one) is Kind.FILE
                ):
                    yield Aim(one)


_QUOTED = re.compile(r"""["']([^"'\n]{1,300})["']""")
_CODE_WRITES = re.compile(
    r">|\b(?:write|put_contents|unlink|rename|copy|move|delete|truncate|spew|print_?to|rm|touch"
    r"|symlink|link)|[\"'][waxr]\+?b?\+?[\"']"
)
_CODE_FILLS = re.compile(
    r"\b(?:copytree|cpSync|cp_r|extractall|unpack_archive|symlink(?:Sync|_to)?|renam(?:e|es|eSync)"
    r"|move|clone(?:_from)?)\s*\([^)]{0,300}?[\"']([^\"'\n]{1,300})[\"'][^\"')]{0,80}\)"
)
_SED_WRITES = re.compile(r"(?:^|[\s;{}/|,0-9$])[wW][ \t]+([^\n;}]+)")
_PATHSPEC = re.compile(r"^:(?:/|\(top\)|\([a-z,]*\))")
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-?place|--write|-w|-I|put|delete|set|--set")


def aims(sight: Sight) -> Iterator[Aim]:
    """What the command may write, beyond what `targets` says."""
    special = _AIMING.get(sight.name)
    if special is not None:
        yield from special(sight)
    texts = sight.texts
    for index, text in enumerate(texts):
        if text[:1] != "-":
            continue
        name, equals, value = text.partition("=")
        if name in _LISTS["outputs"]:
            yield from map(Aim, (value,) if equals else texts[index + 1 : index + 2])


def _git(sight: Sight) -> Iterator[Aim]:
    base, rest = _git_verb(sight.texts)
    verb, given = (rest[0], rest[1:]) if rest else ("", [])
    for one in _git_aims(sight, verb, given):
        yield Aim(posixpath.join(base, one.text), one.whole, one.fills)


def _git_aims(sight: Sight, verb: str, given: list[str]) -> Iterator[Aim]:
    paths = [_PATHSPEC.sub("", text) for text in given if not text.startswith("-")]
    match verb:
        case "checkout" | "restore":
            yield from (Aim(path, fills=True) for path in paths)
        case "mv" | "clone" | "worktree" | "submodule":
            if verb == "clone" and (len(paths) < 2 or ":" in paths[-1]):
                yield Aim(".", fills=True)  # into a folder of its own name
            yield from (Aim(path, whole=verb == "mv", fills=True) for path in paths)
        case "rm" if "--cached" not in given:
            yield from (Aim(path, whole=True) for path in paths)
        case "apply" | "am":
            yield from _patched(sight, given)
        case "config":
            yield from (
                Aim(after) for name, after in option_values(given) if name in ("-f", "--file")
            )
        case _:
            pass


def _git_verb(texts: list[str]) -> tuple[str, list[str]]:
    """The folder of `-C`, and the words from the verb on."""
    base, at = "", 0
    while at < len(texts) and texts[at].startswith("-"):
        if texts[at] in ("-C", "--work-tree") and at + 1 < len(texts):
            base = posixpath.join(base, texts[at + 1])
        elif texts[at].startswith("--work-tree="):
            base = posixpath.join(base, texts[at].partition("=")[2])
        at += 2 if texts[at] in _LISTS["git-values"] else 1
    return base, texts[at:]


def _patched(sight: Sight, given: list[str]) -> Iterator[Aim]:
    """The files that a patch names: as written, and without its first folders."""
    folder = next((v for o, v in option_values(given) if o in ("-d", "--directory")), "")
    inputs = [text for text in given if not text.startswith("-")]
    inputs += [redirect.target.text for redirect in sight.command.redirects if redirect.op == "<"]
    inputs += [value for option, value in option_values(given) if option in ("-i", "--input")]
    files = sight.workspace.files
    paths = [path for text in dict.fromkeys(inputs) if (path := sight.path(text)) is not None]
    patches = [files.text(path, _LARGEST_PATCH) for path in paths if HOLE not in path]
    for patch in (sight.command.fed, *patches):
        for name in patched_files(patch) if patch else ():
            parts = name.split("/")
            for skipped in range(min(len(parts), 4)):
                yield Aim(posixpath.join(folder, *parts[skipped:]))


def _patch(sight: Sight) -> Iterator[Aim]:
    yield from _patched(sight, sight.texts)


def _applied(sight: Sight) -> Iterator[Aim]:
    """Codex takes this command for its own tool; the patch is fed in, or an argument."""
    for patch in (sight.command.fed, *sight.texts):
        for name in patched_files(patch) if patch else ():
            yield Aim(name)


def _unpacks(sight: Sight) -> Iterator[Aim]:
    """Named members, and the folder to unpack into."""
    texts = sight.texts
    creates = sight.name in ("tar", "gtar", "bsdtar") and not any(
        text in ("--extract", "--get") or ((index == 0 or text[:1] == "-") and "x" in text)
        for index, text in enumerate(texts)
    )
    if creates:
        return
    folders = [
        value for option, value in option_values(texts) if option in ("-C", "--directory", "-d")
    ]
    folders += [text[2:] for text in texts if text[:2] in ("-o", "-C", "-d") and len(text) > 2]
    lists = any(text in _LISTS["lists"] for text in texts)
    yield from (Aim(one, fills=True) for one in folders or ([] if lists else ["."]))
    yield from (
        Aim(posixpath.join(folder, text))
        for folder in ("", *folders)
        for text in texts
        if not text.startswith("-")
    )


def _downloads(sight: Sight) -> Iterator[Aim]:
    """`wget -P DIR URL`, `curl -O --output-dir DIR URL`: the name is the address's last part."""
    texts = sight.texts
    folders = [
        v for o, v in option_values(texts) if o in ("-P", "--directory-prefix", "--output-dir")
    ]
    addresses = [text for text in texts if "/" in text and not text.startswith("-")]
    for folder in folders:
        for address in addresses:
            name = posixpath.basename(re.split("[?#]", address)[0])
            yield Aim(posixpath.join(folder, name))


def _code_texts(sight: Sight) -> Iterator[str]:
    return (text[:_LONGEST_CODE] for text in (*sight.texts, sight.command.fed or ""))


def _sed(sight: Sight) -> Iterator[Aim]:
    for text in _code_texts(sight):
        yield from (Aim(found[1].strip()) for found in _SED_WRITES.finditer(text))


def _code(sight: Sight) -> Iterator[Aim]:
    """Languages without a parser here: a path in quotes, in code that writes or removes."""
    for text in filter(_CODE_WRITES.search, _code_texts(sight)):
        yield from (Aim(found[1]) for found in _QUOTED.finditer(text))


def _trees_in_code(sight: Sight) -> Iterator[Aim]:
    """Code that puts a whole folder somewhere: the last path it names is where."""
    for text in _code_texts(sight):
        yield from (Aim(found[1], fills=True) for found in _CODE_FILLS.finditer(text))


def _in_place(sight: Sight) -> Iterator[Aim]:
    texts = sight.texts
    if any(_IN_PLACE.fullmatch(text.partition("=")[0]) for text in texts):
        yield from (Aim(text.partition("=")[2] or text) for text in texts)


def _operands(sight: Sight) -> Iterator[Aim]:
    over = sight.name in _LISTS["over"]
    deep = over or "-R" in sight.texts or "--recursive" in sight.texts
    yield from (Aim(text, over, deep) for text in sight.texts if text[:1] != "-")


def _unpacks_one(sight: Sight) -> Iterator[Aim]:
    for text in sight.texts:
        ending = next((one for one in _LISTS["packed"] if text.endswith(one)), "")
        if ending:
            yield Aim(text.removesuffix(ending))


def _gh(sight: Sight) -> Iterator[Aim]:
    given = [text for text in sight.texts if not text.startswith("-")]
    if given[:2] == ["repo", "clone"]:
        yield from (Aim(text, fills=True) for text in (given[3:4] or ["."]))


def _copied_from_afar(sight: Sight) -> Iterator[Aim]:
    yield from (Aim(text, fills=True) for text in sight.texts[-1:])


def _links(sight: Sight) -> Iterator[Aim]:
    """A link in the place of a folder moves everything below it elsewhere."""
    given = [text for text in sight.texts if not text.startswith("-")]
    target = next(
        (v for o, v in option_values(sight.texts) if o in ("-t", "--target-directory")), ""
    )
    place = target or (given[-1] if len(given) > 1 else ".")
    yield Aim(place, fills=True)
    for source in given if target or len(given) == 1 else given[:-1]:
        yield Aim(posixpath.join(place, posixpath.basename(source.rstrip("/"))), fills=True)


_WAYS: Mapping[str, Callable[[Sight], Iterator[Aim]]] = {
    "patches": _patch,
    "applies": _applied,
    "unpacks": _unpacks,
    "downloads": _downloads,
    "sed": _sed,
    "code": _code,
    "tree-code": _trees_in_code,
    "in-place": _in_place,
    "operands": _operands,
    "over": _operands,
    "unpacks-one": _unpacks_one,
    "links": _links,
    "trees": _trees,
    "finds": _find,
}
_AIMING = {
    "git": _git,
    "gh": _gh,
    "scp": _copied_from_afar,
    **{name: aim for way, aim in _WAYS.items() for name in _LISTS[way]},
}
