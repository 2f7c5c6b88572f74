"""`find` with `-delete`, or with a deleting program behind `-exec`."""

from automode.guards.guard import Sight, shown, words
from automode.guards.places import ROOT, SYSTEM_FOLDER, Lost, essential
from automode.programs.table import of_kind
from automode.shell.listed_input import find_run_length
from automode.shell.script import Word

_DELETERS = of_kind("remover") - {"rmdir"}  # which leaves folders that hold anything
_UNASKED = ("-delete", "-exec", "-execdir")
_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_NAMES = words("-name -iname -path -ipath -wholename -iwholename -regex -iregex")
_SELECTS = _NAMES | words(
    "-mtime -mmin -atime -amin -ctime -cmin -newer -newermt -anewer -cnewer -size -empty -user"
    " -group -uid -gid -perm -samefile -inum -links -lname -nouser -nogroup -xtype"
)
_CLEANED = ("/var", "/private/var", "/home", "/users", "/root")
_BEFORE = words("-H -L -P -E -X -d -s -x")


def find_delete(sight: Sight) -> str | None:
    """Whether a `find` that deletes what it finds starts where nothing may go. What `-ok` runs, it
    asks about before each file."""
    asks = only_a_person_answers(sight) and not any(text in _UNASKED for text in sight.texts)
    return _found_lost(sight, sight.args) if _deletes(sight.texts) and not asks else None


def only_a_person_answers(sight: Sight) -> bool:
    """Whether what this command asks before it acts is asked of a person: it stands alone, so that
    nothing in the script (`yes |`, `< answers`, `exec <answers`) answers for them."""
    alone = all(one is sight.command or one.via[-1:] == ("find",) for one in sight.script.commands)
    fed = sight.command.position or sight.command.fed is not None
    reads = any(redirect.op.startswith("<") for redirect in sight.command.redirects)
    return alone and not (fed or reads or sight.command.via)


def piped_find(sight: Sight) -> str | None:
    """`find / | xargs rm -rf`: what the find before it lists is deleted."""
    command = sight.command
    if "xargs" not in command.via or not command.position:
        return None
    for one in sight.script.commands:
        before = one.pipeline == command.pipeline and one.position == command.position - 1
        if before and one.program in ("find", "gfind"):
            return _found_lost(sight, one.args)
    return None


def _found_lost(sight: Sight, args: tuple[Word, ...]) -> str | None:
    filtered = _filtered([word.text for word in args])
    for word in _starts(args):
        path = sight.path(word.text)
        if path is None or (sight.command.remote and path != "/"):
            continue
        for place in (path, sight.resolved(path)):
            found = _lost(place, sight, filtered=filtered)
            if found:
                return f"everything below `{shown(word.text)}`, which is {found.text}"
    return None


def _lost(path: str, sight: Sight, *, filtered: bool) -> Lost | None:
    """A filter makes a cleaning job of it, but nobody cleans the system by a pattern."""
    found = essential(path, sight.workspace, tree=not filtered)
    if not filtered or not found:
        return found
    system = found in (ROOT, SYSTEM_FOLDER)
    return found if system and not path.casefold().startswith(_CLEANED) else None


def _deletes(texts: list[str]) -> bool:
    if "-delete" in texts:
        return True
    for index, text in enumerate(texts[:-1]):
        if text in _RUNS:
            inner = [word.rsplit("/", 1)[-1] for word in texts[index + 1 :]]
            end = find_run_length(inner, text)
            if "{}" in inner[:end] and not _DELETERS.isdisjoint(inner[:end]):
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
    """Whether something narrows what is found."""
    for index, text in enumerate(texts):
        after = texts[index + 1] if index + 1 < len(texts) else ""
        if text in _SELECTS and not (text in _NAMES and set(after) <= set("*./?")):
            return True
        if text == "-type" and after == "l":
            return True
    return False
