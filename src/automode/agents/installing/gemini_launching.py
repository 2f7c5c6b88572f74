"""How Gemini CLI and Qwen Code have to be started so that a project cannot take the gate away."""

import json
import os
from collections.abc import Sequence

from automode.agents.installing.gemini_found import in_relative
from automode.agents.installing.gemini_settings import GEMINI_CLI, QWEN_CODE
from automode.agents.installing.launching import Launch, refuse
from automode.agents.installing.plan import CannotInstall, Scope
from automode.agents.installing.site import Program, Site
from automode.agents.installing.switched_off import refuse_where_switched_off

GEMINI_ALONE = ("-p", "--prompt")
QWEN_ALONE = ("-p", "--prompt", "-o", "--output-format", "--acp", "--experimental-acp")
QWEN_WITHOUT_HOOKS = ("--bare", "--safe-mode")
QWEN_SYSTEM = "QWEN_CODE_SYSTEM_SETTINGS_PATH"
"""Names the settings that outrank a project's."""
QWEN_VARIABLES = ("QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE")
"""They mean the same as these two options, also in a project's `.env`: what is set first counts."""


def gemini_launch(arguments: Sequence[str], site: Site, program: Program) -> Launch:
    """Nothing that a person may set outranks a project's settings there, so one that switches hooks
    off is not entered at all. Raises CannotInstall."""
    agent = GEMINI_CLI.agent
    if not any(not one.wrong for one in in_relative(GEMINI_CLI, site, program)):
        raise CannotInstall(
            "automode is not in Gemini CLI's settings, and its command line takes no hooks",
            f"automode install {agent}",
        )
    refuse_where_switched_off(agent, site)
    return Launch(tuple(arguments))


def qwen_launch(arguments: Sequence[str], site: Site, program: Program) -> Launch:
    """Settings of the system outrank a project's, and a variable says where they are. Where an
    administrator has some, they stay. Raises CannotInstall."""
    refuse(arguments, QWEN_WITHOUT_HOOKS, "hooks")
    hooked = tuple((name, "0") for name in QWEN_VARIABLES)
    installed = any(not one.wrong for one in in_relative(QWEN_CODE, site, program))
    managed = site.environment.get(QWEN_SYSTEM) or site.qwen_settings(Scope.MANAGED)
    if os.path.lexists(managed):
        if not installed:
            raise CannotInstall(
                "automode is not in Qwen Code's settings, and your system has settings of its own",
                f"automode install {QWEN_CODE.agent}",
            )
        return Launch(tuple(arguments), variables=hooked)
    settings: dict[str, object] = {"disableAllHooks": False}
    if not installed:
        settings["hooks"] = {event: [one] for event, one in QWEN_CODE.hooks(program).items()}
    path = os.path.join(program.state, "install", "run", "qwen-settings.json")
    written = f"{json.dumps(settings, indent=2)}\n".encode()
    return Launch(tuple(arguments), (path, written), ((QWEN_SYSTEM, path), *hooked))
