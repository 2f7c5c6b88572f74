"""Reads the plainest part of bash by itself: words, quotes, `$NAME`, `|`, `&&`, `||`, `;`, `>`, and
here-documents whose end is written in single quotes, so that their text is nothing but text.

Most commands of an agent are of this kind. Here the language is regular and its manual leaves no
room, so a few patterns can give the second opinion that otherwise takes a process. Whatever is not
of this kind to the last character has no reading here at all.
"""

import re

from automode.shell import syntax

LONGEST = 4_000  # characters

# Only runs of single characters are possessive: Python before 3.11.5 may lose its place when a
# possessive group fails. No two pieces begin alike and none can be cut in two ways, so giving up
# takes no longer than matching.
_NAME = rf"\$(?:[A-Za-z_][A-Za-z0-9_]*+(?!\[|{syntax.ZSH_MODIFIER})|\{{[A-Za-z_][A-Za-z0-9_]*+\}})"
_ESCAPED = r"\\[!-~ ]"
_LETTER = r"[A-Za-z0-9_./:@%+,^=~*?\[\]{}#!-]"
_BARE = rf"{_LETTER}++|{_ESCAPED}"
_SINGLE = r"'[^'\x00-\x08\x0b-\x1f\x7f]*+'"
_LINE = r"[^\n\x00-\x08\x0b-\x1f\x7f]*+\n"


def _document(group: str) -> str:
    """From `<<'END'` to the line that is END and nothing else; at least one line is between."""
    marker, body = f"{group}_end", f"{group}_text"
    lines = rf"(?P<{body}>(?:(?!(?P={marker})\n){_LINE})+)"
    return rf"<<[ \t]*+'(?P<{marker}>[A-Za-z_][A-Za-z0-9_]*+)'\n{lines}(?P={marker})(?=\n|\Z)"


def _printed(group: str) -> str:
    """How agents write a long message: `"$(cat <<'EOF' …)"`."""
    return rf"\$\(cat {_document(group)}\n\)"


_INSIDE = rf"[^\"\\$`\x00-\x08\x0b-\x1f\x7f]++|{_ESCAPED}"
_DOUBLE = rf'"(?:{_INSIDE}|{_NAME}|{_printed("quoted")})*"'
_ENDS = r"(?=[ \t\n;|]|&&|\Z)"
_TOKEN = re.compile(
    rf"(?:[ \t]++(?:\\\n[ \t]*+)*|#[^\n\\\x00-\x08\x0b-\x1f\x7f]*+(?![^\n]))*(?:"
    rf"(?P<letters>(?!\#){_LETTER}++){_ENDS}"
    rf"|(?P<word>(?!\#)(?:{_BARE}|{_SINGLE}|{_DOUBLE}|{_NAME})+){_ENDS}"
    rf"|(?P<onto>[012]?>&[012]){_ENDS}"
    rf"|(?P<document>{_document('own')})"
    rf"|(?P<redirect>[012]?(?:>>|>(?![>&|(])|<(?![<>&(]))|&>(?![>&|(]))"
    rf"|(?P<link>&&|\|\|)"
    rf"|(?P<pipe>\|(?![|&]))"
    rf"|(?P<end>\n|;(?![;&|]))"
    rf"|(?P<nothing>\Z))"
)
_PIECE = re.compile(rf"(?P<bare>(?:{_BARE})+)|(?P<single>{_SINGLE})|(?P<double>{_DOUBLE})|{_NAME}")
_QUOTED_PIECE = re.compile(rf"(?P<text>(?:{_INSIDE})+)|(?P<printed>{_printed('inner')})|{_NAME}")
_PROGRAM = re.compile(r"[A-Za-z0-9_./~+-]++\Z")
_RESERVED = frozenset(
    "if then elif else fi case esac for select while until do done in function time coproc"
    " let declare typeset local export readonly nameref".split()
)
"""More than a program's name to bash, or to one of the parsers, where such a name may stand."""


class _NotPlain(Exception):
    pass


def plain_script(text: str) -> syntax.Node | None:
    """The whole text as a tree; None when some of it is not plain."""
    if len(text) > LONGEST:
        return None
    reading = _Reading()
    place = 0
    try:
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                return None
            place = found.end()
            kind = str(found.lastgroup)
            reading.take(kind, found["own_text" if kind == "document" else kind])
        return reading.whole()
    except _NotPlain:
        return None


class _Reading:
    """What was read so far: a command, the pipeline it is in, and the list that is in."""

    def __init__(self) -> None:
        self.words: list[syntax.Parts] = []
        self.redirects: list[syntax.Redir] = []
        self.stages: list[syntax.Node] = []
        self.items: list[tuple[str, syntax.Node]] = []
        self.link = ";"
        self.onto: tuple[str, str] | None = None  # a redirect that still lacks its target
        self.open = False  # behind `|`, `&&` or `||`, where another command must follow

    def take(self, kind: str, written: str) -> None:
        if kind == "letters":
            self.word(written, (syntax.Text(written),))
            return
        if kind == "word":
            self.word(written, _parts(written))
            return
        if kind == "nothing":
            return
        if self.onto is not None:
            raise _NotPlain
        if kind == "document":
            self.redirects.append(_fed(written))
        elif kind == "redirect":
            fd = written[0] if written[0].isdigit() else ""
            self.onto = (fd, written[len(fd) :])
        elif kind == "onto":
            fd, _, target = written.partition(">&")
            self.redirects.append(syntax.Redir(">&", (syntax.Text(target),), fd))
        else:
            self.joint(kind, written)

    def word(self, written: str, parts: syntax.Parts) -> None:
        if self.onto is not None:
            fd, op = self.onto
            self.redirects.append(syntax.Redir(op, parts, fd))
            self.onto = None
            return
        if not self.words and (written in _RESERVED or not _PROGRAM.match(written)):
            raise _NotPlain
        self.words.append(parts)

    def joint(self, kind: str, written: str) -> None:
        if not self.words:
            # An empty line, also behind `|` or `&&`, says nothing; anything else is broken here.
            if written != "\n" or self.redirects:
                raise _NotPlain
            return
        self.command()
        self.open = kind != "end"
        if kind != "pipe":
            self.items.append((self.link, syntax.pipeline(self.stages)))
            self.stages = []
            self.link = written if kind == "link" else ";"

    def command(self) -> None:
        self.stages.append(syntax.Simple(tuple(self.words), (), syntax.fed_first(self.redirects)))
        self.words, self.redirects = [], []

    def whole(self) -> syntax.Node:
        if self.words:
            self.joint("end", ";")
        if self.open or self.redirects or self.onto is not None or not self.items:
            raise _NotPlain
        return syntax.sequence(self.items)


def _parts(written: str) -> syntax.Parts:
    found: list[syntax.Part] = []
    for piece in _PIECE.finditer(written):
        match piece.lastgroup:
            case "bare":
                found += syntax.unquote(piece[0])
            case "single":
                found.append(syntax.Text(piece[0][1:-1], quoted=True))
            case "double":
                found += _quoted_parts(piece[0][1:-1])
            case _:
                found.append(_parameter(piece[0], quoted=False))
    return syntax.merge(found)


def _quoted_parts(inside: str) -> list[syntax.Part]:
    found: list[syntax.Part] = []
    for piece in _QUOTED_PIECE.finditer(inside):
        match piece.lastgroup:
            case "text":
                found.append(syntax.Text(syntax.unescape(piece[0]), quoted=True))
            case "printed":
                cat = syntax.Simple(((syntax.Text("cat"),),), (), (_fed(piece["inner_text"]),))
                found.append(syntax.Sub("$(", cat, quoted=True))
            case _:
                found.append(_parameter(piece[0], quoted=True))
    return found or [syntax.Text("", quoted=True)]


def _fed(text: str) -> syntax.Redir:
    return syntax.Redir("<<", (syntax.Text(text, quoted=True),))


def _parameter(raw: str, *, quoted: bool) -> syntax.Param:
    return syntax.Param(raw[1:].strip("{}"), raw, quoted)
