"""An agent that is signed in with its company, which is the scripted model: for agents as judges.

The account has a home of its own, and the daemon runs for that home: the system's database of
accounts says whose home it is, and no variable changes that.
"""

import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from automode.daemon.client import running
from automode.llm.subscriptions import SUBSCRIPTIONS
from automode.store.folder import StateFolder
from conformance.driver import ScenarioDriver
from conformance.failing import expect

ACCOUNT = Path(__file__).with_name("account.py")
KEY = "sk-ant-a-key-that-opens-nothing-at-all"
JUDGES = {"claude-code": "claude-cli", "codex": "codex-cli", "gemini-cli": "gemini-cli"}
"""The agents that can be the judge, by the provider they are."""
FAULT = "fault"
"""A file beside the program: `killed` and `hanging` happen to it, `signed-out` it is."""
_PATIENCE_SECONDS = 60.0
_MOVED = 'name = "moved", env_key = "CODEX_API_KEY", wire_api = "responses", base_url = "{}/v1"'


def sign_in(agent: ScenarioDriver, home: Path, folder: Path, address: str) -> Path:
    """The program in `folder`, under its own name. Whoever starts it with a server of their own
    gets that one; else the company is at `address`."""
    judge = SUBSCRIPTIONS[JUDGES[agent.name]]
    file = home / judge.account[1] / judge.account[2]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}")
    moved = shlex.quote(f"model_providers.moved={{{_MOVED.format(address)}}}")
    variables = {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": KEY,
        "CODEX_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": address,
        "GEMINI_API_KEY": KEY,
    }
    given = "".join(f': "${{{name}:={value}}}"\n' for name, value in variables.items())
    program = folder / judge.program
    program.write_text(
        "#!/bin/sh\n"
        f'case "$(cat "{folder}/{FAULT}" 2>/dev/null)" in\n'
        "  killed) cat >/dev/null; kill -9 $$;;\n"
        "  hanging) cat >/dev/null; sleep 600;;\n"
        f"  signed-out) ;;\n  *) {given}export {' '.join(variables)};;\n"
        "esac\n"
        f'PATH="{agent.node}:$PATH"\n'
        'if [ "$1 $2" = "exec --ephemeral" ]; then\n'
        f'  shift; set -- exec -c model_provider=moved -c {moved} "$@"\n'
        "fi\n"
        # Of a home with this way to sign in, whatever the variables say.
        'settings=".gemini/settings.json"\n'
        'if [ -n "$GEMINI_SYSTEM_MD" ] && [ -f "$settings" ]; then\n'
        '  sed -i s/oauth-personal/gemini-api-key/ "$settings"\n'
        "fi\n"
        f'exec {agent.program} "$@"\n'
    )
    program.chmod(0o755)
    return program


def words_for(home: Path, *words: str) -> list[str]:
    """`automode` for the account with that home."""
    return [sys.executable, str(ACCOUNT), str(home), *words]


@contextmanager
def served(
    home: Path, state: StateFolder, variables: Mapping[str, str], *options: str
) -> Iterator[None]:
    """With a daemon as a hook starts it: without any key."""
    quiet = subprocess.DEVNULL
    words = words_for(home, *options, "daemon", "run")
    with subprocess.Popen(words, env=dict(variables), stdout=quiet, stderr=quiet) as daemon:  # noqa: S603 - our own
        try:
            until = time.monotonic() + _PATIENCE_SECONDS
            while running(state) is None:
                expect(time.monotonic() < until, "no daemon came up")
                time.sleep(0.05)
            yield
        finally:
            daemon.kill()
