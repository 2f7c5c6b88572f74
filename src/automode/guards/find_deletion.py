"""`find` with `-delete`, or with a deleting program behind `-exec`."""

from automode.guards.guard import Sight, shown, words
from automode.guards.places import essential
from automode.shell.script import Word

_DELETERS = words("rm grm unlink shred srm trash rimraf")
_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_NAMES = words("-name -iname -path -ipath -wholename -iwholename -regex -iregex")
_SELECTS = _NAMES | words(
    "-mtime -mmin -atime -amin -ctime -cmin -newer -newermt -anewer -cnewer -size -empty -user"
    " -group -uid -gid -perm -samefile -inum -links -lname -nouser -nogroup -maxdepth -xtype"
)
_BEFORE = words("-H -L -P -E -X -d -s -x")


def find_delete(sight: Sight) -> str | None:
    texts = sight.texts
    if not _deletes(texts):
        return None
    starts = _starts(sight.args)
    filtered = _filtered(texts)
    for word in starts:
        path = sight.path(word.text)
        if path is None or (sight.command.remote and path != "/"):
            continue
        for place in (path, sight.resolved(path)):
            # A filter makes a cleaning job of it, but nobody cleans the system by a pattern.
            found = essential(place, sight.workspace, tree=not filtered)
            if found and (not filtered or found in ("the root folder", "a system folder")):
                if filtered and place.casefold().startswith(("/var", "/private/var")):
                    continue
                return f"everything below `{shown(word.text)}`, which is {found}"
    return None


def _deletes(texts: list[str]) -> bool:
    if "-delete" in texts:
        return True
    for index, text in enumerate(texts[:-1]):
        if text in _RUNS:
            inner = [word.rsplit("/", 1)[-1] for word in texts[index + 1 :]]
            end = next((i for i, word in enumerate(inner) if word in (";", "+")), len(inner))
            if not _DELETERS.isdisjoint(inner[:end]):
                return True
    return False


def _starts(args: tuple[Word, ...]) -> tuple[Word, ...]:
    found: list[Word] = []
    for word in args:
        if word.text in _BEFORE or word.text.startswith(("-O", "-D")):
            continue
        if word.text[:1] in ("-", "(", "!", ","):
            break
        found.append(word)
    return tuple(found) or (Word("."),)


def _filtered(texts: list[str]) -> bool:
    """Whether something narrows what is found. `! -name x` takes all but a little."""
    for index, text in enumerate(texts):
        if text not in _SELECTS:
            continue
        if index and texts[index - 1] in ("!", "-not"):
            continue
        if text in _NAMES and index + 1 < len(texts) and set(texts[index + 1]) <= set("*./?"):
            continue
        return True
    return False
