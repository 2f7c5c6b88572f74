"""make, cmake, bazel, task runners and compilers: what builds a project, and mise and asdf."""

from collections.abc import Mapping

from automode.programs.development import develops, installs
from automode.programs.jvm import or_version
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs
from automode.programs.verbs import (
    Verbs,
    always,
    asks_only,
    bare_or,
    many,
    prints,
    reads,
    remote,
    spec,
)
from automode.shell.options import arguments

# Even `make -n` runs what `$(shell …)` says, so making is never reading.
_MAKE = develops("-C --directory -f --file --makefile --eval -E -I --include-dir SHELL")
_RUNS = always(Effect.RUNS, "it runs a program")
_WRITES = always(Effect.WRITES, "it changes files or settings")
_INSTALLS = always(Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it installs tools")


def _make(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-v", "--help", "-h"):
        return READS
    if any(word.text.startswith("SHELL=") for word in invocation.args):
        return runs("another shell runs the recipes")
    return _MAKE(invocation)


def _cmake(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-version", "--help", "-h", "--help-full"):
        return READS
    texts = [word.text for word in invocation.args]
    if texts and texts[0].startswith(("--help-", "--list-presets")) and len(texts) <= 2:
        return READS
    if "-E" in texts or "-P" in texts:
        return runs("it runs a script or a command")
    return develops("-C --toolchain --install -DCMAKE_TOOLCHAIN_FILE", Effect.WRITES)(invocation)


_BAZEL: dict[str, Judge] = {
    **many("version help", reads()),
    **many("query cquery aquery info", develops("--override_repository --bazelrc")),
    **many("build test run coverage", develops("--override_repository --bazelrc --registry")),
    "mod": Verbs({**many("graph deps show_repo explain all_paths show_extension", develops())}),
    **many("clean shutdown fetch sync", develops("", Effect.WRITES)),
}
_MESON: dict[str, Judge] = {
    "introspect": develops(),
    **many("setup compile test configure", develops("--cross-file --native-file", Effect.WRITES)),
}
_JUST_LISTS = ("--list", "-l", "--summary", "--evaluate", "--variables", "--groups", "--dump")


def _just(invocation: Invocation) -> Use:
    """Listing recipes reads; `--evaluate` and `--dump` may run backticks."""
    if asks_only(invocation, "--version", "-V", "--help", "-h", "--list", "-l", "--summary"):
        return READS
    return develops("-f --justfile -d --working-directory --shell -c --command")(invocation)


def _task(invocation: Invocation) -> Use:
    given = arguments(invocation.args, spec("--list -l --list-all -a --json -j --sort= --summary"))
    if asks_only(invocation, "--version", "--help", "-h"):
        return READS
    lists = given.has("--list", "-l", "--list-all", "-a")
    if lists and not given.unclear and not given.operands:
        return develops()(invocation)  # a variable of a Taskfile may be a command
    return develops("-d --dir -t --taskfile -g --global")(invocation)


_MISE: dict[str, Judge] = {
    **many(
        "ls list current which where version registry bin-paths search help",
        reads(
            "-c --current -g --global -i --installed -l --local -m --missing -J --json --no-header"
            " --prefix= -o --offline --outdated --plugin --version --prunable -q --quiet -v"
            " --verbose"
        ),
    ),
    **many("doctor dr", prints),
    "config": Verbs(
        {**many("ls list get", reads("-J --json --no-header")), "set": _WRITES}, bare=prints
    ),
    **many("plugins p", Verbs({**many("ls list", reads("-u -c --core --user --urls"))})),
    **many(
        "tasks t",
        Verbs(
            {
                **many("ls list info", reads("-x --extended --hidden -g -l --json -J --no-header")),
                **many("run r", develops("-C --cd")),
            },
            bare=prints,
        ),
    ),
    "settings": Verbs(
        {**many("ls list get", reads("--all -a -J --json")), "set": _WRITES}, bare=prints
    ),
    **many("alias tool-alias", Verbs({**many("ls list get", reads("--no-header"))})),
    "backends": Verbs({**many("ls list", reads())}),
    "tool": reads("--json -J --description --requested --installed --active"),
    **many(
        "ls-remote list-remote latest outdated", remote("--all -i --installed -l --bump -J --json")
    ),
    "env": always(Effect.SECRETS, "it prints the environment"),
    **many("run r", develops("-C --cd")),
    **many("exec x watch", _RUNS),
    **many("install i upgrade up uninstall use prune self-update", _INSTALLS),
    **many("trust set unset reshim link implode activate", _WRITES),
}
_ASDF: dict[str, Judge] = {
    "list": Verbs({"all": _RUNS}, bare=prints, other=reads()),
    **many("current where which info help version", reads()),
    **many("list-all latest", _RUNS),
    **many(
        "plugin plugin-list",
        Verbs({"list": reads("--urls --refs"), **many("add remove update", _INSTALLS)}),
    ),
    **many("install uninstall global local set shell reshim update", _INSTALLS),
    "exec": _RUNS,
}
_TURBO: dict[str, Judge] = {
    **many("ls bin", reads("--output= --filter= -F=")),
    **many("run build test lint typecheck check dev", develops("--cwd --api --token --team")),
}


def _compiler(invocation: Invocation) -> Use:
    """Compilers write their output and may load plug-ins."""
    if asks_only(
        invocation,
        "--version",
        "-v",
        "--help",
        "-dumpversion",
        "-dumpmachine",
        "-print-search-dirs",
        "-dumpspecs",
        "-print-sysroot",
        "--print-search-dirs",
    ):
        return READS
    return develops("-fplugin -B -wrapper -specs -Xclang -load", Effect.WRITES)(invocation)


_BUNDLER = or_version(develops("--config -c --require -r --root --prefix"))

PROGRAMS: Mapping[str, Judge] = {
    **many("make gmake", _make),
    "cmake": _cmake,
    **many("ctest cpack", or_version(develops("-S --script -D"))),
    **many("ninja samu", or_version(develops("-C -f"))),
    "meson": Verbs(_MESON, spec("--version -v --help -h")),
    **many("bazel bazelisk buck2", Verbs(_BAZEL, spec("--version --help"))),
    "just": _just,
    **many("task go-task", _task),
    **many("scons waf tup", or_version(develops("-f -C"))),
    **many("mise rtx", Verbs(_MISE, spec("--version -V -v --help -h --quiet -q --cd= -C="))),
    "asdf": Verbs(_ASDF, spec("--version --help -h"), bare=prints),
    "turbo": Verbs(_TURBO, spec("--version --help -h")),
    "nx": Verbs(
        {
            **many("show report list graph", develops()),
            **many("run build test lint run-many affected e2e serve typecheck", develops()),
        },
        spec("--version --help"),
    ),
    "lerna": Verbs(
        {
            **many("ls list la ll changed", reads("--json --all -a --long -l --graph --since=")),
            "run": develops(),
            "bootstrap": installs(),
            "version": bare_or(_WRITES, _WRITES),
        },
        spec("--version -v --help -h"),
    ),
    **many("gcc g++ cc c++ clang clang++ gfortran tcc", _compiler),
    **many("vite webpack rollup esbuild parcel next nuxt astro gatsby ng tsup swc", _BUNDLER),
    **many("jest vitest mocha ava playwright cypress nyc c8 karma", _BUNDLER),
}
