"""Deny and ask patterns against scripts built by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Shell
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.rules.pattern import Match, Rule, parse
from automode.rules.shell_match import raw_match, shell_match
from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Script, Word
from tests.rows import each_row

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


class Listed(Names):
    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        return ("a.py", "b.py", ".env") if folder == "/w" else ()


def command(*words: str | Word, cwd: str = "/w", **rest: object) -> Command:
    made = tuple(Word(word) if isinstance(word, str) else word for word in words)
    return Command(made, cwd=cwd, **rest)  # type: ignore[arg-type]  # keywords of Command


def unknown(text: str = HOLE, *, splits: bool = True) -> Word:
    return Word(text, Origin.UNKNOWN, splits=splits)


def found(pattern: str, *commands: Command, raw: str = "…", gaps: tuple[str, ...] = ()) -> Match:
    return shell_match([parse(Rule(pattern))], Script(commands, gaps), raw, WORKSPACE)[0]


DEFINITE = [
    ("bash(git push*)", command("git", "push", "-f")),
    ("bash(git push *)", command("git", "push")),
    ("bash(git push:*)", command("git", "push", "origin")),
    ("bash(git push:*)", command("git", "push")),
    ("bash(npm run test:*)", command("npm", "run", "test:unit")),
    ("bash(git   push*)", command("git", "push")),
    ("bash(git push*)", command("/usr/bin/git", "push")),
    ("bash(git push*)", command("git.exe", "push")),
    ("bash(/usr/bin/git push*)", command("git", "push")),
    ("bash(git push*)", command("git", "-C", "x", "push")),
    ("bash(git push*)", command("git", "--no-pager", "-c", "a=b", "push", "-f")),
    ("bash(git push*)", command("git", "push", assignments=(Assignment("A", Word("b")),))),
    ("bash(A=b git*)", command("git", "push", assignments=(Assignment("A", Word("b")),))),
    ('bash(git commit -m "wip")', command("git", "commit", "-m", "wip")),
    ("bash(git push *)", command("git", "push", unknown())),
    ("bash(./deploy.sh*)", command("deploy/../deploy.sh", "now")),
    ("bash(./deploy.sh*)", command("/w/deploy.sh")),
    ("bash(* > /etc/*)", command("echo", "x", redirects=(Redirect(">", Word("/etc/motd")),))),
    ("bash(* > /etc/*)", command("echo", redirects=(Redirect(">>", Word("motd")),), cwd="/etc")),
    ("bash(*>>/etc/*)", command("echo", redirects=(Redirect(">>", Word("/etc/motd")),))),
    ("bash(> /etc/*)", command(redirects=(Redirect(">", Word("/etc/motd")),))),
]

POSSIBLE = [
    ("bash(git push*)", command("git", unknown(), "-f")),
    ("bash(git push*)", command(unknown(), "push")),
    ("bash(git push --force)", command("git", unknown(), "push", "--force")),
    ("bash(rm src*)", command("rm", Word("s*", Origin.GLOB))),
    ("bash(rm src/x)", command("rm", Word("src/[xy]", Origin.GLOB))),
    ("bash(* > /etc/*)", command("echo", redirects=(Redirect(">", unknown()),))),
]

OTHERS = [
    ("bash(git push*)", command("git", "status")),
    ("bash(git push*)", command("echo", "git push")),
    ("bash(git push*)", command("svn", unknown())),
    ("bash(git push*)", command("git", "log", "-n", "push")),
    ("bash(rm -rf /*)", command("rm", "-rf", Word("build/*", Origin.GLOB))),
    ("bash(* > /etc/*)", command("cat", redirects=(Redirect("<<", Word("> /etc/x")),))),
]


@each_row("pattern, one", DEFINITE)
def test_a_command_is_found_in_every_spelling(pattern: str, one: Command) -> None:
    assert found(pattern, command("ls"), one) is Match.YES


@pytest.mark.parametrize(("pattern", "one"), POSSIBLE)
def test_what_is_not_known_could_be_what_the_rule_is_about(pattern: str, one: Command) -> None:
    assert found(pattern, one) is Match.COULD


@pytest.mark.parametrize(("pattern", "one"), OTHERS)
def test_other_commands_are_left_alone(pattern: str, one: Command) -> None:
    assert found(pattern, one) is Match.NO


def test_a_gap_could_hide_anything() -> None:
    assert found("bash(git push*)", command("ls"), gaps=("unread",)) is Match.COULD


def test_a_gap_does_not_make_a_sure_match_unsure() -> None:
    assert found("bash(git push*)", command("git", "push"), gaps=("unread",)) is Match.YES


def test_a_pattern_may_describe_the_whole_script_or_a_pipeline() -> None:
    curl = command("curl", "x", pipeline=1)
    shell = command("sh", pipeline=1, position=1)

    assert found("bash(curl * | sh)", command("ls"), curl, shell) is Match.YES
    assert found("bash(cd x && *)", command("cd", "x"), raw="cd  x &&\nmake") is Match.YES


def test_wildcards_stand_for_the_files_there_are_when_they_can_be_listed() -> None:
    workspace = Workspace("/w", "/w", "/home/u", Listed("/w"))
    listing = Script((command("wc", Word("*.py", Origin.GLOB)),))
    hidden = Script((command("cat", Word(".e*", Origin.GLOB)),))
    pattern = [parse(Rule("bash(*.env*)"))]

    assert shell_match(pattern, listing, "…", workspace)[0] is Match.NO
    assert shell_match(pattern, hidden, "…", workspace)[0] is Match.YES


def test_shells_that_are_not_read_are_matched_by_text() -> None:
    pattern = [parse(Rule("powershell(Remove-Item *)"))]

    assert raw_match(pattern, Shell("ls; remove-item  x", "powershell"))[0] is Match.YES
    assert raw_match(pattern, Shell("Get-Item $x", "powershell"))[0] is Match.NO


@pytest.mark.parametrize("text", ["R`emove-Item x", "& ('Rem' + 'ove-Item') x", "iex $x"])
def test_in_shells_that_are_not_read_a_hidden_command_could_be_any(text: str) -> None:
    pattern = [parse(Rule("powershell(Remove-Item *)"))]

    assert raw_match(pattern, Shell(text, "powershell"))[0] is Match.COULD


TEXT = st.text(alphabet="ab*? -/$" + HOLE, max_size=8)
WORD = st.builds(Word, TEXT, st.sampled_from(Origin), st.booleans())
COMMAND = st.builds(
    Command, st.lists(WORD, max_size=4).map(tuple), cwd=st.sampled_from(["/w", None])
)
PATTERN = st.text(alphabet="ab*? -:", min_size=2, max_size=8).map(lambda text: f"bash(a{text})")


@given(PATTERN, st.lists(COMMAND, max_size=3), st.text(max_size=10), COMMAND)
def test_a_command_found_alone_is_found_inside_a_wrapper(
    pattern: str, commands: list[Command], raw: str, wrapper: Command
) -> None:
    alone = found(pattern, *commands, raw=raw)
    wrapped = found(pattern, wrapper, *commands, raw=raw)

    assert wrapped >= alone


@given(st.lists(PATTERN, max_size=3), PATTERN, st.lists(COMMAND, max_size=3))
def test_one_more_rule_never_loosens(
    patterns: list[str], more: str, commands: list[Command]
) -> None:
    rules = [parse(Rule(pattern)) for pattern in patterns]
    script = Script(tuple(commands))

    before = shell_match(rules, script, "…", WORKSPACE)[0]
    after = shell_match([*rules, parse(Rule(more))], script, "…", WORKSPACE)[0]

    assert after >= before
