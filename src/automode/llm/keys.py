"""Where a key comes from: the host, the environment, a person's store, a command that prints it.

Every stored key is filed under the host it is for, so that it cannot be asked for by a name that
was given to another server.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EINVAL
from importlib.util import find_spec
from types import ModuleType
from typing import TypeAlias, TypeVar

from automode.llm.model import ModelError, ModelFault

KEYRING_SERVICE = "automode"
HELPER_SECONDS = 10.0
HELPER_KEPT_SECONDS = 300.0
"""How long a key that a command printed is used before the command is asked again."""

Keyring: TypeAlias = Callable[[str], str | None]


def no_keyring(host: str) -> str | None:
    return None


def system_keyring(host: str) -> str | None:
    """The key filed for `host`; None too where there is no keyring, or it is locked."""
    return usable(_with_keyring(lambda keyring: keyring.get_password(KEYRING_SERVICE, host)))


T = TypeVar("T")


def _with_keyring(work: Callable[[ModuleType], T]) -> T | None:
    """None where there is no keyring, or it fails."""
    if find_spec("keyring") is None:
        return None
    import keyring
    from keyring.errors import KeyringError

    try:
        return work(keyring)
    except (KeyringError, OSError, RuntimeError):
        return None


@dataclass(frozen=True, slots=True)
class KeyStore:
    """Keys that a person stored: in the system's keyring where one works, else in `file`, which
    only the account can read. The file also lists the hosts whose keys are in the keyring."""

    file: str

    def __call__(self, host: str) -> str | None:
        """A `Keyring`."""
        return system_keyring(host) or usable(self._read().get(host))

    def hosts(self) -> dict[str, str]:
        """Where the key of each host lies. No key is in here."""
        return {
            host: self.file if key else "the system's keyring" for host, key in self._read().items()
        }

    def store(self, host: str, key: str) -> str:
        """Returns where it lies now. Raises OSError."""
        known = self._read_whole()
        in_keyring = _set_in_keyring(host, key)
        self._write({**known, host: "" if in_keyring else key})
        return self.hosts()[host]

    def remove(self, host: str) -> bool:
        """Whether there was one. Raises OSError."""
        known = self._read_whole()
        from_keyring = _delete_from_keyring(host)
        if host in known:
            self._write({name: key for name, key in known.items() if name != host})
        return from_keyring or host in known

    def _read(self) -> dict[str, str]:
        """Empty where the file is missing, unreadable, or not for this account alone."""
        try:
            with open(self.file, encoding="utf-8") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                    return {}
                found: object = json.load(file)
        except (OSError, ValueError, RecursionError):
            return {}
        rows = found.items() if isinstance(found, dict) else ()
        return {host: key for host, key in rows if isinstance(key, str)}

    def _read_whole(self) -> dict[str, str]:
        """Raises OSError where writing would lose what cannot be read."""
        found = self._read()
        if not found and os.path.exists(self.file) and os.path.getsize(self.file) > len("{}"):
            raise OSError(EINVAL, f"{self.file} cannot be read; mend or remove it")
        return found

    def _write(self, keys: Mapping[str, str]) -> None:
        os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
        replace_private(self.file, json.dumps(keys, indent=2).encode())


def replace_private(path: str, data: bytes) -> None:
    """Made for the account alone, and in place only when it is whole. Raises OSError."""
    number, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _set_in_keyring(host: str, key: str) -> bool:
    """Whether the system's keyring took it, and gives it back."""
    _with_keyring(lambda keyring: keyring.set_password(KEYRING_SERVICE, host, key))
    return system_keyring(host) == key


def _delete_from_keyring(host: str) -> bool:
    if system_keyring(host) is None:
        return False
    _with_keyring(lambda keyring: keyring.delete_password(KEYRING_SERVICE, host))
    return system_keyring(host) is None


@dataclass(slots=True)
class KeyHelper:
    """A command of the person's own that prints a key. Runs in a thread: it may take a while."""

    command: str
    clock: Callable[[], float] = time.monotonic
    seconds: float = HELPER_SECONDS
    _kept: tuple[float, str] | None = field(default=None, repr=False)

    def key(self) -> str:
        """Raises ModelError."""
        now = self.clock()
        if self._kept is not None and now < self._kept[0]:
            return self._kept[1]
        key = usable(self._run())
        if key is None:
            raise _no_key("printed no key")
        self._kept = (now + HELPER_KEPT_SECONDS, key)
        return key

    def forget(self) -> None:
        """For a key that was refused: the command may have a newer one."""
        self._kept = None

    def _run(self) -> str:
        try:
            process = subprocess.Popen(  # noqa: S602 - the person's own command, from their own file
                self.command,
                shell=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise _no_key(f"did not start ({type(error).__name__})") from None
        with process:
            try:
                printed, _ = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                raise _no_key(f"took longer than {self.seconds:g} s") from None
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
        if process.returncode != 0:
            raise _no_key(f"ended with {process.returncode}")
        return printed


def _no_key(why: str) -> ModelError:
    return ModelError(ModelFault.NO_KEY, f"the command in `autoMode.apiKeyHelper` {why}")


def first_set(variables: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
    return next((key for name in variables if (key := usable(environment.get(name)))), None)


def usable(key: str | None) -> str | None:
    """`key` without the white space of copying; None for what no header could carry."""
    stripped = (key or "").strip()
    return stripped if stripped and stripped.isascii() and stripped.isprintable() else None
