"""The permission rules in Qwen Code's settings: Claude Code's dialect, and Gemini CLI's lists."""

import os

from automode.agents.importing.patterns import tool_rule
from automode.agents.importing.theirs import (
    Permissions,
    Source,
    Theirs,
    listed_rules,
    object_in,
)
from automode.agents.importing.tool_lists import listed_tools
from automode.agents.installing.site import Site


def _rules(file: str, data: bytes) -> list[Theirs]:
    root = object_in(data)
    return [*listed_rules(file, root, tool_rule), *listed_tools(file, root)]


def _user(site: Site) -> list[Source]:
    return [Source(os.path.join(site.folder("QWEN_HOME", ".qwen"), "settings.json"), _rules)]


def _project(site: Site) -> list[Source]:
    return [Source(os.path.join(site.project, ".qwen", "settings.json"), _rules)]


RULES = Permissions(_user, _project)
