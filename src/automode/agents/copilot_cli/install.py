"""The hooks of GitHub Copilot CLI as automode installs them: one file in its folder of hooks."""

import json
import os

from automode.agents.catalog import AGENTS
from automode.agents.installing.hooks import PROPOSED, TIMEOUT_SECONDS
from automode.agents.installing.own_files import OwnHooks
from automode.agents.installing.site import Program, Site

HOST = "copilot-cli"
MOMENTS = AGENTS[HOST].moments
"""`permissionRequest` is also asked where the first gave no answer in time, and closes then."""


def hooks(program: Program) -> dict[str, object]:
    return {event: [_handler(program, moment)] for event, moment in MOMENTS.items()}


def _handler(program: Program, moment: str) -> dict[str, object]:
    ending = " || exit 2" if moment == PROPOSED else ""
    command = program.signed(program.hook_words(HOST, moment), ending)
    return {"type": "command", "bash": command, "timeoutSec": TIMEOUT_SECONDS}


def _files(site: Site, program: Program) -> dict[str, bytes]:
    whole = {"version": 1, "hooks": hooks(program)}
    file = os.path.join(site.folder("COPILOT_HOME", ".copilot"), "hooks", "automode.json")
    return {file: f"{json.dumps(whole, indent=2)}\n".encode()}


INSTALLER = OwnHooks(
    HOST,
    _files,
)
