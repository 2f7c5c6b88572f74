"""automode's hooks in the settings of Qwen Code, and how it is started with them."""

import json
import os
from dataclasses import dataclass

from automode.agents.installing.hooks import HooksInstaller, named_group
from automode.agents.installing.installer import Launch, Start
from automode.agents.installing.plan import CannotInstall, Scope
from automode.agents.installing.site import Site

SYSTEM = "QWEN_CODE_SYSTEM_SETTINGS_PATH"
"""Names the settings that outrank a project's."""
VARIABLES = ("QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE")
"""They mean the same as the refused options, also in a project's `.env`: what is set first
counts."""


def qwen_settings(site: Site, scope: Scope) -> str:
    if scope is Scope.MANAGED:
        return site.managed_file("qwen-code", "settings.json", SYSTEM)
    return os.path.join(site.folder("QWEN_HOME", ".qwen"), "settings.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class QwenInstaller(HooksInstaller):
    def launch(self, start: Start) -> Launch:
        """Settings of the system outrank a project's, and a variable says where they are. Where an
        administrator has some, they stay."""
        site, program = start.site, start.program
        self.refuse_disarmed(start)
        hooked = tuple((name, "0") for name in VARIABLES)
        installed = any(not one.wrong for one in self.registrations(site, program))
        if os.path.lexists(qwen_settings(site, Scope.MANAGED)):
            if not installed:
                raise CannotInstall(
                    "automode is not in Qwen Code's settings, and your system has settings of"
                    " its own",
                    f"automode install {self.agent}",
                )
            return Launch(start.arguments, variables=hooked)
        settings: dict[str, object] = {"disableAllHooks": False}
        if not installed:
            settings["hooks"] = {event: [one] for event, one in self.hooks(program).items()}
        path = os.path.join(program.state, "install", "run", "qwen-settings.json")
        written = f"{json.dumps(settings, indent=2)}\n".encode()
        return Launch(start.arguments, (path, written), ((SYSTEM, path), *hooked))


INSTALLER = QwenInstaller(
    agent="qwen-code",
    scopes=(Scope.USER, Scope.MANAGED),
    file=qwen_settings,
    hook=lambda program, _, moment: named_group("qwen-code", program, moment),
    off=lambda settings: bool(settings.get("disableAllHooks")),
    screen=("ui",),
)
