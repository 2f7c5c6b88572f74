"""The permission rules in Qwen Code's settings: Claude Code's dialect, and Gemini CLI's lists."""

import os
from collections.abc import Iterator

from automode.agents.importing.patterns import tool_rule
from automode.agents.importing.theirs import (
    VERDICTS,
    Permissions,
    Source,
    Theirs,
    member,
    object_in,
    texts,
)
from automode.agents.importing.tool_lists import listed_tools
from automode.agents.installing.site import Site


def _rules(file: str, data: bytes) -> list[Theirs]:
    return [*_listed(file, data), *listed_tools(file, object_in(data))]


def _listed(file: str, data: bytes) -> Iterator[Theirs]:
    root = object_in(data)
    for verdict, key in VERDICTS.items():
        for text, line in texts(member(root, "permissions", verdict), f"permissions.{verdict}"):
            yield Theirs(key, text, file, line, tool_rule(key, text))


def _user(site: Site) -> list[Source]:
    return [Source(os.path.join(site.folder("QWEN_HOME", ".qwen"), "settings.json"), _rules)]


def _project(site: Site) -> list[Source]:
    return [Source(os.path.join(site.project, ".qwen", "settings.json"), _rules)]


RULES = Permissions(_user, _project)
