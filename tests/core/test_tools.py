"""Every host's tool names and inputs, as one vocabulary."""

from collections.abc import Mapping

import pytest

from automode.core.call import Action, Delegate, Fetch, Other, Read, Shell, Write
from automode.core.errors import BadCall
from automode.core.tool_input import canonical, harmless, input_texts
from automode.core.tools import fetched_urls, meant_paths, tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from tests.rows import each_row

_PATCH_START = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y"
WORKSPACE = Workspace("/w", "/w/sub", "/home/u", Names("/w"))

# One name for each kind, and what hosts call it.
NAMES = {
    "bash": "Bash mcp__acp__Bash mcp:acp/bash shell run_shell_command local_shell execute_command",
    "powershell": "PowerShell pwsh",
    "cmd": "cmd",
    "read": "mcp__acp__Read Read read_file ReadFile read_many_files view",
    "write": "Write write_file create_file",
    "edit": "mcp__acp__Edit Edit MultiEdit replace str_replace_editor apply_patch NotebookEdit",
    "grep": "Grep search_file_content",
    "find": "Glob",
    "ls": "LS list_directory",
    "web_fetch": "WebFetch webfetch",
    "web_search": "WebSearch google_web_search",
    "agent": "Task Agent spawn_agent",
    "mcp__github__create_issue": "mcp__GitHub__Create_Issue mcp:github/create_issue",
    "mcp__evil__bash": "mcp__evil__bash",
    "mcp__acp__fetch": "mcp__acp__fetch mcp:acp/fetch",
    "mcp__acp2__bash": "mcp__acp2__bash",
}

CALLS: list[tuple[str, Mapping[str, object], Action]] = [
    ("Bash", {"command": "ls"}, Shell("ls")),
    ("exec_command", {"cmd": "ls"}, Shell("ls")),
    ("shell", {"command": ["bash", "-lc", "a && b"]}, Shell("a && b")),
    ("shell", {"command": ["/bin/sh", "-c", "a"]}, Shell("a")),
    ("shell", {"command": ["rm", "-rf", "a b", "it's"]}, Shell("rm -rf 'a b' 'it'\"'\"'s'")),
    ("shell", {"command": ["bash", "-c", "$0", "rm"]}, Shell("bash -c '$0' rm")),
    ("shell", {"command": ["/tmp/bash", "-c", "a"]}, Shell("/tmp/bash -c a")),
    ("shell", {"command": ["bash", "-C", "a"]}, Shell("bash -C a")),
    ("shell", {"command": ["pwsh", "-Command", "ls"]}, Shell("ls", "powershell")),
    ("shell", {"command": ["cmd.exe", "/c", "dir"]}, Shell("dir", "cmd")),
    ("run_commands", {"commands": ["a", "b c"]}, Shell("a\nb c")),
    ("bash", {"command": "rm -rf .", "workdir": "/home/u"}, Shell("cd /home/u\nrm -rf .")),
    ("bash", {"command": "a", "env": {"PATH": "/x y"}}, Shell("export PATH='/x y'\na")),
    ("exec_command", {"cmd": "a", "shell": "/bin/zsh"}, Shell("a")),
    ("exec_command", {"cmd": "a b", "shell": "/tmp/x"}, Shell("/tmp/x -c 'a b'")),
    ("PowerShell", {"command": "ls"}, Shell("ls", "powershell")),
    (
        "shell",
        {"command": ["powershell.exe", "-NoProfile", "-Command", "ls"], "workdir": "C:\\it's"},
        Shell("cd 'C:\\it''s'\nls", "powershell"),
    ),
    (
        "shell",
        {"command": ["C:\\Program Files\\PowerShell\\7\\pwsh.exe", "-Command", "ls"]},
        Shell("ls", "powershell"),
    ),
    ("pwsh", {"command": "ls", "env": {"A": "b'c"}}, Shell("$env:A = 'b''c'\nls", "powershell")),
    ("cmd", {"command": "dir"}, Shell("dir", "cmd")),
    ("Read", {"file_path": "/a"}, Read(("/a",))),
    ("read", {"filePath": "a"}, Read(("a",))),
    ("read_file", {"absolute_path": "/a"}, Read(("/a",))),
    ("read_many_files", {"paths": ["a", "b"]}, Read(("a", "b"))),
    ("read_files", {"files": [{"path": "a"}, {"path": "b"}]}, Read(("a", "b"))),
    ("Write", {"file_path": "a", "content": "\0"}, Write(("a",))),
    ("write", {"path": "a", "file_path": "b"}, Write(("b", "a"))),
    ("NotebookEdit", {"notebook_path": "n.ipynb"}, Write(("n.ipynb",))),
    ("multiedit", {"filePath": "a", "edits": [{"filePath": "b"}]}, Write(("a", "b"))),
    ("str_replace_editor", {"command": "view", "path": "a"}, Read(("a",))),
    ("str_replace_editor", {"command": "create", "path": "a"}, Write(("a",))),
    ("str_replace_editor", {"command": "view", "path": "a", "view_range": [1, 2]}, Read(("a",))),
    ("str_replace_editor", {"command": "view", "path": "a", "old_str": "x"}, Write(("a",))),
    ("str_replace_editor", {"command": "view", "path": "a", "file_text": ""}, Write(("a",))),
    ("str_replace_editor", {"command": "view", "path": "a", "insert_text": None}, Read(("a",))),
    (
        "edit",
        {"command": "view", "file_path": "~/.bashrc", "old_string": "x"},
        Write(("~/.bashrc",)),
    ),
    ("edit", {"command": "view", "file_path": "a"}, Write(("a",))),
    ("edit", {"file_path": "a", "new_path": "b"}, Write(("a", "b"))),
    ("write", {"path": "a", "destination": "/b"}, Write(("a", "/b"))),
    ("write", {"path": "a", "output_path": "b", "to": "c"}, Write(("a", "b", "c"))),
    ("write", {"path": "a", "outputFile": "b"}, Write(("a", "b"))),
    ("write", {"path": "a", "moves": [{"target": "b"}]}, Write(("a", "b"))),
    ("write", {"path": "a", "create_file": True, "to": "x" * 5000}, Write(("a",))),
    ("write", {"filename": "config", "cwd": ".git"}, Write(("config", ".git/config"))),
    ("write", {"content": "--- a/x\n+++ b/x\n", "path": "a"}, Write(("a",))),
    ("replace_in_file", {"path": "a", "diff": "<<<<<<< SEARCH\nx"}, Write(("a",))),
    ("replace_in_file", {"path": "a", "diff": "--- a/x\n+++ b/y\n"}, Write(("a", "x", "y"))),
    ("apply_patch", {"path": "a", "input": "*** Add File: b"}, Write(("a", "b"))),
    ("apply_patch", {"path": "a", "input": "unreadable"}, Write(())),
    ("apply_patch", {"input": "*** Add File: a", "patch": "*** Add File: b"}, Write(("a", "b"))),
    ("apply_patch", {"input": "*** Add File: a", "patch": "unreadable"}, Write(())),
    ("apply_patch", {"input": "*** Add File: a", "text": "*** Add File: b"}, Write(("a", "b"))),
    ("Grep", {"pattern": "x", "include": "*.py"}, Read((".",))),
    ("Glob", {"pattern": "/etc/*.conf"}, Read((".", "/etc"))),
    ("Glob", {"pattern": "**/*.py"}, Read((".",))),
    ("Glob", {"pattern": "src/**/*.{ts,tsx}"}, Read((".",))),
    ("Glob", {"pattern": "/home/dev/.ssh/*"}, Read((".", "/home/dev/.ssh", "/home/dev/.ssh/*"))),
    ("find", {"pattern": ".env", "path": "sub"}, Read(("sub", "sub/.env"))),
    ("Grep", {"pattern": "x", "path": "~/.ssh"}, Read(("~/.ssh",))),
    ("Grep", {"pattern": "x", "paths": ["~/.ssh"]}, Read(("~/.ssh",))),
    ("Grep", {"pattern": "x", "glob": ".env"}, Read((".", ".env"))),
    ("Grep", {"pattern": "x", "glob": "*.{py,env}"}, Read((".", "*.env"))),
    ("Grep", {"pattern": "x", "glob": "!.env"}, Read((".",))),
    ("Grep", {"pattern": "/etc/.env"}, Read((".",))),
    ("LS", {"path": "/a"}, Read(("/a",))),
    ("WebFetch", {"url": "https://a/", "prompt": "see https://b/"}, Fetch("https://a/")),
    ("web_fetch", {"prompt": "sum up https://a/ please"}, Fetch("https://a/")),
    ("WebSearch", {"query": "x"}, Other()),
    ("Task", {"prompt": "do it"}, Delegate("do it")),
    ("spawn_agent", {"items": ["x"]}, Delegate('{"items": ["x"]}')),
    ("TodoWrite", {}, Read()),
    ("todo_write", {}, Read()),
    ("ExitPlanMode", {"plan": "x"}, Read()),
    ("mcp__x__TodoWrite", {}, Other()),
    ("mcp:x/read", {"path": "a"}, Other()),
    ("browser_click", {}, Other()),
]

PATCHES = {
    "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n*** Move to: c.py\n@@\n"
    "*** Delete File: d.py\n*** End Patch": ("a.py", "b.py", "c.py", "d.py"),
    "--- a/x.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n": ("x.py", "y.py"),
    "--- /dev/null\t2026\n+++ new.py\t2026\n": ("new.py",),
    "*** Begin Patch\n*** Rename File: a\n*** Add File: b\n*** End Patch": (),
    "*** Begin Patch\n*** Add File: \n*** End Patch": (),
    "nothing of the kind": (),
    '--- "a/.gi\\164/x"\n+++ "b/.gi\\164/x"\n': (".git/x",),
    '--- a/x\n+++ "b/\\303\\251\\t"\n': (),
    '--- a/x\n+++ "b/\\303\\251"\n': ("x", "\u00e9"),
    '--- a/x\n+++ "b/x\n': (),
    '--- a/x\n+++ "b/\\q"\n': (),
    '--- a/x\n+++ "b/\\777"\n': (),
    "--- a/x\n+++ b//etc/passwd\n": ("x", "/etc/passwd"),
    "--- a/x\n+++ c//etc/passwd\n": (),
    "--- x\n+++ .npmrc 2026-01-01\n": ("x", ".npmrc 2026-01-01", ".npmrc"),
    "  --- x\n  +++ y\n": ("x", "y"),
    'diff --git a/x b/y\nrename from x\nrename to "\\056git/x"\n': ("x", "y", ".git/x"),
    "diff --git a/.git/x b/.git/x\nold mode 100644\nnew mode 100755\n": (".git/x",),
    "diff --git a/x y b/x y\ndeleted file mode 100644\n": ("x y",),
    "diff --git a/x b/y z\n": ("x", "y z", "x b/y", "z"),
    'diff --git "a/\\056git" "b/\\056git"\nGIT binary patch\n': (".git",),
    'diff --git a/x "b/\\056git"\n': ("x", ".git"),
    "diff --git a/x\n": (),
    "Index: .npmrc\n": (".npmrc",),
    "*** Add File: a\u2028../b": (),
    "*** Add File: a\n+x\u2028*** Add File: b\n": ("a", "b"),
}

BAD: list[tuple[str, Mapping[str, object]]] = [
    ("Bash", {}),
    ("Bash", {"command": ""}),
    ("Bash", {"command": " \n"}),
    ("Bash", {"command": "a\0b"}),
    ("Bash", {"command": 7}),
    ("Bash", {"command": []}),
    ("Bash", {"command": ["bash", 7]}),
    ("Bash", {"command": ["bash", "-c", " "]}),
    ("Bash", {"command": "a", "cmd": "b"}),
    ("Bash", {"command": "a", "env": {"A B": "x"}}),
    ("Bash", {"command": "a", "workdir": "x\0"}),
    ("Read", {}),
    ("Read", {"file_path": ["a"]}),
    ("Read", {"file_path": "a\0"}),
    ("read_files", {"files": [7]}),
    ("Write", {"content": "x"}),
    ("apply_patch", {}),
    ("WebFetch", {"prompt": "no address"}),
    ("Task", {}),
]


@each_row("name, tools", NAMES.items())
def test_each_kind_of_tool_has_one_name_across_hosts(name: str, tools: str) -> None:
    assert {canonical(tool) for tool in (*tools.split(), name)} == {name}


def test_a_tool_that_nobody_described_keeps_its_name() -> None:
    assert canonical("Something New") == "something new"


def test_only_pis_own_tool_for_scripts_touches_nothing_and_rules_know_it_by_its_name() -> None:
    """Whatever else is called so may run anything."""
    names = ("pi:codemode", "codemode", "pi_codemode", "mcp__pi__codemode")

    assert [name for name in names if harmless(name)] == ["pi:codemode"]
    assert canonical("pi:codemode") == "codemode"


@each_row("tool, given, action", CALLS)
def test_a_name_and_an_input_become_what_the_call_does(
    tool: str, given: Mapping[str, object], action: Action
) -> None:
    call = tool_call(tool, given)

    assert call.action == action
    assert call.tool == tool
    assert call.input is given


@each_row("patch, paths", PATCHES.items())
def test_a_patch_names_the_files_it_touches(patch: str, paths: tuple[str, ...]) -> None:
    action = tool_call("apply_patch", {"input": patch}).action

    assert isinstance(action, Write)
    assert action.paths == paths


@each_row("tool, given", BAD)
def test_an_input_that_does_not_fit_is_refused_with_a_way_out(
    tool: str, given: Mapping[str, object]
) -> None:
    with pytest.raises(BadCall) as refused:
        tool_call(tool, given)

    assert refused.value.hint


def test_every_address_of_a_fetch_is_known() -> None:
    assert fetched_urls({"prompt": "compare https://a/x and https://b/y"}) == (
        "https://a/x",
        "https://b/y",
    )
    assert fetched_urls({"requests": [{"url": "https://a"}], "urls": ["https://b"]}) == (
        "https://b",
        "https://a",
    )


@each_row(
    "typed, meant",
    {
        "a": ("/w/sub/a",),
        "../a": ("/w/a",),
        "/a//b": ("/a/b",),
        "~/a": ("/home/u/a",),
        "~": ("/home/u",),
        "~root/a": ("/home/root/a", "/w/sub/~root/a"),
        "@a": ("/w/sub/@a", "/w/sub/a"),
        "@~/a": ("/w/sub/@~/a", "/home/u/a"),
        "file:///etc/pass%77d": ("/etc/passwd",),
        "file://localhost/etc/x": ("/etc/x",),
        "..\\a": ("/w/sub/..\\a", "/w/a"),
        "C:\\x": ("/c/x",),
    }.items(),
)
def test_a_typed_path_may_mean_several_places(typed: str, meant: tuple[str, ...]) -> None:
    assert set(meant_paths(typed, WORKSPACE)) >= set(meant)


@each_row(
    "tool, given, removes",
    [
        ("delete_file", {"path": "."}, True),
        ("DeleteFile", {"path": "src/a.py"}, True),
        ("delete", {"path": "src"}, True),
        ("remove_file", {"file_path": "a"}, True),
        ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"}, True),
        *(
            (
                "apply_patch",
                {"input": f"{_PATCH_START}{end}*** Delete File: b\n*** End Patch"},
                True,
            )
            for end in "\u0085\u2028\u2029\f\v\r\x1c"
        ),
        ("apply_patch", {"input": f"{_PATCH_START} *** Delete File: b\n*** End Patch"}, False),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch"},
            True,
        ),
        ("apply_patch", {"input": "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"}, True),
        ("str_replace_editor", {"command": "delete", "path": "a"}, True),
        ("str_replace_editor", {"command": "rename", "path": "a", "new_path": "b"}, True),
        ("str_replace_editor", {"command": "create", "path": "a", "file_text": ""}, False),
        ("write", {"file_path": "a", "content": ""}, False),
        ("edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, False),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch"}, False),
    ],
)
def test_a_write_says_whether_something_goes_away(
    tool: str, given: dict[str, object], removes: bool
) -> None:
    action = tool_call(tool, given).action

    assert isinstance(action, Write)
    assert action.removes is removes


def test_every_text_in_an_input_is_found_however_deep_it_lies() -> None:
    nested = {"a": "one", "b": ["two", ("three", {"c": "four"}), 5, None]}
    deep: object = "text"
    for _ in range(100_000):
        deep = [deep]

    assert sorted(input_texts(nested)) == ["four", "one", "three", "two"]
    assert sorted(input_texts(nested, keys=True))[:3] == ["a", "b", "c"]
    assert list(input_texts(deep)) == ["text"]
