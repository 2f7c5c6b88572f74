"""uv, poetry, conda and the other managers of Python projects, environments and versions."""

from collections.abc import Mapping

from automode.programs.development import develops, installs, runs_tool
from automode.programs.python_tools import pip_install
from automode.programs.use import Effect, Judge, Use, network, runs
from automode.programs.verbs import (
    ELSEWHERE,
    Verbs,
    always,
    bare_or,
    many,
    prints,
    reads,
    remote,
    spec,
    words,
)

_TOOLS = words(
    "pytest py.test tox nox mypy pyright ruff black isort flake8 pylint bandit coverage pre-commit"
    " python python3 sphinx-build mkdocs alembic uvicorn gunicorn flask django-admin celery ipython"
    " basedpyright ty poe invoke behave hypothesis twine cdk"
)
_WRITES = always(Effect.WRITES, "it changes the environment or the project")
_FETCHES = always(
    Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it installs packages, which may run their code"
)
_PUBLISHES = always(Effect.REMOTE_WRITE, "it publishes a package")
_TOKENS = always(Effect.SECRETS, "it shows or changes credentials")
_RUNS = always(Effect.RUNS, "it runs a program")

_UV = (
    " -q --quiet -v --verbose --color= --offline --no-progress --no-cache -n --no-config"
    " --directory= --project= --native-tls --managed-python --no-managed-python"
    " --no-python-downloads"
)
_UV_INDEX = " --index= --default-index= --index-url= -i= --extra-index-url= --find-links= -f="
_OTHER_INDEX = dict.fromkeys(_UV_INDEX.replace("=", "").split(), ELSEWHERE)
_UV_PIP = _UV + (
    " --python= -p= --system --strict --no-system --format= --exclude= --exclude-editable"
    " --editable -e --user --path= --files -f --json"
)
_UV_TREE = _UV + (
    " --depth= -d= --prune= --package= --no-dedupe --invert --outdated --universal --frozen"
    " --locked --all-groups --group= --no-group= --only-group= --only-dev --dev --no-dev"
    " --no-default-groups"
    " --python-version= --python-platform= --python= -p= --show-sizes --show-version-specifiers"
)
_UV_EXPORT = _UV + (
    " --format= --all-extras --extra= --no-extra= --no-dev --only-dev --dev --group= --no-group="
    " --only-group= --all-groups --no-header --no-hashes --hashes --no-annotate --annotate --frozen"
    " --locked --all-packages --package= --no-emit-project --no-emit-workspace --no-emit-package="
    " --no-editable --prune= --no-default-groups --python= -p= --script="
)
_UV_RUN = spec(
    _UV + " --python= -p= --group= --extra= --all-extras --dev --no-dev --frozen --locked --no-sync"
    " --package= --isolated --all-groups --only-group= --no-project --active --exact -m --module"
)


_UV_PIP_VERBS: dict[str, Judge] = {
    **many("list freeze show", reads(_UV_PIP)),
    "check": reads(_UV_PIP),
    "tree": reads(_UV_PIP + _UV_TREE),
    "install": pip_install,
    "sync": _FETCHES,
    "compile": develops("", Effect.WRITES | Effect.NETWORK),
    "uninstall": _WRITES,
}
_UV_VERBS: dict[str, Judge] = {
    "pip": Verbs(_UV_PIP_VERBS, spec(_UV)),
    "tree": reads(_UV_TREE + _UV_INDEX, effects=_OTHER_INDEX),
    "export": reads(_UV_EXPORT + _UV_INDEX, effects=_OTHER_INDEX),
    "version": bare_or(reads(_UV + " --short --output-format= --dry-run"), _WRITES),
    "help": reads("--no-pager"),
    "self": Verbs({"version": reads("--short --output-format="), "update": _FETCHES}),
    "python": Verbs(
        {
            "list": reads(
                _UV + " --all-versions --all-platforms --all-arches --only-installed"
                " --only-downloads --show-urls --output-format="
            ),
            **many("find dir", reads(_UV + " --system --no-project --bin --show-version")),
            **many("install uninstall upgrade pin update-shell", _FETCHES),
        }
    ),
    "tool": Verbs(
        {
            **many(
                "list dir",
                reads(
                    _UV + " --show-paths --show-version-specifiers --show-with"
                    " --show-extras --show-python --outdated --bin"
                ),
            ),
            **many("install upgrade uninstall update-shell", _FETCHES),
            "run": _RUNS,
        }
    ),
    "cache": Verbs({**many("dir size", reads(_UV)), **many("clean prune", _WRITES)}),
    "auth": Verbs({"dir": prints, **many("token login logout", _TOKENS)}),
    "run": runs_tool(_TOOLS, _UV_RUN),
    "sync": installs("--index --default-index --index-url -i --extra-index-url --find-links -f"),
    "lock": develops("--index --default-index --index-url", Effect.WRITES | Effect.NETWORK),
    "venv": develops("--index-url --allow-existing --clear", Effect.WRITES),
    "build": develops("--index --default-index --index-url", Effect.WRITES),
    "format": develops("", Effect.WRITES),
    "init": _WRITES,
    **many("add remove", _FETCHES),
    "publish": _PUBLISHES,
}

_POETRY = (
    " -q --quiet -v --verbose --no-ansi --ansi -n --no-interaction --no-plugins --no-cache -C= -P="
)
_POETRY_SHOW = _POETRY + (
    " --no-dev --without= --with= --only= --tree -t --latest -l --outdated -o --all -a"
    " --top-level -T --why --format= -f= --no-truncate"
)
_LATEST = dict.fromkeys(("--latest", "-l", "--outdated", "-o"), Use(Effect.REMOTE_READ))
_POETRY_VERBS: dict[str, Judge] = {
    "show": reads(_POETRY_SHOW, effects=_LATEST),
    "env": Verbs(
        {
            **many("info list", reads(_POETRY + " --path -p --executable -e --full-path")),
            "activate": prints,
            **many("use remove", _WRITES),
        }
    ),
    "version": bare_or(reads(_POETRY + " --short -s"), _WRITES),
    **many("check about list help", reads(_POETRY + " --lock --strict --raw --format=")),
    "search": remote(_POETRY),
    "config": bare_or(reads(_POETRY + " --list --local --migrate"), _WRITES),
    "source": Verbs({"show": reads(_POETRY), **many("add remove", _WRITES)}),
    "cache": Verbs({"list": reads(_POETRY), "clear": _WRITES}),
    "debug": Verbs({**many("info tags", reads(_POETRY)), "resolve": remote(_POETRY)}),
    "self": Verbs({"show": reads(_POETRY), **many("add remove update install sync", _FETCHES)}),
    "run": runs_tool(_TOOLS),
    "shell": _RUNS,
    **many("install sync", installs()),
    "lock": develops("", Effect.WRITES | Effect.NETWORK),
    "build": develops("", Effect.WRITES),
    **many("new init", _WRITES),
    **many("add remove update", _FETCHES),
    "publish": _PUBLISHES,
}
_PDM_VERBS: dict[str, Judge] = {
    "list": reads("--graph --tree --json --csv --markdown --freeze --fields= --sort= --reverse -r"),
    "info": reads("--python --where --packages --env --json"),
    **many("show search outdated", remote("--name --version --summary --license --json")),
    "venv": Verbs({"list": prints, **many("create remove purge activate", _WRITES)}),
    "run": runs_tool(_TOOLS),
    **many("install sync", installs()),
    **many("lock build", develops("", Effect.WRITES | Effect.NETWORK)),
    **many("add remove update", _FETCHES),
    **many("init config use fix import", _WRITES),
    "publish": _PUBLISHES,
}
_HATCH_VERBS: dict[str, Judge] = {
    "version": bare_or(develops(), _WRITES),
    "env": Verbs(
        {"show": reads("--json --ascii"), "find": prints, **many("create prune remove", _WRITES)}
    ),
    "status": prints,
    "dep": Verbs({"show": Verbs({**many("requirements table", reads("--all -a"))})}),
    "run": runs_tool(_TOOLS),
    **many("test fmt build", develops("--config")),
    **many("new config clean", _WRITES),
    "publish": _PUBLISHES,
}
_RYE_VERBS: dict[str, Judge] = {
    **many("show list version", bare_or(prints, _WRITES)),
    "toolchain": Verbs({"list": prints, **many("fetch remove register", _FETCHES)}),
    "run": runs_tool(_TOOLS),
    **many("test fmt lint", develops()),
    **many("sync lock", installs()),
    **many("add remove install uninstall", _FETCHES),
    "publish": _PUBLISHES,
}

_CONDA = " --json -v --verbose -q --quiet --name= -n= --prefix= -p="
_CONDA_CHANNEL = " --channel= -c= --override-channels --offline --info -i --envs --use-local"
_CHANNEL = dict.fromkeys(("--channel", "-c"), network("it asks another channel"))
_CONDA_VERBS: dict[str, Judge] = {
    "list": reads(
        _CONDA + " -f --full-name -c --canonical -e --export --explicit -r --revisions"
        " --show-channel-urls --no-pip --md5 --reverse"
    ),
    "info": reads(_CONDA + " -a --all -e --envs -s --system --base --license -l"),
    "env": Verbs(
        {
            "list": reads(_CONDA),
            "export": reads(_CONDA + " --no-builds --from-history --ignore-channels"),
            "config": Verbs({"vars": Verbs({"list": _TOKENS})}),
            **many("create update remove", _FETCHES),
        }
    ),
    **many("search repoquery", remote(_CONDA + _CONDA_CHANNEL, effects=_CHANNEL)),
    "config": bare_or(
        reads(" --json --show --show-sources --describe --validate --env --system"), _WRITES
    ),
    "export": reads(_CONDA + " --no-builds --from-history"),
    "compare": reads(_CONDA),
    "doctor": reads(_CONDA),
    "notices": remote(),
    "run": _RUNS,
    **many("install create update upgrade remove uninstall clean init rename", _FETCHES),
    **many("activate deactivate", _WRITES),
}
_PYENV_VERBS: dict[str, Judge] = {
    **many(
        "versions version which whence root prefix commands shims help completions hooks",
        reads("--bare --skip-aliases --skip-envs --path --short"),
    ),
    **many("version-name version-origin version-file version-file-read", reads()),
    **many("local global shell", bare_or(prints, _WRITES)),
    "latest": reads("-q --quiet -k --known"),
    "virtualenvs": reads("--bare --skip-aliases"),
    "install": bare_or(reads("--list -l"), _FETCHES),
    **many("uninstall rehash virtualenv update", _WRITES),
    "exec": _RUNS,
}
_PIPX_VERBS: dict[str, Judge] = {
    "list": reads("--json --short --include-injected --skip-maintenance"),
    "environment": reads("--value= -V="),
    **many("help completions", prints),
    **many("install uninstall inject upgrade upgrade-all reinstall ensurepath", _FETCHES),
    **many("run runpip", lambda _: runs("it runs a package's program")),
}

_VERSION = spec("--version -V --help -h")
_CONDA_ROW = Verbs(_CONDA_VERBS, spec("--version -V --help -h --json"))
PROGRAMS: Mapping[str, Judge] = {
    "uv": Verbs(_UV_VERBS, spec(_UV + " --version -V --help -h"), bare=prints),
    "uvx": lambda _: runs("it runs a package's program, fetched where it is missing"),
    "poetry": Verbs(_POETRY_VERBS, spec(_POETRY + " --version -V --help -h"), bare=prints),
    "pdm": Verbs(_PDM_VERBS, _VERSION),
    "hatch": Verbs(_HATCH_VERBS, _VERSION),
    "rye": Verbs(_RYE_VERBS, _VERSION),
    **many("conda mamba micromamba", _CONDA_ROW),
    "pyenv": Verbs(_PYENV_VERBS, spec("--version -v --help -h"), bare=prints),
    "pipx": Verbs(_PIPX_VERBS, _VERSION, bare=prints),
}
