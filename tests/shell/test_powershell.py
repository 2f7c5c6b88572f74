"""PowerShell: what a script would run, and that nothing unknown is ever proved."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.programs.powershell_code import parsers_agree
from automode.shell.powershell import LONGEST, read_powershell
from automode.shell.script import HOLE, Script
from tests.rows import each_row


def read(text: str) -> Script:
    return read_powershell(text, "/shop", "/home/me")[0]


def told(text: str) -> list[str]:
    """The commands with `…` for what is not known, and with their redirects."""
    return [
        " ".join(
            (
                *(word.text.replace(HOLE, "…") for word in one.words),
                *(f"{r.op}{r.target.text.replace(HOLE, '…')}" for r in one.redirects),
            )
        )
        for one in read(text).commands
    ]


READINGS = [
    # names, aliases, case, modules
    ("GCI src", ["get-childitem src"]),
    ("Microsoft.PowerShell.Management\\Get-Item a", ["get-item a"]),
    ("rm -Recurse x", ["remove-item -recurse x", "rm -Recurse x"]),
    ("git Status", ["git Status"]),
    # quotes, escapes, here-strings
    ("Write-Output 'it''s' \"a`tb\"", ["write-output it's a\tb"]),
    ("echo a`;b", ["write-output a;b"]),
    ('echo "say ""hi"""', ['write-output say "hi"']),
    (
        "git commit -m @'\none; two | three\n'@; git log",
        ["git commit -m one; two | three", "git log"],
    ),
    ('echo @"\nx $HOME\n"@', ["write-output x /home/me"]),
    ("Get-Date # ; Remove-Item x", ["get-date"]),
    ("Get-Date <# ; Remove-Item x #> ; Get-Location", ["get-date", "get-location"]),
    ("Get-ChildItem `\n  -Recurse", ["get-childitem -recurse"]),
    # variables
    ("$p = 'a b'; Get-Content $p", ["get-content a b"]),
    ("$p = 'a'; $p = 'b'; Get-Content $p", ["get-content …"]),
    ("if ($x) { $p = 'a' }; Get-Content $p", ["get-content …"]),
    ("$p = 'a' + 'b'; Get-Content $p", ["get-content ab"]),
    (
        "Get-Content $HOME/x ~/y $env:USERPROFILE\\z",
        ["get-content /home/me/x /home/me/y /home/me/z"],
    ),
    ('Get-Content "$env:TEMP\\a.txt"', ["get-content /home/me/AppData/Local/Temp/a.txt"]),
    ("Get-Item $x.Name[0]", ["get-item …"]),
    ("Get-Content ($pwd.Path + '/.env')", ["get-content /shop/.env"]),
    ("Get-Content ($x + '/.env')", ["get-content …/.env"]),
    ("Copy-Item @args", ["copy-item …"]),
    # paths
    ("Get-Item C:\\a\\b .\\c ..\\d", ["get-item C:/a/b ./c ../d"]),
    ("Remove-Item '\\\\?\\D:\\x\\nul'", ["remove-item D:/x/nul"]),
    # lists, parameters
    ("Get-Item -Path a,b", ["get-item -path a -path b"]),
    ("Remove-Item x -Confirm:$false", ["remove-item x -confirm:$false"]),
    ("Select-String '-x' a", ["select-string -x a"]),
    # pipelines, blocks, redirects
    ("ls | % { Get-Content $_ }", ["get-childitem", "ls", "get-content …", "foreach-object {}"]),
    ("git diff 2>&1 | Out-File a.txt", ["git diff >&1", "out-file a.txt"]),
    (
        "'x' > $PROFILE",
        ["write-output x >/home/me/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"],
    ),
    ("Get-Date>x.txt", ["get-date >x.txt"]),
    ("Get-Date\rRemove-Item x", ["get-date", "remove-item x"]),
    ("npm test *> $null", ["npm test &>/dev/null"]),
    ("'.env' | Get-Content", ["get-content -path .env"]),
    ("Remove-Item \u2013Recurse x", ["remove-item -recurse x"]),
    (
        "Copy-Item a $PROFILE.AllUsersAllHosts",
        ["copy-item a /home/me/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"],
    ),
    ("Get-ChildItem a | Remove-Item", ["get-childitem a", "remove-item -path a/*"]),
    (
        "if (Test-Path a) { Get-Item a } else { Get-Item b }",
        ["test-path a", "get-item a", "get-item b"],
    ),
    ("foreach ($f in Get-ChildItem) { Get-Content $f }", ["get-childitem", "get-content …"]),
    (
        "try { Get-Item a } catch { Get-Item b } finally { Get-Item c }",
        ["get-item a", "get-item b", "get-item c"],
    ),
    ("switch ($x) { 'a' { Get-Item a } default { Get-Item b } }", ["get-item a", "get-item b"]),
    ("for ($i = 0; $i -lt 3; $i++) { Get-Item $i }", ["get-item …"]),
    ("do { Get-Item a } while ($x)", ["get-item a"]),
    ("function F($a) { Get-Item $a }; F b", ["get-item …", "F b"]),
    ("a && b || c", ["a", "b", "c"]),
    ('"n: $(Get-Date)"', ["get-date"]),
    # call operators
    ("& 'C:\\a b\\x.exe' -y", ["C:/a b/x.exe -y"]),
    ("& { Get-Item a }", ["get-item a", ""]),
    (". .\\setup.ps1", [". ./setup.ps1"]),
    ("& ('i' + 'ex') x", ["invoke-expression x", "x"]),
    ("i`ex x", ["invoke-expression x", "x"]),
    ("iex 'Get-Item a'", ["invoke-expression Get-Item a", "get-item a"]),
    # .NET
    ("[System.IO.File]::Delete('C:\\a')", ["remove-item C:/a"]),
    ("[IO.Directory]::Delete('a', $true)", ["remove-item -recurse a"]),
    ("[IO.File]::WriteAllText('a', 'b')", ["set-content a b"]),
    (
        "(New-Object Net.WebClient).DownloadString('http://x')",
        ["new-object Net.WebClient", "invoke-webrequest http://x"],
    ),
    ("[math]::Round(1.5)", []),
]


@each_row("text, commands", READINGS)
def test_a_script_is_the_commands_it_would_run(text: str, commands: list[str]) -> None:
    assert told(text) == commands


def test_an_environment_variable_holds_for_what_follows() -> None:
    script = read("$env:A = 'b'; npm test")
    assert [(one.name, one.value.text) for one in script.commands[-1].assignments] == [("A", "b")]


def test_a_change_of_folder_holds_for_what_follows() -> None:
    folders = [
        one.cwd for one in read("cd web; Get-Item a; cd D:\\x; Get-Item b; cd $y; git log").commands
    ]
    assert folders == ["/shop", "/shop/web", "/shop/web", "/d/x", "/d/x", None]


INCOMPLETE = [
    "Get-Item 'a",
    "Get-Item (a",
    "i`ex x",
    "& $x",
    ". ./a.ps1",
    "Get-Item a &",
    "class A { }",
    "using module x",
    "[Foo.Bar]::Baz()",
    "$x.Delete2()",
    "$x.$y()",
    "(gci).ForEach('Delete')",
    "(Get-Item a).IsReadOnly = $true",
    "$PSDefaultParameterValues['*:Path'] = 'x'; $OFS = 'x'",
    "Set-Alias ls rm",
    "function ls { }",
    "function Get-Item { }",
    "$env:GITHUB_TOKEN",
    "cmd --% /c dir",
    "git -c.x y",
    "Get-Item \u201ca\u201d",
    "Get-Item a\u200bb",
    'echo "a"b',
    "$function:prompt = { x }",
    "trap { x }",
    "Get-Item a < b",
    "#requires -modules x\nGet-Date",
    "Get-Date>x.txt",
    "echo a>x.txt",
    "Get-Date\rRemove-Item x",
    "(Get-Item a).Replace('b', $null)",
    "[regex]::CompileToAssembly($a, $b)",
    "Get-Content \\\\?\\UNC\\machine\\folder\\x",
    "Get-ChildItem \\\\machine\\folder",
    "Test-Path //machine/folder",
    "Get-Content Env:\\GITHUB_TOKEN",
    "Get-ChildItem HKLM:\\SAM",
    "$PSDefaultParameterValues['*:Path'] = 'x'",
    "Remove-Item \u2013Recurse x",
    "x" * (LONGEST + 1),
]


@pytest.mark.parametrize("text", INCOMPLETE)
def test_what_is_not_known_by_name_is_a_gap(text: str) -> None:
    assert not read(text).complete


COMPLETE = [
    "git status --short; git diff --stat | Select-Object -Last 5",
    "Get-ChildItem C:\\ -Recurse | Where-Object { $_.Length -gt 1MB } | Sort-Object Length",
    "$x = @{ a = 1; 'b' = @(1, 2) }; foreach ($k in $x.Keys) { \"$k $($x[$k])\" }",
    "\"{0} {1}\" -f $a, ($b -replace 'x', 'y')",
    "[pscustomobject]@{ Name = 'a'; Size = [int]$b }",
]


@pytest.mark.parametrize("text", COMPLETE)
def test_everyday_scripts_are_read_in_full(text: str) -> None:
    assert read(text).gaps == ()


@given(st.text(alphabet="abZ-$@(){}[]'\"`;|&#<>=,.: \n\\%?!+1_*é\u2019"))
def test_no_text_breaks_the_reader(text: str) -> None:
    script = read(text)
    assert isinstance(script, Script)
    parsers_agree(text)


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "{",
        "$(",
        "@{",
        "'",
        '"',
        "[",
        "[a[",
        "<#",
        "a|",
        "$x=",
        "[a]",
        "-x ",
        "`",
        "@'\n",
        "a.b(",
        '"$(',
    ],
)
def test_reading_takes_linear_work(piece: str) -> None:
    """Counted in steps of the interpreter, not in seconds."""
    steps = [_steps(piece * count) for count in (500, 1_000)]
    assert steps[1] <= 3 * steps[0] + 2_000


def _steps(text: str) -> int:
    count = 0

    def step(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(step)
    try:
        read(text)
    finally:
        sys.setprofile(before)
    return count
