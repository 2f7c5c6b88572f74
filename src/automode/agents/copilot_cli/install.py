"""The hooks of GitHub Copilot CLI as automode installs them: one file in its folder of hooks."""

import json
import os

from automode.agents.catalog import AGENTS
from automode.agents.installing.own_files import OwnFilesInstaller
from automode.agents.installing.plan import Scope
from automode.agents.installing.site import Program, Site

HOST = "copilot-cli"


def _contents(_: Scope, site: Site, program: Program) -> dict[str, bytes]:
    """`permissionRequest` is also asked where the first gave no answer in time, and closes then."""
    hooks = {
        event: [
            {
                "type": "command",
                "bash": program.hook_command(HOST, moment),
                "timeoutSec": program.hook_seconds(HOST, moment),
            }
        ]
        for event, moment in AGENTS[HOST].moments.items()
    }
    file = os.path.join(site.folder("COPILOT_HOME", ".copilot"), "hooks", "automode.json")
    return {file: f"{json.dumps({'version': 1, 'hooks': hooks}, indent=2)}\n".encode()}


INSTALLER = OwnFilesInstaller(agent=HOST, contents=_contents)
