"""What is proved to only read, and what may show a credential, decided by the whole layer: by names
alone, and in folders on a disk."""

import asyncio
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automode.core.call import Action, Read, Shell, ToolCall
from automode.core.decision import Decision, Remark, Verdict
from automode.core.paths import locate
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Search, Workspace
from automode.facts.files import Disk, Names, OneLook
from automode.gate.layer import Answer
from automode.guards.reads.committed import committed_objection
from automode.guards.reads.read_only import ReadOnly
from automode.programs.powershell_code import parsers_agree
from automode.programs.table import programs
from automode.programs.use import Invocation
from automode.shell.script import Command, Word
from tests.reading import facts_of
from tests.rows import each_row, rows, texts

NAMED = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


def answer(call: ToolCall, workspace: Workspace = NAMED, layer: ReadOnly | None = None) -> Answer:
    asked = (layer or ReadOnly())(facts_of(call, workspace), Session("s", workspace), ())
    return asyncio.run(asked)


def reads(call: str | ToolCall, workspace: Workspace = NAMED) -> bool:
    """Whether a call, or a command, is proved to only read."""
    call = ToolCall("bash", Shell(call)) if isinstance(call, str) else call
    return isinstance(answer(call, workspace), Decision)


def made(folder: Path, files: dict[str, str], *, git: bool = False) -> Workspace:
    """A project of these files beside a home; `->` in front of a text makes a link."""
    root, home = folder / "work", folder / "home"
    for place in (root, home):
        place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("->"):
            path.symlink_to(text[2:])
        else:
            path.write_text(text)
    if git:
        run_git(root, "init", "-q")
        run_git(root, "add", ".")
    return Workspace(str(root), str(root), str(home), Disk())


def run_git(folder: Path, *words: str) -> None:
    home = {"HOME": str(folder / "home"), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    subprocess.run(["git", *words], cwd=folder, env=home, check=True)


TOKEN_CONFIG = '[remote "o"]\n url = https://u:word@example.com/x\n'
WORLDS: dict[str, Callable[[Path], Workspace]] = {
    "names": lambda folder: NAMED,
    "found": lambda folder: made(
        folder,
        {
            "../home/.kube/config": "x token\n",
            "../home/.kube/cache/x": "x",
            **dict.fromkeys(("src/a.py", "src2/a.py", "README", "notes.md"), "x = 1\n"),
            ".git/HEAD": "",
            ".env": "x=secret\n",
            "conf/secrets.json": "x\n",
            "list": ".env\nsrc/a.py\n",
            "plain": "src/a.py\n",
            "kc": "->../home/.kube/cache",
            "links/x.txt": "->../../home/.kube/config",
        },
    ),
    "cd": lambda folder: made(
        folder,
        {
            "../home/.aws/credentials": "x",
            "src/x": "x",
            "notes.txt": "->../home/.aws/credentials",
            "json.py": "x",
        },
    ),
    "tools": lambda folder: made(
        folder,
        {
            **dict.fromkeys(("prod.env", "README", "src/a.py"), "x\n"),
            ".git/HEAD": "ref: refs/heads/main\n",
            ".git/config": TOKEN_CONFIG,
            "innocent.txt": "->prod.env",
        },
    ),
    "committed": lambda folder: made(
        folder,
        dict.fromkeys(
            (".env", "deploy/id_rsa", "src/app.py", "README.md", "config/.env.example"), "KEY = 1\n"
        ),
        git=True,
    ),
}


@pytest.mark.parametrize(
    ("world", "table", "proved"),
    [
        ("names", "read-only-reads", True),
        ("names", "read-only-not-reads", False),
        ("found", "found-names-show-a-credential", False),
        ("found", "found-names-harmless", True),
        ("cd", "possible-folders-may-run-here", False),
        ("cd", "possible-folders-never-run-here", True),
        ("committed", "committed-showing", False),
        ("committed", "committed-others", True),
    ],
)
def test_a_command_is_proved_to_read_nothing_but_what_may_be_read(
    tmp_path: Path, world: str, table: str, proved: bool
) -> None:
    workspace = WORLDS[world](tmp_path)

    assert [one for one in texts("guards", table) if reads(one, workspace) is not proved] == []


def test_a_tool_shows_no_credential_that_lies_there(tmp_path: Path) -> None:
    workspace = WORLDS["tools"](tmp_path)
    for command, allowed in rows("guards", "tool-reads-commands"):
        assert reads(str(command), workspace) is allowed, command
    for tool, fields, allowed in rows("guards", "tool-reads-tools"):
        assert isinstance(fields, dict)
        assert reads(tool_call(str(tool), fields), workspace) is allowed, (tool, fields)


@pytest.mark.parametrize(
    ("ignored", "tool", "given", "allowed"), rows("guards", "tool-reads-hidden")
)
def test_a_searching_tool_reads_hidden_files_that_git_does_not_ignore(
    tmp_path: Path, ignored: str, tool: str, given: dict[str, object], allowed: bool
) -> None:
    files = {".git/HEAD": "", "src/x": "", ".env": "SECRET=x\n", ".gitignore": ignored}

    assert reads(tool_call(tool, given), made(tmp_path, files)) is allowed


def test_an_ignore_file_of_the_searcher_overrules_what_git_ignores(tmp_path: Path) -> None:
    files = {".git/HEAD": "", ".env": "x", ".gitignore": ".env\n", ".ignore": "!.env\n"}

    assert not reads(tool_call("Grep", {"pattern": "x"}), made(tmp_path, files))


def marked(command: str) -> str:
    found = answer(ToolCall("bash", Shell(command)))
    return found.mark if isinstance(found, Remark) else ""


def test_ordinary_development_is_marked_for_later_layers() -> None:
    ordinary = ["npm test", "pytest -q", "cargo build", "make", "cd x && npm test"]

    assert {marked(command) for command in ordinary} == {"ordinary-development"}
    assert marked("npm test && rm -rf x") == "not-proved"


def test_remote_reads_and_tools_can_be_left_to_the_classifier() -> None:
    remote = ToolCall("bash", Shell("kubectl get pods"))

    assert isinstance(answer(remote), Decision)
    assert isinstance(answer(remote, layer=ReadOnly(remote_reads=False)), Remark)
    tool = ToolCall("tool", Read(("src/a.py",)))
    assert isinstance(answer(tool, layer=ReadOnly(classify_tools=True)), Remark)


POWERSHELL_READS = [
    "Get-ChildItem",
    "gci src -Rec -Filter *.py",
    "Get-Content a.txt -Tail 5 | Select-String -Pattern 'x|y' | Select-Object -First 3",
    "Get-ChildItem src | Where-Object { $_.Length -gt 1KB } | Sort-Object Length -Descending",
    "git -C . status --short; git diff --stat | Select-Object -Last 5",
    "cd src; Test-Path a.txt",
    "if (Test-Path a.txt) { Write-Output yes } else { Write-Output no }",
    "Get-Date; 1 + 2; 'text'",
    "Select-String -Path a.txt, b.txt -Pattern TODO 2>$null",
    "ls src",
]
POWERSHELL_UNPROVED = [
    "Get-Content ~/.ssh/id_rsa",
    "Get-Content .env",
    "'.env' | Get-Content",
    "Get-ChildItem -Recurse -Force ~ | Get-Content",
    "Get-ChildItem -Recurse -Force ~ | Select-String password",
    "Get-Content '*.pem'",
    "Get-Content Env:GITHUB_TOKEN",
    "Get-ChildItem Env:",
    "$env:GITHUB_TOKEN",
    "Get-Content \\\\evil\\share\\x",
    "Get-ChildItem //evil/share",
    "Get-ChildItem | ForEach-Object Delete",
    "Get-ChildItem | ForEach-Object { $_.Delete() }",
    "Get-Process node | ForEach-Object { Stop-Process $_ }",
    "Get-Content a.txt > b.txt",
    "Get-Content a.txt | Out-File b.txt",
    "Get-Content a.txt | Tee-Object b.txt",
    "Get-Content a.txt -OutVariable x",
    "Get-Frobnicate a.txt",
    "Get-Content a.txt -Frobnicate",
    "& (Get-Content a.txt)",
    "iex (Get-Content a.txt)",
    "Import-Module x; Get-Date",
    "Set-Alias gc rm; gc a.txt",
    "function gc { rm a }; gc a.txt",
    "[IO.File]::Delete('a')",
    "git diff --output=x",
    "git 'diff' \"--output=$x\"",
    "$env:GIT_PAGER = 'x'; git log",
    "ls -la; rm x",
    "Get-ChildItem | Where-Object $block",
    "Get-ChildItem | Sort-Object $block",
    "Get-ChildItem | Select-Object $block",
    "Get-Content 'Microsoft.PowerShell.Core\\\\Environment::X'",
    "git log --format='\" --output=x \"'",
    "git log 'a b\\' ' --output=x'",
    "Get-Date\rRemove-Item x",
    "Get-Date; Get-Item a\u200bb",
]


@each_row("command", POWERSHELL_READS)
def test_powershell_is_proved_where_all_of_it_is_known(command: str) -> None:
    found = answer(ToolCall("PowerShell", Shell(command, dialect="powershell")))
    assert isinstance(found, Decision), found
    assert found.verdict is Verdict.ALLOW


@each_row("command", POWERSHELL_UNPROVED)
def test_powershell_that_may_do_more_is_not_proved(command: str) -> None:
    assert not isinstance(answer(ToolCall("x", Shell(command, dialect="powershell"))), Decision)


@given(st.sampled_from(POWERSHELL_READS), st.data())
def test_one_unknown_word_in_powershell_loses_the_proof(command: str, data: st.DataObject) -> None:
    """In the place of a cmdlet or of a parameter."""
    names = list(re.finditer(r"(?<![\w'-])(?:[A-Z][a-z]+-[A-Z]\w+|-[A-Z]\w+)", command))
    assume(names)
    name = data.draw(st.sampled_from(names))
    changed = f"{command[: name.start()]}{name[0]}zq{command[name.end() :]}"
    assume("-gt" not in name[0])
    assert not isinstance(answer(ToolCall("x", Shell(changed, dialect="powershell"))), Decision)


def test_without_its_grammar_no_powershell_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> object:
        raise ImportError

    parsers_agree.cache_clear()
    monkeypatch.setattr("automode.programs.powershell_code._parser", missing)
    found = answer(ToolCall("x", Shell("Get-Date", dialect="powershell")))
    parsers_agree.cache_clear()
    assert isinstance(found, Remark)


def test_cmd_is_never_read_only() -> None:
    assert answer(ToolCall("cmd", Shell("dir", dialect="cmd"))) is None


@each_row(
    "action, allowed",
    [
        (Read(("src/a.py",)), True),
        (Read(()), True),
        (Read(("~/.ssh/id_rsa",)), False),
        (Read(("token",)), False),
        (Read(("~/.newtool/config.json",)), False),
        (Read(("~/.aws",)), False),
    ],
)
def test_read_tools_are_allowed_but_not_for_credentials(action: Action, allowed: bool) -> None:
    assert reads(ToolCall("tool", action)) is allowed


@pytest.mark.parametrize(("name", "text"), rows("guards", "setting-tokens-with-a-credential"))
def test_settings_that_hold_a_credential_are_asked_about(
    name: str, text: str, tmp_path: Path
) -> None:
    place = made(tmp_path, {name: text})

    assert not reads(f"cat {name}", place)
    assert not reads("grep -rn x .", place)
    assert not reads(tool_call("read", {"file_path": name}), place)


@pytest.mark.parametrize(("name", "text"), rows("guards", "setting-tokens-without-one"))
def test_settings_that_hold_none_are_read(name: str, text: str, tmp_path: Path) -> None:
    place = made(tmp_path, {name: text})

    assert reads(f"cat {name}", place)
    assert reads("grep -rn x .", place)


def test_settings_that_cannot_be_looked_at_are_asked_about(tmp_path: Path) -> None:
    assert not reads("cat .npmrc", made(tmp_path, {}))
    large = made(tmp_path, {".npmrc": "# x\n" * 20_000 + "_auth=abc"})
    assert not reads("cat .npmrc", large)
    assert reads("ls -la", large)


@pytest.mark.parametrize("command", ["git show HEAD:.npmrc", "git diff HEAD", "git grep x"])
def test_git_shows_what_such_a_file_holds(command: str, tmp_path: Path) -> None:
    for text, proved in (("save-exact=true", True), ("_auth=abc", False)):
        assert reads(command, made(tmp_path, {".npmrc": text}, git=True)) is proved


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return WORLDS["found"](tmp_path_factory.mktemp("found"))


@given(
    st.lists(st.sampled_from(["..", ".", "kc", "src", "links", "x.txt", "none", ""]), max_size=7)
)
def test_a_path_is_judged_as_what_the_system_would_open(found: Workspace, parts: list[str]) -> None:
    path = "./" + "/".join(parts)
    place = locate(path, found.cwd, OneLook())

    assert os.path.realpath(place) == os.path.realpath(os.path.join(found.cwd, path))


@given(
    st.from_regex(r"[A-Z][A-Z_]{2,9}", fullmatch=True),
    st.sampled_from(["rm x", "cat .env", "make", "curl x | sh", "ls > f"]),
)
def test_a_variable_in_front_never_proves_anything(
    found: Workspace, name: str, command: str
) -> None:
    assert not reads(f"{name}=1 {command}", found)
    assert not reads(f"export {name}=1; {command}", found)


def test_pathspecs_choose_as_git_does(tmp_path: Path) -> None:
    place = WORLDS["committed"](tmp_path)
    for words, shown in rows("guards", "committed-pathspecs-choose-as-git"):
        command = Command(
            tuple(map(Word, ("git", "diff", "--", *str(words).split()))), cwd=place.cwd
        )
        assert (committed_objection(command, place) is not None) is shown, words


def test_without_a_tracked_credential_the_same_line_only_reads(tmp_path: Path) -> None:
    place = made(tmp_path, {"src/app.py": "x"}, git=True)
    (tmp_path / "work/.env").write_text("x")
    unproved = ".env", "*env*", "$(ls)", "deploy", "cat-file blob", "xargs", "range-diff"
    for line in texts("guards", "committed-showing"):
        assert reads(line, place) or any(part in line for part in unproved), line


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_the_names_in_an_index_are_read(tmp_path: Path, version: str) -> None:
    long = "long/" + "n" * 250 + ".key"
    names = ("a/.env", "a/b.pem", "a/key.pem", "c", ".aws/x/y", long)
    root = Path(made(tmp_path, dict.fromkeys(names, "x")).root)
    run_git(root, "init", "-q")
    run_git(root, "config", "index.version", version)
    run_git(root, "add", ".")
    if version == "3":
        (root / "later.key").write_text("x")
        run_git(root, "add", "-N", "later.key")
    git_dir = str(root / ".git")

    seen = Disk().tracked(Search(git_dir, 100, (".env", ".aws"), (".key", "key.pem")))

    assert seen is not None
    assert set(seen) - {"later.key"} == {".aws/x/y", "a/.env", "a/key.pem", long}
    assert Disk().tracked(Search(git_dir, 1)) is None
    (root / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\1")
    assert Disk().tracked(Search(git_dir, 100)) is None


@pytest.mark.parametrize("version", ["2", "4"])
def test_other_repositories_in_an_index_are_found(tmp_path: Path, version: str) -> None:
    root = Path(made(tmp_path, {"a": "x"}).root)
    run_git(root, "init", "-q")
    run_git(root, "config", "index.version", version)
    run_git(root, "add", ".")
    index = str(root / ".git" / "index")
    assert Disk().gitlinks(index) == ()

    commit = "1" * 40
    run_git(root, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub/inner")
    assert Disk().gitlinks(index) == ("sub/inner",)


def test_other_repositories_in_an_index_with_sha256_names_are_found_too(tmp_path: Path) -> None:
    root = Path(made(tmp_path, {"a": "x"}).root)
    run_git(root, "init", "-q", "--object-format=sha256")
    run_git(root, "add", ".")
    commit = "1" * 64
    run_git(root, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub/inner")

    assert "sub/inner" in (Disk().gitlinks(str(root / ".git" / "index")) or ())


def test_a_split_index_is_not_known(tmp_path: Path) -> None:
    place = made(tmp_path, {"a": "x"}, git=True)
    run_git(Path(place.root), "update-index", "--split-index")

    assert Disk().tracked(Search(f"{place.root}/.git", 100, ("a",))) is None
    assert not reads("git diff", place)


VALUES = {"--format": "%H", "--pretty": "%H", "-L": "1,1:.env", "--diff-merges": "1", "-S": "MARK"}


@pytest.mark.skipif(not os.environ.get("AUTOMODE_GIT_SWEEP"), reason="NO SWEEP")
@pytest.mark.parametrize("verb", texts("guards", "committed-swept"))
def test_no_option_prints_what_is_said_not_to_be_printed(tmp_path: Path, verb: str) -> None:
    """`AUTOMODE_GIT_SWEEP=1` tries every option of the table on the installed git."""
    run_git(tmp_path, "init", "-q")
    run_git(tmp_path, "config", "user.name", "a")
    run_git(tmp_path, "config", "user.email", "a")
    for number in range(3):
        (tmp_path / ".env").write_text(f"MARK={number} \n")
        run_git(tmp_path, "add", ".env")
        run_git(tmp_path, *(("commit", "-qm", "x") if number < 2 else ("stash", "-q")))
    (tmp_path / ".env").write_text("MARK=4 \n")
    workspace = Workspace(str(tmp_path), str(tmp_path), str(tmp_path / "home"), Disk())
    words = tuple(map(Word, ("git", *verb.split())))
    given = programs()["git"].given(Invocation("git", words[1:], Command(words), workspace))
    assert given is not None
    spec, path = given.row.spec, [w for w in verb.split() if w in ("list", "show", "stash")]
    at = max(1, len(path)) + 1
    options = [[f"-{one}"] for one in spec.flags + spec.maybe]
    options += [[one] for one in (*spec.long_flags, *spec.long_maybe)]
    options += [[f"-{one}", VALUES.get(f"-{one}", "1")] for one in spec.values]
    options += [[f"{o}={VALUES.get(o, '1')}"] for o in (*spec.long_values, *spec.long_maybe)]
    for option in options:
        for more in ([], ["--stat"]):
            tried = (*words[:at], *map(Word, (*option, *more)), *words[at:])
            command = Command(tried, cwd=str(tmp_path))
            use = programs()["git"](Invocation("git", command.args, command, workspace))
            if use.effect or committed_objection(command, workspace) is not None:
                continue
            printed = subprocess.run(
                [word.text for word in tried],
                cwd=tmp_path,
                env={"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            assert b"MARK" not in printed.stdout, tried
