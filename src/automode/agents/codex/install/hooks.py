"""The hooks of Codex as automode installs them, and the keys by which Codex knows each of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from automode.agents.installing.claude_hooks import is_ours
from automode.agents.installing.claude_settings import HOOKS
from automode.agents.installing.settings_hooks import ENDING, PROPOSED, SettingsHooks
from automode.agents.installing.site import Program
from automode.config.json_edit import root_of
from automode.config.jsonc import content

TIMEOUT_SECONDS = 60
"""More than the 55 seconds after which the hook itself says no."""
LAST_SECONDS = 3
"""Codex waits no longer when a session ends."""
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_MATCHED = ("PreToolUse", "PermissionRequest", "PostToolUse")


@dataclass(frozen=True, slots=True)
class CodexHooks(SettingsHooks):
    """In seconds, and with a matcher where Codex wants one."""

    def hooks(self, program: Program) -> dict[str, object]:
        return {
            event: {**({"matcher": "*"} if event in _MATCHED else {}), "hooks": [one]}
            for event, one in self.handlers(program).items()
        }

    def handlers(self, program: Program) -> dict[str, dict[str, object]]:
        return {
            event: {
                "type": "command",
                "command": program.signed(
                    program.hook_words(self.agent, moment), ENDING if moment == PROPOSED else ""
                ),
                "timeout": LAST_SECONDS if event == "SessionEnd" else TIMEOUT_SECONDS,
            }
            for event, moment in self.about.moments.items()
        }


def keys_in(data: bytes) -> dict[str, str]:
    """Each hook of ours, as what stands behind the file's path in the key that Codex gives it, with
    its event. A hook is known by its place, so those of others must keep theirs."""
    found: dict[str, str] = {}
    for event, group, place, handler in _handlers(content(root_of(data.decode()))):
        if is_ours(handler):
            found[f":{_WORD.sub('_', event).lower()}:{group}:{place}"] = event
    return found


def _handlers(settings: object) -> Iterator[tuple[str, int, int, object]]:
    events = settings.get(HOOKS) if isinstance(settings, Mapping) else None
    for event, groups in events.items() if isinstance(events, Mapping) else ():
        for group, row in enumerate(groups if isinstance(groups, list) else ()):
            handlers = row.get(HOOKS) if isinstance(row, Mapping) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                yield event, group, place, handler
