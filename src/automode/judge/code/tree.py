"""Code in JavaScript, TypeScript, Go, Rust and Java as one kind of tree: calls, names, texts, and
what is bound to a name. What differs by language is told by `words/code_trees.toml`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

import tree_sitter
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_rust
import tree_sitter_typescript

from automode.judge.words import word_lists

_W = word_lists("code_trees")
DEEPEST = 180
MOST_NODES = 60_000
LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys("js jsx mjs cjs ts tsx mts cts".split(), "javascript"),
    "go": "go",
    "rs": "rust",
    "java": "java",
}
"""By the ending of a file."""
_GRAMMARS: Mapping[str, Callable[[], object]] = {
    "javascript": tree_sitter_javascript.language,
    "typescript": tree_sitter_typescript.language_typescript,
    "tsx": tree_sitter_typescript.language_tsx,
    "go": tree_sitter_go.language,
    "rust": tree_sitter_rust.language,
    "java": tree_sitter_java.language,
}
# One that reads the other's files, too, comes second.
TRIED = {
    **dict.fromkeys(("ts", "mts", "cts"), ("typescript", "tsx")),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), ("javascript", "tsx", "typescript")),
    "tsx": ("tsx",),
    "go": ("go",),
    "rs": ("rust",),
    "java": ("java",),
}
Given: TypeAlias = Sequence[tree_sitter.Node | None]


@dataclass(slots=True, eq=False)
class Scope:
    up: "Scope | None"
    bound: dict[str, list["Code"]] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Code:
    """`kind`: call, member, index, name, module, text, joined, list, pairs, pair, either, spread,
    function or other. A call has first what is called, and then what it is given."""

    kind: str
    lines: range
    scope: Scope
    text: str = ""
    parts: list["Code"] = field(default_factory=list)
    up: "Code | None" = None
    given: list[str] = field(default_factory=list)  # the parameters of a function
    returned: list["Code"] = field(default_factory=list)
    inner: Scope | None = None  # where a function has them
    end: int = 0

    def walk(self) -> Iterator["Code"]:
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(reversed(one.parts))


@dataclass(slots=True)
class Tree:
    language: str
    nodes: list[Code] = field(default_factory=list)
    top: Scope = field(default_factory=lambda: Scope(None))
    functions: dict[str, list[Code]] = field(default_factory=dict)
    fields: dict[str, list[Code]] = field(default_factory=dict)  # of anything
    every: list[str] = field(default_factory=list)  # modules all of whose names are taken
    loaded: list[Code] = field(default_factory=list)
    broken: list[range] = field(default_factory=list)  # lines that nobody can read


@cache
def parser(grammar: str) -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(_GRAMMARS[grammar]()))


def text_of(node: tree_sitter.Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def package_name(path: str) -> str:
    parts = [one for one in path.split("/") if not re.fullmatch(r"v\d+", one)]
    return re.sub(r"^go-|\.v\d+$|-go$", "", parts[-1] if parts else path)


def parts_of(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [one for one in node.named_children if one.type not in _W.skipped]


def descend(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.named_children))
