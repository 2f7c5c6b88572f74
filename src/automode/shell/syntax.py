"""The shape of a script, common to both parsers: what was written, before anything is expanded.

Two converters build it (`from_tree_sitter`, `from_shfmt`). Nodes hold no positions, so that two
readings of one script are equal exactly when they agree on commands, words, redirects and
assignments: equality is the agreement that a proof of safety needs.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    quoted: bool = False  # no globbing, splitting, tilde or brace expansion


@dataclass(frozen=True, slots=True)
class Param:
    """`$name` or `${name…}`. `raw` is the whole expansion as typed; `inner` what it nests."""

    name: str
    raw: str
    quoted: bool = False
    inner: "Parts" = ()


@dataclass(frozen=True, slots=True)
class Sub:
    """`$(…)`, backticks (both `$(`), `<(…)` or `>(…)`."""

    kind: str
    body: "Node"
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Arith:
    """`$((…))`: the text as typed and what it nests."""

    raw: str
    inner: "Parts" = ()
    quoted: bool = False


Part: TypeAlias = Text | Param | Sub | Arith
Parts: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Assign:
    name: str
    value: Parts
    appends: bool = False
    array: bool = False
    index: Parts = ()


@dataclass(frozen=True, slots=True)
class Redir:
    op: str
    target: Parts
    fd: str = ""


@dataclass(frozen=True, slots=True)
class Simple:
    words: tuple[Parts, ...]
    assigns: tuple[Assign, ...] = ()
    redirects: tuple[Redir, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipe:
    stages: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Seq:
    """One after the other. `links` says how each is joined to the one before: `;`, `&&` or `||`."""

    items: tuple["Node", ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Background:
    body: "Node"


@dataclass(frozen=True, slots=True)
class Not:
    """`! …`: what follows it by `&&` runs when it failed."""

    body: "Node"


@dataclass(frozen=True, slots=True)
class Group:
    body: "Node"
    subshell: bool
    redirects: tuple[Redir, ...] = ()


@dataclass(frozen=True, slots=True)
class Branches:
    """`if` and `case`: `conditions` always or perhaps run, each of `bodies` perhaps runs."""

    conditions: tuple["Node", ...]
    bodies: tuple["Node", ...]
    words: tuple[Parts, ...] = ()  # the subject of `case` and what its patterns nest


@dataclass(frozen=True, slots=True)
class Loop:
    body: "Node"
    variable: str = ""
    words: tuple[Parts, ...] | None = None  # None: `while`, or `for` over the positional parameters
    condition: "Node | None" = None


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    body: "Node"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`[[ … ]]`, `(( … ))`, `let …` or the head of a C-style `for`."""

    kind: str
    raw: str
    inner: Parts = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """A place the parser or its converter did not understand."""

    why: str


Node: TypeAlias = (
    Simple
    | Pipe
    | Seq
    | Background
    | Not
    | Group
    | Branches
    | Loop
    | Function
    | Evaluation
    | Unread
)

NOTHING = Seq((), ())


def sequence(items: list[tuple[str, Node]]) -> Node:
    """Items with their links as one node, flattened, so that nesting does not hide agreement."""
    if len(items) == 1:
        return items[0][1]  # a list that stands alone is flat already
    nodes: list[Node] = []
    links: list[str] = []
    for link, node in items:
        if isinstance(node, Seq):
            for position, (inner_link, inner) in enumerate(
                zip(node.links, node.items, strict=True)
            ):
                nodes.append(inner)
                links.append(link if position == 0 else inner_link)
        else:
            nodes.append(node)
            links.append(link)
    if len(nodes) == 1:
        return nodes[0]
    if links:
        links[0] = ";"
    return Seq(tuple(nodes), tuple(links))


def pipeline(stages: list[Node]) -> Node:
    """Stages as one node. A list can only be a stage in brackets; where a parser hands one over
    bare (`a && b 2>&1 | c`), its neighbours belong to its first and last command alone."""
    if not stages:
        return Unread("an empty pipeline")
    lists = [stage for stage in stages if isinstance(stage, Seq)]
    if not lists:
        return _pipe(stages)
    items: list[tuple[str, Node]] = []
    current: list[Node] = []
    link = ";"
    for stage in stages:
        bare = stage if isinstance(stage, Seq) and stage.items else Seq((stage,), (";",))
        for index, node in enumerate(bare.items):
            if index > 0:
                items.append((link, _pipe(current)))
                current, link = [], bare.links[index]
            current.append(node)
    return sequence([*items, (link, _pipe(current))])


def fed_first(redirects: list[Redir]) -> tuple[Redir, ...]:
    """The same redirects with a here-document in front, where nothing else concerns the input and
    none of them assigns a variable."""
    fed = [one for one in redirects if one.op == "<<" and not one.fd]
    others = [one for one in redirects if one.op != "<<"]
    if len(fed) != 1 or len(fed) + len(others) != len(redirects):
        return tuple(redirects)
    free = all(map(_leaves_input, others)) and not any(_may_assign(one.target) for one in redirects)
    return (*fed, *others) if free else tuple(redirects)


def _leaves_input(redirect: Redir) -> bool:
    output = redirect.target in ((Text("1"),), (Text("2"),))
    to_file = redirect.op in (">", ">>", "&>")
    return redirect.fd in ("", "1", "2") and (to_file or (redirect.op == ">&" and output))


def _may_assign(parts: Parts) -> bool:
    """`${x:=y}` and `$((x=1))`; what `$(…)` assigns is its own."""
    return any(
        isinstance(part, Arith) or (isinstance(part, Param) and ("=" in part.raw or part.inner))
        for part in parts
    )


def on_last_command(
    node: Node, redirects: tuple[Redir, ...], words: tuple[Parts, ...] = ()
) -> Node:
    """`node` with further redirects and words at its last command."""
    match node:
        case Simple():
            return Simple(node.words + words, node.assigns, node.redirects + redirects)
        case Pipe():
            return Pipe((*node.stages[:-1], on_last_command(node.stages[-1], redirects, words)))
        case Seq() if node.items:
            last = on_last_command(node.items[-1], redirects, words)
            return Seq((*node.items[:-1], last), node.links)
        case Not():
            return Not(on_last_command(node.body, redirects, words))
        case _ if words:
            return Unread("words after a redirect of a compound command")
        case Group():
            return Group(node.body, node.subshell, node.redirects + redirects)
        case _:
            return Group(node, False, redirects)


def with_errors(node: Node) -> Node:
    """What stands before `|&`: its last command ends in `2>&1`, after all its other redirects."""
    return on_last_command(node, (Redir(">&", (Text("1"),), "2"),))


def declared_word(assign: Assign) -> Parts | None:
    """`A=1` behind `export`: a word, as bash hands it to the builtin; None for an array."""
    if assign.index or assign.array:
        return None
    return merge([Text(assign.name + ("+=" if assign.appends else "=")), *assign.value])


def _pipe(stages: list[Node]) -> Node:
    """`! a | b` turns the answer of the whole pipeline around, not that of `a`."""
    first = stages[0]
    if isinstance(first, Not) and len(stages) > 1:
        return Not(_pipe([first.body, *stages[1:]]))
    flat: list[Node] = []
    for stage in stages:
        flat.extend(stage.stages if isinstance(stage, Pipe) else (stage,))
    return flat[0] if len(flat) == 1 else Pipe(tuple(flat))


def merge(parts: list[Part]) -> Parts:
    """Neighbouring texts of one quoting joined, empty unquoted ones dropped."""
    if len(parts) == 1:
        only = parts[0]
        nothing = isinstance(only, Text) and not only.value and not only.quoted
        return () if nothing else (only,)
    result: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and not part.value and not part.quoted:
            continue
        last = result[-1] if result else None
        if isinstance(part, Text) and isinstance(last, Text) and part.quoted == last.quoted:
            result[-1] = Text(last.value + part.value, part.quoted)
        else:
            result.append(part)
    if len(result) > 1:
        result = [part for part in result if not (isinstance(part, Text) and not part.value)]
    return tuple(result)


def with_first_word(node: Node, word: Parts) -> Node:
    """`node` with `word` before its first simple command: how `time` is put back where bash's
    grammar takes it for a keyword and the other parser for a program."""
    if isinstance(node, Simple):
        return Simple((word, *node.words), node.assigns, node.redirects)
    if isinstance(node, Pipe):
        return Pipe((with_first_word(node.stages[0], word), *node.stages[1:]))
    return sequence([(";", Simple((word,))), (";", node)])


_OF_TIME = ((Text("-p"),), (Text("--"),))
_GIVEN = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL | re.ASCII)


def timed(words: tuple[Parts, ...], assigns: tuple[Assign, ...]) -> Simple:
    """`time A=1 cmd`: to bash the word behind its keyword is an assignment."""
    if assigns or words[:1] != ((Text("time"),),):
        return Simple(words, assigns)
    at = next((n for n, word in enumerate(words) if n and word not in _OF_TIME), len(words))
    given: list[Assign] = []
    for word in words[at:]:
        first = word[0] if word else None
        found = (
            _GIVEN.fullmatch(first.value) if isinstance(first, Text) and not first.quoted else None
        )
        if found is None:
            break
        value = merge([Text(found[3]), *word[1:]])
        given.append(Assign(found[1], value, bool(found[2])))
    if not given or at + len(given) == len(words):
        return Simple(words)
    return Simple(words[:at] + words[at + len(given) :], tuple(given))


ZSH_MODIFIER = r":[aAceghlpPqQrstuxfFwW&]"
AHEAD = 64  # bytes behind a name that are looked at
_ZSH_TAIL = re.compile(rf"\[|{ZSH_MODIFIER}")
_ZSH_FLAG = re.compile(r"(?<!\\)(?:\\\\)*\$[+^=~]+[\w{$#?@*!-]")

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_UNQUOTED = re.compile(r"\\(?P<quoted>.)|(?P<plain>\\|[^\\]+)", re.DOTALL)
_ANSI_C = re.compile(
    r"\\(?:(?P<simple>[abeEfnrtv\\'\"?])|(?P<octal>[0-7]{1,3})|x(?P<byte>[0-9a-fA-F]{1,2})"
    r"|(?:u(?=[0-9a-fA-F])|U)(?P<wide>(?<=u)[0-9a-fA-F]{1,4}|(?<=U)[0-9a-fA-F]{1,8})"
    r"|(?P<strange>[cxuU]))|(?P<text>\\?.[^\\]*)",
    re.DOTALL,
)
_SIMPLE = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))


def zsh_tail(name: str, after: str) -> str:
    """What zsh reads on of `$name`, while bash takes it for text: a subscript (it is evaluated),
    a modifier (`:r`), the name of `$#name`, another digit."""
    following = after.replace("\\\n", "")
    found = _ZSH_TAIL.match(following)
    if found is not None:
        return found[0]
    longer = r"[A-Za-z_]" if name == "#" else r"[0-9]" if name.isdigit() else r"(?!)"
    return following[:1] if re.match(longer, following) else ""


def unquote(raw: str) -> list[Part]:
    """Text outside quotes: a backslash quotes the next character, a joined line is one line."""
    if "$" in raw and _ZSH_FLAG.search(raw):
        return [Param("", raw)]
    if "\\" not in raw:
        return [Text(raw)]
    parts: list[Part] = []
    plain = ""
    for found in _UNQUOTED.finditer(raw):
        if found["plain"]:
            plain += found["plain"]
        elif found["quoted"] != "\n":
            parts += [Text(plain), Text(found["quoted"], quoted=True)]
            plain = ""
    return [*parts, Text(plain)]


def quoted_part(raw: str, escapes: str = '$`"\\') -> Part:
    """Text between double quotes; zsh expands `$=name`, `$~name`, `$^name` and `$+name` there."""
    if "$" in raw and _ZSH_FLAG.search(raw):
        return Param("", raw, quoted=True)
    return Text(unescape(raw, escapes), quoted=True)


def unescape(raw: str, escapes: str = '$`"\\') -> str:
    """Text between double quotes, or in a heredoc (there a `\"` keeps its backslash)."""
    if "\\" not in raw:
        return raw
    kept = {"\n": "", **{char: char for char in escapes}}
    return _ESCAPED.sub(lambda found: kept.get(found[1], found[0]), raw)


def without_tabs(text: str) -> str:
    """The body of `<<-`: tabs in front of its lines do not count."""
    return "\n".join(line.lstrip("\t") for line in text.split("\n"))


def ansi_c(raw: str) -> str | None:
    """The value of `$'raw'`; None where bash would cut it off (NUL) or the escape is unusual."""
    result = bytearray()
    for found in _ANSI_C.finditer(raw):
        text, wide = found["text"] or found["simple"], found["wide"]
        if text:
            result += (_SIMPLE.get(text, text) if found["simple"] else text).encode()
            continue
        digits = found["byte"] or wide
        code = int(found["octal"], 8) & 0xFF if found["octal"] else int(digits or "0", 16)
        if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            return None
        result += chr(code).encode() if wide else bytes([code])
    try:
        return result.decode()
    except UnicodeDecodeError:
        return None
