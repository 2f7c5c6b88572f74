"""What expressions of such a tree may stand for: texts, folders for tests, the home, and what the
code did not choose itself."""

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product

from automode.core.paths import absolute
from automode.judge.code.act import (
    GIVEN,
    MOST_VALUES,
    Values,
    above,
    either,
    join_paths,
    joined,
)
from automode.judge.code.names import DEEPEST, CodeNames
from automode.judge.code.tree import Code
from automode.programs.inline_python import UNKNOWN

LONGEST_TEXT = 4_000
_FILLED = re.compile(r"%[-+# 0-9.]*[a-zA-Z]|\{([a-z_]\w*)?(?::[^{}]*)?\}")
_HOME = re.compile(r"\$HOME\b|\$\{HOME\}")
_NUMBER = re.compile(r"[\d.]*")
_BINARY = "CARGO_BIN_EXE"


class CodeValues(CodeNames):
    def values(self, node: Code | None) -> Values:
        if node is None or self.is_spent() or self.deep > DEEPEST:
            return None
        self.seen.add(id(node))
        self.deep += 1
        found = self._of_text(node)
        self.deep -= 1
        return found

    def part(self, node: Code) -> Values:
        """A part of a text: what was given is some text."""
        found = self.values(node)
        return (GIVEN,) if found == () else found

    def one_text(self, node: Code) -> str:
        found = self.values(node)
        return found[0] if found and len(found) == 1 else ""

    def _of_text(self, node: Code) -> Values:
        match node.kind:
            case "text":
                long = len(node.text) > LONGEST_TEXT
                return (node.text[:LONGEST_TEXT] + (UNKNOWN if long else ""),)
            case "joined":
                return joined(list(map(self.part, node.parts)), "".join)
            case "name" | "member" | "index":
                return self._of_known(node)
            case "call" if node.parts:
                return self._of_call(node)
            case "function":
                return either(map(self.values, node.returned))
            case "list" | "pairs" | "pair" | "either" | "spread":
                return either(map(self.values, self._chosen(node)))
            case "module":
                return None if self.is_made(node.text) else (UNKNOWN,)
            case _:
                return None if _told(map(self.values, node.parts)) else ()

    def _of_known(self, node: Code) -> Values:
        if node.kind == "name":
            return self._of_name(node)
        return self._of_member(node) if node.kind == "member" else self._of_index(node)

    def _chosen(self, node: Code) -> Sequence[Code]:
        """`process.env.X || "y"`: who sets a variable knows it."""
        told = [
            one
            for one in node.parts
            if not (node.text and one.parts and self.full(one.parts[0]) in self.words.environment)
        ]
        return told or node.parts

    def _of_name(self, node: Code) -> Values:
        scope = self.scope_of(node)
        if scope is None:
            return self._of_free(node)
        found = self.bound(node)
        return self._kept((id(scope), node.text), lambda: either(map(self.values, found)))

    def _kept(self, key: tuple[int, str], read: Callable[[], Values]) -> Values:
        if key in self._known:
            values, looked = self._known[key]
            self.seen |= looked
            return values
        if key in self._open:
            self.cuts += 1
            return ()
        self._open.add(key)
        outer, self.seen, cuts = self.seen, set(), self.cuts
        values = read()
        self._open.discard(key)
        if self.cuts == cuts or not self._open:
            self._known[key] = values, frozenset(self.seen)
        self.seen |= outer
        return values

    def _of_free(self, node: Code) -> Values:
        match node.text:
            case "__dirname":
                return (posixpath.dirname(self.path),)
            case "__filename":
                return (self.path,)
            case "undefined" | "null" | "nil" | "None" | "true" | "false" | "iota":
                return ()
            case _:
                return (UNKNOWN,)

    def _of_member(self, node: Code) -> Values:
        outer = self.full(node.parts[0])
        full = self.plain(f"{outer}.{node.text}")
        if full in self.known_places:
            return self._place(full)
        if outer == "process.env":
            return self._variable(node.text)
        if (found := self._of_key(node.parts[0], node.text)) is not None:
            return either(map(self.values, found))
        if node.text in self.tree.fields and not outer.startswith(("./", "../")):
            fields = self.tree.fields[node.text]
            return self._kept((0, node.text), lambda: either(map(self.values, fields)))
        found_outer = self.values(node.parts[0])
        if found_outer is None or self.is_made(full):
            return None
        if node.text in ("name", "length", "message"):
            return tuple(one.rsplit("/", 1)[-1] for one in found_outer)
        return found_outer

    def _of_key(self, outer: Code, key: str) -> list[Code] | None:
        """Of a table that is written there."""
        tables = self.bound(outer) if outer.kind == "name" else [outer]
        found: list[Code] = []
        for one in tables:
            inner = one.parts if one.kind == "list" else [one]
            for table in inner:
                if table.kind != "pairs":
                    return None
                found += [p.parts[0] for p in table.parts if p.text == key and p.parts]
        return found or None

    def _of_index(self, node: Code) -> Values:
        if len(node.parts) > 1 and self.full(node.parts[0]) == "process.env":
            return self._variable(self.one_text(node.parts[1]))
        if self.full(node.parts[0]) in self.words.arguments:
            return (self.temporary,) if self.full(node.parts[0]) == "os.Args" else (UNKNOWN,)
        key = self.one_text(node.parts[1]) if len(node.parts) > 1 else ""
        found = self._of_key(node.parts[0], key) if key else None
        return either(map(self.values, found)) if found else self.values(node.parts[0])

    def _variable(self, name: str) -> Values:
        if name in ("HOME", "USERPROFILE"):
            return (self.place.home,)
        if name == "CARGO_MANIFEST_DIR":
            return (self.place.cwd,)
        return (self.temporary,) if name.startswith((_BINARY, "TMPDIR", "RUNNER_TEMP")) else None

    def _place(self, full: str) -> Values:
        match self.known_places[full]:
            case "home":
                return (self.place.home,)
            case "here":
                return (self.place.cwd,)
            case "folder":
                return (posixpath.dirname(self.path),)
            case "file":
                return (self.path,)
            case "scratch":
                return (self.place.temporary[0],)
            case "own":
                return (self.temporary,)
            case known:
                return (known,)

    def _of_call(self, node: Code) -> Values:
        if node.text == "made":
            return self.values(node.parts[1])
        function, given = node.parts[0], node.parts[1:]
        fulls = self.fulls(function)
        full = next((one for one in fulls if one in self._told_calls), fulls[0] if fulls else "")
        last = function.text
        if full in self.words.variables and given:
            named = self.one_text(given[0])
            return self._variable(named) if named else None
        if f"{full}()" in self.known_places:
            return self._place(f"{full}()")
        if full in self.words.making or f".{last}" in self.words.making:
            return self._made(full, given)
        if full in self.words.paths:
            return self._path(full, given)
        if full in self.words.formats and given:
            return self._formatted(given)
        if full in self.words.passing and given:
            return self._passed(last, either(map(self.values, given)))
        own = self.own_functions(function)
        if own and full not in self.actions:
            return self._returned(own, function.text)
        if function.kind == "member":
            return self._of_method(node, function, full)
        return self._of_other(node, full)

    @property
    def _told_calls(self) -> frozenset[str]:
        words = self.words
        return words.variables | words.making | words.paths | words.passing | words.formats

    def _made(self, full: str, given: Sequence[Code]) -> Values:
        """A folder for a test alone, unless it is told to lie elsewhere."""
        for one in given[:1]:
            for text in self.values(one) or ():
                scratch = self.place.temporary[0]
                near = text.startswith((GIVEN, UNKNOWN, self.temporary, f"{scratch}/"))
                if text not in ("", scratch) and not near and "/" in text:
                    return (text,)
        return (self.temporary,)

    def _path(self, full: str, given: Sequence[Code]) -> Values:
        if not given:
            return (self.place.cwd,)
        parts = [self.part(each) for one in given for each in self._spread(one)]
        if full == "URL" and len(parts) > 1:
            parts = [parts[1], parts[0]]
            found = joined(parts, lambda both: absolute(both[1], posixpath.dirname(both[0])))
        else:
            found = joined(parts, join_paths)
        if found is None or not full.endswith("resolve"):
            return found
        return tuple(
            one if one[:1] in ("/", GIVEN, UNKNOWN) else absolute(one, self.place.cwd)
            for one in found
        )

    def _spread(self, node: Code) -> Sequence[Code]:
        """The items of a list that is written there."""
        inner = node.parts[0] if node.kind == "spread" and node.parts else node
        if inner.kind == "name":
            lists = self.bound(inner)
            inner = lists[0] if len(lists) == 1 else inner
        return inner.parts if inner.kind == "list" else [node]

    def _formatted(self, given: Sequence[Code]) -> Values:
        shape = self.values(given[0])
        if shape is None:
            return None
        scope = given[0].scope

        def filled(parts: Sequence[str]) -> str:
            rest = iter(parts[1:])

            def fill(found: re.Match[str]) -> str:
                if found[1]:  # `{name}` of Rust
                    named = self.part(Code("name", given[0].lines, scope, found[1]))
                    return named[0] if named and len(named) == 1 else GIVEN
                return next(rest, GIVEN)

            return _FILLED.sub(fill, parts[0])

        return joined([shape, *map(self.part, given[1:])], filled)

    def _returned(self, functions: Sequence[Code], name: str) -> Values:
        every = [one for made in functions for one in made.returned]
        return self._kept((id(functions[0]), name), lambda: either(map(self.values, every)))

    def _of_method(self, node: Code, function: Code, full: str) -> Values:
        given, last = node.parts[1:], function.text
        own = self.values(function.parts[0])
        if last in self.words.joining and own:
            return joined([own, *map(self.part, given)], join_paths)
        if last in self.words.adding and own is not None:
            return joined([own or (GIVEN,), *map(self.part, given)], "".join)
        if last == "join" and len(given) <= 1 and function.parts[0].kind == "list":
            between = self.one_text(given[0]) if given else ","
            return joined(list(map(self.part, function.parts[0].parts)), between.join)
        if last in self.words.methods and own is not None:
            return self._passed(last, own)
        return self._of_other(node, full)

    def _of_other(self, node: Code, full: str) -> Values:
        """Of a call that is not known, by what it is given."""
        if self.is_made(full):
            return None
        every = list(node.parts[1:])
        if node.parts[0].kind == "member":
            every.append(node.parts[0].parts[0])
        found = either(map(self.values, every))
        if found is None:
            return None
        if self.actions.get(full) == "address" and node.parts[1:]:
            return self.values(node.parts[1])
        if not all(map(_is_plain, (one for one in found if not self._is_made_here(one)))):
            return None
        if any(map(self._is_made_here, found)):
            return (self.temporary,)
        return (UNKNOWN,)

    def _is_made_here(self, path: str) -> bool:
        return path.startswith(self.temporary)

    def _passed(self, name: str, found: Values) -> Values:
        if found is None:
            return None
        match name:
            case "dirname" | "Dir" | "parent" | "getParent":
                return tuple(map(above, found))
            case "basename" | "Base" | "file_name" | "getFileName":
                return tuple(one.rsplit("/", 1)[-1] for one in found)
            case "ExpandEnv":
                return tuple(_HOME.sub(lambda _: self.place.home, one) for one in found)
            case "fileURLToPath" | "toString" | "href" | "pathname":
                return tuple(one.removeprefix("file://") for one in found)
            case _:
                return found

    def is_made(self, full: str) -> bool:
        """Whether a module of this session is meant."""
        near = full.startswith(("./", "../", "@/", "~/", "crate.", "super.")) or (
            self.tree.language == "go" and "/" not in full and "." not in full
        )
        return near and not self.made.isdisjoint(re.split(r"[^\w-]+", full))

    def is_given(self, node: Code) -> bool:
        return node.kind == "name" and self.scope_of(node) is not None and not self.bound(node)

    def lists(self, node: Code, far: int = 4) -> list[list[Code]] | None:
        """The lists of items that an expression may be; None for no list."""
        match node.kind:
            case "list":
                parts = [
                    self.lists(one.parts[0], far - 1) or [[one]]
                    if one.kind == "spread" and one.parts
                    else [[one]]
                    for one in node.parts
                ]
                every = islice(product(*parts), MOST_VALUES)
                return [[one for each in several for one in each] for several in every]
            case "name" if far:
                found = [self.lists(one, far - 1) for one in self.bound(node)]
                known = [one for each in found if each is not None for one in each]
                return known or None
            case "either" if far:
                every_one = [self.lists(one, far - 1) for one in node.parts]
                return [one for each in every_one for one in each or ()] or None
            case "call" if node.parts and far:
                return self._appended(node, far)
            case _:
                return None

    def _appended(self, node: Code, far: int) -> list[list[Code]] | None:
        """`append(words, more...)`, `words.concat(more)`."""
        function, given = node.parts[0], node.parts[1:]
        name = function.text
        if name in ("vec!", "asList", "of"):
            return [list(given)]
        if name == "concat" and function.kind == "member":
            given = [function.parts[0], *given]
        elif name != "append" or function.kind != "name":
            return None
        parts: list[list[list[Code]]] = []
        for at, one in enumerate(given):
            inner = one.parts[0] if one.kind == "spread" and one.parts else one
            listed = self.lists(inner, far - 1) if at == 0 or one.kind == "spread" else None
            parts.append(listed or [[one]])
        every = islice(product(*parts), MOST_VALUES)
        return [[one for each in several for one in each] for several in every]


def _is_plain(text: str) -> bool:
    return not text.startswith(("/", "~")) and ".." not in text and "://" not in text


def _told(several: Iterable[Values]) -> bool:
    """Whether the code chose some of them."""
    return any(one is None or not all(map(_NUMBER.fullmatch, one)) for one in several)
