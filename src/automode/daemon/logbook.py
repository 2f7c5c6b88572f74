"""The daemon's log file: bounded, for its owner alone, and without a word of any call.

An error's own text may quote what was being decided, so of errors only the kind and the place in
the code are written.
"""

import asyncio
import faulthandler
import logging
import os
import sys
import traceback
from logging.handlers import RotatingFileHandler
from types import TracebackType

from automode.store.folder import BadFolder, StateFolder

LOG_BYTES = 1024 * 1024
LOG_FILES = 3

log = logging.getLogger("automode.daemon")


class _Discreet(logging.Formatter):
    def formatException(  # noqa: N802 - its name there
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        kind, _, place = ei
        frames = traceback.extract_tb(place)
        where = "\n".join(f"  {one.filename}:{one.lineno} in {one.name}" for one in frames[-8:])
        return f"{kind.__name__ if kind else 'nothing'} at\n{where}"


def opened(folder: StateFolder, *, also_here: bool) -> None:
    """From now on what is logged goes to the file, and to standard error with `also_here`."""
    layout = _Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        file = RotatingFileHandler(
            folder.log, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8"
        )
        os.chmod(folder.log, 0o600)
    except OSError as error:
        raise BadFolder(
            f"`{folder.log}` cannot be written: {error.strerror}", "name another --state-folder"
        ) from error
    handlers: list[logging.Handler] = [file]
    if also_here:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(layout)
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    logging.getLogger("automode").setLevel(logging.INFO)
    # A handler that cannot write would print its trouble, and the record with it.
    logging.raiseExceptions = False
    # A descriptor of its own: the file's is closed when it is rotated, and then means another file.
    faulthandler.enable(file=os.open(folder.log, os.O_WRONLY | os.O_APPEND), all_threads=False)


def discreetly(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """For what nobody waited for. The usual report would print tasks with their arguments."""
    error = context.get("exception")
    known = error if isinstance(error, BaseException) else None
    log.error("%s", context.get("message", "something failed"), exc_info=known)
