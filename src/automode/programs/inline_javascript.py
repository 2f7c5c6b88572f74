"""What JavaScript given inline would delete, write and start, as far as its syntax tree tells."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

import tree_sitter
import tree_sitter_javascript

from automode.programs.inline_effects import UNKNOWN, Effects
from automode.shell.script import HOLE

NODE_LIMIT = 20_000
CODE_LIMIT_BYTES = 16_000
"""The parser cannot be interrupted; longer code is left to others."""

Node: TypeAlias = tree_sitter.Node
Maker: TypeAlias = Callable[["_Reader", list[Node]], None]


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def javascript_effects(code: str, home: str) -> Effects:
    effects = Effects()
    source = code.replace(HOLE, UNKNOWN).encode(errors="replace")
    if len(source) > CODE_LIMIT_BYTES:
        return effects
    reader = _Reader(home, effects)
    nodes = list(_walk(_parser().parse(source).root_node))
    for node in nodes:
        reader.learn(node)
    for node in nodes:
        if node.type == "call_expression":
            reader.call(node)
    return effects


def _walk(root: Node) -> Iterator[Node]:
    waiting = [root]
    count = 0
    while waiting and count < NODE_LIMIT:
        node = waiting.pop()
        count += 1
        yield node
        waiting.extend(reversed(node.named_children))


def _source(node: Node | None) -> str:
    return node.text.decode(errors="replace") if node is not None and node.text else ""


class _Reader:
    def __init__(self, home: str, effects: Effects) -> None:
        self.home = home
        self.effects = effects
        self.values: dict[str, Node] = {}
        self.steps = 0

    def learn(self, node: Node) -> None:
        if node.type == "variable_declarator":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if value is not None and name is not None and name.type == "identifier":
                self.values[_source(name)] = value

    def text(self, node: Node | None) -> str | None:
        """The value of a string expression, UNKNOWN for parts that are not known."""
        self.steps += 1
        if node is None or self.steps > 2_000:
            return None
        if node.type == "string":
            return "".join(_source(part) for part in node.named_children)
        if node.type == "template_string":
            parts = node.named_children
            return "".join(self.part(part) for part in parts)
        if (
            node.type == "binary_expression"
            and _source(node.child_by_field_name("operator")) == "+"
        ):
            left = self.text(node.child_by_field_name("left"))
            right = self.text(node.child_by_field_name("right"))
            return None if left is None else left + (UNKNOWN if right is None else right)
        if node.type == "identifier":
            value = self.values.get(_source(node))
            return self.text(value) if value is not None else None
        if node.type in ("member_expression", "subscript_expression"):
            return self.home if _source(node) in _HOME_VARIABLES else None
        return self.called_text(node) if node.type == "call_expression" else None

    def part(self, node: Node) -> str:
        if node.type == "template_substitution":
            inner = node.named_children
            return (self.text(inner[0]) if inner else None) or UNKNOWN
        return _source(node)

    def called_text(self, node: Node) -> str | None:
        name = _method(node)
        if name == "homedir":
            return self.home
        if name in ("join", "resolve", "normalize"):
            parts = [self.text(argument) for argument in _arguments(node)]
            if not parts or parts[0] is None:
                return None
            return posixpath.join(*(UNKNOWN if part is None else part for part in parts))
        return None

    def words(self, node: Node) -> list[str]:
        if node.type != "array":
            return []
        return [self.text(item) or UNKNOWN for item in node.named_children]

    def call(self, node: Node) -> None:
        maker = _MAKERS.get(_method(node))
        given = _arguments(node)
        if maker is not None and given:
            maker(self, given)


_HOME_VARIABLES = frozenset(
    {"process.env.HOME", 'process.env["HOME"]', "process.env['HOME']", "process.env.USERPROFILE"}
)


def _method(node: Node) -> str:
    """The last name of what is called: `rmSync` for `require("fs").rmSync` and `fs["rmSync"]`."""
    function = node.child_by_field_name("function")
    if function is None:
        return ""
    if function.type == "member_expression":
        return _source(function.child_by_field_name("property"))
    if function.type == "subscript_expression":
        return _source(function.child_by_field_name("index")).strip("\"'`")
    return _source(function) if function.type == "identifier" else ""


def _arguments(node: Node) -> list[Node]:
    found = node.child_by_field_name("arguments")
    return list(found.named_children) if found is not None else []


def _remove(reader: _Reader, given: list[Node]) -> None:
    path = reader.text(given[0])
    options = "".join(_source(node) for node in given[1:] if node.type == "object")
    if path:
        reader.effects.run("rm", *(("-r",) if "recursive" in options else ()), path)


def _remove_all(reader: _Reader, given: list[Node]) -> None:
    path = reader.text(given[0])
    if path:
        reader.effects.run("rm", "-r", path)


def _write(reader: _Reader, given: list[Node]) -> None:
    path = reader.text(given[0])
    if path:
        reader.effects.write(path)


def _read(reader: _Reader, given: list[Node]) -> None:
    path = reader.text(given[0])
    if path:
        reader.effects.read(path)


def _two(program: str) -> Maker:
    def make(reader: _Reader, given: list[Node]) -> None:
        paths = [reader.text(node) for node in given[:2]]
        if len(paths) == 2 and any(paths):
            reader.effects.run(program, *(UNKNOWN if path is None else path for path in paths))

    return make


def _shell(reader: _Reader, given: list[Node]) -> None:
    text = reader.text(given[0])
    if text:
        reader.effects.shell(text)


def _process(reader: _Reader, given: list[Node]) -> None:
    program = reader.text(given[0])
    if program is None:
        return
    if len(given) > 1 and given[1].type == "array":
        reader.effects.run(program, *reader.words(given[1]))
    else:
        reader.effects.shell(program)


_MAKERS: Mapping[str, Maker] = {
    **dict.fromkeys(("rmSync", "rm", "rmdirSync", "rmdir"), _remove),
    **dict.fromkeys(("removeSync", "emptyDirSync", "rimrafSync", "rimraf"), _remove_all),
    **dict.fromkeys(("unlinkSync", "unlink"), _remove),
    **dict.fromkeys(
        ("writeFileSync", "writeFile", "appendFileSync", "appendFile", "createWriteStream",
         "truncateSync"),
        _write,
    ),
    **dict.fromkeys(("readFileSync", "readFile", "createReadStream"), _read),
    **dict.fromkeys(("copyFileSync", "copyFile", "cpSync", "cp"), _two("cp")),
    **dict.fromkeys(("renameSync", "rename"), _two("mv")),
    **dict.fromkeys(("linkSync", "symlinkSync"), _two("ln")),
    **dict.fromkeys(("execSync", "exec"), _shell),
    **dict.fromkeys(("spawnSync", "spawn", "execFileSync", "execFile"), _process),
}  # fmt: skip
