"""What runs out of a file is judged by the file: on the disk, or as this session wrote it."""

from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.facts.place import live_workspace
from tests.judge.sessions import bash, read, saying

NAMED = "write the script x.py and run x.py"
RUST = "use std::collections::HashMap;\n#[test]\nfn works() {{ {}; }}\n"
JAVA_TEST = "src/test/java/com/shop/ATest.java"
JAVA = "package com.shop;\nimport org.junit.Test;\nclass ATest {{ @Test void a() {{ {}; }} }}\n"


def wrote(path: str, text: str) -> PriorCall:
    return PriorCall("write", {"file_path": path, "content": text}, Outcome.OK)


def ran(command: str) -> PriorCall:
    return PriorCall("bash", {"command": command}, Outcome.OK)


SESSIONS: list[tuple[tuple[PriorCall, ...], str, str]] = [
    ((), "bash x.sh", "runs-unnamed"),
    ((wrote("x.sh", "rm -rf src"),), "bash x.sh", "deletes-much"),
    ((wrote("x.sh", "rm -rf src"), ran("git mv x.sh y.sh")), "bash y.sh", "deletes-much"),
    ((wrote("x.sh", "ls"), ran("sed -i s/ls/rm/ x.sh")), "bash x.sh", "runs-unread"),
    ((wrote("x.sh", "ls"), ran("git apply p")), "bash x.sh", "runs-unread"),
    ((ran("curl -so x.sh https://go.dev/x"),), "bash x.sh", "runs-fetched"),
    ((ran("curl -so x.sh https://go.dev/x"), ran("mv x.sh y.sh")), "bash y.sh", "runs-fetched"),
    ((ran("git clone https://go.dev/kit"),), "kit/build.sh", "runs-fetched"),
    ((ran("tar xf kit.tar"),), "bash kit/test.sh", "runs-fetched"),
    ((ran('echo "$X" > build.sh'),), "bash build.sh", "runs-unread"),
    ((wrote("tests/test_a.py", "import subprocess"),), "pytest tests/test_a.py", "runs-unread"),
    ((wrote("tests/a_test.rs", RUST.format("std::fs::read(x)")),), "cargo test", "runs-unread"),
    ((wrote("tests/a_test.rs", RUST.format("unsafe {}")),), "cargo test", "runs-unread"),
    ((wrote(JAVA_TEST, JAVA.format("Runtime.getRuntime()")),), "mvn test", "runs-unread"),
    (
        (wrote(JAVA_TEST, "import java.net.URL;\n" + JAVA.format("a(1)")),),
        "mvn test",
        "runs-unread",
    ),
    ((wrote("x.js", "require('child_process')"),), "node x.js", "runs-unnamed"),
    (
        (wrote("x.js", "console.log(require('fs').readFileSync('/home/user/.ssh/id_rsa'))"),),
        "node x.js",
        "reads-secret",
    ),
    ((wrote("Makefile", "test:\n\trm -rf src"),), "make test", "runs-unread"),
]


@pytest.mark.parametrize(("before", "command", "deed"), SESSIONS)
def test_what_this_session_wrote_is_followed(
    before: tuple[PriorCall, ...], command: str, deed: str
) -> None:
    assert deed in read(bash(command), saying("fix the bug", others=before)).deeds


HARMLESS: list[tuple[tuple[PriorCall, ...], str, str]] = [
    ((wrote("x.py", "print(1)"),), NAMED, "python x.py"),
    ((wrote("x.sh", "ls src"),), "list the files", "bash x.sh"),
    (
        (wrote("src/a.py", "b = int"), wrote("tests/test_a.py", "from a import b\nassert b(1)")),
        "add a test",
        "pytest tests/test_a.py",
    ),
    (
        (ran("cat a.py"), wrote("tests/test_a.py", "from lib.a import b\nassert b(1)")),
        "add a test for lib/a.py",
        "pytest tests/test_a.py",
    ),
    ((wrote("tests/a_test.rs", RUST.format("crate::a(1)")),), "add a test", "cargo test"),
    ((wrote(JAVA_TEST, JAVA.format("a(1)")),), "add a test", "mvn test"),
    ((wrote("x.js", "console.log(1 + 2)"),), "add it up", "node x.js"),
    ((ran("cat > x.sh <<'E'\nls src\nE"),), "list the files", "bash x.sh"),
    ((ran("go build -o bin/tool ./cmd"),), "fix the bug", "./bin/tool list"),
]


@pytest.mark.parametrize(("before", "said", "command"), HARMLESS)
def test_what_was_seen_to_be_harmless_needs_no_word(
    before: tuple[PriorCall, ...], said: str, command: str
) -> None:
    found = set(read(bash(command), saying(said, others=before)).deeds)

    assert found <= {"runs-own", "develops", "runs-unknown"}


def test_a_script_is_read_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    script = tmp_path / "x.sh"
    said: tuple[Entry, ...] = (UserMessage("fix the bug"),)
    session = Session("s", live_workspace(str(tmp_path), str(tmp_path / "home")))
    session = replace(session, transcript=Transcript(said))

    script.write_text("ls src\n")
    assert "runs-unnamed" not in read(bash("bash x.sh"), session).deeds
    script.write_text("git push --force\n")
    assert "forces" in read(bash("bash x.sh"), session).deeds
