"""JavaScript given on a command line, as the shell commands that do the same.

The counterpart of `shell.inline_python`; it lives here because its parser is a third-party module.
"""

from collections.abc import Callable, Iterator
from functools import cache

from tree_sitter import Node

from automode.shell.inline_python import CODE_LIMIT, UNKNOWN, quoted

_SHELLS = frozenset({"exec", "execSync", "$"})
_RUNS = frozenset({"spawn", "spawnSync", "execFile", "execFileSync", "fork"})
_FILES = {
    "rmSync": "rm -rf {}",
    "rm": "rm -rf {}",
    "rmdirSync": "rm -rf {}",
    "rmdir": "rm -rf {}",
    "removeSync": "rm -rf {}",
    "unlinkSync": "rm {}",
    "unlink": "rm {}",
    "writeFileSync": "tee {}",
    "writeFile": "tee {}",
    "appendFileSync": "tee -a {}",
    "appendFile": "tee -a {}",
    "createWriteStream": "tee {}",
    "truncateSync": "truncate {}",
    "chmodSync": "chmod 777 {}",
}
_HIDES = frozenset({"eval", "Function", "runInThisContext", "runInNewContext"})
_HOME = ("process.env.HOME", "os.homedir()", 'require("os").homedir()', "require('os').homedir()",
         'Deno.env.get("HOME")', "Deno.env.get('HOME')")  # fmt: skip
NODE_LIMIT = 5_000


@cache
def _parser() -> Callable[[bytes], Node]:
    import tree_sitter
    import tree_sitter_javascript

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))
    return lambda source: parser.parse(source).root_node


def javascript_effects(code: str) -> tuple[str, ...]:
    """Shell scripts that do what the code visibly does to files and processes."""
    if len(code) > CODE_LIMIT // 4:  # its error recovery is quadratic, and it cannot be stopped
        return (UNKNOWN,)
    root = _parser()(code.encode("utf-8", "replace"))
    found: list[str] = [UNKNOWN] if root.has_error else []
    for node in _calls(root):
        found += _effect(node)
    return tuple(found)


def _calls(root: Node) -> Iterator[Node]:
    waiting, seen = [root], 0
    while waiting and seen < NODE_LIMIT:
        node = waiting.pop()
        seen += 1
        if node.type in ("call_expression", "new_expression"):
            yield node
        waiting.extend(node.children)


def _effect(node: Node) -> Iterator[str]:
    function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    name = _text(function).rpartition(".")[2] if function else ""
    given = node.child_by_field_name("arguments")
    arguments = [child for child in given.children if child.is_named] if given else []
    first = arguments[0] if arguments else None
    if name in _SHELLS:
        yield _literal(first) or UNKNOWN
    elif name in _RUNS:
        yield " ".join([_value(first), *_items(arguments[1] if len(arguments) > 1 else None)])
    elif name in _FILES:
        yield _FILES[name].format(_value(first))
    elif name in _HIDES:
        yield UNKNOWN


def _items(node: Node | None) -> list[str]:
    if node is None or node.type != "array":
        return [] if node is None else [UNKNOWN]
    return [_value(child) for child in node.children if child.is_named]


def _literal(node: Node | None) -> str | None:
    if node is None or node.type not in ("string", "template_string"):
        return None
    text = _text(node)[1:-1]
    return None if "${" in text or "\\" in text else text


def _value(node: Node | None) -> str:
    """A value as shell text."""
    if node is None:
        return UNKNOWN
    literal = _literal(node)
    if literal is not None:
        return quoted(literal)
    if _text(node) in _HOME:
        return '"$HOME"'
    if node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return _value(left) + _value(right)
    return UNKNOWN


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
