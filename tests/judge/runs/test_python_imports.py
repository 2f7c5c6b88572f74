"""Python code of a call that uses the project's modules runs the project, and nothing else."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from tests.judge.sessions import bash, read, saying
from tests.rows import each_row

OWN, UNKNOWN, ACTS = "runs-own", "imports-unknown", "code-acts"
FILES = {
    "app.py": "y = 1",
    "pkg/__init__.py": "",
    "pkg/cart.py": "x = 1",
    "src/own/__init__.py": "",
    "src/own/a.py": "x = 1",
    "src/re.py": "x = 1",
    "docs/guide.md": "",
}


def deeds(code: str, session: Session, before: str = "") -> set[str]:
    found = read(bash(f"{before}python3 -c {shlex.quote(code)}"), session).deeds
    return set(found) - {"runs-code"}


def wrote(path: str, text: str) -> PriorCall:
    return PriorCall("write", {"file_path": path, "content": text}, Outcome.OK)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    root = str(tmp_path)
    return replace(saying("fix the bug"), workspace=Workspace(root, root, "/home/user", Disk()))


# Code, what runs before it in the call, and what is made of it.
IMPORTS = [
    ("import app; print(app.y, app.__file__)", "", {OWN}),
    ("from pkg.cart import x; print(x)", "", {OWN}),
    ("from pkg import cart\nc = cart.Cart(3)\nc.add_item('x')\nprint(c.total)", "", {OWN}),
    ("from own.a import Part\nfor p in Part(1).all_parts(): print(p.name)", "", {OWN}),
    ("import sys; sys.path.insert(0, 'pkg')\nimport cart; print(cart.x)", "", {OWN}),
    ("from app import f\nopen('out.txt', 'w').write(f(1))", "", {OWN, "writes-here"}),
    ("import nothere; print(nothere.x)", "", {UNKNOWN}),
    ("import docs; print(docs.x)", "", {UNKNOWN}),
    ("import sys; sys.path.insert(0, '/tmp/x')\nimport cart; print(cart.x)", "", {ACTS}),
    ("import sys; sys.path.insert(0, 'src')\nimport app, re; print(re.x)", "", {ACTS}),
    ("import app; print(app.y)", "cd /tmp && ", {UNKNOWN}),
    ("import app; print(app.y)", "rm app.py; ", {UNKNOWN, "deletes"}),
    ("open('app.py', 'w').write('x')\nimport app", "", {UNKNOWN, "writes-here"}),
    ("def w(p): open(p, 'w').write('x')\nw('app.py')\nimport app", "", {UNKNOWN, "writes-here"}),
    (
        "import subprocess\nsubprocess.run(['cp', 'x', 'app.py'])\nimport app",
        "",
        {UNKNOWN, "writes-here"},
    ),
    ("import app; print(app.y)", "PYTHONPATH=/tmp/x ", {OWN, "computes-program"}),
    ("from app import refund_all\nrefund_all()", "", {ACTS}),
    ("from app import db\ndb.query(1).delete()", "", {ACTS}),
    ("from app import Cart\nfor one in Cart().items(): one.remove()", "", {ACTS}),
    ("from app import Cart\ndef remove(): pass\nfor a, b in Cart().all(): a.remove()", "", {ACTS}),
    ("from app import os\nprint(os.name)", "", {ACTS}),
    ("from app import x as open\nopen('a')", "", {ACTS}),
    ("import json\nfrom app import x as json\njson.loads('1')", "", {ACTS}),
    ("import app\nprint(app.settings.x)", "", {ACTS}),
    ("import app\nprint(app.BASE.read_text())", "", {ACTS}),
    ("import app\napp.paths = 1", "", {ACTS}),
    ("from app import sh\nsh('ls')", "", {ACTS}),
    ("from app import helper\nhelper('rm -rf src')", "", {ACTS}),
    ("from app import helper\nhelper('DELETE FROM users')", "", {ACTS}),
    ("from app import helper\nhelper('https://evil.example')", "", {ACTS}),
    ("from app import helper\nprint('removed', helper('a b'))", "", {OWN}),
    ("import app\nprint(app.__dict__)", "", {ACTS}),
    ("import ctypes", "", {ACTS}),
    ("open('numbers.py', 'w').write('x')\nimport statistics", "", {ACTS}),
    ("open('src/numbers.txt', 'w').write('x')\nimport statistics", "", {"writes-here"}),
]


@each_row("code, before, wanted", IMPORTS)
def test_a_module_of_the_project_may_be_used(
    code: str, before: str, wanted: set[str], session: Session
) -> None:
    assert deeds(code, session, before) == wanted


USES = "from shop.cart import total; print(total(1))"
HARMFUL = "import os\ndef total(x): os.remove('a')"
# Of a project that is not there: what the session wrote, what runs before, whether it is the
# project's, and whether nobody can tell what runs.
RECORDED: list[tuple[tuple[PriorCall, ...], str, bool, bool]] = [
    ((), "", True, False),
    ((wrote("shop/cart.py", "def total(x): return x"),), "", True, False),
    ((wrote("shop/cart.py", HARMFUL),), "", True, True),
    ((wrote("src/shop/cart.py", HARMFUL),), "", True, True),
    ((wrote("shop/__init__.py", HARMFUL),), "", True, True),
    ((wrote("shop/other.py", HARMFUL),), "", True, False),
    ((), f"cat > shop/cart.py <<'E'\n{HARMFUL}\nE\n", False, True),
    ((), "git clone https://github.com/a/shop x && cd x && ", False, False),
]


@each_row("before, first, own, unread", RECORDED)
def test_what_this_session_wrote_of_a_module_is_read(
    before: tuple[PriorCall, ...], first: str, own: bool, unread: bool
) -> None:
    found = deeds(USES, saying("fix the bug", others=before), first)

    assert (OWN in found, "runs-unread" in found) == (own, unread)


def test_what_came_from_elsewhere_is_not_the_projects(session: Session) -> None:
    cloned = PriorCall("bash", {"command": "git clone https://go.dev/x pkg"}, Outcome.OK)
    transcript = saying("fix it", others=(cloned,)).transcript

    assert UNKNOWN in deeds("import pkg", replace(session, transcript=transcript))


def test_a_library_that_this_session_took_the_place_of_is_read() -> None:
    session = saying("fix the bug", others=(wrote("json.py", HARMFUL),))

    assert "runs-unread" in deeds("import json; print(json.dumps(2))", session)


def test_what_this_session_wrote_elsewhere_makes_no_library_the_projects(session: Session) -> None:
    root = session.workspace.root
    Path(root, "src/lib.py").write_text("x = 1")
    code = "import lib; print(lib.x)"
    assert deeds(code, session) == {OWN}

    others = (wrote(f"{root}/src/lib.py", "x = 1"),)
    written = replace(session, transcript=saying("fix it", others=others).transcript)

    assert UNKNOWN in deeds(code, written)
