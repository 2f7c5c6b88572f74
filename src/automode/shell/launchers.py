"""Wrappers with a grammar of their own: shells, builtins, ssh, containers, git."""

import re
from collections.abc import Mapping

from automode.shell.evaluated import MAPFILE
from automode.shell.listed_input import open_fd, open_find, open_xargs
from automode.shell.options import Spec, arguments
from automode.shell.script import Command, Word
from automode.shell.wrappers import (
    INPUT_WORDS,
    Inner,
    Open,
    Opened,
    joined,
    option_script,
    own_options,
    prefix,
)

SHELLS = frozenset(
    {"bash", "sh", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash", "csh", "tcsh"}
)
EXACT_SHELLS = frozenset({"bash", "sh", "dash", "ash", "rbash"})
"""Shells that read a plain script the way bash does."""

_PLAIN = re.compile(r"^[\w\s./,:@%+|&;'\"-]*$")
"""Text that means the same in every shell: no globs, no `=`, no brackets."""

_SHELL = Spec(
    flags="ceilvxnuabhkmprstBCEHPTfD",
    values="oO",
    long_flags=("--norc", "--noprofile", "--login", "--posix", "--restricted", "--verbose",
                "--noediting", "--debugger"),
    long_values=("--rcfile", "--init-file"),
    stops_at_operand=True,
)  # fmt: skip


_SHELL_EXTRAS = ("--rcfile", "--init-file", "--posix", "--debugger", "-D", "-O", "-i", "-k", "-a",
                 "-B", "-H", "-P", "-r", "-t", "-m", "-T")  # fmt: skip
"""Options that read other files, or change how the script is read."""

_SHELL_SETTINGS = frozenset("pipefail errexit nounset xtrace".split())


def open_shell(command: Command) -> Opened | None:
    given = arguments(command.args, _SHELL)
    if given.has("-n") and not given.has("-i"):
        return None  # only checks the script
    settings = [o.value.text if o.value else "" for o in given.options if o.name == "-o"]
    usual = (
        not given.unclear and not given.has(*_SHELL_EXTRAS) and _SHELL_SETTINGS.issuperset(settings)
    )
    exact = command.program in EXACT_SHELLS
    if given.has("-c"):
        if not given.operands:
            return None
        script, *rest = given.operands
        plain = script.value is not None and bool(_PLAIN.match(script.text))
        inner = Inner(script=script, arguments=tuple(rest), dialect=command.program)
        return Opened((inner,), usual and (exact or plain))
    if command.fed is not None and (not given.operands or given.has("-s")):
        text = Word(command.fed)
        inner = Inner(script=text, arguments=given.operands, dialect=command.program)
        return Opened((inner,), usual and exact)
    return None


def reads_script(command: Command) -> bool:
    """A shell without a script file: it runs what comes on its standard input."""
    names = [word for word in command.args if not word.text.startswith("-")]
    if any(word.text in ("--version", "--help") for word in command.args):
        return False
    stdin = any(word.text in ("/dev/stdin", "-", "/dev/fd/0") for word in command.args)
    given = command.position > 0 or any(r.op in ("<", "<<", "<<<") for r in command.redirects)
    return (not names or stdin) and (given or stdin)


def traces(command: Command) -> bool:
    """Whether a shell is told to print what it runs, values and all: `set -x`, `bash -o xtrace`."""
    if command.program != "set" and command.program not in SHELLS:
        return False
    texts = [word.text for word in command.args]
    return "xtrace" in texts or any(re.match(r"-[A-Za-z]*x", text) for text in texts)


_SSH = Spec(flags="46AaCfGgKkMNnqsTtVvXxYy", values="BbcDEeFIiJLlmOopPQRSWw", stops_at_operand=True)


def open_ssh(command: Command) -> Opened | None:
    given = arguments(command.args, _SSH)
    words = given.operands[1:]
    return Opened((Inner(script=joined(words), remote=True),), harmless=False) if words else None


def open_parallel(command: Command) -> Opened | None:
    words: list[Word] = []
    for word in command.args:
        if word.text.startswith(":::"):
            break
        if words or not word.text.startswith("-"):
            words.append(word)
    if not words:
        return None
    return Opened((Inner(script=joined((*words, INPUT_WORDS))),), harmless=False)


_EXEC = Spec(
    flags="itdTq",
    values="euwcnp",
    long_flags=("--interactive", "--tty", "--detach", "--stdin", "--quiet", "--no-TTY"),
    long_values=("--env", "--user", "--workdir", "--container", "--namespace", "--index"),
    stops_at_operand=True,
)


def open_container(command: Command) -> Opened | None:
    """`docker exec NAME CMD`, `docker run IMAGE CMD`, `kubectl exec POD -- CMD`."""
    texts = [word.text for word in command.args]
    index = next((i for i, text in enumerate(texts) if text in ("exec", "run")), None)
    if index is None:
        return None
    given = arguments(command.args[index + 1 :], _EXEC)
    words = given.operands[1:]
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return None
    privileged = given.has("-u", "--user", "--privileged", "-e", "--env")
    direct = texts[:index] in ([], ["compose"], ["container"]) and command.args[0].value is not None
    harmless = texts[index] == "exec" and direct and not given.unclear
    return Opened((Inner(words, remote=True),), harmless and not privileged)


def open_git(command: Command) -> Opened | None:
    """git's own ways to run a command of the caller's."""
    texts = [word.text for word in command.args]
    for verb, mark in (("submodule", "foreach"), ("bisect", "run")):
        if verb in texts and mark in texts[texts.index(verb) :]:
            words = command.args[texts.index(mark) + 1 :]
            words = tuple(
                word for word in words if word.text not in ("--recursive", "--quiet", "-q")
            )
            return Opened((Inner(script=joined(words)),), harmless=False) if words else None
    if "rebase" in texts:
        given = arguments(command.args, Spec(values="x", long_values=("--exec",)))
        script = given.value("-x", "--exec")
        return Opened((Inner(script=script),), harmless=False) if script else None
    return None


def open_jobs(command: Command) -> Opened | None:
    """`jobs -x CMD` runs the command in this shell, as `command CMD` does."""
    given = arguments(command.args, Spec(flags="lnprsx", stops_at_operand=True))
    if not given.has("-x") or not given.operands:
        return None
    alone = all(option.name == "-x" for option in given.options)
    return Opened((Inner(given.operands),), alone and not given.unclear)


def open_bind(command: Command) -> Opened | None:
    """`bind -x '"KEYS": CMD'`."""
    keys = arguments(command.args, Spec(flags="lpsvPSVX", values="mfqurx")).value("-x")
    if keys is None:
        return None
    script = keys.text.rpartition('":')[2] or keys.text
    return Opened((Inner(script=Word(script, keys.origin)),), harmless=False)


def open_flock(command: Command) -> Opened | None:
    spec = Spec(flags="eFnosuxhV", values="cEw")
    given = own_options(command, spec)
    script = given.value("-c") or arguments(command.args, spec).value("-c")
    if script is not None:
        return Opened((Inner(script=script),), harmless=False)
    words = given.operands[1:]
    return Opened((Inner(words),), harmless=False) if words else None


def open_hyperfine(command: Command) -> Opened | None:
    """Each operand is a script of its own."""
    operands = arguments(command.args, Spec(flags="Ni", values="wrmMLnpcs")).operands
    scripts = tuple(Inner(script=word) for word in operands)
    return Opened(scripts, harmless=False) if scripts else None


def open_entr(command: Command) -> Opened | None:
    """A command as it stands; with `-s` a script."""
    given = own_options(command, Spec(flags="acdnprsxz"))
    if not given.operands:
        return None
    script = given.operands[0] if given.has("-s") else None
    inner = Inner(script=script) if script is not None else Inner(given.operands)
    return Opened((inner,), harmless=False)


def open_runuser(command: Command) -> Opened | None:
    """`runuser -u USER CMD`, or a script as `su` takes it."""
    spec = Spec(flags="lmp", values="ugGcs", long_values=("--command", "--user"))
    return option_script(spec, "-c", "--command")(command) or prefix(
        spec, harmless=False, elevated=True
    )(command)


_COMPLETES = Spec(flags="abcdefgjksuvprDEI", values="oAGWFCXPSV")

LAUNCHERS: Mapping[str, Open] = {
    **dict.fromkeys(SHELLS, open_shell),
    "xargs": open_xargs,
    "gxargs": open_xargs,
    "find": open_find,
    "gfind": open_find,
    "fd": open_fd,
    "fdfind": open_fd,
    "ssh": open_ssh,
    "parallel": open_parallel,
    "docker": open_container,
    "podman": open_container,
    "nerdctl": open_container,
    "docker-compose": open_container,
    "kubectl": open_container,
    "oc": open_container,
    "git": open_git,
    "jobs": open_jobs,
    "bind": open_bind,
    "flock": open_flock,
    "hyperfine": open_hyperfine,
    "entr": open_entr,
    "runuser": open_runuser,
    **dict.fromkeys(("mapfile", "readarray"), option_script(MAPFILE, "-C")),
    **dict.fromkeys(("compgen", "complete"), option_script(_COMPLETES, "-C")),
}
