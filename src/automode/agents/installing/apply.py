"""Carries a plan out: all of its changes or none, each file replaced as a whole."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from automode.agents.installing.plan import OWNER_ONLY, CannotInstall, Change, Plan, Receipt
from automode.agents.installing.receipts import Receipts
from automode.config.places import content
from automode.core.errors import BadSettings

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
