"""What JavaScript given inline would delete, write and start, as far as its syntax tree tells."""

import posixpath
from collections.abc import Iterator
from typing import TypeAlias

import tree_sitter

from automode.programs.inline_python import UNKNOWN, Effects, by_function
from automode.programs.javascript_tree import parser
from automode.shell.script import HOLE

NODE_LIMIT = 20_000
CODE_LIMIT_BYTES = 16_000
"""The parser cannot be interrupted; longer code is left to others."""

Node: TypeAlias = tree_sitter.Node


def javascript_effects(code: str, home: str) -> Effects:
    effects = Effects()
    source = code.replace(HOLE, UNKNOWN).encode(errors="replace")
    if len(source) > CODE_LIMIT_BYTES:
        return effects
    reader = _Reader(home, effects)
    nodes = list(_walk(parser().parse(source).root_node))
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
        match node.type:
            case "string":
                return "".join(_source(part) for part in node.named_children)
            case "template_string":
                return "".join(self.part(part) for part in node.named_children)
            case "binary_expression" if _source(node.child_by_field_name("operator")) == "+":
                left = self.text(node.child_by_field_name("left"))
                right = self.text(node.child_by_field_name("right"))
                return None if left is None else left + (UNKNOWN if right is None else right)
            case "identifier":
                return self.text(self.values.get(_source(node)))
            case "member_expression" | "subscript_expression":
                return self.home if _source(node) in _HOME_VARIABLES else None
            case "call_expression":
                return self.called_text(node)
            case _:
                return None

    def part(self, node: Node) -> str:
        if node.type == "template_substitution":
            inner = node.named_children
            return (self.text(inner[0]) if inner else None) or UNKNOWN
        return _source(node)

    def called_text(self, node: Node) -> str | None:
        name = _method(node)
        if name == "homedir":
            return self.home
        parts = [self.text(argument) for argument in _arguments(node)]
        if name not in ("join", "resolve", "normalize") or not parts or parts[0] is None:
            return None
        return posixpath.join(*(UNKNOWN if part is None else part for part in parts))

    def words(self, node: Node) -> list[str]:
        if node.type != "array":
            return []
        return [self.text(item) or UNKNOWN for item in node.named_children]

    def call(self, node: Node) -> None:
        action, given = _ACTIONS.get(_method(node)), _arguments(node)
        if action is None or not given:
            return
        texts = [self.text(one) for one in given[:2]]
        if action == "rm":
            options = "".join(_source(one) for one in given[1:] if one.type == "object")
            action = "rm -r 1" if "recursive" in options else "rm 1"
        if action == "process" and texts[0] is not None:
            if len(given) > 1 and given[1].type == "array":
                self.effects.run(texts[0], *self.words(given[1]))
            else:
                self.effects.shell(texts[0])
        self.effects.call(action, texts)


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


# See `Effects.call` for actions with a sign or a number.
_ACTIONS = by_function(
    {
        "rm": "rmSync rm rmdirSync rmdir unlinkSync unlink",
        "rm -r 1": "removeSync emptyDirSync rimrafSync rimraf",
        ">": "writeFileSync writeFile appendFileSync appendFile createWriteStream truncateSync",
        "<": "readFileSync readFile createReadStream",
        "cp 2": "copyFileSync copyFile cpSync cp",
        "mv 2": "renameSync rename",
        "ln 2": "linkSync symlinkSync",
        "$": "execSync exec",
        "process": "spawnSync spawn execFileSync execFile",
    }
)
