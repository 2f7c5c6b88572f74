"""dotnet, Swift and Xcode, Elixir and Erlang, R, Julia, Haskell, Zig, Dart."""

from collections.abc import Mapping

from automode.programs.development import develops, installs
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
)
from automode.shell.options import arguments

_WRITES = always(Effect.WRITES, "it changes the project or the installation")
_INSTALLS = always(
    Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it installs packages, which may run their code"
)
_PUBLISHES = always(Effect.REMOTE_WRITE, "it publishes")
_RUNS = always(Effect.RUNS, "it runs a program")

_DOTNET_LIST = (
    " --framework= --include-transitive --include-prerelease --highest-patch --highest-minor"
    " --format= --output-version= -v= --verbosity= --config= --source="
)
_ASKS_INDEX = dict.fromkeys(
    ("--outdated", "--deprecated", "--vulnerable"), Use(Effect.REMOTE_READ)
) | {"--source": ELSEWHERE, "--config": ELSEWHERE}


def _dotnet_list(invocation: Invocation) -> Use:
    row = reads(_DOTNET_LIST + " --outdated --deprecated --vulnerable", effects=_ASKS_INDEX)
    return row(invocation)


_DOTNET: dict[str, Judge] = {
    "list": _dotnet_list,
    **many("help --info --list-sdks --list-runtimes --version", prints),
    "sdk": Verbs({"check": prints}),
    "workload": Verbs(
        {"list": prints, "search": remote(), **many("install update repair", _INSTALLS)}
    ),
    "tool": Verbs(
        {
            "list": reads("-g --global --local --tool-path="),
            "search": remote("--detail --author= --type= --take= --skip= --prerelease"),
            **many("install update uninstall restore", _INSTALLS),
            "run": _RUNS,
        }
    ),
    "nuget": Verbs(
        {
            "list": Verbs({"source": reads("--format=")}),
            "why": reads("--framework= -f="),
            "locals": _WRITES,
            **many("push delete", _PUBLISHES),
            **many("add remove update enable disable", _WRITES),
        }
    ),
    "package": Verbs(
        {"list": _dotnet_list, "search": remote("--take= --exact-match --format= --prerelease")}
    ),
    "reference": Verbs({"list": prints, **many("add remove", _WRITES)}),
    "sln": _WRITES,
    **many(
        "build test run watch msbuild pack clean publish vstest",
        develops(
            "--source -s --configfile --settings --test-adapter-path --logger -l --project",
            Effect.WRITES,
        ),
    ),
    "restore": installs("--source -s --configfile --packages"),
    "format": develops("", Effect.WRITES),
    **many("new add remove", _INSTALLS),
    **many("ef exec script fsi", _RUNS),
}

_SWIFT: dict[str, Judge] = {
    **many("build test run", develops("--package-path --scratch-path --build-path -Xswiftc")),
    "package": Verbs(
        {
            **many(
                "describe dump-package show-dependencies tools-version show-executables",
                develops("--package-path"),
            ),
            **many("resolve update clean reset init edit unedit add-dependency", _INSTALLS),
            "plugin": _RUNS,
        }
    ),
}


def _xcodebuild(invocation: Invocation) -> Use:
    lists = spec(
        "-list -version -showsdks -showdestinations -showBuildSettings -json -help -usage"
        " -project= -workspace= -scheme= -sdk= -target= -configuration= -destination=",
        single_dash=True,
    )
    given = arguments(invocation.args, lists)
    plain = given.has(
        "-list",
        "-version",
        "-showsdks",
        "-help",
        "-usage",
        "-showdestinations",
        "-showBuildSettings",
    )
    if plain and not given.unclear and not given.operands:
        return READS
    return develops("-xcconfig -derivedDataPath -exportArchive", Effect.WRITES)(invocation)


_MIX: dict[str, Judge] = {
    "help": prints,
    **many(
        "test compile format credo dialyzer deps deps.tree xref phx.routes docs coveralls run"
        " ecto.migrations phx.server app.tree hex.outdated hex.audit",
        develops(),
    ),
    **many("deps.get", installs()),
    **many("deps.update deps.clean deps.unlock archive.install local.hex local.rebar", _INSTALLS),
    **many("hex.publish hex.retire", _PUBLISHES),
    **many("hex.info hex.search", remote()),
}
_STACK: dict[str, Judge] = {
    **many("build test bench run exec ghc ghci haddock install", develops("--stack-yaml")),
    **many("path query list-dependencies", develops("--stack-yaml")),
    "ls": develops("--stack-yaml"),
    "templates": remote(),
    **many("new init setup update upgrade upload", _INSTALLS),
}
_CABAL: dict[str, Judge] = {
    **many("build test bench run check haddock repl exec", develops("--project-file --store-dir")),
    **many("list info", reads("--installed --simple-output -i")),
    "path": reads("--output-format= --store-dir --cache-home"),
    **many("update install get fetch init sdist", _INSTALLS),
    "upload": _PUBLISHES,
}
_ZIG: dict[str, Judge] = {
    **many("version env targets zen help libc", reads()),
    "ast-check": reads("-t --zon"),
    "fmt": lambda invocation: (
        reads("--check --stdin --color=")(invocation)
        if any(word.text == "--check" for word in invocation.args)
        else develops("", Effect.WRITES)(invocation)
    ),
    **many("build test run build-exe build-lib build-obj", develops("--build-file --zig-lib-dir")),
    **many("cc c++", develops("", Effect.WRITES)),
}
_PUB: Judge = Verbs(
    {
        **many("deps", reads("--style= -s= --no-dev --json --executables")),
        "outdated": remote("--json --no-dev-dependencies --transitive --show-all"),
        **many("get", installs()),
        **many("add remove upgrade downgrade global cache", _INSTALLS),
        "publish": _PUBLISHES,
        "run": develops(),
        "token": always(Effect.SECRETS, "it handles credentials"),
    }
)
_DART: dict[str, Judge] = {
    "pub": _PUB,
    **many("analyze test run compile doc", develops()),
    "info": prints,
    "format": develops("", Effect.WRITES),
    **many("create fix", _WRITES),
}
_FLUTTER: dict[str, Judge] = {
    "pub": _PUB,
    **many("devices emulators doctor", reads("-v --verbose --machine")),
    **many("analyze test build run drive gen-l10n", develops()),
    "config": bare_or(reads("--list --machine"), _WRITES),
    **many("create clean upgrade downgrade channel precache", _INSTALLS),
}


def _expression(*flags: str) -> Judge:
    """An interpreter that runs a script of the project, or code given to it."""

    def judge(invocation: Invocation) -> Use:
        return READS if asks_only(invocation, *flags) else script_file(invocation)

    return judge


_V = spec("--version -v --help -h")
PROGRAMS: Mapping[str, Judge] = {
    "dotnet": Verbs(
        _DOTNET, spec("--info --list-sdks --list-runtimes --version --help -h"), bare=prints
    ),
    "nuget": Verbs({"sources": bare_or(prints, _WRITES), "list": remote("-AllVersions")}),
    "swift": Verbs(_SWIFT, _V, other=lambda _: runs("it runs code")),
    "swiftc": or_version(develops("-load-plugin-library", Effect.WRITES)),
    **many("swiftlint swiftformat swift-format", or_version(develops("--config", Effect.WRITES))),
    "xcodebuild": _xcodebuild,
    "mix": Verbs(_MIX, _V, other=lambda _: runs("it runs a task of the project")),
    **many("elixir iex erl", or_version(lambda _: runs("it runs code"))),
    "rebar3": or_version(develops()),
    **many("R Rscript", _expression("--version", "--help", "-h")),
    "julia": _expression("--version", "-v", "--help", "-h"),
    "stack": Verbs(_STACK, spec("--version --help -h --numeric-version")),
    "cabal": Verbs(_CABAL, spec("--version -V --help -h --numeric-version")),
    **many(
        "ghc ghci runghc",
        or_version(develops("-F -pgmF", Effect.WRITES), "--numeric-version", "--info"),
    ),
    "ghcup": Verbs({**many("list whereis debug-info", reads("-r --raw-format -c= -t="))}, _V),
    "zig": Verbs(_ZIG),
    "dart": Verbs(_DART, spec("--version --help -h")),
    "flutter": Verbs(_FLUTTER, spec("--version --help -h -v"), bare=prints),
    "dune": or_version(Verbs({**many("build test runtest fmt exec", develops("--root"))})),
    "opam": Verbs(
        {
            **many("list show search info", reads("-a --all --installed -i --short -s --columns=")),
            "switch": Verbs({**many("list show", reads())}),
        },
        _V,
    ),
}
