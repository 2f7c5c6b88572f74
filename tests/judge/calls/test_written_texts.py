"""What a call puts into files is told where the call says all of it, and else nobody can tell."""

from automode.core.tools import tool_call
from automode.judge.calls.written_texts import replaced_in_place, written_by_tool
from tests.judge.sessions import bash, saying
from tests.reading import facts_of
from tests.rows import each_row

PATCH = "*** Begin Patch\n*** {} File: a.go\n{}\n*** End Patch"
# The input of a tool, and what it puts into `a.go`; None where nobody can tell.
GIVEN: list[tuple[dict[str, object], tuple[str, ...] | None, bool]] = [
    ({"content": "x"}, ("x",), True),
    ({"new_string": "x", "old_string": "y"}, ("x",), False),
    ({"newString": "x", "oldString": "y"}, ("x",), False),
    ({"edits": [{"new_string": "x"}, {"newText": "z"}]}, ("x", "z"), False),
    ({}, None, False),
    ({"patch": PATCH.format("Add", "+x\n+y")}, ("x\ny",), True),
    ({"patchText": PATCH.format("Update", "@@\n a\n-b\n+x\n c\n+y")}, ("x", "y"), False),
    ({"patch": PATCH.format("Update", "@@\n-b")}, (), False),
    # A line that nobody knows, a file that is moved, another file.
    ({"patch": PATCH.format("Update", "@@\n+x\nexec.Command()")}, None, False),
    ({"patch": PATCH.format("Update", "*** Move to: b.go\n@@\n+x")}, None, False),
    ({"patch": PATCH.format("Add", "+x").replace("a.go", "b.go")}, None, False),
    # The second time the file is there.
    (
        {"patch": PATCH.format("Add", "+x\n*** Update File: a.go\n@@\n+y")},
        ("x", "y"),
        False,
    ),
]


@each_row("given, put, whole", GIVEN)
def test_a_tool_for_files_says_what_it_puts_in(
    given: dict[str, object], put: tuple[str, ...] | None, whole: bool
) -> None:
    found = written_by_tool(given, "a.go")

    assert (None if found is None else tuple(one.text for one in found.puts)) == put
    assert found is None or found.whole is whole


# What sed and perl put in; None where they may do more than replace.
REPLACED: list[tuple[str, tuple[str, ...] | None]] = [
    ("sed -i 's/a/b/' x", ("b",)),
    ("sed -i '' 's/a/b/' x", ("b",)),
    ("sed -i.bak -E 's/(a)/\\1.b(&)/g; 5s|c|d|' x", (".b(", ")", "d")),
    ("sed -i -e 's/a/b/' -e '/c/d' x", ("b",)),
    ("sed -i '3a\\ new line' x", ("new line",)),
    ("sed -i 's/a//' x", ()),
    ("sed -i 's/a/b/e' x", None),
    ("sed -i 's/a/b/w y' x", None),
    ("sed -i 's/a/\\x65xec/' x", None),
    ("sed -i 's/a/\\Uexec/' x", None),
    ("sed -i 'y/a/b/' x", None),
    ("sed -i 'r y' x", None),
    ("sed -i -f y x", None),
    ('sed -i "s/a/$B/" x', None),
    ("perl -pi -e 's/a/b/g' x", ("b",)),
    ("perl -0pi -e 's/a/b\\n$1/; s|c|d|' x", ("b\n", "d")),
    ("perl -pi -e 's/a/b/e' x", None),
    ("perl -pi -e 's/a/@{[`id`]}/' x", None),
    ("perl -pi -e 's/a/$ENV{X}/' x", None),
    ("perl -pi -e 's/(?{ 1 })a/b/' x", None),
    ("perl -pi -e 's/a/\\x65/' x", None),
    ("perl -Mre=eval -pi -e 's/a/b/' x", None),
    ("perl -pi -e 'print 1' x", None),
]


@each_row("command, put", REPLACED)
def test_what_replaces_text_by_text_says_what_it_puts_in(
    command: str, put: tuple[str, ...] | None
) -> None:
    (parsed,) = facts_of(bash(command), saying("x")).script.commands

    found = replaced_in_place(parsed)

    assert (None if found is None else tuple(one.text for one in found.puts)) == put


def test_an_edit_of_what_an_edit_put_in_is_followed() -> None:
    first = written_by_tool({"old_string": "x", "new_string": "one two three"}, "")
    second = written_by_tool({"old_string": "two", "new_string": "2"}, "")
    third = written_by_tool({"old_string": "x one 2 three y", "new_string": "4"}, "")
    assert first is not None
    assert second is not None
    assert third is not None

    assert second.after(first.after(())) == ("one 2 three", "2")
    assert third.after(second.after(first.after(()))) == ("4",)


def test_a_patch_of_a_call_is_for_the_file_by_the_name_in_it() -> None:
    call = tool_call("apply_patch", {"input": PATCH.format("Add", "+x")})
    found = written_by_tool(call.input, "a.go")

    assert found is not None
    assert found.whole
