"""What an installation changes, the receipts that take it back, and how it is carried out."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fcntl import LOCK_EX, LOCK_NB, flock

from automode.config.places import content, replace_file
from automode.core.errors import AutomodeError, BadSettings
from automode.store.folder import StateFolder

OWNER_ONLY = 0o600


def digest(data: bytes | None) -> str:
    """Empty for what is not there."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


class CannotInstall(AutomodeError):
    """Nothing was changed; the message says why."""


class Scope(StrEnum):
    USER = "user"
    PROJECT = "project"
    MANAGED = "managed"


def need_account(scope: Scope, title: str, agent: str) -> None:
    """Raises CannotInstall for an agent that takes hooks for an account alone."""
    if scope is not Scope.USER:
        raise CannotInstall(
            f"automode goes into {title} for an account, not for a project or a machine",
            f"run: automode install {agent} --user",
        )


class Transport(StrEnum):
    HTTP = "http"
    COMMAND = "command"
    EXTENSION = "extension"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What must be known to take an installation out again."""

    agent: str
    scope: Scope
    path: str
    version: str
    transport: Transport
    without: bytes | None
    """The file as it is without us; None: there was none."""
    written: str
    """SHA-256 of the file as we wrote it: untouched since, it goes back to `without`."""
    pieces: tuple[str, ...] = ()
    """The very texts that were put in, blanks and commas included."""
    made: frozenset[str] = frozenset()
    """Dotted names of the objects and lists that were not there before."""
    folders: tuple[str, ...] = ()
    """Folders that were made for the file, outermost first."""
    named: str = ""
    """What the agent calls the file: another path where that is a link."""
    replaced: str = ""
    """SHA-256 of the file as it was just before we wrote it: an installation that was cut off left
    it so, and without us that is `without`, too."""

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
class Placed:
    """A file of an agent's that automode writes to. `named` is what the agent calls it; it may be a
    link to `path`."""

    agent: str
    scope: Scope
    named: str
    path: str
    before: bytes | None

    def change(
        self,
        after: bytes,
        version: str,
        transport: Transport,
        without: bytes | None = None,
        *,
        pieces: tuple[str, ...] = (),
        made: frozenset[str] = frozenset(),
        mode: int = OWNER_ONLY,
    ) -> Change:
        """The change to `after`, with the receipt that takes it back to `without`."""
        receipt = Receipt(
            self.agent,
            self.scope,
            self.path,
            version,
            transport,
            without,
            digest(after),
            pieces,
            made,
            named=self.named,
            replaced=digest(self.before),
        )
        return Change(self.path, self.before, after, receipt, mode)


@dataclass(frozen=True, slots=True)
class Plan:
    agent: str
    scope: Scope
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts in the changes that must not be shown."""


UNFINISHED = ".new-"  # how `replace_file` calls what it has not finished


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
            data = content(self._file(agent, path, "json"))
            found: object = None if data is None else json.loads(data)
            match found:
                case {"path": str(kept)} if kept == path:
                    return self._receipt(agent, path, found)
                case _:
                    return None
        except (BadSettings, ValueError):
            return None

    def keep(self, receipt: Receipt) -> None:
        agent, path = receipt.agent, receipt.path
        without = self._file(agent, path, "before")
        if receipt.without is None:
            _gone(without)
        else:
            replace_file(without, receipt.without)
        replace_file(self._file(agent, path, "json"), _written(receipt))

    def drop(self, agent: str, path: str) -> None:
        for kind in ("json", "before"):
            _gone(self._file(agent, path, kind))

    def keep_earlier(self, agent: str, path: str, data: bytes) -> str:
        """The bytes that are about to be replaced; the file that holds them now."""
        file = self._file(agent, path, "earlier")
        replace_file(file, data)
        return file

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
            self._tidy()
            yield

    @property
    def mark(self) -> str:
        """Tells what is written beside a file for this folder from what others write there."""
        return hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:8]

    def _tidy(self) -> None:
        """What a process that was killed has left half written."""
        for name in os.listdir(self.folder):
            if name.startswith(UNFINISHED):
                _gone(os.path.join(self.folder, name))

    def _file(self, agent: str, path: str, kind: str) -> str:
        place = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        return os.path.join(self.folder, f"{agent}-{place}.{kind}")

    def _receipt(self, agent: str, path: str, fields: object) -> Receipt | None:
        match fields:
            case {
                "scope": str(scope),
                "version": str(version),
                "transport": str(transport),
                "existed": bool(existed),
                "written": str(written),
                "pieces": [*pieces],
                "made": [*made],
                "folders": [*folders],
                "named": str(named),
                "replaced": str(replaced),
            }:
                without = content(self._file(agent, path, "before")) if existed else None
                if existed and without is None:
                    return None
                return Receipt(
                    agent,
                    Scope(scope),
                    path,
                    version,
                    Transport(transport),
                    without,
                    written,
                    _texts(pieces),
                    frozenset(_texts(made)),
                    _texts(folders),
                    named,
                    replaced,
                )
            case _:
                return None


def _written(receipt: Receipt) -> bytes:
    fields: dict[str, object] = {
        "agent": receipt.agent,
        "scope": receipt.scope.value,
        "path": receipt.path,
        "version": receipt.version,
        "transport": receipt.transport.value,
        "existed": receipt.without is not None,
        "written": receipt.written,
        "pieces": list(receipt.pieces),
        "made": sorted(receipt.made),
        "folders": list(receipt.folders),
        "named": receipt.named,
        "replaced": receipt.replaced,
    }
    return (json.dumps(fields, indent=2) + "\n").encode()


def _texts(found: list[object]) -> tuple[str, ...]:
    return tuple(one for one in found if isinstance(one, str))


OTHERS_READ = 0o044


def present(path: str) -> tuple[str, bytes | None]:
    """The real file behind `path`, and what it holds; None where there is none. Raises
    CannotInstall for what must not be replaced."""
    real = os.path.realpath(path)
    try:
        return real, _own_content(path, real)
    except (OSError, BadSettings) as error:
        why = (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)
        raise CannotInstall(
            f"`{path}` was left alone: {why}", "mend it or move it away, then try again"
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
            _unchanged(change)
        kept = {change.path: receipts.find(plan.agent, change.path) for change in plan.changes}
        staged: list[_Staged] = []
        try:
            for change in plan.changes:
                one = _Staged(change, _temporary(change.path, receipts), _missing(change))
                staged.append(one)
                _note(plan, one, kept[change.path], receipts)
                one.stage()
            for one in staged:
                one.put()
        except BaseException as error:
            _rolled_back(plan, staged, kept, receipts)
            if isinstance(error, OSError):
                raise CannotInstall(f"nothing was changed: {_sentence(error)}") from error
            raise
        _tidied(plan, kept, receipts)


@dataclass(slots=True)
class _Staged:
    """One change, step by step. Its new content lies in `temporary`, beside the file; its name is
    always the same, so that the next installation finds what one that was killed has left."""

    change: Change
    temporary: str
    folders: tuple[str, ...]
    done: bool = False

    def stage(self) -> None:
        change = self.change
        _gone(self.temporary)
        for folder in self.folders:
            os.mkdir(folder)
            # Whatever the umask says.
            os.chmod(folder, 0o755 if change.mode & OTHERS_READ else 0o700)
        if change.after is not None and change.after != change.before:
            self._write(change.after)

    def put(self) -> None:
        path, before, after = self.change.path, self.change.before, self.change.after
        if before == after:
            return
        if after is None:
            os.unlink(path)
        else:
            os.replace(self.temporary, path)
        self.done = True
        _settled(os.path.dirname(path))

    def take_back(self) -> None:
        if self.done:
            self._put_before()
        with suppress(OSError):
            _gone(self.temporary)
        _emptied(self.folders)

    def _put_before(self) -> None:
        before = self.change.before
        if before is None:
            os.unlink(self.change.path)
        else:
            self._write(before)
            os.replace(self.temporary, self.change.path)

    def _write(self, data: bytes) -> None:
        """With mode and owner of the file that it will replace."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(self.temporary, flags, OWNER_ONLY), "wb") as file:
            file.write(data)
            file.flush()
            mode = self.change.mode
            if os.path.lexists(self.change.path):
                status = os.stat(self.change.path)
                mode = status.st_mode & 0o7777
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())


def _temporary(path: str, receipts: Receipts) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.automode-{receipts.mark}")


def _missing(change: Change) -> tuple[str, ...]:
    """The folders that have to be made for it, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(change.path)
    while change.after is not None and not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def _emptied(folders: Sequence[str]) -> None:
    for folder in reversed(folders):
        with suppress(OSError):  # somebody else may have put something there
            os.rmdir(folder)


def _gone(path: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)


def _note(plan: Plan, staged: _Staged, known: Receipt | None, receipts: Receipts) -> None:
    """Written before the file is replaced: a receipt for a file that never came does no harm, and a
    file without one could not be given back to the byte."""
    change = staged.change
    if change.before is not None:
        receipts.keep_earlier(plan.agent, change.path, change.before)
    if change.receipt is not None:
        folders = (*(known.folders if known else ()), *staged.folders)
        receipts.keep(replace(change.receipt, folders=tuple(dict.fromkeys(folders))))


def _rolled_back(
    plan: Plan,
    staged: Sequence[_Staged],
    kept: dict[str, Receipt | None],
    receipts: Receipts,
) -> None:
    for one in reversed(staged):
        one.take_back()
        known = kept[one.change.path]
        if known is not None:
            receipts.keep(known)
        elif one.change.receipt is not None:
            receipts.drop(plan.agent, one.change.path)


def _tidied(plan: Plan, kept: dict[str, Receipt | None], receipts: Receipts) -> None:
    """Where we are out again. Several files may lie in one folder, and the receipts go last: who is
    killed before that can still be tidied up after."""
    out = [change for change in plan.changes if change.receipt is None]
    known = (kept[change.path] for change in out if change.after is None)
    _emptied(sorted({folder for one in known if one is not None for folder in one.folders}))
    for change in out:
        receipts.drop(plan.agent, change.path)


def _unchanged(change: Change) -> None:
    real, now = present(change.path)
    if real != change.path or now != change.before:
        raise CannotInstall(f"`{change.path}` changed in the meantime", "run the command again")


def _settled(folder: str) -> None:
    """The new name itself is to survive a crash of the machine."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sentence(error: OSError) -> str:
    place = f": `{error.filename}`" if error.filename is not None else ""
    return f"{(error.strerror or type(error).__name__).lower()}{place}"
