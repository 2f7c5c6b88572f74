"""The floor: each guard by its examples; wrapping does not help, nothing makes it raise."""

import asyncio
import shlex
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.workspace import Kind, Workspace
from automode.facts.files import Names
from automode.guards.floor.layer import GUARDS, Floor
from automode.guards.guard import Guard
from automode.programs.inline_code import shell_calls
from tests.reading import facts_of
from tests.rows import each_row, either, rows, texts

HOME, ROOT = "/home/u", "/w/p"
REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "guards"
WORKSPACE = Workspace(ROOT, ROOT, HOME, Names(ROOT))
FLOOR = Floor()


def judged(example: str, floor: Floor = FLOOR) -> Decision | None:
    """A floor's answer to an example as guards write them."""
    if example.startswith("write: "):
        call = ToolCall("write", Write((example.removeprefix("write: "),)))
    else:
        call = ToolCall("bash", Shell(example))
    return floor.judge(facts_of(call, WORKSPACE))


def shell(command: str, dialect: str = "bash", workspace: Workspace = WORKSPACE) -> Decision | None:
    return FLOOR.judge(facts_of(ToolCall("bash", Shell(command, dialect)), workspace))


WRAPPERS: dict[str, Callable[[str], str]] = {
    "bash -c": lambda s: f"bash -c {shlex.quote(s)}",
    "sh -c": lambda s: f"sh -c {shlex.quote(s)}",
    "sudo bash -c": lambda s: f"sudo bash -c {shlex.quote(s)}",
    "env bash -c": lambda s: f"env A=1 bash -c {shlex.quote(s)}",
    "eval": lambda s: f"eval {shlex.quote(s)}",
    "subshell": lambda s: f"( {s}\n)",
    "group": lambda s: f"{{ {s}\n}}",
    "substitution": lambda s: f"echo $( {s}\n)",
    "condition": lambda s: f"if true; then {s}\nfi",
    "after a safe command": lambda s: f"ls && true\n{s}",
    "timeout": lambda s: f"timeout 5 bash -c {shlex.quote(s)}",
    "here string": lambda s: f"bash <<< {shlex.quote(s)}",
    "here document": lambda s: f"bash <<'END{len(s)}'\n{s}\nEND{len(s)}",
    "loop": lambda s: f"for i in 1 2; do {s}\ndone",
    "xargs": lambda s: f"echo x | xargs -I % bash -c {shlex.quote(s)}",
}
EXAMPLES = tomllib.loads(
    files("automode.guards.floor").joinpath("examples.toml").read_text("utf-8")
)
# One that is broken on its own (an open quote) cannot be wrapped.
STOPS = [example for row in EXAMPLES.values() for example in row["stops"]]
DENIED = [e for e in STOPS if not e.startswith("write: ") and "oops" not in e]


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.id)
def test_a_guard_stops_what_it_says_it_stops_and_lets_look_alikes_pass(guard: Guard) -> None:
    alone, row = Floor(guards=(guard,)), EXAMPLES[guard.id]
    for example in row["stops"]:
        decision, by_itself = judged(example), judged(example, alone)
        assert decision is not None, example
        assert (decision.verdict, decision.clearable) == (Verdict.DENY, False), example
        assert decision.way_out, example
        assert by_itself is not None, example
        assert by_itself.source == f"floor.{guard.id}", example
    assert [example for example in row["passes"] if judged(example) is not None] == []
    assert min(len(row["stops"]), len(row["passes"])) >= 6
    assert row["about"]
    assert guard.reason == guard.reason.strip(". ")


def test_every_guard_has_an_id_examples_and_a_page_and_no_other_has() -> None:
    ids = [guard.id for guard in GUARDS]
    pages = {page.stem for page in REFERENCE.glob("*.md")}

    assert len(set(ids)) == len(ids)
    assert set(ids) == set(EXAMPLES) == pages


@each_row("wrapper", WRAPPERS)
def test_wrapping_a_denied_script_does_not_help(wrapper: str) -> None:
    escaped = [example for example in DENIED if shell(WRAPPERS[wrapper](example)) is None]
    assert escaped == []


@given(st.sampled_from(DENIED), st.lists(st.sampled_from(sorted(WRAPPERS)), min_size=2, max_size=3))
def test_wrapping_several_times_does_not_help(example: str, wrappers: list[str]) -> None:
    text = example
    for wrapper in wrappers:
        text = WRAPPERS[wrapper](text)
    assert shell(text) is not None


WINDOWS = either("guards", "floor-disasters-windows-shells", "floor-ordinary-work-windows-shells")


@each_row("command, disaster", WINDOWS)
def test_disasters_in_windows_shells_are_denied_and_ordinary_work_passes(
    command: str, disaster: bool
) -> None:
    for dialect in ("powershell", "cmd") if disaster else ("powershell",):
        assert (shell(command, dialect) is not None) is disaster


ODD = ["'rm' -rf /", 'r""m -rf /', "\\rm -rf /", "$'\\x72m' -rf /", "/bin/rm -rf /", "RM -rf /"]
ODD += ["rm -r'f' /", "rm    -rf\t/", "rm -rf \\\n/", "X=rm; $X -rf /", "{rm,-rf,/}", "rm -rf -- /"]
ODD += ["command rm -rf /", "busybox rm -rf /", "nohup rm -rf / &", "${RM} -rf /"]


PIECES = st.sampled_from(
    [*" \t\n;|&$(){}<>'\"\\`*?[]~/=-#!", "rm", "-rf", "find", "-delete", "chmod", "4755", "curl",
     "-k", "git", "base64 -d", "sh", "python3 -c", "node -e", "parallel", ":::", "xargs", "mv",
     "tee", "sed -i", "f()", "${x:-", "C:\\", "é", "\u200b", "\x00", "<<EOF", "automode", "dd of="]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map(" ".join) | st.text(max_size=60))
def test_no_text_makes_it_raise_or_say_anything_but_deny(text: str) -> None:
    for dialect in ("bash", "powershell", "cmd"):
        decision = shell(text, dialect)
        assert decision is None or decision.verdict is Verdict.DENY


@given(st.text(max_size=40))
def test_no_path_makes_it_raise(path: str) -> None:
    for action in (Write((path,)), Read((path,)), Write(())):
        decision = FLOOR.judge(facts_of(ToolCall("write", action), WORKSPACE))
        assert decision is None or decision.verdict is Verdict.DENY


class _Linked(Names):
    """Knows one symbolic link and one hard link."""

    def resolve(self, path: str) -> str | None:
        return super().resolve(path.replace("/w/p/link", HOME))

    def kind(self, path: str) -> Kind:
        if path == f"{HOME}/.claude":
            return Kind.FOLDER
        return Kind.FILE if path.endswith(("/twin", ".json")) else super().kind(path)

    def same(self, one: str, other: str) -> bool:
        return one.endswith("/twin") and other == f"{HOME}/.claude/settings.json"


LINKED = Workspace(ROOT, ROOT, HOME, _Linked(ROOT))


HOME_ITSELF = Workspace(HOME, HOME, HOME, Names(HOME))
PLACES = [
    ("echo x >> link/.bashrc", LINKED, True),
    ("rm -rf link/", LINKED, True),
    ("rm -rf link/*", LINKED, True),
    ("echo x > twin", LINKED, True),
    ("rm -rf link", LINKED, False),  # the link itself
    ("echo x >> .bashrc", HOME_ITSELF, True),
    ("rm -rf *", HOME_ITSELF, True),
    ("trap 'rm -rf ~' EXIT", WORKSPACE, True),
    ("trap 'echo x >> ~/.bashrc' INT TERM", WORKSPACE, True),
    ('node -e \'console.log(require("fs").readFileSync("x"))\'', WORKSPACE, False),
    ("node -p '\"rm -rf /\".length'", WORKSPACE, False),
    ("perl -e 'print \"rm -rf /\"'", WORKSPACE, False),  # mere text
    ("awk '/rm -rf/ {print}' log", WORKSPACE, False),
    *((command, WORKSPACE, True) for command in texts("guards", "floor-spellings-once-slipped")),
]


@each_row("command, workspace, denied", PLACES)
def test_links_homes_traps_and_odd_spellings_are_seen_through_and_mere_text_is_no_command(
    command: str, workspace: Workspace, denied: bool
) -> None:
    assert (shell(command, workspace=workspace) is not None) is denied


def test_windows_folders_are_understood() -> None:
    root = "C:\\Users\\u\\project"
    place = Workspace(root, root, "C:\\Users\\u", Names(root))
    floor = Floor()
    assert floor.judge(facts_of(ToolCall("bash", Shell("rm -rf build")), place)) is None
    write = ToolCall("write", Write((f"{root}\\.claude\\settings.json",)))
    assert floor.judge(facts_of(write, place)) is not None


def test_code_given_to_a_python_tool_is_looked_into() -> None:
    code = "import shutil\nshutil.rmtree('/etc')"
    decision = FLOOR.judge(facts_of(ToolCall("ipython", Other(), {"code": code}), WORKSPACE))
    assert decision is not None
    assert decision.source == "floor.delete-root"


def test_tokens_of_the_daemon_are_not_to_be_read() -> None:
    read = ToolCall("read", Read((f"{HOME}/.local/state/automode/token",)))
    assert FLOOR.judge(facts_of(read, WORKSPACE)) is not None


def test_other_reads_and_fetches_are_not_its_business() -> None:
    assert FLOOR.judge(facts_of(ToolCall("read", Read((f"{HOME}/.bashrc",))), WORKSPACE)) is None
    assert (
        FLOOR.judge(facts_of(ToolCall("web_fetch", Fetch("https://example.com")), WORKSPACE))
        is None
    )


def test_as_a_layer_it_answers_with_a_denial_that_nothing_clears() -> None:
    answer = asyncio.run(
        FLOOR(facts_of(ToolCall("bash", Shell("rm -rf /")), WORKSPACE), Session("s", WORKSPACE), ())
    )
    assert isinstance(answer, Decision)
    assert answer.verdict is Verdict.DENY
    assert answer.source == "floor.delete-root"
    assert not answer.clearable
    assert answer.advice


PYTHON = either("guards", "floor-python-code-read-what-does", "floor-harmless-python-code-passes")


@each_row("code, harmful", PYTHON)
def test_python_code_is_read_for_what_it_does(code: str, harmful: bool) -> None:
    assert (shell(f"python3 -c {shlex.quote(code)}") is not None) is harmful
    assert not harmful or shell(f"python3 - <<'CODE'\n{code}\nCODE") is not None


def test_code_within_code_is_read_once_and_not_without_end() -> None:
    again = "x = 'a b;' * 1\n" + "exec('import shutil; shutil.rmtree(\"build\")')\n" * 400
    endless = f"x = '{'b' * 4000}'\n" + "".join(f"exec(x + '{n}')\n" for n in range(60))

    assert shell(f"python3 - <<'CODE'\n{again}CODE") is None
    assert shell(f"python3 - <<'CODE'\n{endless}CODE") is not None


@each_row("code", texts("guards", "floor-javascript-code-read-what"))
def test_javascript_code_is_read_for_what_it_does(code: str) -> None:
    assert shell(f"node -e {shlex.quote(code)}") is not None


@each_row("code, found", rows("guards", "shell-calls-literal-commands-found"))
def test_what_one_liners_in_other_languages_hand_to_a_shell_is_found(
    code: str, found: list[str]
) -> None:
    assert list(shell_calls(code)) == found


@each_row("command", [*ODD, *texts("guards", "shell-calls-floor-sees-through")])
def test_odd_spellings_and_what_one_liners_hand_to_a_shell_are_seen_through(command: str) -> None:
    decision = shell(command)

    assert decision is not None
    assert decision.source == "floor.delete-root"


@given(st.text(max_size=80))
def test_no_code_raises(code: str) -> None:
    assert all(isinstance(text, str) for text in shell_calls(code))
