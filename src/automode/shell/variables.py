"""Variables of a script that are known to be plain: no more than a name for a text.

Assigning to any other proves nothing. The shell may evaluate the value (`RANDOM='a[$(cmd)]'` runs
the command), later commands may be read, found or split differently, or a program may be steered
because the variable is in its environment already.
"""

import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_TIED = frozenset(
    """
    path fpath cdpath manpath module_path mailpath psvar prompt precmd preexec chpwd periodic
    zshexit zshaddhistory histchars auto_resume watch signals fignore argv status pipestatus options
    functions aliases galiases saliases dis_aliases dis_functions dis_builtins commands builtins
    reswords modules parameters dirstack history historywords jobdirs jobtexts jobstates nameddirs
    userdirs usergroups funcstack functrace funcfiletrace funcsourcetrace zsh_eval_context termcap
    terminfo keymaps widgets mapfile errnos sysparams epochtime patchars zle_bracketed_paste
    zle_highlight precmd_functions preexec_functions chpwd_functions periodic_functions
    """.split()
)
"""Lower-case names that bash or zsh ties to something of its own. All others are the script's."""

_IN_ENVIRONMENTS = re.compile(r"(?i:npm_.*|.*_proxy)")
"""Lower-case names that programs look for."""

_ORDINARY = frozenset(
    """
    A B C D E F G H I J K L M N O P Q R S T U V W X Y Z FOO BAR BAZ QUX
    FILE FILES DIR DIRS FOLDER FOLDERS NAME NAMES BASE HEAD SHA REF REFS BRANCH BRANCHES COMMIT
    COMMITS TAG TAGS REPO REPOS OWNER ORG PR PRS ISSUE ISSUES ID IDS NUM NUMBER COUNT TOTAL SUM MAX
    MIN START END FIRST LAST OUT OUTPUT RESULT RESULTS INPUT SRC DEST DST TARGET TARGETS SOURCE
    PROJECT WORK WORKSPACE WORKTREE WT DATE TODAY YESTERDAY SINCE UNTIL SCRATCH FINAL TODO MSG
    MESSAGE TEXT TITLE BODY CONTENT LABEL STATUS STATE RUN RUNS JOB WORKFLOW STEP KEY VALUE VAL VAR
    ARR ARRAY LIST ITEM ITEMS INDEX IDX FOUND MISSING OLD NEW CURRENT PREV NEXT PREFIX SUFFIX
    PATTERN QUERY PACKAGE PKG VERSION VER APP SERVICE POD CONTAINER IMAGE TEST TESTS DATA LINE
    LOG LOGS TMP TEMP HOME PATH ROOT URL API EXPECTED ACTUAL BEFORE AFTER LEFT RIGHT COLOR RED GREEN
    YELLOW BLUE CYAN NC BOLD RESET PASS FAIL PASSED FAILED OK ERR ERRORS SIZE LEN LENGTH WIDTH
    HEIGHT FILENAME DIRNAME BASENAME BASEDIR OUTFILE OUTDIR INFILE LOGFILE TMPFILE WORKDIR
    MODDIR SRCDIR REPLY OPTARG MAPFILE ARG ARGS OPT
    """.split()
)
"""Upper-case words that scripts name their own variables with. No shell and no program is known to
read a variable put together out of these alone, but for those in `_READ_BY_OTHERS`."""

_READ_BY_OTHERS = frozenset(
    "TMP TEMP HOME PATH MODULE_PATH PREFIX SUFFIX LINES COLUMNS ROOT VERSION_CONTROL".split()
)

_LOCALE = re.compile(r"|C|POSIX|(C|[a-z]{2}(_[A-Z]{2})?)\.(UTF-8|utf8)")
_SWITCH = re.compile(r"[A-Za-z0-9]*")
_NUMBER = re.compile(r"[0-9]{1,6}")
_KNOWN_VALUES = {
    **dict.fromkeys(
        "LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_TIME".split(), _LOCALE
    ),
    **dict.fromkeys("NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI".split(), _SWITCH),
    **dict.fromkeys("COLUMNS LINES SECONDS OPTIND RANDOM".split(), _NUMBER),
    **dict.fromkeys(("PAGER", "GIT_PAGER", "AWS_PAGER"), re.compile(r"|cat")),
    "TERM": re.compile(r"[a-z0-9-]*"),
    "TZ": re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*"),
}
"""Variables that are read by others, and the values that change no more than how things look."""

_EVALUATED = frozenset(
    """
    RANDOM SRANDOM OPTIND HISTCMD SECONDS BASHPID LINENO UID EUID GID EGID PPID SHLVL COLUMNS LINES
    HISTSIZE SAVEHIST HISTFILESIZE TMOUT MAILCHECK LISTMAX BAUD KEYTIMEOUT FUNCNEST LOGCHECK PERIOD
    REPORTTIME REPORTMEMORY DIRSTACKSIZE ERRNO TTYIDLE ZSH_SUBSHELL PS0 PS1 PS2 PS3 PS4 PROMPT
    PROMPT2 PROMPT3 PROMPT4 RPROMPT RPS1 PROMPT_COMMAND PROMPT_DIRTRIM BASH_COMPAT BASH_ENV ENV
    """.split()
)
"""Variables whose value bash or zsh evaluates: a hint for who looks for danger, never a proof."""


def plain_name(name: str) -> bool:
    """Whether assigning any text to the variable leaves it text and steers nobody."""
    if name == "_":
        return True
    if not _NAME.fullmatch(name):
        return False
    if name.upper() != name:
        return name not in _TIED and not _IN_ENVIRONMENTS.fullmatch(name)
    words = {word.rstrip("0123456789") for word in name.split("_")} - {""}
    return name not in _READ_BY_OTHERS and bool(words) and words <= _ORDINARY


def harmless_assignment(name: str, value: str | None) -> bool:
    """Whether assigning this value (None: not known) changes nothing but the variable."""
    if plain_name(name):
        return True
    known = _KNOWN_VALUES.get(name)
    return known is not None and value is not None and known.fullmatch(value) is not None


def evaluated_name(name: str) -> bool:
    """Whether the shell is known to evaluate what is assigned to the variable."""
    return name in _EVALUATED
