"""Carries a plan out: all of its changes or none, each file replaced as a whole."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from automode.config.disk import content
from automode.core.errors import BadSettings
from automode.install.plan import CannotInstall, Change, Plan, Receipt
from automode.install.receipts import Receipts

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
                staged.append(_stage(change))
                _note(plan, staged[-1], kept[change.path], receipts)
            for one in staged:
                one.put()
        except BaseException as error:
            _rolled_back(plan, staged, kept, receipts)
            if isinstance(error, OSError):
                raise CannotInstall(f"nothing was changed: {_sentence(error)}") from error
            raise
        for change in plan.changes:
            _tidied(plan, change, kept[change.path], receipts)


@dataclass(slots=True)
class _Staged:
    """One change that is ready: its new content lies beside the file."""

    change: Change
    temporary: str | None
    folders: tuple[str, ...]
    done: bool = False

    def put(self) -> None:
        path = self.change.path
        if self.temporary is not None:
            os.replace(self.temporary, path)
        elif self.change.before is not None:
            os.unlink(path)
        self.done = True
        _settled(os.path.dirname(path))

    def take_back(self) -> None:
        if self.temporary is not None and not self.done:
            with suppress(OSError):
                os.unlink(self.temporary)
        if self.done:
            self._put_before()
        for folder in reversed(self.folders):
            with suppress(OSError):  # somebody else may have put something there
                os.rmdir(folder)

    def _put_before(self) -> None:
        before = self.change.before
        if before is None:
            os.unlink(self.change.path)
        else:
            os.replace(_beside(self.change, before), self.change.path)


def _stage(change: Change) -> _Staged:
    folder = os.path.dirname(change.path)
    open_to_others = bool(change.mode & OTHERS_READ)
    made = _folders(folder, 0o755 if open_to_others else 0o700) if change.after is not None else ()
    staged = _Staged(change, None, made)
    try:
        staged.temporary = None if change.after is None else _beside(change, change.after)
    except BaseException:
        staged.take_back()
        raise
    return staged


def _folders(folder: str, mode: int) -> tuple[str, ...]:
    missing: list[str] = []
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    for one in missing:
        os.mkdir(one)
        os.chmod(one, mode)  # whatever the umask says
    return tuple(missing)


def _beside(change: Change, data: bytes) -> str:
    """A new file in the same folder with `data`, and mode and owner of the one it will replace."""
    folder = os.path.dirname(change.path)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".automode-")
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            mode = change.mode
            if os.path.lexists(change.path):
                status = os.stat(change.path)
                mode = status.st_mode & 0o7777
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


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


def _tidied(plan: Plan, change: Change, known: Receipt | None, receipts: Receipts) -> None:
    if change.receipt is not None:
        return
    receipts.drop(plan.agent, change.path)
    folders = known.folders if known is not None and change.after is None else ()
    for folder in reversed(folders):
        with suppress(OSError):  # something else lies there now
            os.rmdir(folder)


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
