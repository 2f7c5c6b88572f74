"""Which files a piece of JavaScript reads and writes: the texts that its values stand for, and
names that are put together but are none of a credential."""

import posixpath
import re
from dataclasses import dataclass, field

from automode.programs.javascript_tree import Binding, Code, text_of_string, unescaped
from automode.programs.javascript_values import (
    STEPS,
    Piece,
    bare,
    callee,
    is_target,
    listed,
    operator,
)
from automode.programs.python_values import readable_endings

_PLAIN_URL = re.compile(r"[\w./@-]+")
_JOINS = ("module:path.join", "module:path.resolve", "module:path.posix.join")


@dataclass(slots=True)
class Files:
    values: Piece
    read: list[str] = field(default_factory=list)

    def text(self, part: Code | None, here: str | None, steps: int = STEPS) -> str | None:
        """The text that it stands for. `here`: what the folder of the code is called."""
        part = bare(part)
        if part is None or not self.values.goes_on(steps):
            return None
        match part.kind:
            case "string":
                return text_of_string(part)
            case "template_string":
                return _added([self.piece(one, here, steps) for one in part.named])
            case "binary_expression" if operator(part) == "+":
                both = (part.get("left"), part.get("right"))
                return _added([self.text(one, here, steps - 1) for one in both])
            case "identifier" if part.binding is None:
                return here if part.text == "__dirname" else None
            case "identifier" if part.binding is not None:
                binding = part.binding
                single = len(binding.values) == 1 and not binding.loops and not binding.taken
                return self.text(binding.values[0], here, steps - 1) if single else None
            case "member_expression":
                return here if part.text in ("import.meta.dirname", "import.meta.url") else None
            case "call_expression" | "new_expression":
                return self.called_text(part, here, steps)
            case _:
                return None

    def piece(self, part: Code, here: str | None, steps: int) -> str | None:
        if part.kind == "template_substitution":
            return self.text(part.named[0], here, steps - 1)
        return unescaped(part.text)

    def called_text(self, call: Code, here: str | None, steps: int) -> str | None:
        called, given = self.values.called(call), call.arguments
        if called in _JOINS and given:
            return _joined([self.text(one, here, steps - 1) for one in given], called[-1] == "e")
        first = self.text(given[0], here, steps - 1) if given else None
        match called:
            case "URL" if len(given) == 2 and first is not None:
                known = self.text(given[1], here, steps - 1) is not None
                return first if known and _PLAIN_URL.fullmatch(first) else None
            case "module:url.fileURLToPath":
                return first
            case "object:process.cwd":
                return "."
            case "module:os.homedir":
                return "~"
            case _:
                return None

    def reads(self, part: Code | None, steps: int = STEPS) -> bool:
        """Whether it can be told which file that is, or that it is none that holds a credential."""
        part = bare(part)
        if part is None or not self.values.goes_on(steps):
            return False
        if (text := self.text(part, ".")) is not None:
            self.read.append(text)
            return True
        match part.kind:
            case "number":
                return True
            case "ternary_expression":
                both = (part.get("consequence"), part.get("alternative"))
                return all(self.reads(one, steps - 1) for one in both)
            case "binary_expression" if operator(part) in ("||", "??"):
                both = (part.get("left"), part.get("right"))
                return all(self.reads(one, steps - 1) for one in both)
            case "subscript_expression" if self.is_told(part.get("object")):
                return self.values.is_counted(part.get("index"))
            case "identifier" if part.binding is not None:
                return self.runs_plainly(part.binding, steps)
            case _:
                return self.ends_plainly(part)

    def is_told(self, part: Code | None) -> bool:
        """Whether it is what stands on the command line."""
        part = bare(part)
        if part is not None and self.values.called(part) == ".slice":
            part = part.fields["function"].get("object")
        every = [one for one in self.values.parts if self.is_command_line(one)]
        return part in every and all(map(_only_looked_through, every))

    def is_command_line(self, part: Code) -> bool:
        return (
            part.kind == "member_expression"
            and part.fields["property"].text == "argv"
            and self.values.place(part.get("object")) == "object:process"
        )

    def runs_plainly(self, binding: Binding, steps: int) -> bool:
        """Whether all that the name ever stands for may be read."""
        if binding.taken is not None or binding.is_global:
            return False
        if binding.parameter is None:
            every = all(self.reads(one, steps - 1) for one in binding.values)
            return every and all(self.all_read(one, steps - 1) for one in binding.loops)
        function, index = binding.parameter
        outer = function.up
        if len(binding.values) != 1 or outer is None:
            return False
        if outer.kind == "arguments":
            return self.runs_through(outer.up, index, steps)
        name = outer.get("name") if outer.kind == "variable_declarator" else None
        name = function.get("name") if function.kind == "function_declaration" else name
        own = name.binding if name is not None and name.declares else None
        return (
            own is not None
            and self.values.names_function(own)
            and all(self.called_plainly(one, index, steps) for one in own.uses)
        )

    def called_plainly(self, use: Code, index: int, steps: int) -> bool:
        """Whether a function of its own is called there with what may be read."""
        up = use.up
        if up is not None and up.kind == "call_expression" and use.is_field("function"):
            given = up.arguments
            spread = any(one.kind == "spread_element" for one in given)
            return not spread and len(given) > index and self.reads(given[index], steps - 1)
        return up is not None and up.kind == "arguments" and self.runs_through(up.up, index, steps)

    def runs_through(self, call: Code | None, index: int, steps: int) -> bool:
        """Whether a function is handed to what calls it with each of a list, and all of those may
        be read."""
        function = callee(call) if call is not None else None
        through = function is not None and self.values.called(call)[:1] == "."
        through = through and (
            self.values.calls(call, "numbered") or self.values.calls(call, "asking")
        )
        if not through or index != 0 or call is None or function is None:
            return False
        sees = self.values.called(call) == ".sort" or not all(map(_sees_no_list, call.arguments))
        return not sees and self.all_read(function.get("object"), steps - 1)

    def all_read(self, source: Code | None, steps: int) -> bool:
        """Whether all that comes out of it may be read."""
        source = bare(source)
        if source is None or not self.values.goes_on(steps):
            return False
        if source.kind == "array":
            return all(self.reads(one, steps - 1) for one in source.named)
        if self.is_told(source):
            return True
        if source.kind == "call_expression" and self.values.calls(source, "keeping"):
            return self.all_read(source.fields["function"].get("object"), steps - 1)
        binding = source.binding if source.kind == "identifier" else None
        return (
            binding is not None
            and len(binding.values) == 1
            and not (binding.loops or binding.taken or binding.parameter)
            and all(map(_only_looked_through, binding.uses))
            and self.all_read(binding.values[0], steps - 1)
        )

    def ends_plainly(self, part: Code | None, steps: int = STEPS) -> bool:
        """Whether a name that is put together is that of a source, whatever comes before it."""
        part = bare(part)
        if part is None or not self.values.goes_on(steps):
            return False
        match part.kind:
            case "string":
                return text_of_string(part).endswith(readable_endings())
            case "template_string" if part.named:
                last = part.named[-1]
                return last.kind == "string_fragment" and last.text.endswith(readable_endings())
            case "binary_expression" if operator(part) == "+":
                return self.ends_plainly(part.get("right"), steps - 1)
            case "call_expression" if part.arguments:
                joins = self.values.called(part) in _JOINS
                return joins and self.ends_plainly(part.arguments[-1], steps - 1)
            case _:
                return False


def _only_looked_through(use: Code) -> bool:
    """Whether a list is run through there, and nothing is put into it."""
    up = use.up
    if use.declares or up is None:
        return use.declares
    if up.kind == "variable_declarator":
        name = up.get("name")
        return name is not None and name.kind == "array_pattern"
    if up.kind in ("for_in_statement", "subscript_expression"):
        return use.is_field("right") or (use.is_field("object") and not is_target(up))
    looks = up.kind == "member_expression" and up.fields["property"].text in listed("looking")
    call = up.up
    given = call.arguments if call is not None and up.is_field("function") else []
    return looks and not is_target(up) and all(map(_sees_no_list, given))


def _sees_no_list(given: Code) -> bool:
    """Of what a list is run through with: whether it is not handed the list itself."""
    if given.kind in ("string", "number"):
        return True
    several = given.get("parameters")
    names = several.named if several is not None else []
    plain = all(one.kind not in ("rest_pattern", "assignment_pattern") for one in names)
    return given.kind == "arrow_function" and plain and len(names) <= len(("one", "index"))


def _added(texts: list[str | None]) -> str | None:
    known = [one for one in texts if one is not None]
    return "".join(known) if len(known) == len(texts) else None


def _joined(texts: list[str | None], resolves: bool) -> str | None:  # noqa: FBT001
    """As `path.join` does; `resolves`: as `path.resolve`, where an absolute path begins anew."""
    known = [one for one in texts if one is not None]
    if len(known) != len(texts):
        return None
    return posixpath.join(*known) if resolves else "/".join(known)
