"""npm, yarn, pnpm and bun: package managers of JavaScript."""

import re
from collections.abc import Mapping

from automode.programs.development import develops, installs
from automode.programs.node_run import package_program, script_or_program
from automode.programs.settings_above import has_settings, project_code
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network
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
)
from automode.shell.options import arguments

_QUIET = " --json --silent -sqd --quiet --verbose --no-color --color[=] --loglevel= --offline"
_SCOPE = (
    " --workspace= -w= --workspaces --include-workspace-root --prefix= --all -a --long -l --depth="
    " --parseable -p --global -g --omit= --include= --only= --production --prod --dev --link"
    " --unicode --no-unicode --package-lock-only --no-package-lock --prefer-offline"
)
_REGISTRY = {"--registry": ELSEWHERE}
_LOCAL = _QUIET + _SCOPE
_ASKS = _QUIET + _SCOPE + " --registry= --otp= --searchlimit= --audit-level= --no-audit"
_FOREIGN = (
    "--registry --userconfig --globalconfig --global -g --script-shell --node-options --location"
    " --ignore-scripts=false --git --call -c --package --before --https-proxy --proxy --cafile"
)
_PACKAGE = re.compile(r"(@[\w.-]+/)?[\w.-]+(@[\w.^~<>=*|+ -]*)?")
_SECRET_KEY = re.compile(r"auth|token|pass|secret|key\b|^_|:_", re.IGNORECASE)

_TEST = develops(_FOREIGN)
_INSTALL = installs(_FOREIGN)
_CHANGES = always(Effect.WRITES, "it changes the project or the configuration")
_ADDS = always(
    Effect.WRITES | Effect.NETWORK | Effect.RUNS,
    "it installs packages, which may run their scripts",
)
_PUBLISHES = always(Effect.REMOTE_WRITE, "it changes something on the registry")
_TOKENS = always(Effect.SECRETS, "it shows or changes credentials of the registry")
_RUNS = always(Effect.RUNS, "it runs a package's program")
_OPENS = always(Effect.RUNS, "it opens a browser or an editor")


def _package(options: str) -> Judge:
    """A package of the registry, not an address of somebody's choosing, then its fields."""
    row = remote(options, effects=_REGISTRY)

    def judge(invocation: Invocation) -> Use:
        named = [word.text for word in arguments(invocation.args, spec(options)).operands]
        strange = [name for name in named[:1] if not _PACKAGE.fullmatch(name)]
        strange += [word.text for word in invocation.args if "://" in word.text]
        use = network(f"`{strange[0]}` may name another server") if strange else READS
        return row(invocation) | use

    return judge


_ASKED = remote(_ASKS, effects=_REGISTRY)
_view = _package(_ASKS)


def _config_get(invocation: Invocation) -> Use:
    if any(_SECRET_KEY.search(word.text) or word.value is None for word in invocation.args):
        return Use(Effect.SECRETS, "the key may hold a credential")
    return reads(_LOCAL)(invocation)


_LIST_SCRIPTS = bare_or(reads(_LOCAL), _TEST)
_CONFIG = Verbs(
    {
        **many("list ls", reads(_LOCAL)),
        "get": _config_get,
        **many("set delete rm fix", _CHANGES),
        "edit": _OPENS,
    }
)
_REMOTE_LISTS: dict[str, Judge] = {
    "access": Verbs(
        {
            **many("list ls get ls-packages ls-collaborators list-packages", _ASKED),
            **many("set grant revoke public restricted edit", _PUBLISHES),
        }
    ),
    "owner": Verbs({**many("ls list", _ASKED), **many("add rm", _PUBLISHES)}),
    **many(
        "dist-tag dist-tags tag",
        Verbs({**many("ls list", _ASKED), **many("add rm", _PUBLISHES)}),
    ),
    "team": Verbs({**many("ls list", _ASKED), **many("create destroy add rm", _PUBLISHES)}),
    "org": Verbs({**many("ls list", _ASKED), **many("set rm", _PUBLISHES)}),
    "hook": Verbs({**many("ls list", _ASKED), **many("add rm update", _PUBLISHES)}),
    "profile": Verbs({"get": _ASKED, **many("set enable-2fa disable-2fa", _PUBLISHES)}),
}

_NPM: dict[str, Judge] = {
    **many("ls list la ll", reads(_LOCAL)),
    **many("explain why root prefix bin completion help help-search sbom query", reads(_LOCAL)),
    "sbom": reads(_LOCAL + " --sbom-format= --sbom-type="),
    "fund": reads(_LOCAL, operands=0),
    "version": bare_or(reads(_LOCAL), _CHANGES),
    **many("run run-script rum urn", _LIST_SCRIPTS),
    **many("config c", _CONFIG),
    "get": _config_get,
    "set": _CHANGES,
    "pkg": Verbs({"get": reads(_LOCAL), **many("set delete fix", _CHANGES)}),
    "cache": Verbs({"ls": reads(_LOCAL), **many("add clean verify rm npx", _CHANGES)}),
    **many("view info show v", _view),
    **many("search find s se ping whoami stars doctor outdated", _ASKED),
    "find-dupes": _TEST,
    "diff": always(Effect.RUNS, "it prepares what it compares, which may run its scripts"),
    "audit": Verbs(
        {"signatures": _ASKED, "fix": develops(_FOREIGN, Effect.WRITES | Effect.NETWORK)},
        spec(_ASKS),
        _REGISTRY,
        bare=_ASKED,
    ),
    **_REMOTE_LISTS,
    **many("test t tst start stop restart", _TEST),
    **many("it install-test", _INSTALL),
    **many("ci clean-install ic install i in add isntall update up upgrade", _INSTALL),
    **many("uninstall un remove rm r unlink link ln dedupe ddp prune rebuild rb", _ADDS),
    **many("shrinkwrap set-script", _CHANGES),
    "pack": develops(_FOREIGN, Effect.WRITES),
    **many("publish unpublish deprecate undeprecate star unstar trust", _PUBLISHES),
    **many("login adduser logout token", _TOKENS),
    **many("exec x", package_program),
    **many("explore init create innit", _RUNS),
    **many("docs home repo bugs issues edit", _OPENS),
}
_NPM_GLOBAL = spec(_LOCAL + " --registry= --version -v --help -h")

_YARN_LOCAL = (
    _QUIET + " --depth= --pattern= --level= --recursive -RA --all --since --cwd= --name-only"
)
_YARN: dict[str, Judge] = {
    **many("list why bin versions help licenses", reads(_YARN_LOCAL)),
    "info": _package(_YARN_LOCAL + " -A --virtuals --dependents --manifest --cache -X="),
    "outdated": remote(_YARN_LOCAL),
    "audit": remote(_YARN_LOCAL + " --groups="),
    "config": Verbs(
        {"list": reads(_YARN_LOCAL), "get": _config_get, **many("set delete unset", _CHANGES)},
        spec("--json -v --verbose --why"),
        bare=prints,
    ),
    "cache": Verbs({**many("dir list", reads(_YARN_LOCAL)), "clean": _CHANGES}),
    "global": Verbs({**many("list dir bin", reads(_YARN_LOCAL)), **many("add remove", _ADDS)}),
    "workspaces": Verbs(
        {
            **many("list info", reads(_YARN_LOCAL + " -v")),
            **many("foreach run", _TEST),
            "focus": _INSTALL,
        }
    ),
    "npm": Verbs(
        {
            "info": _view,
            **many("whoami audit", remote(_YARN_LOCAL + " --all --environment= --severity=")),
            "tag": Verbs({"list": remote(), **many("add remove", _PUBLISHES)}),
            "publish": _PUBLISHES,
            **many("login logout", _TOKENS),
        }
    ),
    **many(
        "owner team tag", Verbs({**many("list ls", remote()), **many("add remove", _PUBLISHES)})
    ),
    "node": always(Effect.RUNS, "it runs a script"),
    "exec": package_program,
    **many("dlx create init run-script", _RUNS),
    "run": bare_or(reads(_YARN_LOCAL), _TEST),
    "install": _INSTALL,
    **many("add remove up upgrade upgrade-interactive link unlink import", _ADDS),
    **many("set plugin version patch patch-commit unplug rebuild constraints pack", _CHANGES),
    **many("publish", _PUBLISHES),
    **many("login logout", _TOKENS),
}

_PNPM_LOCAL = (
    _LOCAL
    + " -rPD -F= -C= --recursive --filter= --dir= --only-projects --lockfile-only --no-optional"
)
_PNPM: dict[str, Judge] = {
    **many(
        "list ls la ll why root bin help prefix cat-file cat-index find-hash", reads(_PNPM_LOCAL)
    ),
    "licenses": Verbs({**many("list ls", reads(_PNPM_LOCAL))}, spec(_PNPM_LOCAL)),
    "store": Verbs({**many("path status", reads(_PNPM_LOCAL)), **many("prune add", _CHANGES)}),
    **many("config c", _CONFIG),
    "get": _config_get,
    "env": Verbs({**many("list ls", reads(_PNPM_LOCAL)), **many("use add remove rm", _ADDS)}),
    **many(
        "outdated whoami ping doctor search stars", remote(_PNPM_LOCAL + " --format= --compatible")
    ),
    "audit": remote(_ASKS + " -PD --ignore-registry-errors", effects=_REGISTRY),
    **many("view info show v", _view),
    **_REMOTE_LISTS,
    "run": bare_or(reads(_PNPM_LOCAL), _TEST),
    **many("test t tst start", _TEST),
    **many("install i ci update up upgrade fetch", _INSTALL),
    **many("add remove rm uninstall un link ln unlink dedupe prune rebuild rb import", _ADDS),
    **many("set setup patch patch-commit patch-remove pack deploy server approve-builds", _CHANGES),
    **many("publish unpublish deprecate", _PUBLISHES),
    **many("login logout token adduser", _TOKENS),
    **many("dlx create init", _RUNS),
    "exec": package_program,
}

_BUN: dict[str, Judge] = {
    "pm": Verbs(
        {
            **many("ls list hash hash-string hash-print why", reads("--all -a --depth=")),
            "bin": reads("-g"),
            "cache": reads(operands=0),
            **many("whoami view", remote("--json")),
            **many("pack trust migrate version pkg", _CHANGES),
        }
    ),
    "why": reads("--top --depth="),
    "outdated": remote("--filter= -F= --recursive -r"),
    "audit": remote("--json --audit-level= --prod --ignore="),
    "info": _view,
    "run": bare_or(reads(), develops("--preload -r --cwd --env-file --config -c")),
    **many("test build", develops("--preload -r --cwd --env-file --config -c")),
    **many("install i ci update", installs("--registry --cwd --config -c -g --global")),
    **many("add a remove rm link unlink upgrade patch", _ADDS),
    **many("x create init exec repl", _RUNS),
    "publish": _PUBLISHES,
}

_YARN_ROW = Verbs(
    _YARN,
    spec(_QUIET + " --cwd= --version -v --help -h"),
    bare=_INSTALL,
    other=script_or_program,
    helps=False,
)
# A key may be written with escapes, so a file that has any is not looked into further.
_YARN_CODE = re.compile(r"yarn-?path|plugins|[\\!]", re.IGNORECASE)


def _yarn(invocation: Invocation) -> Use:
    """A project's settings may name a copy of yarn, or plug-ins, that are started in its place."""
    use = _YARN_ROW(invocation)
    if use.effect & ~Effect.REMOTE_READ:
        return use
    if any(word.text.partition("=")[0] == "--cwd" for word in invocation.args):
        return project_code(invocation, use, "settings of another folder are used")
    plain = not has_settings(
        invocation, (".yarnrc.yml", ".yarnrc"), lambda text: not _YARN_CODE.search(text)
    )
    return use if plain else project_code(invocation, use, "the settings may name another yarn")


PROGRAMS: Mapping[str, Judge] = {
    "npm": Verbs(_NPM, _NPM_GLOBAL, _REGISTRY, bare=prints),
    "yarn": _yarn,
    "pnpm": Verbs(
        _PNPM,
        spec(_PNPM_LOCAL + " -F= --filter-prod= --version -v --help -h --stream --parallel"),
        bare=prints,
        other=script_or_program,
    ),
    "bun": Verbs(
        _BUN,
        spec("--version -v --revision --help -h --silent"),
        bare=prints,
        other=script_or_program,
    ),
}
