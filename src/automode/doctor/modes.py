"""Settings of Claude Code under which its own dialog never opens: then what automode asks about is
denied. Measured in its terminal; see the table in the guide."""

import os
from collections.abc import Iterator
from contextlib import suppress

from automode.agents.installing.plan import Scope
from automode.doctor.case import Case
from automode.doctor.finding import Finding, warning
from automode.facts.settings_text import file_bytes, json_settings, values

_NEVER_PROMPTS = "dontAsk"


def check_modes(agent: str, case: Case) -> list[Finding]:
    """Nothing of other agents, and of files that cannot be read: those are told elsewhere."""
    if agent != "claude-code":
        return []
    own = [case.site.claude_settings(scope) for scope in (Scope.USER, Scope.MANAGED)]
    names = ("settings.json", "settings.local.json")
    project = [os.path.join(case.start, ".claude", name) for name in names]
    return [
        warning(
            f"{agent}: modes",
            f"{path}: {what}: what automode asks about is denied without a dialog",
            "say yes with `automode approve`, or remove it",
        )
        for path in dict.fromkeys((*own, *project))
        for what in _unasked(path, own=path in own)
    ]


def _unasked(path: str, *, own: bool) -> Iterator[str]:
    """Measured on 2.1.325: of a project the mode counts, and the other setting does not."""
    settings: object = None
    with suppress(OSError, ValueError, RecursionError):
        settings = json_settings(file_bytes(path))
    if own and True in values(settings, "permissions", "denyInsteadOfPrompting"):
        yield "`permissions.denyInsteadOfPrompting`"
    if _NEVER_PROMPTS in values(settings, "permissions", "defaultMode"):
        yield f"`permissions.defaultMode: {_NEVER_PROMPTS}`"
