"""Homebrew, and nix beside it: package managers whose packages are programs themselves."""

import re
from collections.abc import Mapping

from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, runs
from automode.programs.verbs import (
    Verbs,
    always,
    asks_only,
    blurred,
    many,
    prints,
    reads,
    remote,
    spec,
)
from automode.shell.options import Spec, arguments

_QUIET = " -q --quiet -v --verbose"
_KIND = " --formula --formulae --cask --casks"
_NAME = re.compile(r"(homebrew/[\w-]+/)?[\w@+.-]+|homebrew/[\w-]+")
_CHANGES = always(Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it changes what is installed")
_RUNS = always(Effect.RUNS, "it runs a program, or code of the formula")
_SERVICE = always(Effect.SYSTEM, "it changes a service")
_DOWNLOADS = always(Effect.WRITES | Effect.NETWORK, "it downloads packages")


def _named(judge: Judge) -> Judge:
    """A formula is Ruby code. A plain name means a reviewed one; a path or an address runs code of
    somebody's choosing, and a name in another tap fetches it first."""

    def told(invocation: Invocation) -> Use:
        for word in invocation.args:
            if word.text[:1] == "-":
                continue
            if word.value is None or word.text.endswith(".rb") or not _NAME.fullmatch(word.text):
                return runs("the formula may come from somewhere else")
        return judge(invocation)

    return told


_DEPS = (
    _QUIET
    + _KIND
    + (
        " -n --topological -1 --direct --union --full-name --include-implicit --include-build"
        " --include-optional --include-test --include-requirements --skip-recommended --annotate"
        " --installed --missing --eval-all --for-each --tree --graph --dot --HEAD --os= --arch="
        " --1 -d"
    )
)
_INFO = (
    _QUIET
    + _KIND
    + (
        " --analytics --days= --category= --installed --eval-all --json[=] --variations --sizes"
        " --all"
        " --fetch-manifest"
    )
)
_LIST = (
    _QUIET
    + _KIND
    + (
        " --full-name --versions --multiple --pinned --installed-on-request"
        " --no-installed-on-request"
        " --installed-as-dependency --poured-from-bottle --built-from-source -l -r -t -1"
    )
)
_USES = (
    _QUIET
    + _KIND
    + (
        " --recursive --installed --missing --eval-all --include-implicit --include-build"
        " --include-test"
        " --include-optional --skip-recommended"
    )
)
_SEARCH = (
    _QUIET + _KIND + " --desc --eval-all --pull-request --open --closed --alpine[=] --repology"
)
_OUTDATED = (
    _QUIET + _KIND + " --json[=] --greedy -g --greedy-latest --greedy-auto-updates --fetch-HEAD"
)
_BROWSES = {"--github": runs("it opens a browser")}
_CACHE = _KIND + " --os= --arch= -s --build-from-source --force-bottle --bottle-tag= --HEAD"
_BREW: dict[str, Judge] = {
    **many("list ls", _named(reads(_LIST))),
    **many("info abv", _named(remote(_INFO + " --github", effects=_BROWSES))),
    "deps": _named(reads(_DEPS)),
    "uses": _named(reads(_USES)),
    "desc": _named(
        remote(_QUIET + _KIND + " -s= --search= -n= --name= -d= --description= --eval-all")
    ),
    **many("search -S", remote(_SEARCH.replace(" --pull-request --open --closed", ""))),
    "outdated": _named(remote(_OUTDATED)),
    "leaves": reads(_QUIET + " -r --installed-on-request -p --installed-as-dependency"),
    **many("config --config doctor dr", reads(_QUIET + " --list-checks -D --audit-debug")),
    **many("commands formulae casks", reads(_QUIET + " --include-aliases")),
    "command": reads(),
    "shellenv": reads(),
    **many("--prefix --cellar --caskroom --repository --repo", reads("--unbrewed --installed")),
    "--cache": _named(reads(_CACHE)),
    "--env": reads("--shell= --plain"),
    **many("--version -v --taps help --help -h", reads(_QUIET)),
    "cat": _named(reads(_QUIET + _KIND)),
    "options": _named(reads("--compact --installed --eval-all --command=")),
    "missing": _named(reads(_QUIET + " --hide=")),
    "linkage": _named(reads(_QUIET + " --test --strict --reverse --cached")),
    "log": _named(reads(_QUIET + _KIND + " -p -u --patch --stat --oneline -1 -n= --max-count=")),
    "tap-info": reads("--installed --json[=]"),
    "which-formula": reads("--explain --skip-update"),
    "analytics": Verbs({"state": prints, **many("on off regenerate-uuid", _CHANGES)}, bare=prints),
    "developer": Verbs({"state": prints, **many("on off", _CHANGES)}, bare=prints),
    "services": Verbs(
        {
            **many("list info", reads("--json --all")),
            **many("start stop restart run kill cleanup", _SERVICE),
        },
        bare=prints,
    ),
    "livecheck": _RUNS,
    "fetch": _DOWNLOADS,
    **many("home homepage docs edit create audit style test bundle gist-logs irb ruby sh", _RUNS),
    **many(
        "install reinstall uninstall remove rm upgrade update up tap untap link unlink", _CHANGES
    ),
    **many("pin unpin cleanup autoremove postinstall migrate switch unpack vendor-gems", _CHANGES),
}


def _brew(invocation: Invocation) -> Use:
    """`brew --prefix openssl` has options that are its verbs."""
    if blurred(invocation) or not invocation.args:
        return Use(Effect.UNKNOWN, "it is not known what is asked of brew")
    return Verbs(_BREW)(invocation) if invocation.args[0].text[:1] != "-" else _option(invocation)


def _option(invocation: Invocation) -> Use:
    judge = _BREW.get(invocation.args[0].text)
    if judge is None or invocation.args[0].value is None:
        return Use(Effect.UNKNOWN, "it is not known what is asked of brew")
    rest = Invocation("brew", invocation.args[1:], invocation.command, invocation.workspace)
    return judge(rest)


_NIX_QUERY = Spec(
    abbreviates=False,
    flags="qasceb",
    values="AP",
    long_flags=(
        "--query", "--installed", "--available", "--json", "--description", "--status", "--meta",
        "--out-path", "--drv-path", "--no-name", "--attr-path", "--compare-versions", "--system",
    ),
)  # fmt: skip


def _nix_env(invocation: Invocation) -> Use:
    """`-f` and `-I` evaluate an expression of somebody's choosing."""
    if asks_only(invocation, "--version", "--list-generations", "--help"):
        return READS
    given = arguments(invocation.args, _NIX_QUERY)
    if given.has("-q", "--query") and not given.unclear:
        return READS
    return Use(Effect.WRITES | Effect.RUNS, "it changes the profile")


_STORE_QUERY = spec(
    "-q --query -R --requisites --references --referrers --referrers-closure -d --deriver --tree"
    " --graph --hash --size --roots --outputs --valid-derivers -b= --binding= -l --read-log"
    " --version"
    " --print-roots --dump-db --verify-path"
)


def _nix_store(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _STORE_QUERY)
    asks = given.has("-q", "--query", "-l", "--read-log", "--version")
    if asks and not given.unclear and not blurred(invocation):
        return READS
    return Use(Effect.WRITES | Effect.RUNS, "it changes the store")


def _own_flake(judge: Judge) -> Judge:
    def told(invocation: Invocation) -> Use:
        foreign = any(
            ":" in word.text or word.value is None
            for word in invocation.args
            if word.text[:1] != "-"
        )
        return network("the flake may come from another server") if foreign else judge(invocation)

    return told


_NIX_BUILDS = always(Effect.RUNS | Effect.WRITES | Effect.NETWORK, "it builds and runs")
_NIX: dict[str, Judge] = {
    "flake": Verbs(
        {
            **many("show metadata info", _own_flake(reads("--json --all-systems --legacy"))),
            **many("check update lock init new clone archive prefetch", _NIX_BUILDS),
        }
    ),
    "search": _own_flake(remote("--json -e= --exclude=")),
    "profile": Verbs({**many("list history diff-closures", reads("--json"))}, other=_NIX_BUILDS),
    "registry": Verbs({"list": prints}),
    "store": Verbs({**many("ls cat diff-closures path-info ping info", reads("-l -R --json -d"))}),
    **many("path-info why-depends", _own_flake(reads("-r -s -S -h --recursive --size --json -a"))),
    "config": Verbs({"show": reads("--json")}),
    "show-config": reads("--json"),
    "hash": Verbs({**many("file path", reads("--type= --base16 --base32 --base64 --sri"))}),
    **many("doctor help", prints),
    **many("build run develop shell eval repl fmt bundle copy log edit upgrade-nix", _NIX_BUILDS),
}

PROGRAMS: Mapping[str, Judge] = {
    "brew": _brew,
    "nix": Verbs(_NIX, spec("--version --help")),
    "nix-env": _nix_env,
    "nix-store": _nix_store,
    "nix-channel": lambda invocation: (
        READS if asks_only(invocation, "--list", "--version") else _CHANGES(invocation)
    ),
    **many(
        "nix-shell nix-build nix-instantiate",
        lambda invocation: (
            READS if asks_only(invocation, "--version", "--help") else _NIX_BUILDS(invocation)
        ),
    ),
}
