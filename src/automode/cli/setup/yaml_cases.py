"""Cases in YAML, as far as all readers of YAML agree about them: no alias, no tag, no key twice.

Needs the extra `automode[yaml]`.
"""

import yaml

from automode.core.errors import BadSettings

_TAG = "tag:yaml.org,2002:"
_VALUES = {f"{_TAG}{name}" for name in ("null", "bool", "int", "float")}
_PLAIN = {f"{_TAG}{name}" for name in ("str", "timestamp", "map", "seq")}


class BadYaml(BadSettings):
    """`line` says where that shows (0 when it has no place)."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def yaml_cases(data: bytes) -> list[tuple[object, int]]:
    """Each with its line: the items of a list, or of the list below `cases`. Raises BadYaml."""
    try:
        loader = yaml.SafeLoader(data)
        reader, root = _Reader(loader), loader.get_single_node()
        for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
            root = value if key.value == "cases" else root
        if not isinstance(root, yaml.SequenceNode):
            raise BadYaml("expected a list of cases", 0 if root is None else _line(root))
        return [(reader.value(one), _line(one)) for one in root.value]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or type(error).__name__
        raise BadYaml(f"it is no YAML: {problem}", mark.line + 1 if mark else 0) from error
    except RecursionError as error:
        raise BadYaml("it is nested too deeply") from error


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


class _Reader:
    def __init__(self, loader: yaml.SafeLoader) -> None:
        self._loader = loader
        self._seen: set[int] = set()

    def value(self, node: yaml.Node) -> object:
        if id(node) in self._seen:  # so a few lines could stand for gigabytes
            raise BadYaml("an alias (`*name`) is not read: write it out", _line(node))
        self._seen.add(id(node))
        if node.tag not in _PLAIN | _VALUES:
            raise BadYaml(f"the tag `{node.tag}` is not read: leave it out", _line(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(one) for one in node.value]
        if node.tag in _PLAIN:
            return node.value
        try:
            return self._loader.construct_object(node)
        except ValueError as error:
            raise BadYaml(f"no value: {error}", _line(node)) from error

    def _mapping(self, node: yaml.MappingNode) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise BadYaml("a key is no text", _line(key))
            if key.value in found:
                raise BadYaml(f"the key `{key.value}` stands twice", _line(key))
            found[key.value] = self.value(value)
        return found
