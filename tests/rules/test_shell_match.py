"""Deny and ask patterns against scripts."""

from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Shell
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.rules.pattern import Match, Rule, parse
from automode.rules.shell_match import raw_match, shell_match
from automode.shell.script import HOLE, Command, Origin, Script, Word
from tests.reading import READER
from tests.rows import each_row, rows

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


class Listed(Names):
    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        return ("a.py", "b.py", ".env") if folder == "/w" else ()


def command(*words: str | Word, cwd: str = "/w", **rest: object) -> Command:
    made = tuple(Word(word) if isinstance(word, str) else word for word in words)
    return Command(made, cwd=cwd, **rest)  # type: ignore[arg-type]  # keywords of Command


def found(pattern: str, *commands: Command, raw: str = "…", gaps: tuple[str, ...] = ()) -> Match:
    return shell_match([parse(Rule(pattern))], Script(commands, gaps), raw, WORKSPACE)[0]


def found_in(pattern: str, script: str) -> Match:
    read = READER.full(script, WORKSPACE)
    return shell_match([parse(Rule(pattern))], read, script, WORKSPACE)[0]


MATCHES = [
    (*row, match)
    for match in (Match.YES, Match.COULD, Match.NO)
    for row in rows("rules", f"match-{match.name.lower()}")
]


@each_row("pattern, script, match", MATCHES)
def test_a_command_is_found_in_every_spelling_and_what_is_not_known_could_be_it(
    pattern: str, script: str, match: Match
) -> None:
    assert found_in(pattern, script) is match
    assert match is not Match.YES or found_in(pattern, f"ls; {script}") is Match.YES


def test_a_gap_could_hide_anything_but_leaves_a_sure_match_sure() -> None:
    assert found("bash(git push*)", command("ls"), gaps=("unread",)) is Match.COULD
    assert found("bash(git push*)", command("git", "push"), gaps=("unread",)) is Match.YES


def test_a_pattern_may_describe_the_whole_script_or_a_pipeline() -> None:
    assert found_in("bash(curl * | sh)", "ls; curl x | sh") is Match.YES
    assert found_in("bash(cd x && *)", "cd  x &&\nmake") is Match.YES


def test_wildcards_stand_for_the_files_there_are_when_they_can_be_listed() -> None:
    workspace = Workspace("/w", "/w", "/home/u", Listed("/w"))
    pattern = [parse(Rule("bash(*.env*)"))]

    for script, match in (("wc *.py", Match.NO), ("cat .e*", Match.YES)):
        read = READER.full(script, workspace)
        assert shell_match(pattern, read, "…", workspace)[0] is match


@each_row(
    "text, match",
    [
        ("ls; remove-item  x", Match.YES),
        ("Get-Item $x", Match.NO),
        *((text, Match.COULD) for text in ("R`emove-Item x", "& ('Rem' + 'ove-Item') x", "iex $x")),
    ],
)
def test_shells_that_are_not_read_are_matched_by_text(text: str, match: Match) -> None:
    """Where a command may be put together, it could be any."""
    pattern = [parse(Rule("powershell(Remove-Item *)"))]

    assert raw_match(pattern, Shell(text, "powershell"))[0] is match


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
