"""Text as any database can hold it."""

import re

_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4})")


def storable(text: str) -> str:
    """`text` without NUL and halves of surrogate pairs, which databases refuse; different texts
    stay different. What people usually write is not changed, except that a backslash is doubled."""
    if text.isascii() and "\x00" not in text:  # nearly all of it, and then a copy is all it takes
        return text.replace("\\", "\\\\")
    return _UNSTORABLE.sub(_escaped, text)


def restored(text: str) -> str:
    """The text that `storable` was given."""
    return _ESCAPED.sub(_unescaped, text)


def _escaped(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}"


def _unescaped(found: re.Match[str]) -> str:
    return "\\" if found[1] == "\\" else chr(int(found[1][1:], 16))
