"""Sends to everything but ntfy: hands the message to a process that has Apprise."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import quote

from automode.notify.addresses import Other
from automode.notify.messages import Message

SECONDS = 45.0
INSTALL = (
    "Apprise, which sends to it, is not installed; install automode with its extra `notify`, or:"
    f" {sys.executable} -m pip install apprise"
)
PROGRAM = (sys.executable, "-I", "-m", "automode.notify.apprise_process")


async def send(
    to: Sequence[Other],
    message: Message,
    *,
    program: Sequence[str] = PROGRAM,
    seconds: float = SECONDS,
) -> tuple[str, ...]:
    """For each address why it failed; empty for those that did not. Never raises."""
    if not to:
        return ()
    asked = {
        "addresses": [one.text for one in to],
        "title": message.title,
        "text": message.text,
    }
    try:
        async with asyncio.timeout(seconds):
            found = await _answer(program, json.dumps(asked).encode())
    except TimeoutError:
        return (f"it was not sent within {seconds:g} seconds",) * len(to)
    except (OSError, ValueError) as error:
        return (f"Apprise's process failed ({type(error).__name__})",) * len(to)
    match found:
        case {"missing": True}:
            return (INSTALL,) * len(to)
        case {"failures": list(failures)} if len(failures) == len(to):
            return tuple(map(str, failures))
        case _:
            return ("Apprise's process ended without an answer",) * len(to)


async def _answer(program: Sequence[str], asked: bytes) -> object:
    environment = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *program,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={"PATH": os.defpath, **environment},
    )
    try:
        said, _ = await process.communicate(asked)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return json.loads(said)


def with_tokens(bridge: Other, tokens: Mapping[str, str], record: str) -> Other:
    """A bridge gets the tokens as fields of the JSON that Apprise posts to it."""
    fields = {"record": record, **tokens}
    added = "&".join(f":{name}={quote(value)}" for name, value in fields.items())
    mark = "&" if "?" in bridge.text else "?"
    return Other(bridge.shown, f"{bridge.text}{mark}{added}", bridge=True)
