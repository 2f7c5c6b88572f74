"""The agent's environment: which variables a confined command keeps, those known to hold no
credential and to lead to no service; and what of the workspace it has other programs run."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from automode.confine.profile import BadOrder

KEPT = frozenset(
    """
    HOME USER LOGNAME SHELL PATH PWD OLDPWD LANG LANGUAGE TERM COLORTERM COLUMNS LINES TZ EDITOR
    PAGER NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI DEBIAN_FRONTEND HOSTTYPE MACHTYPE OSTYPE
    TERM_PROGRAM CC CXX CPP LD AR AS NM RANLIB STRIP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS
    MAKEFLAGS MFLAGS MAKELEVEL PKG_CONFIG_PATH LD_LIBRARY_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH
    CPLUS_INCLUDE_PATH MANPATH INFOPATH VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT
    PYENV_VERSION POETRY_HOME PIPX_HOME NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL
    COREPACK_HOME NODE_ENV NODE_PATH NODE_OPTIONS GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS
    GOTOOLCHAIN GO111MODULE GOOS GOARCH GOMAXPROCS GOWORK CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS
    CARGO_HOME CARGO_TARGET_DIR CARGO_INCREMENTAL CARGO_BUILD_JOBS CARGO_TERM_COLOR
    CARGO_NET_OFFLINE RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUSTDOCFLAGS RUST_BACKTRACE RUST_LOG
    RUSTC_WRAPPER JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME
    ANDROID_SDK_ROOT KOTLIN_HOME SCALA_HOME SBT_HOME DOTNET_ROOT DOTNET_CLI_TELEMETRY_OPTOUT
    GEM_HOME GEM_PATH RBENV_ROOT RBENV_VERSION RAILS_ENV RACK_ENV BUNDLE_PATH BUNDLE_GEMFILE
    COMPOSER_HOME PERL5LIB MIX_ENV GHCUP_INSTALL_BASE_PREFIX OPAMROOT OPAM_SWITCH_PREFIX
    ZIG_GLOBAL_CACHE_DIR CCACHE_DIR SCCACHE_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
    XDG_STATE_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS SOURCE_DATE_EPOCH OMP_NUM_THREADS MKL_NUM_THREADS
    OPENBLAS_NUM_THREADS CUDA_VISIBLE_DEVICES GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME
    GIT_COMMITTER_EMAIL GIT_PAGER GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS UV_CACHE_DIR UV_OFFLINE
    UV_PYTHON PIP_CACHE_DIR PIP_NO_INDEX PIP_DISABLE_PIP_VERSION_CHECK NIX_PATH NIX_PROFILES
    CLAUDECODE
    """.split()
)
KEPT_PREFIXES = ("LC_", "PYTHON", "PYTEST_", "COVERAGE_", "CMAKE_", "CTEST_", "npm_package_")
_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|COOKIE", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"://[^/\s@]*:[^/\s@]*@")
"""An address with a name and a password in it."""
_NO_SECRETS = frozenset(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"))


def kept(environment: Mapping[str, str]) -> dict[str, str]:
    """What of `environment` a confined command gets."""
    return {
        name: value
        for name, value in environment.items()
        if (name in KEPT or name.startswith(KEPT_PREFIXES))
        and (name in _NO_SECRETS or not _SECRET_NAME.search(name))
        and not _SECRET_VALUE.search(value)
    }


_NO_CODE = frozenset(
    """
    PWD OLDPWD INIT_CWD CLAUDE_PROJECT_DIR WORKSPACE GITHUB_WORKSPACE CI_PROJECT_DIR PROJECT_ROOT
    PROJECT_DIR PRJ_ROOT DEVENV_ROOT MISE_PROJECT_ROOT MISE_ORIGINAL_CWD VSCODE_CWD VIRTUAL_ENV
    TMPDIR TMP TEMP COVERAGE_FILE MYPY_CACHE_DIR RUFF_CACHE_DIR
    CARGO_TARGET_DIR GOBIN GOCACHE GOMODCACHE GOTMPDIR CCACHE_DIR SCCACHE_DIR XDG_CACHE_HOME
    PIP_CACHE_DIR UV_CACHE_DIR CDPATH MANPATH INFOPATH GIT_WORK_TREE GIT_CEILING_DIRECTORIES
    GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
    GIT_COMMITTER_DATE GIT_CONFIG_COUNT PYTEST_CURRENT_TEST
    """.split()
)
"""Variables that say where one is, who one is, or where output goes: no code is run from there."""
_SEARCHED = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH")
"""A part of these that is no absolute path is in the folder in which a program starts."""
_FROM_ANYWHERE = re.compile(
    r"GIT_(?!CONFIG_KEY_)\w+|LD_\w+|\w*PATH|\w*CONFIG(?!_KEY_)\w*|(?:BASH_)?ENV|PERL5LIB|RUBYLIB|WGETRC"
)
"""Variables that name programs, or files by which programs run others: a relative name in them is
another file in each folder."""
_WORD = re.compile(r"[^\s:;,='\"`()]+")
_RELATIVE = re.compile(
    r"(?!(?:\d+|true|false|yes|no|on|off)$)[\w.$][\w.@+${}-]*(?:/[\w.@+${}/-]*)?"
)
_COMMANDS = re.compile(
    r"GIT_(?:\w*PAGER|\w*EDITOR|\w*ASKPASS|SSH\w*|EXTERNAL_DIFF|PROXY_COMMAND|CONFIG_(?:VALUE|PARAM)\w+)"
)
"""Of those, the ones in which a name without `/` is looked for by `PATH`."""


def led_into(environment: Mapping[str, str], folders: Sequence[str], start: str) -> list[str]:
    """What of writable `folders` the agent's environment names. Later commands that only read run
    unconfined, and may run it: `PATH` names programs, `GIT_EXTERNAL_DIFF` one, `LD_PRELOAD` code,
    and nobody knows all such variables. Raises BadOrder for what cannot be held."""
    roots = {root for one in folders for root in (one, os.path.realpath(one))}
    found: dict[str, None] = {}
    for name in environment.keys() - _NO_CODE:
        for path in _named_paths(name, environment, (start, *folders), roots):
            if path in roots:
                raise BadOrder(
                    f"`{name}` names `{path}`, so later commands may run what this one writes;"
                    " unset it for the agent"
                )
            if any(path.startswith(f"{root}/") for root in roots):
                found[path] = None
    return sorted(found)


def _named_paths(
    name: str, environment: Mapping[str, str], starts: Sequence[str], roots: Iterable[str]
) -> Iterator[str]:
    value = environment[name]
    for root in roots:  # also where blanks or commas are part of a name
        named = re.finditer(
            re.escape(root) + r"(?:(?=[^\w./-]|$)|/[^:'\"]*?(?=\s/|[:'\"]|$))", value
        )
        yield from (os.path.normpath(one[0]) for one in named)
    for part in value.split(":") if name in _SEARCHED and value else ():
        if part[:1] != "/":
            says = "is looked for in the folder one is in; take it out, or make it absolute"
            raise BadOrder(f"`{name}` has the part `{part}`, which {says}")
    for word in map(os.path.expanduser, _WORD.findall(value)):
        if word[0] == "/":
            yield from {os.path.normpath(word), os.path.realpath(word)}
        elif _RELATIVE.fullmatch(word):
            is_program = _COMMANDS.fullmatch(name) and _is_program(word, environment)
            if _FROM_ANYWHERE.fullmatch(name) and not is_program:
                raise BadOrder(f"`{name}` has the relative name `{word}`; make it absolute")
            for one in starts:
                there = f"{one}/{word}"
                if os.path.isfile(there) or ("/" in word and os.path.exists(_first(one, word))):
                    yield os.path.normpath(there)


def _first(start: str, word: str) -> str:
    return os.path.join(start, word.split("/")[0])


def _is_program(word: str, environment: Mapping[str, str]) -> bool:
    """Found by `PATH`, which is looked at for itself: `cat` as a pager."""
    folders = environment.get("PATH", os.defpath).split(":")
    return "/" not in word and any(os.path.isfile(f"{one}/{word}") for one in folders)
