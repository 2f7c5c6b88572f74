"""Checks of programs that look at processes: environments hold credentials, names are resolved."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown, writes
from automode.shell.script import HOLE, Word

_ENVIRONMENT = Use(Effect.SECRETS, "prints environment variables, which hold credentials")
_HARMLESS_VARIABLES = frozenset(
    """
    PATH HOME USER LOGNAME SHELL PWD OLDPWD TERM LANG LANGUAGE LC_ALL LC_CTYPE TZ EDITOR VISUAL
    PAGER TMPDIR HOSTNAME DISPLAY SHLVL COLUMNS LINES XDG_CONFIG_HOME XDG_DATA_HOME
    XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_SESSION_TYPE GOPATH GOROOT GOBIN JAVA_HOME ANDROID_HOME
    NVM_DIR CARGO_HOME RUSTUP_HOME PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV
    NODE_ENV NODE_PATH PYTHONPATH LD_LIBRARY_PATH CUDA_HOME CUDA_VISIBLE_DEVICES CI MANPATH
    DEBUG SSH_AUTH_SOCK COLORTERM TERM_PROGRAM KUBECONFIG DOCKER_HOST AWS_REGION
    AWS_DEFAULT_REGION AWS_PROFILE
    """.split()
)

_PS_VALUES = "oOuUpgGtCsqk"
_PS_BSD_VALUES = "oOUptkq"
_PS_LONG_VALUES = ("--sort", "--format", "--pid", "--user", "--ppid")
# ps reads a word once more, as BSD letters, when it names no user or group.
_PS_BSD_WORD = re.compile(r"([acefghjlmnrsSTuvVwxXZLHNM]*)([oOUptkq]?|[oOU].+)")
# What follows these is a number of a process: never letters or a format.
_PS_NUMBER = re.compile(r"--p?pid|-[aAdefFjlLHTwcyPMmNx]*[pq]")


# Letters that are options of UNIX. By any other, or two that do not go together, ps takes all
# letters for those of BSD, and there `e` is the environment.
_PS_UNIX = frozenset("AadefFlLHwyjMZ")
_PS_FLAGS = re.compile(r"-([^-oOuUpgGtCsqk]*)")


def _ps_value_follows(text: str) -> bool:
    if text.startswith("--"):
        return text in _PS_LONG_VALUES
    letters = _PS_VALUES if text.startswith("-") else _PS_BSD_VALUES
    return len(text) > text.startswith("-") and text[-1] in letters


def _ps_shows_environment(text: str) -> bool:
    """`e` without a dash and `-E` do, and so does `-auxe`: there is no user `xe`."""
    if text.startswith("--"):
        return "env" in text
    if text.startswith("-"):
        return "E" in text or ("e" in text and re.match("-[^oOptqk]*[uUgGsC].", text) is not None)
    return "e" in text


def no_environment(given: Given) -> Use:
    """`ps e` (BSD letters) and `-E` print the environment of processes; `-e` does not."""
    before, letters, doubtful = "", "", False
    options: list[str] = []
    for word in given.invocation.args:
        text = word.text
        if word.value is None and not _PS_NUMBER.fullmatch(before):
            return unknown("an argument is not known and may ask for the environment")
        if before:
            if "env" in text:
                return _ENVIRONMENT
            again = _PS_BSD_WORD.fullmatch(text)
            if again and text != "root" and before[-1] not in _PS_BSD_VALUES:
                letters, doubtful = letters + again[1], True
            before = ""
            continue
        if _ps_shows_environment(text):
            return _ENVIRONMENT
        options.append(text)
        letters += text if not text.startswith("--") else ""
        before = text if _ps_value_follows(text) else ""
    mixed = "e" in letters and (doubtful or not _ps_is_unix(options))
    return _ENVIRONMENT if mixed else READS


def _ps_is_unix(options: list[str]) -> bool:
    """Whether no option lets ps read `-e` as a letter of BSD."""
    short = [text for text in options if not text.startswith("--")]
    flags = [found[1] if (found := _PS_FLAGS.match(text)) else "x" for text in short]
    every = set("".join(flags))
    if "e" not in every:
        return True  # it stands in a format, or in a name
    forest = "H" in every or "--forest" in options
    return every <= _PS_UNIX and not (forest and "L" in every)


def harmless_variables(given: Given) -> Use:
    """Variables that hold no credential, by name; without a name all are printed."""
    if given.options.has("--help", "--version"):
        return READS
    names = [word.value for word in given.operands]
    return READS if names and all(name in _HARMLESS_VARIABLES for name in names) else _ENVIRONMENT


_NUMERIC = re.compile(r"@(\d+(\.\d+){0,3}|\[[0-9a-fA-F:.]+\])(:.*)?")


def numeric_hosts(given: Given) -> Use:
    """lsof resolves the name in `-i @name:80`, also where it was made from a secret. `+m` may
    write a file."""
    if any(word.text.startswith("+m") for word in given.operands):
        return writes("`+m` may write a file")
    address = given.options.has("-i")
    found = [option.value for option in given.options.options if option.name == "-i"]
    for word in (*found, *(given.operands if address else ())):
        if word is not None and (use := _host(word)) is not READS:
            return use
    return READS


def _host(word: Word) -> Use:
    """After the colon of an address come ports, and no name."""
    text = word.text
    if word.value is None and (":" not in text or HOLE in text.partition(":")[0]):
        return unknown("it can look up a name that is only known when it runs")
    at = text.find("@")
    if at >= 0 and not _NUMERIC.fullmatch(text[at:].replace(HOLE, "0")):
        return network("looks up the name of a machine")
    return READS


def no_card_command(given: Given) -> Use:
    """`nvidia-smi -l 5` has a number; any other word is a command that may set something."""
    if given.outer is None and not all((w.value or "").isdigit() for w in given.operands):
        return unknown("the command of nvidia-smi is not known to only read")
    return READS
