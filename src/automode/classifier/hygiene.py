"""Makes text fit to stand inside a record: nothing in it hides, ends a line unseen or opens a tag.

Prose (user words, context files, facts) loses what does not show. JSON (tool inputs) loses nothing:
the same code points are written as escapes, so that the call can still be read exactly.
"""

import json
import re
from collections.abc import Mapping

from automode.classifier.codepoints import (
    CONTROLS,
    IGNORABLE,
    LEFT_ANGLES,
    LINE_SEPARATORS,
    RIGHT_ANGLES,
    SURROGATES,
    UNSEEN,
    any_spelling,
    character_class,
)

_INVISIBLE = re.compile(f"[{character_class(IGNORABLE, UNSEEN, CONTROLS)}]+")
_ESCAPED_IN_PROSE = re.compile(f"[{character_class(LINE_SEPARATORS, SURROGATES)}]")
_ESCAPED_IN_JSON = re.compile(
    f"[{character_class(IGNORABLE, UNSEEN, CONTROLS, LINE_SEPARATORS, SURROGATES)}"
    f"{re.escape(LEFT_ANGLES[1:] + RIGHT_ANGLES[1:])}]"
)

# Our own tags, and the turns in the chat templates of models: some servers read such marks even
# inside a message.
_OURS = "record transcript loaded-project-instructions".split()
_TURNS = (
    "system assistant user human developer start_of_turn end_of_turn think tool_call tool_response"
    " bos eos sys s"
).split()
_OUR_NAME = "|".join(any_spelling(name) for name in _OURS)
_TURN_NAME = "|".join(any_spelling(name) for name in _TURNS)
_FORGED_TAG = re.compile(
    rf"[{re.escape(LEFT_ANGLES)}](?=[\s/\\!?<]{{0,8}}"
    rf"(?:{_OUR_NAME}|(?:{_TURN_NAME})(?![a-z0-9])|[|\uff5c]))"
    r"|\[(?=/?INST\])",
    re.IGNORECASE,
)
_FORGED_HEADING = re.compile(
    rf"^(?=[^\w\n]{{0,20}}{any_spelling('latestactiontoclassify')})", re.IGNORECASE | re.MULTILINE
)


def prose(text: str) -> str:
    """`text` as it may stand in a record, over several lines."""
    if not text.isascii() or not text.isprintable():
        text = text.replace("\r\n", "\n")
        text = _ESCAPED_IN_PROSE.sub(_escape, _INVISIBLE.sub("", text))
    return _FORGED_HEADING.sub("| ", _defused(text))


def one_line(text: str) -> str:
    """Names and paths: a line feed in them shows as an escape."""
    return prose(text).replace("\n", "\\n").replace("\t", "\\t")


def json_text(value: object) -> str:
    """`value` as JSON on one line: reading it back gives the same value, to the code point."""
    written = json.dumps(value, ensure_ascii=False, default=_plain)
    if not written.isascii():
        written = _ESCAPED_IN_JSON.sub(_escape, written)
    return _defused(written.replace("\x7f", "\\u007f"))


def _defused(text: str) -> str:
    if text.isascii() and "<" not in text and "[" not in text:
        return text
    return _FORGED_TAG.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    """`\\uXXXX`, in two halves past U+FFFF as JSON wants it."""
    code = ord(match[0])
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _plain(value: object) -> object:
    """What `json` cannot write by itself."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, (set, frozenset)) else repr(value)
