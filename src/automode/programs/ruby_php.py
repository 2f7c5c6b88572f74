"""Ruby and PHP, their package managers and their tools."""

from collections.abc import Mapping

from automode.programs.development import develops, installs, runs_tool
from automode.programs.jvm import or_version
from automode.programs.node_run import script_file
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs
from automode.programs.verbs import (
    ELSEWHERE,
    Verbs,
    always,
    asks_only,
    bare_or,
    many,
    prints,
    reads,
    remote,
    spec,
    words,
)
from automode.shell.options import arguments

_WRITES = always(Effect.WRITES, "it changes packages or settings")
_INSTALLS = always(
    Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it installs packages, which may run their code"
)
_PUBLISHES = always(Effect.REMOTE_WRITE, "it changes something on the registry")
_TOKENS = always(Effect.SECRETS, "it handles credentials")

_GEM = " -q --quiet -V --verbose --no-verbose --silent --local -l --norc --backtrace"
_GEM_LIST = _GEM + (
    " -d --details --no-details -i --installed -v= --version= -a --all --versions --no-versions"
    " --exact -e --prerelease --no-prerelease --both -b --remote -r --source= -s= --bulk-threshold="
)
_SOURCE = {"--source": ELSEWHERE, "-s": ELSEWHERE}
_ASKS = {**_SOURCE, **dict.fromkeys(("--remote", "-r", "--both", "-b"), Use(Effect.REMOTE_READ))}
_GEM_VERBS: dict[str, Judge] = {
    **many("list query", reads(_GEM_LIST, effects=_ASKS)),
    **many("specification spec info", reads(_GEM_LIST + " --ruby --yaml --marshal", effects=_ASKS)),
    **many("search", remote(_GEM_LIST, effects=_SOURCE)),
    "outdated": remote(_GEM + " --platform="),
    **many(
        "environment env help which contents stale", reads(_GEM + " --prefix --no-prefix -a --all")
    ),
    **many(
        "dependency dep", reads(_GEM_LIST + " -R --reverse-dependencies -p --pipe", effects=_ASKS)
    ),
    "owner": bare_or(prints, _PUBLISHES),
    "sources": bare_or(reads("--list -l"), _WRITES),
    "check": _WRITES,
    **many("install i update uninstall cleanup pristine rebuild fetch unpack lock", _INSTALLS),
    "build": develops("-C", Effect.WRITES),
    **many("push yank", _PUBLISHES),
    **many("signin signout cert", _TOKENS),
    **many("exec server open", always(Effect.RUNS, "it runs a program")),
}
# A Gemfile is Ruby code that bundler evaluates, but only that of the project.
_BUNDLE_READS = " --no-color --verbose -V --quiet"
_BUNDLE_VERBS: dict[str, Judge] = {
    **many(
        "list show info check",
        reads(
            _BUNDLE_READS
            + " --name-only --paths --path --version --without-group= --only-group= --dry-run"
        ),
    ),
    "licenses": reads(),
    **many("version help platform", reads("--ruby")),
    "outdated": remote(
        _BUNDLE_READS + " --strict --parseable --porcelain --group= --groups --local"
        " --patch --minor --major --filter-patch --filter-minor --filter-major"
    ),
    "config": Verbs({"list": prints, "get": _TOKENS, **many("set unset", _WRITES)}),
    "exec": runs_tool(words("rspec rake rubocop rails standardrb cucumber jekyll srb brakeman")),
    **many("install", installs("--gemfile --path --system")),
    **many(
        "add remove update lock init clean cache package pristine plugin gem binstubs", _INSTALLS
    ),
    **many("open console viz", always(Effect.RUNS, "it runs a program")),
}

_COMPOSER = " -q --quiet -v -vv -vvv --verbose --ansi --no-ansi -n --no-interaction --no-plugins"
_COMPOSER_SHOW = _COMPOSER + (
    " --all -a --installed -i --locked --platform -p --available --self -s --name-only -N --path -P"
    " --tree -t --latest -l --outdated -o --direct -D --minor-only -m --patch-only --major-only -M"
    " --strict --format= -f= --no-dev --ignore= --recursive -r --limit="
)
_COMPOSER_VERBS: dict[str, Judge] = {
    **many(
        "show info licenses depends why prohibits why-not fund suggests status",
        reads(_COMPOSER_SHOW),
    ),
    "validate": reads(_COMPOSER + " --no-check-all --no-check-lock --no-check-publish --strict"),
    **many("check-platform-reqs about list help diagnose", reads(_COMPOSER + " --no-dev --lock")),
    **many("outdated audit search", remote(_COMPOSER_SHOW + " --abandoned= --only-name")),
    "config": bare_or(reads(_COMPOSER + " --list -l"), _WRITES),
    **many("run run-script test", develops("-d --working-dir")),
    "exec": runs_tool(words("phpunit pest phpstan psalm phpcs pint")),
    "install": installs("-d --working-dir"),
    "dump-autoload": develops("", Effect.WRITES),
    **many(
        "require remove update upgrade create-project global self-update init reinstall bump",
        _INSTALLS,
    ),
    **many("browse home archive", always(Effect.RUNS, "it opens a browser or writes an archive")),
}


def _ruby(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-v", "--help", "-h", "--copyright"):
        return READS
    given = arguments(invocation.args, spec("-cw"))
    if given.has("-c") and not given.unclear and len(given.operands) == 1:
        # Checking syntax runs `BEGIN` blocks.
        return runs("checking the syntax runs `BEGIN` blocks")
    return script_file(invocation)


def _php(invocation: Invocation) -> Use:
    if asks_only(invocation, "-v", "--version", "-m", "--modules", "--ini", "-h", "--help"):
        return READS
    if asks_only(invocation, "-i", "--info"):
        return Use(Effect.SECRETS, "it prints the environment")
    texts = [word.text for word in invocation.args]
    if len(texts) > 1 and texts[0] in ("-l", "--syntax-check") and invocation.literal:
        return READS if all(text[:1] != "-" for text in texts[1:]) else runs("it runs code")
    if len(texts) == 2 and texts[0] in ("--re", "--rf", "--rc", "--ri", "--rz"):
        return READS
    return script_file(invocation)


_RBENV: dict[str, Judge] = {
    **many(
        "versions version which whence root prefix commands shims help hooks completions",
        reads("--bare --skip-aliases --short --path"),
    ),
    **many("version-name version-origin version-file", reads()),
    **many("local global shell", bare_or(prints, _WRITES)),
    "install": bare_or(reads("--list -l --list-all -L"), _INSTALLS),
    **many("uninstall rehash", _WRITES),
    "exec": always(Effect.RUNS, "it runs a program"),
}
_ENV_ROW = Verbs(_RBENV, spec("--version -v --help -h"), bare=prints)

PROGRAMS: Mapping[str, Judge] = {
    "gem": Verbs(_GEM_VERBS, spec("--version -v --help -h")),
    **many(
        "bundle bundler",
        Verbs(_BUNDLE_VERBS, spec("--version -v --help -h --no-color"), bare=installs()),
    ),
    **many(
        "rake rspec rubocop standardrb minitest cucumber sorbet srb brakeman reek",
        or_version(develops("--require -r --rakefile -f --config -c --libdir -I --options")),
    ),
    "rails": or_version(
        Verbs(
            {**many("test routes about stats notes", develops()), "version": prints},
            other=lambda _: runs("it runs the application's code"),
        )
    ),
    "ruby": _ruby,
    "irb": or_version(lambda _: runs("it runs code")),
    **many("rbenv goenv nodenv plenv phpenv tfenv", _ENV_ROW),
    "php": _php,
    "composer": Verbs(_COMPOSER_VERBS, spec(_COMPOSER + " --version -V --help -h"), bare=prints),
    **many(
        "phpunit pest phpstan psalm phpcs php-cs-fixer pint rector phpcbf",
        or_version(develops("-c --configuration --bootstrap --standard --config --autoload-file")),
    ),
}
