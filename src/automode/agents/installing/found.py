"""Looks where automode is registered with an agent, and what is wrong there. Changes nothing."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from automode.agents.installing.plan import Scope, Transport
from automode.agents.installing.site import Program
from automode.facts.place import home_folder

_VERSION = re.compile(r"# automode ([^\s\"':,]+)")


@dataclass(frozen=True, slots=True)
class Registration:
    """One place in which an agent is told to ask automode."""

    agent: str
    scope: Scope
    path: str
    version: str = ""
    """The release that wrote it; empty where it does not say."""
    transport: Transport = Transport.COMMAND
    wrong: tuple[str, ...] = ()
    """Sentences; none where the hooks are whole and lead to this automode."""


def misled_words(words: list[str], program: Program) -> Iterator[str]:
    """Where the command line of a hook does not lead to this automode."""
    named = dict(pairwise(words))
    python, client = words[0] if words else "", next((w for w in words if _is_client(w)), "")
    for what, path in (("interpreter", python), ("hook", client)):
        if not os.path.exists(path):
            yield f"the {what} `{path}` is gone"
    if client and client != program.client and os.path.exists(client):
        yield f"the hooks are those of another automode: `{client}`"
    yield from _elsewhere(named.get("--state"), named.get("--config"), program)


def _is_client(word: str) -> bool:
    return word.endswith("/automode/hook/client.py")


def _elsewhere(state: object, config: object, program: Program) -> Iterator[str]:
    if _of_this_account(state) != program.state:
        yield f"another state folder: `{state}` instead of `{program.state}`"
    if _of_this_account(config) != program.config:
        yield f"another settings folder: `{config}` instead of `{program.config}`"


def _of_this_account(folder: object) -> object:
    """An administrator's hooks mean a folder of whoever runs the agent."""
    if isinstance(folder, str) and folder.startswith("~/"):
        return os.path.join(home_folder(), folder[2:])
    return folder


def misled_extension(
    data: bytes, known: Mapping[str, object], program: Program, whole: bytes
) -> Iterator[str]:
    """`whole`: the extension as this automode would write it."""
    if not known:
        yield "the extension does not know where automode is: it blocks every call"
        return
    for what, path in (("interpreter", known.get("python")), ("hook", known.get("client"))):
        if not isinstance(path, str) or not os.path.exists(path):
            yield f"the {what} `{path}` is gone"
    yield from _elsewhere(known.get("state"), known.get("config"), program)
    same_release = known.get("version") == program.version
    if same_release and data != whole:
        yield "its text is not that of this automode"


def version_in(text: str) -> str:
    """Which automode wrote a hook; empty where it does not say."""
    found = _VERSION.search(text)
    return found[1] if found else ""
