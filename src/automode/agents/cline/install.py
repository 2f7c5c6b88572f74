"""The hooks of Cline as automode installs them: one script for each, in its folder of hooks.

Cline looks at what a hook prints and at nothing else, and takes silence for a yes. So the script
that a call waits for prints a no itself where the hook failed, or was cut off in its answer.
"""

import os
import shlex

from automode.agents.events import Moment
from automode.agents.installing.own_files import OwnFilesInstaller
from automode.agents.installing.plan import Scope
from automode.agents.installing.site import Program, Site

HOST = "cline"
MOMENTS = {
    "PreToolUse": Moment.PROPOSED,
    "PostToolUse": Moment.FINISHED,
    "UserPromptSubmit": Moment.PROMPT,
    **dict.fromkeys(("TaskStart", "TaskResume", "TaskComplete", "SessionShutdown"), Moment.SESSION),
}
OWNER_RUNS = 0o700
NO = (
    '{"cancel":true,"errorMessage":"automode could not decide, so this call must not run: its hook'
    ' gave no answer; run: automode doctor cline"}'
)


def script(program: Program, moment: str) -> bytes:
    command = shlex.join(program.hook_words(HOST, moment))
    head = f"#!/bin/sh\n# automode {program.version}: written by `automode install cline`.\n"
    if moment != Moment.PROPOSED:
        return f"{head}exec {command}\n".encode()
    lines = (
        f"answer=$({command})",
        "case $?$answer in",
        "'0{'*'}') ;;",
        # A hook that closes; one that was cut off in a text ends in a quote that is escaped.
        "'2{\"cancel\":true,'*[!\\\\]'\"}') ;;",
        f"*) answer='{NO}' ;;",
        "esac",
        "printf '%s\\n' \"$answer\"",
    )
    return (head + "\n".join(lines) + "\n").encode()


def _contents(_: Scope, site: Site, program: Program) -> dict[str, bytes]:
    folder = os.path.join(site.folder("CLINE_DIR", ".cline"), "hooks")
    return {
        os.path.join(folder, f"{event}.sh"): script(program, moment)
        for event, moment in MOMENTS.items()
    }


INSTALLER = OwnFilesInstaller(agent=HOST, contents=_contents, mode=OWNER_RUNS)
