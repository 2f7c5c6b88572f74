"""Takes the pictures of `automode ui` that stand in the guide, with a real daemon and Chromium.

    python docs/ui_pictures.py [FOLDER]

The decisions of the last minutes are made by the daemon; those of the weeks before are made up.
"""

import base64
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from automode.assemble import load_settings
from automode.config.places import Places
from automode.core.errors import AutomodeError
from automode.daemon.client import request
from automode.store.folder import StateFolder
from automode.ui.access import Access
from automode.ui.window import Window
from tests.browser import Browser, chromium
from tests.ui.windows import served
from tools.bench.ui import fill, records

SETTINGS: dict[str, object] = {
    "autoMode": {"asks": {"hold": 600}},
    "permissions": {
        "allow": ["bash(npm test)"],
        "ask": ["bash(git push *)"],
        "deny": ["bash(terraform destroy *)"],
    },
}
CALLS = (
    *("git status", "grep -rn 'TODO' src | head -20", "npm test", "cat package.json"),
    *("terraform destroy -auto-approve", "git diff HEAD~1", "rm -rf ~", "ls -la src"),
    *("npm run build", "git log --oneline -10", "kubectl delete deployment api -n prod"),
)
WORKS, WAITS = "0f3c9a52-77d1-4b0e-9a1f-2f6b8f1f9d10", "7b21c0de-1c55-4f0a-8b4e-5d6f7a8b9c0d"
CALL_SECONDS = 3.0
WAITING = "git push origin feature/login-form"
HEIGHT = 800
FILLED, DAYS = 6000, 28
QUALITY = 82
# The name, the page, the width, the colours, and what is done before the picture is taken.
PICTURES = (
    ("ui-now", "/now", 1280, "light", "row('kubectl').click()"),
    ("ui-inbox", "/inbox", 1280, "light", "document.querySelectorAll('.choice')[1].open = true"),
    ("ui-session", "/sessions", 1280, "dark", "document.querySelectorAll('tbody a')[3].click()"),
    ("ui-trends", "/trends", 1280, "light", ""),
)
_ROW = """const rows = [...document.querySelectorAll('.row > a')];
const row = text => rows.find(one => one.innerText.includes(text));"""


@contextmanager
def daemon(folder: Path) -> Iterator[StateFolder]:
    state, config = StateFolder(f"{folder}/state").prepared(), folder / "config"
    config.mkdir()
    (config / "config.json").write_text(json.dumps(SETTINGS))
    fill(state, records(FILLED, seconds=DAYS * 86_400 / FILLED))
    words = ["--state-folder", state.path, "--config-folder", str(config)]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "automode", "daemon", "run", *words]
    )
    try:
        for _ in range(600):
            try:
                request(state, "ping")
                break
            except AutomodeError:
                time.sleep(0.1)
        yield state
    finally:
        process.terminate()
        process.wait()


def decide(state: StateFolder, project: Path, command: str, session: str) -> None:
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "cwd": str(project),
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    try:
        request(state, "decide", {"host": "claude-code", "event": event}, seconds=300)
    except AutomodeError:
        return  # the daemon ends while the call waits


def window_on(state: StateFolder, folder: Path) -> Window:
    places = Places.of(
        home=str(folder), environment={}, project=None, config_folder=str(folder / "config")
    )
    return Window(state, "sqlite", Access(0), lambda _project: load_settings(places))


def take(browser: Browser, home: str, out: Path) -> None:
    for name, path, width, colours, script in PICTURES:
        scheme = {"name": "prefers-color-scheme", "value": colours}
        browser.send("Emulation.setEmulatedMedia", features=[scheme])
        browser.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=HEIGHT,
            deviceScaleFactor=1,
            mobile=True,
        )
        browser.open(f"{home}{path}")
        if script:
            browser.evaluate(f"{{ {_ROW} {script} }}")
        time.sleep(2)  # what is loaded later, and the charts
        told = browser.send("Page.captureScreenshot", format="webp", quality=QUALITY)
        (out / f"{name}.webp").write_bytes(base64.b64decode(str(told["data"])))
        print(f"{out / name}.webp")


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    with tempfile.TemporaryDirectory(prefix="am-") as name:
        folder = Path(name)
        project = folder / "shop"
        (project / ".git").mkdir(parents=True)
        with daemon(folder) as state, served(window_on(state, folder)) as window:
            for command, session in (*((one, WORKS) for one in CALLS), (WAITING, WAITS)):
                asked = (state, project, command, session)
                deciding = threading.Thread(target=decide, args=asked, daemon=True)
                deciding.start()
                deciding.join(CALL_SECONDS)  # one that is asked about waits
            with chromium(folder / "profile") as browser:
                browser.send("Page.navigate", url=window.access.new_link())
                browser.wait("location.pathname.endsWith('/now')")
                home = f"http://{window.access.hosts[0]}{window.access.base}"
                take(browser, home, out)


if __name__ == "__main__":
    main()
