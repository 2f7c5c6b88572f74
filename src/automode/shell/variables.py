"""Variables that are known to be harmless: plain ones, which are no more than a name for a text,
and those that only change how a program presents what it shows.

Assigning to any other proves nothing. The shell may evaluate the value (`RANDOM='a[$(cmd)]'` runs
the command), later commands may be read, found or split differently, or a program may be steered
because the variable is in its environment already.
"""

import re

from automode.shell.script import Assignment

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

_SWITCH = r"[01]|true|false|yes|no|"
_COLOUR = rf"{_SWITCH}|[23]|always|auto|never"
_LOCALE = r"(C|POSIX|[a-z]{2,3}(_[A-Z]{2})?)(\.[Uu][Tt][Ff]-?8|\.ISO-?8859-?1)?|"
_NO_PAGER = r"cat|"

PRESENTATION = {
    name: re.compile(values)
    for names, values in (
        ("NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CARGO_TERM_COLOR SYSTEMD_COLORS", _COLOUR),
        ("COLUMNS LINES PYTHONHASHSEED", r"[0-9]*"),
        (
            "TERM",
            r"dumb|unknown|ansi|linux|vt100|vt220|(xterm|screen|tmux|rxvt)(-256color|-color)?|",
        ),
        ("LANG LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME LC_MESSAGES LC_MONETARY", _LOCALE),
        ("LANGUAGE", r"[A-Za-z_]+(:[A-Za-z_]+)*|"),
        # A colon or a slash in front, and dots, name a file that is read.
        (
            "TZ",
            r"[A-Z]{3,5}([+-]?[0-9]{1,2}([A-Z]{3,5})?)?|[A-Z][A-Za-z]+(/[A-Z][A-Za-z_+-]+){1,2}",
        ),
        ("CI PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONUTF8 GIT_OPTIONAL_LOCKS", _SWITCH),
        ("HOMEBREW_NO_AUTO_UPDATE HOMEBREW_NO_ANALYTICS HOMEBREW_NO_ENV_HINTS", _SWITCH),
        ("NEXT_TELEMETRY_DISABLED DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO", _SWITCH),
        ("GIT_TERMINAL_PROMPT GIT_PAGER_IN_USE PIP_DISABLE_PIP_VERSION_CHECK", _SWITCH),
        ("PYTHONIOENCODING", r"[Uu][Tt][Ff]-?8"),
        ("NODE_ENV", r"development|production|test"),
        ("DEBIAN_FRONTEND", r"noninteractive"),
        ("RUST_BACKTRACE", r"[01]|full"),
        ("RUST_LOG", r"off|error|warn|info|debug|trace"),
        ("PAGER GIT_PAGER MANPAGER AWS_PAGER GH_PAGER SYSTEMD_PAGER BAT_PAGER", _NO_PAGER),
    )
    for name in names.split()
}
"""By name, the values that change nothing but colours, widths, language and chatter."""

_NUMBER = re.compile(r"[0-9]{1,6}")
_NUMBERED = frozenset(("SECONDS", "OPTIND", "RANDOM"))
"""Variables of the shell that a script may set to a number."""

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
    """Whether assigning this value (None: not known) changes nothing but the variable, or how
    programs present what they show."""
    if plain_name(name):
        return True
    known = _NUMBER if name in _NUMBERED else PRESENTATION.get(name)
    return known is not None and value is not None and known.fullmatch(value) is not None


def only_presents(assignment: Assignment) -> bool:
    """Whether the variable, with this value, changes nothing but how programs present things."""
    values = PRESENTATION.get(assignment.name)
    value = assignment.value.value
    if values is None or value is None or assignment.appends or assignment.array:
        return False
    return values.fullmatch(value) is not None


def evaluated_name(name: str) -> bool:
    """Whether the shell is known to evaluate what is assigned to the variable."""
    return name in _EVALUATED
