"""Allow rules that amount to "run any code": not applied while automode decides, and said so."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from automode.core.errors import BadPattern
from automode.rules.pattern import Pattern, Rule, could_match, matches, parse
from automode.rules.shell_match import single_spaced
from automode.shell.script import HOLE

_VERSION = re.compile(r"(?<=[a-z])[\d.]+$")
_SCRIPT_FIRST = ("-u", "-B", "-I", "-O", "-m", "-s", "-S", "--", "-q", "-s", "--silent", "--frozen")


@dataclass(frozen=True, slots=True)
class Runner:
    """The words that start other code. A rule must name, without a wildcard, what comes next."""

    words: str
    why: str = "runs whatever code it is given"
    bare: bool = False  # dangerous without any further word too
    spelled: bool = False  # only for rules that write the words out: `git *` is not `git -c *`


@cache
def runners() -> tuple[Runner, ...]:
    text = files("automode.rules").joinpath("runners.toml").read_text("utf-8")
    return tuple(
        Runner(
            " ".join(words.split()), **{key: value for key, value in row.items() if key != "words"}
        )
        for row in tomllib.loads(text)["runners"]
        for words in row["words"].split(",")
    )


def broad(pattern: Pattern) -> str | None:
    """Why an allow rule is set aside, in a few words; None when it is narrow enough."""
    tool, argument = pattern.tool, pattern.argument
    if matches(tool, "agent"):
        return "it would let the agent hand any work to another agent"
    if "*" in tool:
        server = tool.split("__")[1] if tool.startswith("mcp__") and tool.count("__") > 1 else "*"
        return "it names no tool and no server" if "*" in server else None
    if tool in ("powershell", "cmd"):
        exact = argument is not None and "*" not in argument and "?" not in argument
        return None if exact else f"`{tool}` commands are allowed only word for word"
    return _broad_shell(argument) if tool == "bash" else None


def notice(rule: Rule) -> str | None:
    """The sentence for `status` and the start-up notice; None for a rule that stays."""
    try:
        why = broad(parse(rule))
    except BadPattern:
        return None
    return f"allow rule {rule.shown} is set aside: {why}; name the exact command" if why else None


def _broad_shell(argument: str | None) -> str | None:
    if argument is None:
        return "it would let any command run"
    glob = single_spaced(argument)
    words = (f"{glob[:-2]} *" if glob.endswith(":*") else glob).split(" ")
    words[0] = _bare(words[0])
    for runner in runners():
        if _reaches(words, runner):
            return f"`{runner.words}` {runner.why}"
    return "it names no program" if _wild(words[0]) and words[0][0] in "*?" else None


def _bare(program: str) -> str:
    name = program if program.startswith("./") else program.rpartition("/")[2]
    return _VERSION.sub("", name) or name


def _wild(word: str) -> bool:
    return "*" in word or "?" in word


def _reaches(words: list[str], runner: Runner) -> bool:
    """Whether the rule covers this runner without saying what it may run."""
    for at, expected in enumerate(runner.words.split(" ")):
        if at >= len(words):
            return False
        if _wild(words[at]):
            starts = (expected, f"{expected} {HOLE}")
            return not runner.spelled and any(could_match(words[at], one) for one in starts)
        if words[at] != expected:
            return False
    rest = words[len(runner.words.split(" ")) :]
    while rest and rest[0] in _SCRIPT_FIRST:
        rest = rest[1:]
    if not rest:
        return runner.bare
    unsure = _wild(rest[0]) or rest[0].startswith("-")
    return unsure and any(_wild(word) for word in rest)
