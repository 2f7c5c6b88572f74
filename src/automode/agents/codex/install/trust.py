"""Has Codex trust automode's hooks: it runs no other, and in `codex exec` it does not even say so.

Trust is a hash of the hook in the person's own `config.toml`. How it is made only Codex knows, so
its app server is asked about a copy of the file that is going to be written.
"""

import json
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from signal import SIGKILL
from threading import Timer
from typing import IO

from automode.agents.installing.plan import CannotInstall
from automode.daemon.placement import own_version

ANSWER_SECONDS = 30.0
BEGIN = "# automode: Codex runs only hooks that are trusted here\n"
END = "# automode: end\n"
_MARKS = re.compile(rf"(?:^\n)?^{re.escape(BEGIN)}|^{re.escape(END)}", re.MULTILINE)
_STATES = re.compile(
    rf'^{re.escape(BEGIN)}((?:\[hooks\.state\.".*"\]\n(?:[\w-]+ = .*\n)*)*)', re.MULTILINE
)
_AGAIN = "see that `codex app-server` starts, then install again"


def hashes(codex: str, hooks: bytes, environment: Mapping[str, str]) -> dict[str, str]:
    """What Codex says of each hook in a file with this content, by what stands behind the file's
    path in its key. Raises CannotInstall."""
    with tempfile.TemporaryDirectory(prefix="automode-", ignore_cleanup_errors=True) as folder:
        file = os.path.join(os.path.realpath(folder), "hooks.json")
        with open(file, "wb") as copy:
            copy.write(hooks)
        told = {**environment, "CODEX_HOME": os.path.dirname(file)}
        return {
            key.removeprefix(file): found
            for key, found in _listed(codex, os.path.dirname(file), told)
            if key.startswith(file)
        }


def _listed(codex: str, folder: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    answer = _asked(codex, folder, environment)
    match answer.get("result"):
        case {"data": [*places]}:
            hooks = [hook for place in places for hook in _rows(place)]
        case _:
            raise CannotInstall(
                f"Codex does not list its hooks: `{json.dumps(answer)[:200]}`", _AGAIN
            )
    for hook in hooks:
        match hook:
            case {"key": str(key), "currentHash": str(found)}:
                yield key, found
            case _:
                continue


def _rows(place: object) -> list[object]:
    match place:
        case {"hooks": [*hooks]}:
            return hooks
        case _:
            return []


def _asked(codex: str, folder: str, environment: Mapping[str, str]) -> Mapping[str, object]:
    try:
        process = subprocess.Popen(  # noqa: S603 - the person's own agent
            (codex, "app-server"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=dict(environment),
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise CannotInstall(f"`{codex}` does not start ({error.strerror})", _AGAIN) from error
    late = Timer(ANSWER_SECONDS, _end, (process.pid,))
    late.start()
    try:
        if process.stdin is None or process.stdout is None:
            raise CannotInstall(f"`{codex}` has no streams", _AGAIN)
        return _talk(process.stdin, process.stdout, folder)
    except (OSError, ValueError) as error:
        raise CannotInstall(f"`{codex} app-server` did not answer ({error})", _AGAIN) from error
    finally:
        late.cancel()
        _end(process.pid)
        process.communicate()


def _end(group: int) -> None:
    """With whatever it has started: the program that people install only starts another one."""
    with suppress(ProcessLookupError):
        os.killpg(group, SIGKILL)


def _talk(to: IO[str], out: Iterable[str], folder: str) -> Mapping[str, object]:
    client = {"name": "automode", "title": "automode", "version": own_version()}
    asks = {"clientInfo": client, "capabilities": {"experimentalApi": True}}
    lines = iter(out)
    _said(to, {"id": 1, "method": "initialize", "params": asks})
    _answer(lines, 1)
    _said(to, {"method": "initialized"})
    _said(to, {"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}})
    return _answer(lines, 2)


def _said(to: IO[str], message: Mapping[str, object]) -> None:
    to.write(f"{json.dumps(message)}\n")
    to.flush()


def _answer(lines: Iterator[str], number: int) -> Mapping[str, object]:
    for line in lines:
        found: object = json.loads(line)
        if isinstance(found, dict) and found.get("id") == number and "method" not in found:
            return found
    raise ValueError("it ended")


def trusted(config: bytes | None, states: Mapping[str, str]) -> tuple[bytes, str]:
    """The person's `config.toml`, which holds nothing of ours, with each key trusted by its hash;
    and the piece that was put in. Raises CannotInstall where that has no place there."""
    text = _without_states((config or b"").decode(), states)
    tables = "".join(_table(key, found) for key, found in states.items())
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    piece = f"{gap}{BEGIN}{tables}{END}"
    try:
        whole = tomllib.loads(f"{text}{piece}")
    except tomllib.TOMLDecodeError as error:
        raise CannotInstall(
            f"`config.toml` has no place for the trust of hooks: {error}", "mend it by hand"
        ) from error
    missing = [key for key in states if not trusts(whole, key)]
    if missing:
        raise CannotInstall(f"`config.toml` does not take `{missing[0]}`", "mend it by hand")
    return f"{text}{piece}".encode(), piece


def untrusted(config: bytes, pieces: Iterable[str]) -> bytes:
    """The same without us, also where Codex itself has laid the file out anew. What stands between
    our two comments need not be ours: Codex puts new tables before the last line. Raises
    CannotInstall."""
    text = config.decode()
    # Nobody knows what was written: then it is what stands there as we write it, without a gap.
    known = tuple(pieces) or tuple(_STATES.findall(text))
    keys: dict[str, str] = {}
    for piece in known:
        text = text.replace(piece, "")
        keys |= _written(piece)
    return _MARKS.sub("", _without_states(text, keys)).encode()


def _written(piece: str) -> dict[str, str]:
    try:
        return states_in(tomllib.loads(piece))
    except tomllib.TOMLDecodeError as error:
        raise CannotInstall(
            f"`config.toml` cannot be read behind `{BEGIN.strip()}`: {error}", "mend it by hand"
        ) from error


def _without_states(text: str, keys: Iterable[str]) -> str:
    headers = {_header(key) for key in keys}
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        inside = line.strip() in headers or (inside and line.strip()[:1] not in ("", "[", "#"))
        if not inside:
            kept.append(line)
    return "".join(kept)


def _table(key: str, found: str) -> str:
    return f"{_header(key)}\ntrusted_hash = {_quoted(found)}\n"


def _header(key: str) -> str:
    return f"[hooks.state.{_quoted(key)}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def copied_states(source: str, keys: Mapping[str, str], target: str) -> str:
    """The tables with which Codex trusts hooks of the folder `source` in the folder `target`, each
    first of its event there. A hash stays the same, so a wrong one is wrong in the copy, too."""
    with open(os.path.join(source, "config.toml"), "rb") as file:
        states = states_in(tomllib.load(file))
    tables: list[str] = []
    for key in keys:
        there = [f"{folder}/hooks.json{key}" for folder in (source, os.path.realpath(source))]
        known = [states[name] for name in there if name in states]
        event = key.split(":")[1]
        tables += [_table(f"{target}/hooks.json:{event}:0:0", found) for found in known[:1]]
    return "".join(tables)


def states_in(config: Mapping[str, object]) -> dict[str, str]:
    """Every hook that is trusted, with its hash."""
    match config:
        case {"hooks": {"state": {**states}}}:
            return {
                str(key): state["trusted_hash"]
                for key, state in states.items()
                if isinstance(state, dict) and isinstance(state.get("trusted_hash"), str)
            }
        case _:
            return {}


def trusts(config: Mapping[str, object], key: str) -> bool:
    return key in states_in(config)
