"""Checks of programs that transfer files: what they send, and which files they touch."""

import posixpath
import re
from collections.abc import Iterator

from automode.programs.row import Given, Kind, Touch
from automode.programs.use import READS, Effect, Use
from automode.shell.script import Word

_SENDS = Use(Effect.REMOTE_WRITE)
_DATA = ("-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json")
_FORMS = ("-F", "--form")
_SENDING = (*_DATA, *_FORMS, "-T", "-Q", "--data-raw", "--form-string", "--upload-file", "--quote")
_KEPT_NAMES = ("-O", "--remote-name", "--remote-name-all")
_OUTPUT = ("-O", "--output-document")


def curl(given: Given) -> Use:
    """A method or data changes something on the server. `-G` makes a question of data."""
    use = READS
    method = given.options.value("-X", "--request")
    if method is not None and (method.value or "").upper() not in ("GET", "HEAD", "OPTIONS"):
        use |= _SENDS
    if given.options.has(*_SENDING) and not given.options.has("-G", "--get"):
        use |= _SENDS
    shown = given.options.value("-w", "--write-out")
    if shown is not None and (shown.value is None or "%output{" in shown.text):
        use |= Use(Effect.WRITES)
    return use


def curl_files(given: Given) -> Iterator[Touch]:
    """Data that starts with `@` is a file, and `-O` writes a file with the address's last part."""
    folder = given.options.value("--output-dir")
    for option in given.options.options:
        if option.value is None:
            continue
        if option.name in _DATA:
            yield from _after_at(option.value, r"(?:[^=@]*)@(.+)")
        elif option.name in _FORMS:
            yield from _after_at(option.value, r"[^=]*=[@<]([^;,]+).*")
        elif option.name in ("-H", "--header", "-b", "--cookie"):
            yield from _after_at(option.value, r"@(.+)")
        elif option.name in ("-o", "--output"):
            yield Touch(Kind.WRITES, _within(folder, option.value))
    yield from _by_options(given, ("-o", "--output"))
    if given.options.has(*_KEPT_NAMES):
        for address in given.operands:
            yield Touch(Kind.WRITES, _within(folder, _last_part(address)))


def wget(given: Given) -> Use:
    """The answer goes to a file, unless it goes to the terminal."""
    shown = given.options.value(*_OUTPUT)
    if given.options.has("--spider") or (shown is not None and shown.value in ("-", "/dev/null")):
        return READS
    return Use(Effect.WRITES)


def wget_files(given: Given) -> Iterator[Touch]:
    yield from _by_options(given, ())
    for option in given.options.options:
        if option.name in ("--post-file", "--body-file") and option.value is not None:
            yield Touch(Kind.READS, option.value)
    if not given.options.has("--spider", *_OUTPUT):
        folder = given.options.value("-P", "--directory-prefix")
        for address in given.operands:
            yield Touch(Kind.WRITES, _within(folder, _last_part(address)))


def copied_files(given: Given) -> Iterator[Touch]:
    """The last operand is where the others go; `host:path` is no file of this machine."""
    yield from _by_options(given, ())
    local = [(word, ":" not in word.text.split("/", 1)[0]) for word in given.operands]
    for word, here in local[:-1]:
        if here:
            yield Touch(Kind.TREE, word)
    if len(local) < 2 or not local[-1][1]:
        return
    place = local[-1][0]
    yield Touch(Kind.WRITES, place)
    for word, _ in local[:-1]:
        # `src/` means what is in the folder, `src` the folder itself.
        if name := posixpath.basename(word.text.rpartition(":")[2]):
            yield Touch(Kind.WRITES, _within(place, Word(name, word.origin)))


def _by_options(given: Given, besides: tuple[str, ...]) -> Iterator[Touch]:
    kinds = {"reads": Kind.READS, "lists": Kind.LISTS, "writes": Kind.WRITES, "runs": Kind.RUNS}
    for option in given.options.options:
        kind = kinds.get(given.row.effects.get(option.name, ""))
        if kind is not None and option.value is not None and option.name not in besides:
            yield Touch(kind, option.value)


def _after_at(word: Word, pattern: str) -> Iterator[Touch]:
    found = re.fullmatch(pattern, word.text, re.DOTALL)
    if found:
        yield Touch(Kind.READS, Word(found[1], word.origin))


def _last_part(address: Word) -> Word:
    path = re.sub(r"^[a-z][a-z0-9+.-]*://[^/]*|[?#].*", "", address.text, flags=re.IGNORECASE)
    return Word(posixpath.basename(path.rstrip("/")) or "index.html", address.origin)


def _within(folder: Word | None, name: Word) -> Word:
    if folder is None:
        return name
    origin = folder.origin if name.value is not None else name.origin
    return Word(posixpath.join(folder.text, name.text), origin)
