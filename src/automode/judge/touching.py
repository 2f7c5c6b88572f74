"""Which files a command writes, empties, deletes and moves: the one place that knows."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from automode.programs.table import of_kind
from automode.shell.script import HOLE, Command


class How(StrEnum):
    WRITES = "writes"
    EMPTIES = "empties"  # what was in it is gone
    DELETES = "deletes"
    MOVES = "moves"  # it is elsewhere afterwards
    BUILDS = "builds"  # a compiler makes it out of sources


@dataclass(frozen=True, slots=True)
class Touch:
    path: str
    how: How
    source: str = ""  # where what is written comes from, where it is another file


DELETERS = of_kind("remover") | {"del-cli"}
_NOTHING = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
EACH = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-place")
_OUTPUTS = frozenset(
    "-o --output -O --output-document --output-file --outfile --out -P --directory-prefix"
    " --output-dir".split()
)
_WRITING_OPTIONS = frozenset("curl wget aria2c axel http https xh sort pandoc openssl gpg".split())
COMPILERS = frozenset(
    "go cargo rustc gcc g++ cc c++ clang clang++ swiftc javac zig dotnet tsc bun deno ld".split()
)
# A part of the file, or another text in its place. Whatever else `sed -i` is given may leave
# nothing of it.
_LINE = r"(?:\d+(?:,(?:\d+|[+~]\d+))?|\d*\$)"
_PATTERN = r"(?:/(?=[^/]*\w{2})(?:[^/\\]|\\.)+/I?)"
_PLACE = rf"(?:(?:{_PATTERN}|{_LINE})(?:,(?:{_PATTERN}|{_LINE}))?)"
_SWAP = (
    r"s(?P<d>[^\w\s\\])(?P<what>(?:(?!(?P=d))[^\\]|\\.)+)(?P=d)"
    r"(?P<new>(?:(?!(?P=d))[^\\]|\\.)*)(?P=d)[gipIMm0-9]*"
)
# What may be any letter, or none. White space is something.
_ANY = re.compile(r"\[(?!\[:space:\]\])\^?\]?[^\]]*\]|\\(?![st/])[\w+?(){}|]|[.*+?^$(){}|\d,]")
_EDIT = re.compile(
    rf"\s*(?:{_PLACE}?!?\s*(?:{_SWAP}|y/[^/]*/[^/]*/|[ai]\\?.*|p|=)|(?:{_PATTERN}|\$)d|"
    r"(?P<first>\d+)(?:,(?P<last>\d+))?d|\d+c\\?.*)\s*;?\s*",
    re.DOTALL,
)
MOST_LINES = 100  # that one edit may take out
_PERL_SWAP = re.compile(
    r"\s*s([/|#!,])(?:(?!\1)[^\\]|\\.)+\1(?:(?!\1)[^\\@]|\\.)*\1[gimsx]*\s*;?\s*"
)


def touched(command: Command) -> Iterator[Touch]:
    """As the command's words tell, its redirects apart. What a wrapper holds is a command of its
    own."""
    name = command.program.removesuffix(".exe")
    texts = [word.text for word in command.args]
    if name in DELETERS or (name == "find" and _finds_to_delete(texts)):
        yield from _deleted(name, texts)
    elif name in _TOUCHING:
        paths = [one for one in texts if one and one[:1] != "-"]
        found = list(_TOUCHING[name](texts, paths))
        yield from found if prints(command) else [_emptied_by(touch) for touch in found]
    if name in _WRITING_OPTIONS or name in COMPILERS:
        how = How.BUILDS if name in COMPILERS else How.WRITES
        how = How.EMPTIES if not set(_NOTHING).isdisjoint(texts) else how
        yield from (Touch(path, how) for path in _outputs(texts) if path not in _DEVICES)


def _emptied_by(touch: Touch) -> Touch:
    """Of a command that is given nothing to write."""
    return replace(touch, how=How.EMPTIES) if touch.how is How.WRITES else touch


def redirected(command: Command) -> Iterator[Touch]:
    for one in command.redirects:
        target = one.target.text
        if one.writes and target not in _DEVICES:
            itself = target in [
                word.text for word in command.args
            ]  # it is emptied before it is read
            lost = itself or not prints(command) or _replaces(command, target)
            empties = one.op in (">", ">|") and lost
            yield Touch(target, How.EMPTIES if empties else How.WRITES)


_LISTS = re.compile(r"(?:^|/)\.\w+ignore$")


def _replaces(command: Command, target: str) -> bool:
    """Whether a line takes the place of a list of them."""
    return command.program in ("echo", "printf") and _LISTS.search(target) is not None


def prints(command: Command) -> bool:
    """Whether there is anything for a redirect to write."""
    words = [word.text for word in command.words]
    fed = [one.target.text for one in command.redirects if one.op == "<"]
    if not words or words[0] in (":", "true", "false") or any(one in _NOTHING for one in fed):
        return False
    if words[0] in ("echo", "printf"):
        return any(word not in ("", "-n", "\\n", "-e", "%s") for word in words[1:])
    return words[0] != "cat" or any(word not in _NOTHING for word in words[1:]) or not words[1:]


def _deleted(name: str, texts: list[str]) -> Iterator[Touch]:
    paths = [one for one in texts if one and not one.startswith("-")] or ["."]
    yield from (Touch(path, How.DELETES) for path in (paths[:1] if name == "find" else paths))


def _finds_to_delete(texts: list[str]) -> bool:
    return "-delete" in texts or bool(EACH & set(texts) and DELETERS & set(texts))


def _outputs(texts: list[str]) -> Iterator[str]:
    for option, value in itertools.pairwise(texts):
        if option in _OUTPUTS or re.fullmatch(r"-[a-zA-Z]{1,6}o", option):
            yield value
    for one in texts:
        name, equals, value = one.partition("=")
        if equals and name in _OUTPUTS:
            yield value


def _copied(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    folder = [b for a, b in itertools.pairwise(texts) if a in ("-t", "--target-directory")]
    folder += [one.partition("=")[2] for one in texts if one.startswith("--target-directory=")]
    for target in folder or paths[-1:]:
        source = paths[0] if len(paths) > 1 else ""
        nothing = source in _NOTHING
        yield Touch(target, How.EMPTIES if nothing else How.WRITES, source)


def _moved(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    forced = any(re.fullmatch(r"-[a-zA-Z]*f[a-zA-Z]*|--force", one) for one in texts)
    yield from (Touch(path, How.MOVES) for path in paths[:-1])
    yield from (_emptied_by(one) if forced else one for one in _copied(texts, paths))


def _all(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    yield from (Touch(path, How.WRITES) for path in paths)


def _teed(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    appends = any(re.fullmatch(r"-[a-z]*a[a-z]*|--append", one) for one in texts)
    for path in paths:
        found = set("*?[") & set(path) and not appends
        yield Touch(path, How.EMPTIES if found else How.WRITES)


def _emptied(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    values = {b for a, b in itertools.pairwise(texts) if a in ("-s", "--size", "-r")}
    yield from (Touch(path, How.EMPTIES) for path in paths if path not in values)


def _packed(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    """It puts another file in the place of each."""
    keeps = any(
        re.match(r"-[a-z]*[kcdtl]|--(?:keep|stdout|decompress|test|list)", one) for one in texts
    )
    yield from () if keeps else (Touch(path, How.DELETES) for path in paths)


def _dd(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    yield from (Touch(one[3:], How.EMPTIES) for one in paths if one.startswith("of="))


def _sed(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    if not any(_IN_PLACE.match(one) for one in texts):
        return
    given = [b for a, b in itertools.pairwise(texts) if a in ("-e", "--expression")]
    given += [one.partition("=")[2] for one in texts if one.startswith("--expression=")]
    from_file = any(one in ("-f", "--file") or one.startswith("--file=") for one in texts)
    scripts = {b for a, b in itertools.pairwise(texts) if a in ("-f", "--file")}
    paths = [one for one in paths if one not in given and one not in scripts]
    if "-i" in texts and paths and re.fullmatch(r"\.\w{1,5}", paths[0]):
        paths = paths[1:]  # how BSD is told to keep a copy
    if not given and not from_file:
        given, paths = paths[:1], paths[1:]
    silent = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*|--quiet|--silent", one) for one in texts)
    edits = bool(given) and not from_file and not silent and all(_edits(one) for one in given)
    yield from (Touch(path, How.WRITES if edits else How.EMPTIES) for path in paths)


def _edits(script: str) -> bool:
    """Whether a script of sed leaves the rest of the file as it is."""
    lines = [line for line in script.split("\n") if line.strip()]
    return all(_edits_line(line) for line in lines)


def _edits_line(line: str) -> bool:
    line = line.replace(HOLE, "xx")
    return _is_edit(line) or (
        ";" in line and all(_is_edit(one) for one in line.split(";") if one.strip())
    )


def _is_edit(text: str) -> bool:
    found = _EDIT.fullmatch(text)
    if found is None:
        return False
    if found["what"] and not found["new"] and not _ANY.sub("", found["what"]):
        return False  # whatever is there goes
    return not found["last"] or int(found["last"]) - int(found["first"]) < MOST_LINES


def _perl(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    if not any(re.match(r"-[a-zA-Z0-9]*i", one) for one in texts):
        return
    code = [b for a, b in itertools.pairwise(texts) if re.fullmatch(r"-\w*[eE]", a)]
    edits = bool(code) and all(_PERL_SWAP.fullmatch(one) for one in code)
    prints_all = any(re.match(r"-[a-zA-Z0-9]*p", one) for one in texts)
    how = How.WRITES if edits and prints_all else How.EMPTIES
    yield from (Touch(path, how) for path in paths if path not in code)


def _ed(texts: list[str], paths: list[str]) -> Iterator[Touch]:
    yield from (Touch(path, How.WRITES) for path in paths[-1:])


_TOUCHING: Mapping[str, Callable[[list[str], list[str]], Iterator[Touch]]] = {
    **dict.fromkeys("cp ln install rsync ditto tar unzip patch".split(), _copied),
    "mv": _moved,
    **dict.fromkeys(("mkdir", "touch"), _all),
    "tee": _teed,
    "truncate": _emptied,
    "sponge": _all,
    **dict.fromkeys("gzip bzip2 xz lzma compress".split(), _packed),
    "dd": _dd,
    **dict.fromkeys(("sed", "gsed"), _sed),
    "perl": _perl,
    **dict.fromkeys(("ed", "ex"), _ed),
}
