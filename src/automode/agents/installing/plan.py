"""What an installation changes, the receipts that take it back, and how it is carried out."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from fcntl import LOCK_EX, LOCK_NB, flock

from automode.config.places import content, replace_file
from automode.core.errors import AutomodeError, BadSettings
from automode.store.folder import StateFolder

OWNER_ONLY = 0o600
OTHERS_READ = 0o044


def digest(data: bytes | None) -> str:
    """Empty for what is not there."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


class CannotInstall(AutomodeError):
    """Nothing was changed; the message says why."""


class Scope(StrEnum):
    USER = "user"
    PROJECT = "project"
    MANAGED = "managed"


class Transport(StrEnum):
    HTTP = "http"
    COMMAND = "command"
    EXTENSION = "extension"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What must be known to take an installation out again."""

    agent: str
    path: str
    without: bytes | None
    """The file as it is without us; None: there was none."""
    written: str
    """SHA-256 of the file as we wrote it: untouched since, it goes back to `without`."""
    replaced: str = ""
    """SHA-256 of the file as it was just before we wrote it: an installation that was cut off left
    it so, and without us that is `without`, too."""
    pieces: tuple[str, ...] = ()
    """The very texts that were put in, blanks and commas included."""
    made: tuple[str, ...] = ()
    """Dotted names of the objects and lists that were not there before."""
    folders: tuple[str, ...] = ()
    """Folders that were made for the file, outermost first."""
    named: str = ""
    """What the agent calls the file, another path where that is a link: guards protect both."""

    def knows(self, data: bytes) -> bool:
        """Whether it is one of these two: then `without` needs not be worked out."""
        return digest(data) in (self.written, self.replaced)


@dataclass(frozen=True, slots=True)
class Change:
    """`path` is the real file, no link. None: no file. Once it is done, `receipt` is kept for the
    file, or, where it is None, none any more. `before` and `after` alike: only that is done, and
    what an installation that was cut off has left beside the file goes."""

    path: str
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None = None
    mode: int = OWNER_ONLY
    """Of a file that is made; one that is there keeps its own."""


@dataclass(frozen=True, slots=True)
class Plan:
    agent: str
    scope: Scope
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts in the changes that must not be shown."""


@dataclass(frozen=True, slots=True)
class Receipts:
    """`folder` is `<state folder>/install`; it need not exist."""

    folder: str

    @classmethod
    def of(cls, state_folder: str) -> "Receipts":
        return cls(StateFolder(state_folder).install)

    def find(self, agent: str, path: str) -> Receipt | None:
        """The receipt for the file at `path`. One that cannot be read is as good as none: what is
        ours can be told from the file itself."""
        try:
            found = json.loads(content(self._file(agent, path, "json")) or b"null")
            names = ("written", "replaced", "named")
            written, replaced, named = (str(found[name]) for name in names)
            lists = ("pieces", "made", "folders")
            pieces, made, folders = (tuple(map(str, found[name])) for name in lists)
            existed = found["existed"] is True
            without = content(self._file(agent, path, "before")) if existed else None
        except (BadSettings, ValueError, LookupError, TypeError):
            return None
        if found["path"] != path or existed is (without is None):
            return None
        return Receipt(agent, path, without, written, replaced, pieces, made, folders, named)

    def keep(self, receipt: Receipt) -> None:
        agent, path = receipt.agent, receipt.path
        without = self._file(agent, path, "before")
        if receipt.without is None:
            _remove(without)
        else:
            replace_file(without, receipt.without)
        fields = {**asdict(receipt), "existed": receipt.without is not None}
        del fields["without"]
        replace_file(self._file(agent, path, "json"), f"{json.dumps(fields, indent=2)}\n".encode())

    def drop(self, agent: str, path: str) -> None:
        for kind in ("json", "before"):
            _remove(self._file(agent, path, kind))

    def keep_earlier(self, agent: str, path: str, data: bytes) -> None:
        """The bytes that are about to be replaced."""
        replace_file(self._file(agent, path, "earlier"), data)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One installation at a time."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(os.path.join(self.folder, "lock"), flags, 0o600), "rb+") as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                raise CannotInstall("another installation is running", "try it again") from None
            yield

    def temporary(self, path: str) -> str:
        """Where new content of `path` is written first. Always the same name, so that the next
        installation removes what one that was killed has left."""
        folder, name = os.path.split(path)
        mark = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:8]
        return os.path.join(folder, f".{name}.automode-{mark}")

    def _file(self, agent: str, path: str, kind: str) -> str:
        place = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        return os.path.join(self.folder, f"{agent}-{place}.{kind}")


def present(path: str) -> tuple[str, bytes | None]:
    """The real file behind `path`, and what it holds; None where there is none. Raises
    CannotInstall for what must not be replaced."""
    real = os.path.realpath(path)
    try:
        return real, _own_content(path, real)
    except (OSError, BadSettings) as error:
        why = (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)
        raise CannotInstall(
            f"`{path}` was left alone: {why}", "fix it or move it away, then try again"
        ) from error


def _own_content(path: str, real: str) -> bytes | None:
    if os.path.islink(path) and not os.path.exists(real):
        raise BadSettings("it is a link to nothing")
    data = content(real)
    if data is not None and os.stat(real).st_uid != os.geteuid():
        raise BadSettings("it belongs to another account")
    return data


def apply(plan: Plan, receipts: Receipts) -> None:
    """Raises CannotInstall, and then every file is as it was."""
    with receipts.locked():
        for change in plan.changes:
            if present(change.path) != (change.path, change.before):
                raise CannotInstall(
                    f"`{change.path}` changed in the meantime", "run the command again"
                )
        known = {change.path: receipts.find(plan.agent, change.path) for change in plan.changes}
        begun: list[tuple[Change, tuple[str, ...]]] = []
        try:
            for change in plan.changes:
                folders = _missing_folders(change)
                begun.append((change, folders))
                if change.before is not None:
                    receipts.keep_earlier(plan.agent, change.path, change.before)
                if change.receipt is not None:
                    # First: a receipt for a file that never came does no harm, and a file without
                    # one could not be given back to the byte.
                    before = known[change.path]
                    made = dict.fromkeys((*(before.folders if before else ()), *folders))
                    receipts.keep(replace(change.receipt, folders=tuple(made)))
                _carry_out(change, folders, receipts)
        except BaseException as error:
            for change, folders in reversed(begun):
                _take_back(change, folders, known[change.path], receipts)
            if isinstance(error, OSError):
                raise CannotInstall(f"nothing was changed: {_sentence(error)}") from error
            raise
        _tidy(plan, known, receipts)


def _carry_out(change: Change, folders: Sequence[str], receipts: Receipts) -> None:
    _remove(receipts.temporary(change.path))
    for folder in folders:
        os.mkdir(folder)
        os.chmod(folder, 0o755 if change.mode & OTHERS_READ else 0o700)  # whatever the umask says
    if change.after != change.before:
        _replace(change, change.after, receipts)


def _take_back(
    change: Change, folders: Sequence[str], known: Receipt | None, receipts: Receipts
) -> None:
    with suppress(OSError):
        _remove(receipts.temporary(change.path))
    with suppress(BadSettings):  # nothing of ours: something else stands in its place
        if content(change.path) != change.before:
            _replace(change, change.before, receipts)
    _remove_empty(folders)
    if known is not None:
        receipts.keep(known)
    elif change.receipt is not None:
        receipts.drop(change.receipt.agent, change.path)


def _replace(change: Change, data: bytes | None, receipts: Receipts) -> None:
    """With mode and owner of the file that it replaces."""
    if data is None:
        os.unlink(change.path)
        return
    temporary, mode = receipts.temporary(change.path), change.mode
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(temporary, flags, OWNER_ONLY), "wb") as file:
        file.write(data)
        file.flush()
        if os.path.lexists(change.path):
            status = os.stat(change.path)
            mode = status.st_mode & 0o7777
            os.fchown(file.fileno(), status.st_uid, status.st_gid)
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    os.replace(temporary, change.path)


def _tidy(plan: Plan, known: dict[str, Receipt | None], receipts: Receipts) -> None:
    """Where we are out again. Several files may lie in one folder, and the receipts go last: who is
    killed before that can still be tidied up after."""
    out = [change for change in plan.changes if change.receipt is None]
    kept = (known[change.path] for change in out if change.after is None)
    _remove_empty(sorted({folder for one in kept if one is not None for folder in one.folders}))
    for change in out:
        receipts.drop(plan.agent, change.path)


def _missing_folders(change: Change) -> tuple[str, ...]:
    """The folders that have to be made for it, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(change.path)
    while change.after is not None and not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def _remove_empty(folders: Sequence[str]) -> None:
    for folder in reversed(folders):
        with suppress(OSError):  # somebody else may have put something there
            os.rmdir(folder)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)


def _sentence(error: OSError) -> str:
    place = f": `{error.filename}`" if error.filename is not None else ""
    return f"{(error.strerror or type(error).__name__).lower()}{place}"
