"""What machines write in the user's place, and how it is told from a person's words.

Hosts that say where a text came from are believed (`Origin`). This is the second line: some hosts
weave reminders, command output and summaries into the very text of a user turn.
"""

from itertools import count

# Blocks that a host or one of its hooks inserts: tag names, without brackets.
_BLOCKS = frozenset(
    "system-reminder task-notification local-command-stdout local-command-stderr"
    " local-command-caveat command-message command-contents user-prompt-submit-hook"
    " ide_opened_file ide_selection ide_diagnostics environment_context user_instructions"
    " permissions turn_aborted subagent_notification hook_context additional_context"
    " bash-stdout bash-stderr teammate-message instructions system_notification new-diagnostics"
    " background-task-output context_summary conversation_summary memory skill".split()
)
# Blocks around what a person typed: the words stay, with the sign the person typed before them.
_TYPED = {"command-name": "", "command-args": " ", "bash-input": "! "}

# How a turn begins that is a machine's from end to end.
_OPENINGS = (
    "caveat: the messages below were generated",
    "this session is being continued from a previous",
    "[request interrupted by user",
    "# agents.md instructions for",
    "stop hook feedback:",
    "another language model started to solve",
    "base directory for this skill:",
    "[system]",
    "[system notification",
    "automode:",
)


def person_words(text: str) -> str:
    """`text` without what machines wove into it; empty when a machine wrote all of it."""
    if text.lstrip()[:80].casefold().startswith(_OPENINGS):
        return ""
    return _without_blocks(text).strip() if "<" in text else text.strip()


def _without_blocks(text: str) -> str:
    """One pass from left to right. A block that never closes reaches to the end: machine text must
    not become user text because a mark is missing."""
    kept: list[str] = []
    position = 0
    for _ in count():
        start, name = _next_block(text, position)
        if start < 0:
            break
        kept.append(text[position:start])
        body = text.find(">", start) + 1
        end = _closing(text, name, body)
        if name in _TYPED and end >= 0:
            kept.append(_TYPED[name] + text[body:end].strip())
        if end < 0:
            return "".join(kept)
        position = text.find(">", end) + 1 or len(text)
    return "".join((*kept, text[position:]))


def _next_block(text: str, position: int) -> tuple[int, str]:
    while (start := text.find("<", position)) >= 0:
        name = _tag_name(text, start + 1)
        if name in _BLOCKS or name in _TYPED:
            return start, name
        position = start + 1
    return -1, ""


def _tag_name(text: str, start: int) -> str:
    """The name after `<`, when a `>` or attributes follow it."""
    piece = text[start : start + 40]
    length = next((i for i, c in enumerate(piece) if not (c.isalnum() or c in "-_")), len(piece))
    return piece[:length].casefold() if piece[length : length + 1] in (">", " ") else ""


def _closing(text: str, name: str, position: int) -> int:
    """Where the block's end mark begins; hosts write it in lower case."""
    return text.find(f"</{name}", position)
