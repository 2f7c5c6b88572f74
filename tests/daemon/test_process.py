"""What a daemon keeps of whoever started it, and what its log holds."""

import os
import stat
import subprocess
import sys
from pathlib import Path

from hypothesis import strategies as st

from automode.daemon.process import (
    LOG_BYTES,
    LOG_FILES,
    clean_environment,
    key_variables,
)
from automode.store.folder import StateFolder


def test_keys_stay_only_where_they_are_named() -> None:
    given_one = {"PYTHONPATH": "/repository", "PATH": "/repository/bin"} | {
        "ANTHROPIC_API_KEY": "a",
        "MY_KEY": "b",
        "LANG": "C.UTF-8",
    }

    assert set(clean_environment(given_one)) <= {"PATH", "HOME", "XDG_RUNTIME_DIR", "LANG"}
    assert "/repository" not in str(clean_environment(given_one))
    kept = clean_environment(given_one, key_variables(["MY_KEY"]))
    assert (kept["ANTHROPIC_API_KEY"], kept["MY_KEY"], kept["LANG"]) == ("a", "b", "C.UTF-8")


NAMES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1, max_size=20)


SCRIPT = """
import asyncio, logging, sys
from automode.daemon.process import log_unhandled, open_log
from automode.store.folder import StateFolder

SECRET = "rm -rf /very/secret/folder"
folder = StateFolder(sys.argv[1]).prepared()
open_log(folder, also_here=False)

def fails(secret):
    raise ValueError(f"cannot decide {secret}")

async def unheard(secret):
    fails(secret)

async def main():
    asyncio.get_running_loop().set_exception_handler(log_unhandled)
    task = asyncio.ensure_future(unheard(SECRET))
    await asyncio.wait([task])
    del task
    import gc; gc.collect()

if sys.argv[2] == "errors":
    try:
        fails(SECRET)
    except ValueError:
        logging.getLogger("automode.x").exception("a request failed")
    asyncio.run(main())
else:
    for number in range(int(sys.argv[2])):
        logging.getLogger("automode.x").info("line %d %s", number, "x" * 1000)
"""


def logged(folder: StateFolder, what: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, folder.path, what],
        capture_output=True,
        text=True,
        check=True,
    )


def test_of_an_error_the_kind_and_the_place_are_written_and_nothing_else(
    folder: StateFolder,
) -> None:
    done = logged(folder, "errors")

    text = Path(folder.log).read_text()
    assert text.count("ValueError at") == 2
    assert "in fails" in text
    assert "Task exception was never retrieved" in text
    assert "secret" not in text + done.stdout + done.stderr
    assert stat.S_IMODE(os.stat(folder.log).st_mode) == 0o600


def test_the_log_is_rotated(folder: StateFolder) -> None:
    logged(folder, str(LOG_BYTES * (LOG_FILES + 3) // 1000))

    sizes = [path.stat().st_size for path in Path(folder.path).glob("daemon.log*")]
    assert len(sizes) == LOG_FILES + 1
    assert max(sizes) <= LOG_BYTES
