"""Allow patterns against a shell script: every command covered, nothing left to chance; and the
allow rules that amount to "run any code", which are not applied while automode decides."""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from automode.core.errors import BadPattern
from automode.core.paths import absolute, locate
from automode.core.word_lists import word_lists
from automode.core.workspace import Workspace
from automode.rules.input_match import Protected, inside, path_covered
from automode.rules.pattern import Pattern, Rule, could_match, matches, parse
from automode.rules.shell_match import (
    SCRIPT_LIMIT,
    single_spaced,
    spells_escapes,
    spells_paths,
)
from automode.shell.script import HOLE, Command, Origin, Redirect, Script, Word
from automode.shell.variables import only_presents

_PROGRAM_FOLDERS = (
    *("", "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"),
    "/opt/homebrew/bin",
)
_WORDS = word_lists("automode.rules", "words")
_NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr")
_ONLY_A_WILDCARD = "\1"  # stands for what no literal part of a pattern may cover
_NAMES_LIMIT = 2000
_MOVES = frozenset({"cd", "pushd", "popd"})


def nothing_is_proved(_command: object) -> bool:
    """Where nobody says what only reads, every command needs a rule."""
    return False


def covering_patterns(
    patterns: Sequence[Pattern],
    script: Script,
    raw: str,
    workspace: Workspace,
    protected: Protected,
    reads: Callable[[Command], bool],
) -> tuple[Pattern, ...]:
    """The patterns that together cover the whole script; empty when they do not. What is proved to
    only read needs none, unless it feeds a command that does more."""
    used: list[Pattern] = []
    if not script.complete or len(raw) > SCRIPT_LIMIT:
        return ()
    for command in script.commands:
        if not _fit(command, workspace, protected) or _runs_elsewhere(command, script, workspace):
            return ()
        if command.transparent and command.words:
            if not _passes_on(command, script):
                return ()
            continue
        pattern = next((one for one in patterns if _covers(one, command, workspace)), None)
        if pattern is None and needs_no_rule(command, script, workspace, reads):
            continue
        if pattern is None and command.words:
            return ()
        if pattern is None and command.redirects:
            return ()
        used += [pattern] if pattern else []
    return tuple(dict.fromkeys(used))


def needs_no_rule(
    command: Command, script: Script, workspace: Workspace, reads: Callable[[Command], bool]
) -> bool:
    """Whether it only reads, here, and nothing that does more takes what it prints."""
    if not command.words or command.via or command.elsewhere or not reads(command):
        return False
    if command.program in _MOVES:
        goes = [absolute(word.text, command.cwd) for word in command.args if command.cwd]
        return len(goes) == 1 and goes[0] in (workspace.cwd, workspace.root)
    if command.cwd is None or not inside(command.cwd, workspace):
        return False
    fed = [
        one
        for one in script.commands
        if one.pipeline == command.pipeline and one.position > command.position
    ]
    return not command.pipeline or all(map(reads, fed))


def _fit(command: Command, workspace: Workspace, protected: Protected) -> bool:
    """Whether a rule may speak for this command at all."""
    if (
        command.elevated
        or command.remote
        or any(name not in _WORDS["runs-as-given"] for name in command.via)
    ):
        return False
    for one in (*command.assignments, *command.environment):
        chatter = one.name in _WORDS["chatter"] and one.value.value is not None
        if not chatter and not only_presents(one):
            return False
    if command.words and command.words[0].value is None:
        return False
    known = all(_is_known(word, command, workspace) for word in command.words)
    return known and _off_limits(command, workspace, protected) is None


def _runs_elsewhere(command: Command, script: Script, workspace: Workspace) -> bool:
    """Whether it runs in a folder that no covered `cd` leads to, as `env -C` has it, or in one
    outside the workspace: `npm test` is another program there."""
    if command.cwd == workspace.cwd or not command.words:
        return False
    if command.cwd is None:
        return command.program not in _WORDS["plain-readers"]
    spelled = {one.cwd for one in script.commands if not one.via}
    for one in script.commands:
        if one.program in ("cd", "pushd") and one.args and one.cwd is not None:
            spelled.add(absolute(one.args[-1].text, one.cwd))
    return command.cwd not in spelled or not inside(command.cwd, workspace)


def _passes_on(wrapper: Command, script: Script) -> bool:
    """Whether what a wrapper redirects and sets shows on the commands inside it too."""
    inner = [command for command in script.commands if command is not wrapper and command.via]
    names = {one.name for command in inner for one in (*command.assignments, *command.environment)}
    for word in wrapper.args:
        name, equals, _ = word.text.partition("=")
        if equals and name.isidentifier() and name not in names:
            return False
    return all(
        _leads_nowhere(one) or any(one in command.redirects for command in inner)
        for one in wrapper.redirects
    )


def _is_known(word: Word, command: Command, workspace: Workspace) -> bool:
    """A literal word, or file names in a folder of the workspace that cannot pass for options."""
    if word.origin is Origin.LITERAL:
        return not word.splits
    text = word.text
    if word.origin is not Origin.GLOB or word.could_be_flag or command.cwd is None:
        return False
    if text.startswith(("/", "~")) or ".." in text.split("/") or "[" in text:
        return False
    folder = text.rpartition("/")[0] or "."
    if "*" in folder or "?" in folder:
        return False
    return inside(locate(folder, command.cwd, workspace.files), workspace)


def _off_limits(command: Command, workspace: Workspace, protected: Protected) -> str | None:
    """The first protected path a command names, unless it only shows files. What else a program
    does with its arguments is not known here."""
    base = command.cwd
    texts = [redirect.target.text for redirect in command.redirects if redirect.writes]
    if command.program not in _WORDS["plain-readers"]:
        texts += [text for word in command.args for text in _paths_in(word, command, workspace)]
    for text in texts:
        if base is None and not text.startswith("/"):
            return text
        path = locate(text, base or "/", workspace.files)
        resolved = workspace.files.resolve(path)
        if resolved is None or protected(path) or protected(resolved):
            return text
    return None


def _paths_in(word: Word, command: Command, workspace: Workspace) -> list[str]:
    """The paths a word may name: itself, `--file=path`, `host:path`, or what its wildcards find."""
    if word.origin is not Origin.GLOB:
        parts = word.text.replace(":", "=").split("=")
        return [part for part in dict.fromkeys((word.text, *parts)) if part]
    folder, _, name = word.text.rpartition("/")
    names = workspace.files.names(
        locate(folder or ".", command.cwd or "/", workspace.files), _NAMES_LIMIT
    )
    return [f"{folder or '.'}/{one}" for one in names if matches(name, one)]


def _covers(pattern: Pattern, command: Command, workspace: Workspace) -> bool:
    if pattern.argument is None or not command.words:
        return False
    glob, operator, target = _split(single_spaced(pattern.argument))
    left = [
        one for one in command.redirects if not _leads_nowhere(one) and not is_message(one, command)
    ]
    if bool(left) != bool(operator):
        return False
    if any(not _redirect_covered(one, operator, target, command, workspace) for one in left):
        return False
    plain = f"{glob[:-2]} *" if glob.endswith(":*") else glob
    globs = (plain, plain[:-2]) if plain.endswith(" *") else (plain,)
    return any(
        matches(one, text)
        and spells_escapes(one, command)
        and spells_paths(one, command, workspace)
        for one in globs
        for text in _texts(command, one, workspace)
    )


def _split(glob: str) -> tuple[str, str, str]:
    """`echo * > out/*` as command, operator and target."""
    words = glob.split(" ")
    for at, word in enumerate(words):
        if word.lstrip("012&") in (">", ">>", "<") and at + 2 == len(words):
            return " ".join(words[:at]), word, words[at + 1]
    return glob, "", ""


def _leads_nowhere(redirect: Redirect) -> bool:
    text = redirect.target.text
    if redirect.feeds or redirect.target.value is None:
        return False
    if redirect.op in (">&", "<&"):
        return not redirect.writes and (text.isdigit() or text == "-")
    return text in _NOWHERE


def is_message(redirect: Redirect, command: Command) -> bool:
    """Whether it is the text of a commit: `git commit -F -`. A message is told, and never run."""
    words = [word.text for word in command.args]
    told = ("-F", "-") in pairwise(words) or "--file=-" in words
    written = redirect.op in ("<<", "<<-") and redirect.target.value is not None
    return written and told and command.program == "git" and words[:1] == ["commit"]


def _redirect_covered(
    redirect: Redirect, operator: str, target: str, command: Command, workspace: Workspace
) -> bool:
    """A redirect counts only where the pattern spells it: `*` in a command is no `> file`."""
    text = redirect.target.value
    if redirect.feeds or text is None or command.cwd is None:
        return False
    if operator not in (redirect.op, redirect.fd + redirect.op):
        return False
    return path_covered(target, locate(text, command.cwd, workspace.files), workspace)


def _texts(command: Command, glob: str, workspace: Workspace) -> tuple[str, ...]:
    """The command as one line. Blanks inside a word and file names not known yet become what only
    a wildcard covers; quoted, a word with blanks may also be spelled out."""
    rest = [_solid(word, glob) for word in command.args]
    typed = command.words[0].text
    folder, _, name = typed.rpartition("/")
    if folder in _PROGRAM_FOLDERS and not typed.startswith("//"):
        programs = tuple(dict.fromkeys((typed, name)))
    elif _own_program(command, glob, workspace):
        programs = (typed,)
    else:
        return ()
    lines = [" ".join((program, *rest)) for program in programs if program.strip()]
    for mark in ("'", '"'):
        spelled = [_quote(word, glob, mark) for word in command.args]
        lines += [" ".join((program, *spelled)) for program in programs if program.strip()]
    return tuple(dict.fromkeys(lines))


def _solid(word: Word, glob: str) -> str:
    text = "".join(_ONLY_A_WILDCARD if letter.isspace() else letter for letter in word.text)
    if word.origin is Origin.GLOB:
        many = _ONLY_A_WILDCARD * (glob.count("?") + 1)  # more than `?` can cover
        text = text.replace("*", many).replace("?", many)
    # A quote in a pattern opens a word with blanks, and is no part of one: `rm 'a b'` is not about
    # `'a` and `b'`.
    if text[:1] in ("'", '"'):
        text = _ONLY_A_WILDCARD + text[1:]
    return text or _ONLY_A_WILDCARD


def _quote(word: Word, glob: str, mark: str) -> str:
    text = word.text
    plain = word.origin is Origin.LITERAL and not any(letter in text for letter in "'\"\\")
    quoted = plain and (not text or any(letter == " " for letter in text))
    return f"{mark}{text}{mark}" if quoted else _solid(word, glob)


def _own_program(command: Command, glob: str, workspace: Workspace) -> bool:
    """A program of the project, which the pattern must name without a wildcard, from the root."""
    typed = command.words[0].text
    if typed != glob.partition(" ")[0] or "*" in typed or "?" in typed:
        return False
    if command.cwd != workspace.root and not typed.startswith("/"):
        return False
    return inside(locate(typed, workspace.root, workspace.files), workspace)


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
