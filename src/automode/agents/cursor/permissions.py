"""The permissions in the settings of Cursor's command line. From its documentation."""

import os
import re

from automode.agents.importing.agent_rules import (
    ALLOW,
    AgentRule,
    Entries,
    Fit,
    Permissions,
    Source,
    left_out,
    listed_rules,
    object_in,
)
from automode.agents.importing.patterns import FILE_TOOLS, domain, path, shell

_TOKEN = re.compile(r"(Shell|Read|Write|WebFetch|Mcp)\((.*)\)", re.DOTALL)


def _rules(file: str, data: bytes) -> list[AgentRule]:
    return list(listed_rules(file, object_in(data), _translate))


def _translate(key: str, text: str) -> Entries:
    found = _TOKEN.fullmatch(text.strip())
    if found is None:
        return left_out("it is none of `Shell(…)`, `Read(…)`, `Write(…)`, `WebFetch(…)`, `Mcp(…)`")
    kind, given = found[1], found[2].strip()
    match kind:
        case "Shell":
            return _command(key, given)
        case "WebFetch":
            return domain(key, given)
        case "Mcp":
            return _server(key, given)
        case _:
            own = "read" if kind == "Read" else "edit"
            tools = FILE_TOOLS[own] if key != ALLOW else ("read",) if own == "read" else ("write",)
            # One slash in front is the root here, and not the project.
            return path(key, tools, f"/{given}" if given.startswith("/") else given)


def _command(key: str, given: str) -> Entries:
    """The first word, and behind a colon what follows it."""
    program, colon, rest = given.partition(":")
    if "*" in program.rstrip("*") and key == ALLOW:
        return left_out("a wildcard in the name of a program would cover more in ours")
    if program.endswith("*") and not colon:
        return shell(key, given)
    return shell(key, f"{program} {rest if colon else '*'}")


def _server(key: str, given: str) -> Entries:
    """Cursor tells hooks no server, so nobody can say whose tool a call is for."""
    if key == ALLOW:
        return left_out("hooks of Cursor name no server, so ours would cover other servers' tools")
    name = given.rpartition(":")[2] or "*"
    return Entries((f"mcp:{name}".casefold(),), Fit.STRICTER, "that tool of every server")


RULES = Permissions(
    lambda site: [Source(os.path.join(site.home, ".cursor", "cli-config.json"), _rules)],
    lambda site: [Source(os.path.join(site.project, ".cursor", "cli.json"), _rules)],
)
