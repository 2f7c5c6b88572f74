"""The sentence that names a call in the policy, where a model reads it as the person's own words.

So nothing of the call stands outside of one quoted span, and a call whose text could be taken for
more than a command gets no sentence.
"""

import re
import string

from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.tools import fetched_urls
from automode.core.workspace import Workspace
from automode.rules.other_match import canonical_json

LONGEST_SPAN = 200  # characters
_ROOT = re.compile(r"(?:/[A-Za-z0-9._+@-]+)+")  # an agent can call a folder what it likes
_ONE_LINE = re.compile(r"[ -_a-~]+")  # ASCII without the backtick, which would end the span
_COMMENT = re.compile(r"(?:^|[\s;&|()])#")
_PROSE_WORDS = 5  # in a row; commands have options, paths and signs between their words


def policy_sentence(call: ToolCall, workspace: Workspace) -> str | None:
    """An entry for the policy's `allow` list; None where none can be trusted to say no more."""
    verb, span = _deed(call)
    root = workspace.root
    if len(root) > LONGEST_SPAN or not _ROOT.fullmatch(root) or not _quotable(span):
        return None
    return f"In the project {root}: {verb} `{span}`."


def _deed(call: ToolCall) -> tuple[str, str]:
    match call.action:
        case Shell(command):
            return "running exactly", command.strip()
        case Fetch(address):
            return "fetching", " ".join(dict.fromkeys((address, *fetched_urls(call.input))))
        case Read(paths):
            return "reading", ", ".join(paths)
        case Write(paths):
            return "changing", ", ".join(paths)
        case Other():
            text = canonical_json(dict(call.input))
            return "the tool call", "" if text is None else f"{call.tool}({text})"
        case Delegate():
            return "", ""  # work is handed over in prose


def _quotable(span: str) -> bool:
    if len(span) > LONGEST_SPAN or not _ONE_LINE.fullmatch(span) or _COMMENT.search(span):
        return False
    row = 0
    for word in span.split():
        row = row + 1 if word.strip(string.punctuation).isalpha() else 0
        if row >= _PROSE_WORDS:
            return False
    return True
