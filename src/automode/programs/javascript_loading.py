"""What a piece of JavaScript requires and imports: listed modules, data, and modules of the
project."""

import re
from dataclasses import dataclass, field

from automode.programs.javascript_tree import Code, text_of_string
from automode.programs.javascript_values import (
    Piece,
    is_data,
    is_unbound,
    key_of,
    loaded,
    outside,
)

# As a path and as an address they mean the same file.
_MODULE = re.compile(r"\.\.?/(?:[\w.@+-]+/)*(?:[\w@+-]+|[\w.@+-]+\.[cm]?[jt]sx?)")
_DATA = re.compile(r"(?:[A-Za-z]:)?[\w./@+ -]+\.json")


@dataclass(slots=True)
class Loading:
    values: Piece
    data: list[str] = field(default_factory=list)

    def loads_known(self, part: Code) -> bool:
        """Of `require` and `import`: whether they stand where it can be told what they bring."""
        if part.kind == "identifier" and (part.text != "require" or not is_unbound(part)):
            return True
        call = part.up
        name = loaded(call)
        if name is None or call is None or not part.is_field("function") or self.values.page:
            return False
        value, user = outside(call)
        if self.values.place(call) is None:
            return user.kind != "expression_statement" and self.brings(name)
        if user.kind == "variable_declarator" and value.is_field("value"):
            return self.takes(user.get("name"), value)
        return user.kind == "member_expression" and value.is_field("object")

    def brings(self, name: Code) -> bool:
        """Data, or a module of the project."""
        text = text_of_string(name)
        if is_data(name):
            self.data.append(text)
            return _DATA.fullmatch(text) is not None
        self.values.runs.append(text)
        return _MODULE.fullmatch(text) is not None

    def takes(self, name: Code | None, value: Code) -> bool:
        """Whether a module gets a name, or listed names are taken out of it."""
        if name is None:
            return False
        if name.kind == "identifier":
            return self.values.place(name) is not None
        place = self.values.place(value)
        return (
            place is not None
            and name.kind == "object_pattern"
            and all(
                (key_of(one.get("key")) or one.text) in self.values.members(place)
                and one.kind in ("shorthand_property_identifier_pattern", "pair_pattern")
                and (one.get("value") or name).kind in ("identifier", "object_pattern")
                and not (one.get("value") or one).named
                for one in name.named
            )
        )

    def imports(self, part: Code) -> bool:
        source = part.get("source")
        if source is None or self.values.page:
            return False
        clause = next((one for one in part.named if one.kind == "import_clause"), None)
        if clause is None:
            return False  # it is run for what it does
        place = self.values.place(clause)
        if place is None:
            return self.brings(source)
        names = [one for one in self.values.parts if one.kind == "import_specifier"]
        names = [one for one in names if one.up is not None and one.up.up is not None]
        own = [one for one in names if one.up.up.up is part]  # type: ignore[union-attr]
        return all(
            (key_of(one.get("name")) or "") in self.values.members(place) | {"default"}
            for one in own
        )
