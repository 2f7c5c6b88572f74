"""Makes text fit for a record: nothing in it hides, ends a line unseen or opens a tag.

Prose (user words, context files, facts) loses what does not show. JSON (tool inputs) loses nothing:
the same code points are written as escapes, so that the call can still be read exactly.
"""

import json
import re
from collections.abc import Mapping
from functools import cache

from automode.core.unseen import IGNORABLE, character_class
from automode.probe.folding import ALIKE

# Formats that Unicode does not call ignorable, and blanks without ink.
UNSEEN = (
    *((0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2)),
    *((0xFFF9, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1345F)),
    (0x2800, 0x2800),
)
# Controls but for tab and line feed. Terminals obey some of them.
CONTROLS = ((0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F))
# What some reader somewhere takes for the end of a line.
LINE_SEPARATORS = ((0x0B, 0x0D), (0x1C, 0x1F), (0x85, 0x85), (0x2028, 0x2029))
SURROGATES = ((0xD800, 0xDFFF),)

LEFT_ANGLES = (
    "<\u02c2\u1438\u16b2\u2039\u2329\u276c\u276e\u2770\u27e8\u29fc\u3008\ufe3f\ufe64\uff1c"
    "\u226a\u300a"
)
RIGHT_ANGLES = (
    ">\u02c3\u1433\u203a\u232a\u276d\u276f\u2771\u27e9\u29fd\u3009\ufe40\ufe65\uff1e\u226b\u300b"
)


def any_spelling(word: str) -> str:
    """A pattern for `word` in look-alike letters too, with any of `-`, `_` and blanks between."""
    spelled = (_spellings(letter) for letter in word if letter.isalnum())
    return r"[\s_\-]{0,3}".join(f"[{re.escape(one)}]" for one in spelled)


def _spellings(letter: str) -> str:
    """It, letters of other scripts that pass for it, the wide one, and zero for "o"."""
    wide = chr(ord(letter) + 0xFEE0)
    return f"{letter}{ALIKE.get(letter, '')}{wide}{'0' if letter == 'o' else ''}"


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


@cache
def _forged_tag() -> re.Pattern[str]:
    """Compiled when a text has a mark that it looks for: that takes longer than a decision."""
    ours, turns = ("|".join(map(any_spelling, names)) for names in (_OURS, _TURNS))
    return re.compile(
        rf"[{re.escape(LEFT_ANGLES)}](?=[\s/\\!?<]{{0,8}}"
        rf"(?:{ours}|(?:{turns})(?![a-z0-9])|[|\uff5c]))"
        r"|\[(?=/?INST\])",
        re.IGNORECASE,
    )


@cache
def _forged_heading() -> re.Pattern[str]:
    spelled = any_spelling("latestactiontoclassify")
    return re.compile(rf"^(?=[^\w\n]{{0,20}}{spelled})", re.IGNORECASE | re.MULTILINE)


def prose(text: str) -> str:
    """`text` as it may stand in a record, over several lines."""
    if not text.isascii() or not text.isprintable():
        text = text.replace("\r\n", "\n")
        text = _ESCAPED_IN_PROSE.sub(_escape, _INVISIBLE.sub("", text))
    return _forged_heading().sub("| ", _defuse(text))


def one_line(text: str) -> str:
    """Names and paths: a line feed in them shows as an escape."""
    return prose(text).replace("\n", "\\n").replace("\t", "\\t")


def json_text(value: object) -> str:
    """`value` as JSON on one line: reading it back gives the same value, to the code point."""
    written = json.dumps(value, ensure_ascii=False, default=_plain)
    if not written.isascii():
        written = _ESCAPED_IN_JSON.sub(_escape, written)
    return _defuse(written.replace("\x7f", "\\u007f"))


def _defuse(text: str) -> str:
    if text.isascii() and "<" not in text and "[" not in text:
        return text
    return _forged_tag().sub(_escape, text)


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


_HEAD_SHARE = 0.65


def cut_in_the_middle(text: str, limit: int) -> str:
    """At most `limit` characters of `text`, and a mark that says how many are missing."""
    if len(text) <= limit:
        return text
    head, tail = ends(limit)
    return join_ends(text[:head], text[len(text) - tail :], len(text) - limit)


def ends(limit: int) -> tuple[int, int]:
    """How many characters of the head and of the tail stay."""
    head = int(limit * _HEAD_SHARE)
    return head, limit - head


def join_ends(head: str, tail: str, missing: int) -> str:
    return f"{head}…[{missing} characters cut]…{tail}"
