"""Which files a patch touches: the `*** Update File:` dialect, unified diffs and git's."""

import re
from collections.abc import Iterator

_MARKERS = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")
_FRAMES = ("*** Begin Patch", "*** End Patch", "*** End of File", "*** Environment ID:")
_GIT_MARKERS = ("rename from ", "rename to ", "copy from ", "copy to ", "Index:")
_GIT_HEADER = "diff --git "
_MARKED = re.compile(
    rf"^[ \t]*(?:{'|'.join(re.escape(text) for text in (*_MARKERS, *_FRAMES, _GIT_HEADER))})"
    r"|^[ \t]*--- .*\n[ \t]*\+\+\+ ",
    re.MULTILINE,
)
_REMOVES = re.compile(
    r"\s*(?:\*\*\* (?:Delete File|Move to):|deleted file mode|rename (?:from|to) |"
    r"\+\+\+ \"?/dev/null)"
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}

_MOST_WORDS = 64  # in a header whose names hold blanks

_UNREADABLE = ""
"""Stands for a name that cannot be read. One of them makes the whole patch unknown."""


def looks_like_patch(text: str) -> bool:
    return any(_MARKED.search("\n".join(lines)) for lines in _readings(text))


def removes_files(patch: str) -> bool:
    """Whether a file goes away by it: deleted, moved or renamed."""
    return any(_REMOVES.match(line) for lines in _readings(patch) for line in lines)


def patched_files(patch: str) -> tuple[str, ...]:
    """Every path the patch names, in order; empty when any part of it cannot be read."""
    paths = [path for lines in _readings(patch) for path in _named(lines)]
    unreadable = any(not path or not path.isprintable() or "//" in path for path in paths)
    return () if unreadable else tuple(dict.fromkeys(paths))


def _readings(patch: str) -> tuple[list[str], ...]:
    """The lines of the patch. Hosts disagree about what ends a line, so it is read both ways."""
    strict = [line.removesuffix("\r") for line in patch.split("\n")]
    wide = patch.splitlines()
    return (strict,) if strict in (wide, [*wide, ""]) else (strict, wide)


def _named(lines: list[str]) -> Iterator[str]:
    if any(line.lstrip().startswith("*** ") for line in lines):
        yield from _marked(lines)
    yield from _unified(lines)


def _marked(lines: list[str]) -> Iterator[str]:
    """Paths of the marker lines; a marker nobody has described to us cannot be read."""
    for line in lines:
        text = line.strip()
        marker = next((marker for marker in _MARKERS if text.startswith(marker)), None)
        if marker:
            yield text[len(marker) :].strip()
        elif line.startswith("*** ") and not text.startswith(_FRAMES):
            yield _UNREADABLE


def _unified(lines: list[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        after = lines[index + 1].lstrip() if index + 1 < len(lines) else ""
        text = line.lstrip()
        if text.startswith("--- ") and after.startswith("+++ "):
            yield from _header(text[4:])
            yield from _header(after[4:])
        marker = next((marker for marker in _GIT_MARKERS if line.startswith(marker)), None)
        if marker:
            yield _unquoted(line[len(marker) :].strip())
        if line.startswith(_GIT_HEADER):
            yield from _git_header(line[len(_GIT_HEADER) :].strip())


def _header(text: str) -> Iterator[str]:
    """The path of a `---` or `+++` line, without its date. A date may follow a blank only, so the
    first word may be the path as well."""
    path = text.split("\t", 1)[0].strip()
    if path.startswith('"'):
        yield _unprefixed(_unquoted(path))
    elif path.split(" ", 1)[0] != "/dev/null":
        yield from (_unprefixed(path), _unprefixed(path.split(" ", 1)[0]))


def _git_header(text: str) -> Iterator[str]:
    """Both names of `diff --git a/x b/x`: for a changed mode, a binary or an empty file no other
    line names it. Names with blanks are not quoted, so every way to part them counts."""
    if '"' in text:
        first = _QUOTED.match(text)
        left = first[0] if first else text.partition(' "')[0]
        yield _unprefixed(_unquoted(left))
        yield _unprefixed(_unquoted(text[len(left) :].strip()))
        return
    words = text.split(" ")
    if not 2 <= len(words) <= _MOST_WORDS:
        yield _UNREADABLE
        return
    for at in _partings(words):
        yield _unprefixed(" ".join(words[:at]))
        yield _unprefixed(" ".join(words[at:]))


def _partings(words: list[str]) -> list[int]:
    """Where the second name may begin: in the middle when both are the same, else anywhere."""
    middle, odd = divmod(len(words), 2)
    names = (" ".join(words[:middle]), " ".join(words[middle:]))
    same = _unprefixed(names[0]) == _unprefixed(names[1])
    return [middle] if same and not odd else list(range(1, len(words)))


def _unprefixed(path: str) -> str:
    return path[2:] if path.startswith(("a/", "b/")) else path


def _unquoted(text: str) -> str:
    """A name as git writes it: in quotes and with escapes as in C when it holds odd letters."""
    if '"' not in text:
        return text
    found = _QUOTED.fullmatch(text)
    if not found:
        return _UNREADABLE
    raw = bytearray()
    at = 0
    for escape in _ESCAPE.finditer(found[1]):
        code = escape[1]
        value = int(code, 8) if code.isdigit() else _LETTERS.get(code, 256)
        if value > 255:
            return _UNREADABLE
        raw += found[1][at : escape.start()].encode("utf-8", "replace") + bytes([value])
        at = escape.end()
    raw += found[1][at:].encode("utf-8", "replace")
    return raw.decode("utf-8", "replace")
