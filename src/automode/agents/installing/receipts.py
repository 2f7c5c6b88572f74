"""Receipts of what was installed, and the bytes that were replaced, in the state folder."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock

from automode.agents.installing.plan import CannotInstall, Receipt, Scope, Transport
from automode.config.places import content, replace_file
from automode.core.errors import BadSettings
from automode.store.folder import StateFolder

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


def _gone(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
