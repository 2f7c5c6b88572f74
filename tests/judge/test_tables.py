"""What calls act upon and what users name, table by table."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.assemble import READER
from automode.core.call import ToolCall
from automode.core.tools import tool_call
from automode.core.transcript import PriorCall, UserMessage
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.facts.place import recorded_workspace
from automode.judge.acts import Acts, acts_of
from automode.judge.calls.file_deeds import is_product, redirect_touches, touches
from automode.judge.calls.needs import converts, hosts_in, named_by
from automode.judge.calls.network import strangers_in
from automode.judge.calls.tasks import USUAL, unusual
from automode.judge.consent.asked import Asked, request_state
from automode.judge.consent.objects import NOTHING, Name, file_name, is_named_in
from automode.judge.consent.requests import (
    LONGEST_MESSAGE,
    MOST_MESSAGES,
    doubts,
    halts,
    only_looks,
    takes_back,
    users_words,
)
from automode.judge.deeds import deeds
from automode.judge.hosts import host_of, is_here
from automode.judge.reading import CallReader, stays_on_page
from automode.programs.call_facts import CommandFacts
from automode.programs.javascript_code import prove_javascript, reached_from_page
from automode.programs.python_code import prove_python
from automode.shell.script import HOLE, Command
from tests.judge.sessions import TABLES, WORKSPACE, bash, read, saying
from tests.rows import each_row

HOME = "/home/user"
CALLS = CallReader()
SKILLS = recorded_workspace("/home/user/projects/acme-skills", HOME)


def _commands(script: str) -> tuple[Command, ...]:
    return READER.full(script, WORKSPACE).commands


def _acts(call: ToolCall) -> Acts:
    return acts_of(call, read(call, saying()), WORKSPACE)


def _names(command: str, deed: str) -> str:
    return " ".join(name.text for name in _acts(bash(command)).of.get(deed, NOTHING).names)


def _touched(script: str) -> str:
    found = {
        f"{touch.how} {touch.path}"
        for command in _commands(script)
        for touch in (*touches(command), *redirect_touches(command))
    }
    return ", ".join(sorted(found))


def _converts(script: str) -> bool:
    return converts(_commands(script)[-1], WORKSPACE)


def _generates(script: str) -> bool:
    return "runs-fetched" not in read(bash(script), saying()).deeds


def _page_script(code: str) -> str:
    if reached_from_page(code, acting=False) is not None:
        return "looks"
    return "acts" if stays_on_page(code) else "leads away"


def _python(code: str) -> list[str] | None:
    found = prove_python(code)
    return None if found is None else list(found.written)


def _starts(code: str) -> str:
    call = bash("python3 -c " + shlex.quote("import os, subprocess, sys\n" + code))
    return " ".join(sorted({*read(call, saying()).deeds} - {"runs-code"}))


def _tasks(script: str) -> list[str]:
    return [
        task.name
        for command in _commands(script)
        for task in unusual(CommandFacts(command, WORKSPACE))
        if task.deed != USUAL
    ]


def _is_product(root: str, path: str) -> bool:
    place = SKILLS if root == "skills" else WORKSPACE
    return is_product(f"{place.root}/{path}".replace("/acme-skills/../", "/"), place)


# In a project that lies below `prod`.
WHERE = [
    ("node /srv/prod/shop/x.mjs", False),
    ("node -e \"import('/srv/prod/shop/a.js')\"", False),
    ("node /srv/prod/other/x.mjs", True),
    ("rsync -a . host:/srv/prod/shop", True),
    ("scp a ssh://h//srv/prod/shop/a", True),
    ("make deploy ENV=prod", True),
]


@each_row("command, production", WHERE)
def test_where_the_project_lies_says_nothing_of_a_command(command: str, production: bool) -> None:
    place = recorded_workspace("/srv/prod/shop", HOME)
    session = replace(saying(), workspace=place)
    found = acts_of(bash(command), read(bash(command), session), place).of

    assert any("production" in one.qualifiers for one in found.values()) is production


NAMED: list[tuple[Name, str, bool]] = [
    (Name("src/old.py"), "delete src/old.py", True),
    (Name("src/old.py"), "delete old.py", True),
    (Name("src/legacy.py"), "delete the legacy module", True),
    (Name("src/old.py"), "delete old.pyc", False),
    (Name("src"), "delete src/old.py", False),
    (Name("release/2.3"), "delete release/2.3-rc1", False),
    (Name("rg-sandbox"), "delete rg-sandbox-anna", False),
    (Name("presence"), "drop presence_old", False),
    (Name("v1.8.0"), "delete v1.8.0-rc2", False),
    (Name("ci-check", whole=True), "remove tmp/ci-check", False),
    (Name("main", whole=True), "rebase on origin/main", True),
    (Name("acme/api:1.4"), "push api 1.4 of acme", True),
    (Name("acme/api:1.4"), "push api 1.5 of acme", False),
    (Name("vite@6"), "upgrade vite", True),
    (Name("production"), "deploy to prod", True),
    (Name("production"), "deploy to staging", False),
    (Name("acme-staging", location=True), "deploy to staging", True),
    (Name("acme-prod", location=True), "deploy acme to staging", False),
    (Name("clicks.*"), "delete the topic clicks.test", False),
    (Name("*.snap"), "delete all snap files", True),
    (Name(f"feature/{HOLE}"), "push feature/x", False),
    (Name("old.txt"), "删除 old.txt", True),
    (file_name("/w/.github/workflows/ci.yml"), "update the workflow", True),
    (file_name("/w/AGENTS.md"), "the agents page is slow", False),
]
PRODUCTS = [
    ("skills", "skills/search/SKILL.md", True),
    ("skills", "plugins/acme/skills/search/SKILL.md", True),
    ("skills", ".claude/skills/search/SKILL.md", False),
    ("skills", ".agents/skills/search/SKILL.md", False),
    ("skills", "AGENTS.md", False),
    ("skills", "skills/search/run.sh", False),
    ("skills", "../shop/skills/search/SKILL.md", False),
    ("shop", "skills/deploy/SKILL.md", False),
    ("shop", "src/kit/skills/deploy/SKILL.md", True),
    ("shop", "internal/templates/skills/deploy/SKILL.md", True),
    ("shop", "src/.claude/skills/deploy/SKILL.md", False),
    ("shop", "src/AGENTS.md", False),
    ("shop", "docs/skills/deploy/SKILL.md", False),
    ("shop", "plugins/shop/skills/deploy/SKILL.md", False),
]
LOOKS = [
    ("Check this repo", True),
    ("Give me an overview of the codebase", True),
    ("Review this repo and run its tests", False),
    ("The project fails to build", False),
    ("Explain src/app.py", False),
]
DOUBTS = [
    ("I'd rather you didn't", True),
    ("hmm, wrong address", True),
    ("I'll do it myself", True),
    ("can we postpone that?", True),
    ("yes", False),
    ("use a better message", False),
    ("also bump the version", False),
    ("what is in it?", False),
    ("ok, keep going", False),
]
HALTS = [
    ("wait, stop", True),
    ("never mind, we look at it later. commit, push and open a draft PR", False),
]
HERE = [
    *((host, True) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "app.localhost")),
    *((host, False) for host in ("", "localhost.evil.example", "1.2.3.4", "10.0.0.1", "intranet")),
]
# What is looked at, and rows that end with what is found.
CHECKED: dict[str, tuple[Callable[..., object], list[tuple[object, ...]]]] = {
    "a command has names that need a word": (_names, TABLES["object_names"]),
    "what reaches further is told": (
        lambda command, deed: " ".join(sorted(_acts(bash(command)).of[deed].qualifiers)),
        [(a, b, " ".join(sorted(c.split()))) for a, b, c in TABLES["qualifiers"]],
    ),
    "words name a deed or do not": (
        lambda deed, messages: request_state(deeds()[deed], messages),
        TABLES["asked"],
    ),
    "effects on files count, not names": (_touched, TABLES["touches"]),
    "a script has to be named in a request": (
        lambda said, script: named_by((said,)).script(script),
        TABLES["named_scripts"],
    ),
    "a file that steers has to be named": (
        lambda said, path: named_by((said,)).file(path, HOME),
        TABLES["named_files"],
    ),
    "outside of the workspace the folder counts": (
        lambda said, path: named_by((said,)).file(path, HOME, inside=False),
        TABLES["named_outside"],
    ),
    "a machine is known by its whole name": (
        lambda said, host: named_by((said,)).host(host),
        TABLES["named_hosts"],
    ),
    "a package has to be named": (
        lambda said, package: named_by((said,)).package(package),
        TABLES["named_packages"],
    ),
    "JavaScript is proved by what it is made of": (
        lambda code: prove_javascript(code) is not None,
        TABLES["javascript"],
    ),
    "a script in a page looks, acts there or leads away": (_page_script, TABLES["page_scripts"]),
    "Python that reads, computes, prints and writes what it names is proved": (
        _python,
        TABLES["python_proved"],
    ),
    "whatever is not listed is not proved": (
        _python,
        [(code, None) for code in (*TABLES["python_not_proved"], "x = 1\n" * 20_000)],
    ),
    "Python does what the programs do that it starts": (_starts, TABLES["python_starts"]),
    "a file that gets nothing is emptied": (
        lambda code: (found := prove_python(code)) is not None and found.fills,
        [("open('a', 'w')", False), ("open('a', 'w').write(' ')", False)],
    ),
    "conversions inside of the workspace": (_converts, TABLES["conversions"]),
    "generators of code that stay in the project": (_generates, TABLES["generators"]),
    "an address names one machine": (host_of, TABLES["hosts"]),
    "registries are read by the name of a package": (
        lambda url: not any(strangers_in(url)),
        TABLES["registries"],
    ),
    "no other machine is this one": (is_here, [*HERE]),
    "a halt takes back": (takes_back, TABLES["takes_back"]),
    "a bare halt says nothing else": (halts, [*HALTS]),
    "a short answer may be a doubt": (doubts, [*DOUBTS]),
    "who only wants to learn what a project is": (only_looks, [*LOOKS]),
    "a text names a thing or another one": (is_named_in, [*NAMED]),
    "a skill is a product where skills are offered": (_is_product, [*PRODUCTS]),
    "what every project has needs no name": (
        lambda command: _tasks(command) == [],
        [(command, True) for command in TABLES["usual_commands"]],
    ),
    "whatever else runs has to be named": (
        lambda command, name: name in _tasks(command),
        [(*row, True) for row in TABLES["unusual_commands"]],
    ),
}


@each_row("name, row", [(name, row) for name, (_, rows) in CHECKED.items() for row in rows])
def test_every_row_of_a_table_holds(name: str, row: tuple[object, ...]) -> None:
    *given_values, wanted = row

    assert CHECKED[name][0](*given_values) == wanted


def test_a_message_has_its_recipients_and_not_its_text() -> None:
    given = {"to": ["a@b.test"], "cc": ["all@b.test"], "subject": "Hi", "body": "see main.py"}

    found = _acts(tool_call("mcp__mail__send_email", given)).of["messages"]

    assert [name.text for name in found.names] == ["a@b.test", "all@b.test"]


def test_a_program_that_starts_another_does_what_that_one_does() -> None:
    found = _acts(bash("sudo systemctl restart nginx; ls")).together

    assert all({"elevates", "services"} <= own for own in found if "elevates" in own)


@given(st.sampled_from(sorted(deeds())), st.lists(st.text(max_size=200), max_size=4))
def test_any_words_get_an_answer(deed: str, messages: list[str]) -> None:
    assert request_state(deeds()[deed], messages) in Asked


@given(st.sampled_from(sorted(deeds())), st.sampled_from(["continue", "fix the header", "1", "hm"]))
def test_only_words_that_name_a_deed_ask_for_it(deed: str, words: str) -> None:
    assert request_state(deeds()[deed], [words]) in (Asked.NO, Asked.AFFIRMED, Asked.FORBIDDEN)


def test_what_a_message_says_of_one_deed_is_not_said_of_another() -> None:
    message = "commit it, but don't push"

    twice = [request_state(deeds()[deed], [message]) for deed in ("commits", "pushes") * 2]

    assert twice == [Asked.LATEST, Asked.FORBIDDEN] * 2


def test_a_manifest_says_that_a_folder_is_a_plug_in(tmp_path: Path) -> None:
    (tmp_path / "plugin" / ".claude-plugin").mkdir(parents=True)
    place = Workspace(str(tmp_path), str(tmp_path), HOME, Disk())

    found = [
        is_product(f"{tmp_path}/{one}/skills/x/SKILL.md", place) for one in ("plugin", "other")
    ]

    assert found == [True, False]


def test_settings_name_machines_in_prose() -> None:
    found = hosts_in(["Our hosts: api.acme.example and https://ci.acme.example/jobs."])

    assert {"api.acme.example", "ci.acme.example"} <= found


def test_words_that_came_since_count_at_once() -> None:
    before = [UserMessage("Fix the Header")]
    assert users_words(before).no_change is False

    after = users_words([*before, PriorCall("bash", {"command": "ls"}), UserMessage("read-only!")])

    assert after.messages == ("Fix the Header", "read-only!")
    assert after.said == "fix the header\nread-only!"
    assert after.no_change is True


def test_the_newest_messages_count_and_each_loses_its_middle() -> None:
    said = [UserMessage(f"{number}" + "x" * LONGEST_MESSAGE + "end") for number in range(50)]

    messages = users_words(said).messages

    assert len(messages) == MOST_MESSAGES
    assert [one[:2] for one in messages] == [str(number) for number in range(10, 50)]
    assert all(one.endswith("end") and len(one) == LONGEST_MESSAGE + 1 for one in messages)


def test_a_bare_yes_says_what_it_answers_and_no_other_message_does() -> None:
    said = [UserMessage("yes", "Shall I push?"), UserMessage("fix the header", "Shall I push?")]

    assert users_words(said).messages == ("yes: Shall I push?", "fix the header")


JOINED = [
    *((words, Asked.LATEST) for words in ("commit/push", "commit & push", "Commit/Push please")),
    *((words, Asked.FORBIDDEN) for words in ("don't commit/push", "do not push/commit")),
    *((words, Asked.NO) for words in ("look at src/push/a.py", "commit/pushed.md is wrong")),
]


@each_row("words, state", JOINED)
def test_two_deeds_joined_by_a_sign_are_both_meant(words: str, state: Asked) -> None:
    messages = users_words([UserMessage(words)]).messages

    assert request_state(deeds()["pushes"], messages) is state


def test_a_path_that_is_put_together_of_texts_is_one_of_the_texts() -> None:
    found = prove_python(
        "import os; print(open(os.path.join('~', '.a' + 'ws', 'credentials')).read())"
    )

    assert found is not None
    assert "~/.aws/credentials" in found.texts
