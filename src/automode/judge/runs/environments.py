"""Environments of Python that a script switches to."""

import re

from automode.core.call import Shell
from automode.core.paths import absolute, exactly_within, within
from automode.core.session import Session
from automode.judge.runs.artefacts import artefacts
from automode.programs.call_facts import CallFacts

_BUILT_IN = frozenset({".", "source"})
_ACTIVATES = re.compile(
    r"""(?P<before>^|[;\n(]|&&|\|\|)(?P<blanks>[ \t]*)(?:\.|source)[ \t]+
    (?P<quote>["']?)[\w./-]*?/?bin/activate(?P=quote)(?=[ \t]*(?:[;\n)]|&&|\|\||$))""",
    re.VERBOSE,
)
_END = "/bin/activate"


def without_activation(facts: CallFacts, session: Session) -> CallFacts:
    """The call without what only puts the programs of an environment first: one of the project's,
    or one that this session made, and that nothing but its own installer wrote to."""
    action = facts.call.action
    if not isinstance(action, Shell) or "/activate" not in action.command:
        return facts
    text, count = _ACTIVATES.subn(r"\g<before>\g<blanks>:", action.command)
    here = facts.workspace.cwd
    read = [one for one in facts.script.commands if one.program in _BUILT_IN]
    if not count or count != len(read) or any(len(one.args) != 1 for one in read):
        return facts
    made = artefacts(facts, session).copy()
    for command in facts.script.commands:
        made.add(command, here)
    for path in (absolute(one.args[0].text, one.cwd or here) for one in read):
        folder = path.removesuffix(_END)
        own = any(exactly_within(folder, one) for one in facts.workspace.folders)
        written = any(within(one, folder) for one in (*made.touched, *made.texts, *made.fetched))
        if written or folder == path or not (own or folder in made.built):
            return facts
    return facts.other(text)
