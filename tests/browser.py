"""A real Chromium, driven over two pipes: nothing else has to be installed."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE_SECONDS = 60.0


def find_browser() -> str:
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"NO BROWSER: install one of {', '.join(NAMES)} to see pages drawn")
    return program


def usual_words(program: str, profile: Path) -> list[str]:
    words = [program, "--headless", "--disable-gpu", "--disable-dev-shm-usage"]
    words += [f"--user-data-dir={profile}"]
    return words + (["--no-sandbox"] if os.geteuid() == 0 else [])  # it refuses root otherwise


class Refused(Exception):
    """By Chromium, as a rule because the page went away meanwhile."""


class Browser:
    """One page of Chromium, by its DevTools protocol."""

    def __init__(self, commands: BinaryIO, answers: BinaryIO) -> None:
        self._commands, self._answers = commands, answers
        self._last, self._read = 0, b""
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = str(attached["sessionId"])
        self.send("Page.enable")

    def send(self, method: str, **parameters: object) -> dict[str, object]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while (answer := self._next()).get("id") != self._last:
            pass
        if "error" in answer:
            raise Refused(str(answer["error"]))
        result = answer["result"]
        assert isinstance(result, dict)
        return result

    def _next(self) -> dict[str, object]:
        while b"\0" not in self._read:
            more = os.read(self._answers.fileno(), 1 << 16)
            assert more, "the browser ended"
            self._read += more
        first, _, self._read = self._read.partition(b"\0")
        answer = json.loads(first)
        assert isinstance(answer, dict)
        return answer

    def evaluate(self, expression: str) -> object:
        """The value in the page, once it is there."""
        told = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in told, told
        result = told["result"]
        assert isinstance(result, dict)
        return result.get("value")

    def wait(self, condition: str) -> None:
        """Until the expression is true in the page, which may be on its way to another."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            with suppress(Refused):
                if self.evaluate(f"Boolean({condition})"):
                    return
            assert time.monotonic() < until, f"never: {condition}"
            time.sleep(0.02)

    def open(self, address: str) -> None:
        self.send("Page.navigate", url=address)
        self.wait(f"location.href === {address!r} && document.readyState === 'complete'")

    def resize(self, width: int) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    words = [*usual_words(find_browser(), profile), "--remote-debugging-pipe"]
    script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'  # the two that Chromium knows
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", *words],
        pass_fds=(theirs_in, theirs_out),
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        with open(ours_out, "wb") as commands, open(ours_in, "rb") as answers:
            yield Browser(commands, answers)
    finally:
        process.kill()
        process.wait()
