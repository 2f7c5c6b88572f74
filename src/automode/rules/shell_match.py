"""Deny and ask patterns against a shell script: each command it would run, however spelled."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from automode.core.call import Shell
from automode.core.paths import locate, within
from automode.core.word_lists import word_lists
from automode.core.workspace import Workspace
from automode.rules.input_match import inside
from automode.rules.pattern import Match, Pattern, could_match, matches
from automode.shell.script import HOLE, Command, Origin, Redirect, Script, Word

_OPTIONS_SKIPPED = 8  # words before a sub-command that may be options and their values
_NAMES_LIMIT = 1000  # names in a folder past which a wildcard counts as not known
_PROGRAM_FOLDERS = ("/bin/", "/sbin/", "/usr/", "/opt/homebrew/")


def single_spaced(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def wide_globs(argument: str) -> tuple[str, ...]:
    """Every reading of a shell pattern, for rules that tighten.

    `git push *` also means the bare `git push`; `git push:*` is another dialect for the same;
    quotes and a program's system folder may be written or not."""
    glob = single_spaced(argument)
    found = [glob]
    if glob.endswith(":*"):
        found += [glob[:-2], glob[:-2] + " *"]
    found += [one[:-2] for one in found if one.endswith(" *")]
    found += [one.replace('"', "").replace("'", "") for one in found]
    found += [_without_folder(one) for one in found if one.startswith(_PROGRAM_FOLDERS)]
    return tuple(dict.fromkeys(one for one in found if one))


def _without_folder(glob: str) -> str:
    program, blank, rest = glob.partition(" ")
    return posixpath.basename(program) + blank + rest


def definitely(argument: str, text: str) -> bool:
    return any(matches(glob, text) for glob in wide_globs(argument))


def possibly(argument: str, text: str) -> bool:
    return any(could_match(glob, text) for glob in wide_globs(argument))


def script_texts(script: Script, raw: str, workspace: Workspace) -> Iterator[str]:
    """Texts of the whole script, of each pipeline and of each command."""
    yield single_spaced(raw)
    yield from _pipelines(script)
    for command in script.commands:
        yield from command_texts(command, workspace)


def command_texts(command: Command, workspace: Workspace) -> Iterator[str]:
    words = tuple(word for one in command.words for word in _file_names(one, command, workspace))
    tails = tuple(_tails(words))
    for program in _programs(command, workspace):
        for tail in tails:
            text = single_spaced(f"{program} {tail}")
            yield text
            yield from _redirect_texts(text, command, workspace)
    if not words:
        yield from _redirect_texts("", command, workspace)
    yield single_spaced(command.text)
    if command.assignments:
        before = " ".join(f"{one.name}={one.value.text}" for one in command.assignments)
        yield single_spaced(f"{before} {_join(words)}")


def _file_names(word: Word, command: Command, workspace: Workspace) -> tuple[Word, ...]:
    """The file names a wildcard stands for, where its folder can be looked into."""
    folder, slash, name = word.text.rpartition("/")
    if word.origin is not Origin.GLOB or command.cwd is None or HOLE in word.text or "[" in name:
        return (word,)
    names = workspace.files.names(
        locate(folder + slash or ".", command.cwd, workspace.files), _NAMES_LIMIT
    )
    if not names or len(names) >= _NAMES_LIMIT or any(letter in folder for letter in "*?["):
        return (word,)
    shown = [one for one in sorted(names) if name.startswith(".") or not one.startswith(".")]
    found = tuple(Word(folder + slash + one) for one in shown if matches(name, one))
    return found or (Word(word.text),)


def _pipelines(script: Script) -> Iterator[str]:
    """`curl … | sh` as one text, so that a pattern may speak of both ends."""
    lines: dict[int, list[Command]] = {}
    for command in script.commands:
        if command.words and not command.via:
            lines.setdefault(command.pipeline, []).append(command)
    for commands in lines.values():
        if any(command.position for command in commands):
            for start in range(len(commands) - 1):
                texts = (_join(command.words) for command in commands[start:])
                yield single_spaced(" | ".join(texts))


def _programs(command: Command, workspace: Workspace) -> tuple[str, ...]:
    """The ways to name the program: as typed, by bare name, by its place in the project."""
    if not command.words:
        return ()
    typed = command.words[0].text
    found = [typed, command.program]
    found += [name[:-4] for name in found if name.casefold().endswith(".exe")]
    if "/" in typed and HOLE not in typed:
        place = locate(typed, command.cwd or workspace.cwd, workspace.files)
        found.append(place)
        if within(place, workspace.root):
            inside = place[len(workspace.root.rstrip("/")) + 1 :]
            found += [inside, f"./{inside}"]
    return tuple(dict.fromkeys(found))


def _tails(words: tuple[Word, ...]) -> Iterator[str]:
    """What follows the program; then the same without the options in front of a sub-command, whose
    values cannot be told from operands here: `git -C x push` gives `x push` and `push` too."""
    args = words[1:]
    yield _join(args)
    for start in range(1, min(len(args), _OPTIONS_SKIPPED) + 1):
        skipped = args[start - 1]
        if not skipped.could_be_flag and not (start > 1 and args[start - 2].could_be_flag):
            return
        unknown = any(word.value is None and word.could_be_flag for word in args[:start])
        yield (HOLE if unknown else "") + _join(args[start:])


def _join(words: Iterable[Word]) -> str:
    """Words with one blank between. An unquoted expansion may vanish, and its blank with it; the
    file names a wildcard stands for are not known either."""
    text = ""
    for word in words:
        glued = word.splits and word.text == HOLE and text
        text += ("" if glued or not text else " ") + _without_globs(word)
    return text


def _without_globs(word: Word) -> str:
    if word.origin is not Origin.GLOB:
        return word.text
    text, rest = "", word.text
    while rest:
        letter, rest = rest[0], rest[1:]
        if letter == "[" and "]" in rest:
            rest = rest.partition("]")[2]
        text += HOLE if letter in "*?[" else letter
    return text


def _redirect_texts(text: str, command: Command, workspace: Workspace) -> Iterator[str]:
    for redirect in command.redirects:
        if not redirect.feeds:
            for operator in _operators(redirect):
                for target in _targets(redirect, command, workspace):
                    yield f"{text} {operator} {target}".lstrip()
                    yield f"{text} {operator}{target}".lstrip()


def _operators(redirect: Redirect) -> tuple[str, ...]:
    plain = ">" if redirect.writes else "<"
    return tuple(dict.fromkeys((redirect.op, redirect.fd + redirect.op, plain)))


def _targets(redirect: Redirect, command: Command, workspace: Workspace) -> tuple[str, ...]:
    text = single_spaced(_without_globs(redirect.target))
    if text.startswith(HOLE):
        return (text,)
    return tuple(dict.fromkeys((text, locate(text, command.cwd or workspace.cwd, workspace.files))))


SCRIPT_LIMIT = 1_048_576
"""Characters past which no fast path allows a script."""


def shell_match(
    patterns: Iterable[Pattern], script: Script, raw: str, workspace: Workspace
) -> tuple[Match, Pattern | None]:
    """The surest match of any of the patterns, and which one it is.

    Where the reading has gaps, what stands in them is not known, so every pattern could match."""
    scoped = [pattern for pattern in patterns if pattern.argument is not None]
    texts = tuple(dict.fromkeys(script_texts(script, raw, workspace)))
    for pattern in scoped:
        if any(definitely(pattern.argument or "", text) for text in texts):
            return Match.YES, pattern
    unknown = [text for text in texts if HOLE in text]
    for pattern in scoped:
        if not script.complete or any(possibly(pattern.argument or "", text) for text in unknown):
            return Match.COULD, pattern
    return Match.NO, None


_OBFUSCATED = ("`", "^", "&(", "& (", "& $", ".(", ". (", "iex", "invoke-expression", "frombase64")
_OBFUSCATED_IN = {"powershell": (*_OBFUSCATED, "-enc", " -e "), "cmd": (*_OBFUSCATED, "%", "!")}


def raw_match(
    patterns: Iterable[Pattern], action: Shell, commands: Iterable[Command] = ()
) -> tuple[Match, Pattern | None]:
    """For shells other than bash: the whole text, each of its parts and the commands that were
    read, without case. Where a command may be put together while it runs, it could be any."""
    text = action.command.casefold()
    parted = text
    for mark in (";", "|", "&", "\n", "{", "}", "(", ")"):
        parted = parted.replace(mark, "\n")
    parts = (text, *parted.splitlines(), *(one.text.casefold() for one in commands))
    texts = tuple(dict.fromkeys(single_spaced(part) for part in parts if part.strip()))
    scoped = list(patterns)
    for pattern in scoped:
        if any(definitely((pattern.argument or "").casefold(), one) for one in texts):
            return Match.YES, pattern
    if any(mark in text for mark in _OBFUSCATED_IN.get(action.dialect, _OBFUSCATED)):
        return Match.COULD, scoped[0]
    return Match.NO, None


_WILDCARD = re.compile(r"[*?]")
_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LOCAL = re.compile(r"file:/+", re.IGNORECASE)
_HELPERS = ("ext::", "fd::")  # "addresses" that are programs
_NOWHERE = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")


def spells_escapes(glob: str, command: Command) -> bool:
    """Options that start another program must stand in the pattern itself: `git *` is no
    `git -c core.pager=… log`."""
    spelled = glob.split(" ")
    for words, escapes in (
        (command.args, ESCAPES.get(command.program, ())),
        (_leading_words(command.args), LEADING_ESCAPES.get(command.program, ())),
    ):
        for word in words:
            option = word.text.partition("=")[0]
            risky = [one for one in escapes if option == one or _is_form_of(option, one)]
            if risky and not any(part.startswith(one) for one in risky for part in spelled):
                return False
    return not any(text not in spelled for text in _under_subcommand(command))


def _under_subcommand(command: Command) -> Iterator[str]:
    """Words that start a program under one sub-command only, alone or among other letters."""
    texts = [word.text for word in command.args]
    for (program, subcommand), letters in SUBCOMMAND_ESCAPES.items():
        if program == command.program and subcommand in texts:
            for text in texts:
                if text[:1] == "-" != text[1:2] and any(letter in text for letter in letters):
                    yield text
    if command.program == "git":
        yield from (text for text in texts if text.startswith(_HELPERS))


def _leading_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Words before the sub-command; `-C` is followed by its value."""
    for at, word in enumerate(words):
        if not word.text.startswith("-") and (at == 0 or words[at - 1].text != "-C"):
            return words[:at]
    return words


def _is_form_of(option: str, escape: str) -> bool:
    """`-ccore.pager=x` is `-c`; `--upload` abbreviates `--upload-pack`."""
    if escape.startswith("--"):
        return len(option) > 3 and escape.startswith(option)
    return len(escape) == 2 and option.startswith(escape)


def spells_paths(glob: str, command: Command, workspace: Workspace) -> bool:
    """Paths that lead away (`..`, absolute, from home) must stand in the pattern, up to a wildcard
    at the end: `rm build/*` is no `rm build/../../x`. An absolute path in the workspace is as good
    as a relative one, unless the pattern itself keeps to a folder."""
    parts = [part for word in glob.split(" ") for part in _parts(word.strip("'\""))]
    heads = [_WILDCARD.split(part, maxsplit=1)[0] for part in parts]
    kept = any("/" in part and _WILDCARD.search(part) for part in parts)
    for word in command.args:
        for part in _parts(word.text):
            if _leads_away(part) and not _is_spelled(part, heads):
                at_home = part.startswith("/") and ".." not in part.split("/") and not kept
                if not (at_home and inside(part, workspace)):
                    return False
    return True


def _parts(text: str) -> Iterator[str]:
    """The paths a word may hold: itself, `--file=path`, `host:path`, `-Cpath`."""
    if _ADDRESS.match(text):
        return
    yield text
    local = _LOCAL.search(text)
    if local:
        yield "/" + text[local.end() :]
    if "=" in text or ":" in text:
        yield from (part for part in re.split(r"[=:]", text) if not part.startswith("//"))
    if text[:1] == "-" and text[2:3] in ("/", "~", "."):
        yield text[2:]


def _leads_away(part: str) -> bool:
    if part in _NOWHERE:
        return False
    return part.startswith(("/", "~")) or ".." in part.split("/")


def _is_spelled(part: str, heads: list[str]) -> bool:
    """Whether the pattern has it, at least as far as it leads away."""
    ups = part.split("/").count("..")
    return any(
        _leads_away(head) and part.startswith(head) and head.split("/").count("..") == ups
        for head in heads
    )


ESCAPES = word_lists("automode.rules", "escapes")
"""Words through which a program starts another one, or is set up to."""

LEADING_ESCAPES: dict[str, tuple[str, ...]] = {"git": ("-c",)}
"""The same where only the place before the sub-command counts: `git switch -c` makes a branch."""

SUBCOMMAND_ESCAPES: dict[tuple[str, str], str] = {
    ("git", "rebase"): "x",
    ("git", "difftool"): "x",
    ("git", "grep"): "O",
    ("git", "clone"): "uc",
}
"""Letters of short options that do so under one sub-command: `git cherry-pick -x` does not."""
