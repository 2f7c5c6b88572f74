"""The permission rules in Claude Code's settings, and its own sentences for auto mode."""

import os
from collections.abc import Iterator

from automode.agents.claude_code.settings import claude_folder
from automode.agents.importing.patterns import tool_rule
from automode.agents.importing.theirs import (
    VERDICTS,
    Permissions,
    Source,
    Theirs,
    member,
    object_in,
    prose_in,
    texts,
)
from automode.agents.installing.site import Site

_FOLDER = "~/.claude"  # where a path with one slash in front counts from, by older releases


def _rules(file: str, data: bytes) -> list[Theirs]:
    root = object_in(data)
    return [*_listed(file, data), *prose_in(file, member(root, "autoMode"), "autoMode")]


def _listed(file: str, data: bytes) -> Iterator[Theirs]:
    root = object_in(data)
    for verdict, key in VERDICTS.items():
        for text, line in texts(member(root, "permissions", verdict), f"permissions.{verdict}"):
            yield Theirs(key, text, file, line, tool_rule(key, text, (_FOLDER,)))


def _user(site: Site) -> list[Source]:
    return [Source(os.path.join(claude_folder(site), "settings.json"), _rules)]


def _project(site: Site) -> list[Source]:
    folder = os.path.join(site.project, ".claude")
    names = ("settings.json", "settings.local.json")
    return [Source(os.path.join(folder, name), lambda *at: list(_listed(*at))) for name in names]


RULES = Permissions(_user, _project)
