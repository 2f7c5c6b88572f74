"""pip and the tools that check or format Python: also reached as `python -m NAME`."""

import re
from collections.abc import Mapping

from automode.core.paths import absolute, parents, within
from automode.programs.development import develops, inside, ordinary
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, writes
from automode.programs.verbs import (
    ELSEWHERE,
    Verbs,
    always,
    asks_only,
    many,
    prints,
    reads,
    remote,
    spec,
)
from automode.shell.options import arguments

_PIP_COMMON = (
    " --verbose -v --quiet -q --no-color --no-input --disable-pip-version-check --isolated"
    " --no-python-version-warning --require-virtualenv"
)
_INDEX = " --index-url= -i= --extra-index-url= --no-index --find-links= -f= --pre --proxy= --cert="
_OTHER_INDEX = dict.fromkeys(
    ("--index-url", "-i", "--extra-index-url", "--find-links", "-f", "--proxy", "--cert"), ELSEWHERE
)
_PIP_LIST = _PIP_COMMON + (
    " --local -l --user --path= --format= --not-required --exclude= --exclude-editable"
    " --include-editable --editable -e --outdated -o --uptodate -u" + _INDEX
)


def pip_list(invocation: Invocation) -> Use:
    """Only asking what is outdated asks the index."""
    effects = {**_OTHER_INDEX, **dict.fromkeys(("--outdated", "-o", "--uptodate", "-u"), _REMOTE)}
    return reads(_PIP_LIST, effects=effects)(invocation)


_REMOTE = Use(Effect.REMOTE_READ)


def pip_install(invocation: Invocation) -> Use:
    """From the project's own requirement files, or the project itself: ordinary."""
    effect = Effect.RUNS | Effect.WRITES | Effect.NETWORK
    options = "-r= --requirement= -e= --editable= -c= --constraint= -U --upgrade -q --quiet -v"
    given = arguments(invocation.args, spec(options + _PIP_COMMON))
    declared = given.has("-r", "--requirement") or given.has("-e", "--editable")
    project = all(re.fullmatch(r"\.(\[[\w,-]+\])?", word.text) for word in given.operands)
    if project and (declared or given.operands) and not given.unclear and ordinary(invocation):
        return Use(effect | Effect.DEVELOPMENT, "it installs what the project declares")
    return Use(effect, "it installs packages, which may run their code")


_CHANGES = always(Effect.WRITES, "it changes the environment or its configuration")
PIP: dict[str, Judge] = {
    "list": pip_list,
    "show": reads(_PIP_COMMON + " --files -f"),
    "freeze": reads(
        _PIP_COMMON + " --local -l --user --all --path= --exclude= --exclude-editable -r="
    ),
    "inspect": reads(_PIP_COMMON + " --local --user --path="),
    **many("check debug completion", reads(_PIP_COMMON + " --bash --zsh --fish -b -z -f")),
    "help": reads(),
    "hash": reads(_PIP_COMMON + " --algorithm= -a="),
    "index": Verbs({"versions": remote(_PIP_COMMON + _INDEX + " --json", effects=_OTHER_INDEX)}),
    "search": remote(
        _PIP_COMMON + " --index= -i=", effects={"--index": ELSEWHERE, "-i": ELSEWHERE}
    ),
    "config": Verbs(
        {
            **many("list debug", reads(_PIP_COMMON + " --user --global --site")),
            **many("get set unset edit", _CHANGES),
        },
        spec("--user --global --site"),
    ),
    "cache": Verbs(
        {
            **many("dir info list", reads(_PIP_COMMON + " --format=")),
            **many("remove purge", _CHANGES),
        }
    ),
    "install": pip_install,
    "uninstall": _CHANGES,
    **many(
        "download wheel lock",
        always(Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it downloads packages"),
    ),
}

_FIXES = re.compile(r"^\s*fix(-only)?\s*=\s*true", re.MULTILINE)
_RUFF_FILES = ("ruff.toml", ".ruff.toml", "pyproject.toml")
_CONFIG_LIMIT_BYTES = 200_000


def _ruff_config_fixes(invocation: Invocation) -> bool:
    """Whether a configuration above says that checking is to edit files."""
    cwd, workspace = invocation.command.cwd, invocation.workspace
    if cwd is None:
        return False
    here = absolute(".", cwd)
    folders = [here, *(up for up in parents(here) if within(up, workspace.root))]
    texts = (
        workspace.files.text(f"{folder}/{name}", _CONFIG_LIMIT_BYTES)
        for folder in folders
        for name in _RUFF_FILES
    )
    return any(text is not None and _FIXES.search(text) for text in texts)


_RUFF_COMMON = (
    " --quiet -q --verbose -v --silent -s --isolated --preview --no-preview --config="
    " --target-version= --line-length= --no-cache -n --exclude= --extend-exclude= --force-exclude"
    " --respect-gitignore --no-respect-gitignore --stdin-filename= --exit-non-zero-on-format"
)
_RUFF_CHECK = _RUFF_COMMON + (
    " --no-fix --select= --ignore= --extend-select= --extend-ignore= --per-file-ignores="
    " --output-format= --statistics --show-files --show-settings --show-fixes --diff --exit-zero"
    " --exit-non-zero-on-fix --unsafe-fixes --no-unsafe-fixes --fixable= --unfixable= -e"
    " --ignore-noqa --show-source --extension="
)


def _foreign_config(invocation: Invocation, *options: str) -> bool:
    given = arguments(invocation.args, spec(" ".join(f"{option}=" for option in options)))
    values = [option.value for option in given.options if option.name in options]
    # Settings may also be written out in the value: `--config fix=true`.
    return any(
        value is None or "=" in value.text or not inside(invocation, value.text) for value in values
    )


def _ruff_check(invocation: Invocation) -> Use:
    if _foreign_config(invocation, "--config"):
        return runs("its configuration is not the project's own")
    use = reads(_RUFF_CHECK)(invocation)
    given = arguments(invocation.args, spec(_RUFF_CHECK))
    if not use.effect and not given.has("--no-fix", "--diff") and _ruff_config_fixes(invocation):
        return Use(Effect.WRITES | Effect.DEVELOPMENT, "the configuration makes it edit files")
    if use.effect:
        return develops("--config", Effect.WRITES)(invocation)
    return use


def _checks(options: str, *checking: str) -> Judge:
    """A formatter that only looks when one of `checking` is given."""

    def judge(invocation: Invocation) -> Use:
        if asks_only(invocation, "--version", "-V", "--help", "-h"):
            return READS
        given = arguments(invocation.args, spec(options + " " + " ".join(checking)))
        if _foreign_config(invocation, "--config", "--settings-path", "--settings-file"):
            return runs("its configuration is not the project's own")
        if given.has(*checking) and not given.unclear:
            return READS
        return develops("--config", Effect.WRITES)(invocation)

    return judge


_RUFF: dict[str, Judge] = {
    "check": _ruff_check,
    "format": _checks(_RUFF_COMMON + " --range= --output-format=", "--check", "--diff"),
    **many("rule linter config version help", reads("--all --output-format=")),
    "clean": always(Effect.WRITES, "it deletes caches"),
    "analyze": Verbs({"graph": reads("--direction= --preview")}),
}
_BLACK = (
    " -q --quiet -v --verbose -l= --line-length= -t= --target-version="
    " -S -C --skip-string-normalization"
    " --color --no-color --pyi --preview --include= --exclude= --extend-exclude= --force-exclude="
    " --fast --safe --workers= -W= --stdin-filename= --required-version= --config="
)
_ISORT = (
    " -q --quiet -v --verbose --profile= --line-length= -l= -w= --skip= -s= --skip-glob="
    " --gitignore --skip-gitignore --color --src= --project= -p= --thirdparty= -o="
    " --settings-path= --sp="
    " --settings-file= --filter-files --float-to-top --only-modified --om --stdout --jobs= -j="
    " --force-single-line-imports --multi-line= -m= --trailing-comma --tc --combine-as --ca"
)


def _runs_project(foreign: str, also: Effect = Effect.NONE) -> Judge:
    develop = develops(foreign, also)

    def judge(invocation: Invocation) -> Use:
        if asks_only(invocation, "--version", "-V", "--help", "-h"):
            return READS
        return develop(invocation)

    return judge


def _pre_commit(invocation: Invocation) -> Use:
    table: dict[str, Judge] = {
        "run": develops("--config -c"),
        "validate-config": prints,
        **many(
            "install uninstall autoupdate clean gc migrate-config init-templatedir install-hooks",
            lambda _: writes("it changes hooks or their cache"),
        ),
    }
    return Verbs(table, spec("--version -V --help -h"))(invocation)


PROGRAMS: Mapping[str, Judge] = {
    **many("pip pip3", Verbs(PIP, spec(_PIP_COMMON + " --version -V --help -h"), bare=prints)),
    "ruff": Verbs(_RUFF, spec(_RUFF_COMMON + " --version -V --help -h"), bare=prints),
    "black": _checks(_BLACK, "--check", "--diff"),
    "isort": _checks(
        _ISORT, "--check-only", "--check", "-c", "--diff", "-d", "--df", "--show-files"
    ),
    **many("pytest py.test", _runs_project("-p -c --config-file --confcutdir --pyargs --import")),
    **many("tox nox", _runs_project("-c --conf --workdir -f --noxfile --installpkg")),
    **many(
        "mypy dmypy pyright basedpyright pytype pyre ty",
        _runs_project(
            "--config-file --python-executable --install-types --pythonpath -p --project"
        ),
    ),
    **many(
        "flake8 pylint bandit vulture pyflakes pycodestyle pydocstyle radon",
        _runs_project("--config --rcfile --load-plugins --init-hook -c --append-config"),
    ),
    **many(
        "autopep8 yapf autoflake pyupgrade docformatter", _runs_project("--config", Effect.WRITES)
    ),
    "coverage": _runs_project("--rcfile"),
    "pre-commit": _pre_commit,
}
