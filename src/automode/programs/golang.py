"""go, gofmt and the usual tools beside them."""

from collections.abc import Mapping

from automode.programs.development import develops, installs, ordinary
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, unknown, writes
from automode.programs.verbs import (
    Verbs,
    always,
    asks_only,
    many,
    prints,
    reads,
    spec,
    words,
)
from automode.shell.options import arguments

_FOREIGN = "-exec -toolexec -modfile -overlay -C -ldflags -gcflags -asmflags -vettool -pkgdir -o"
_BUILDS = develops(_FOREIGN)
_WRITES = always(Effect.WRITES, "it changes the module or the cache")
_INSTALLS = always(
    Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it fetches modules and installs programs"
)


def _go(options: str) -> Judge:
    """A sub-command that reads with these options."""
    return Flat(spec(options, single_dash=True))


_LIST = (
    "-f= -json[=] -m -u -versions -deps -test -e -find -export -compiled -mod= -tags= -retracted"
)


def _list(invocation: Invocation) -> Use:
    """Asking for versions and updates asks the module proxy; `-export` compiles."""
    given = arguments(invocation.args, spec(_LIST, single_dash=True))
    if given.has("-export", "-compiled"):
        return _BUILDS(invocation)
    mode = given.value("-mod")
    if mode is not None and mode.value not in ("readonly", "vendor"):
        return writes("`-mod` lets it change `go.mod`")
    asks = given.has("-u", "-versions", "-retracted")
    return (_go(_LIST)(invocation)) | (Use(Effect.REMOTE_READ) if asks else READS)


def _env(invocation: Invocation) -> Use:
    changes = any(word.text.lstrip("-") in ("w", "u") for word in invocation.args)
    if changes:
        return writes("it changes go's settings")
    return _go("-json -changed")(invocation)


def _test(invocation: Invocation) -> Use:
    """`go test -o` and `go build -o` write where they are told: ordinary inside the workspace."""
    if ordinary(invocation, words(_FOREIGN) - {"-o"}):
        return develops()(invocation)
    return _BUILDS(invocation)


_MOD: dict[str, Judge] = {
    "graph": _go("-go= -x"),
    "why": _go("-m -vendor"),
    "verify": _go(""),
    "edit": _WRITES,
    **many("tidy download vendor", develops("-modfile", Effect.WRITES | Effect.NETWORK)),
    "init": _WRITES,
}
_GO: dict[str, Judge] = {
    "version": _go("-m -v -json"),
    "env": _env,
    "list": _list,
    "doc": _go("-all -c -cmd -short -src -u"),
    "help": prints,
    "mod": Verbs(_MOD),
    "work": Verbs(
        {
            "edit": lambda invocation: (
                READS if asks_only(invocation, "-json", "-print") else writes("it edits `go.work`")
            ),
            **many("init use sync vendor", _WRITES),
        }
    ),
    "tool": lambda invocation: (
        READS if not invocation.args else Use(Effect.RUNS, "it runs a tool of the module")
    ),
    "telemetry": lambda invocation: (
        READS if not invocation.args else writes("it changes a setting of go")
    ),
    "vet": _BUILDS,
    **many("build test", _test),
    **many("run generate", _BUILDS),
    "fmt": develops(_FOREIGN, Effect.WRITES),
    "fix": develops(_FOREIGN, Effect.WRITES),
    "clean": develops("", Effect.WRITES),
    "get": installs("-modfile -C"),
    "install": _INSTALLS,
    "bug": always(Effect.RUNS, "it opens a browser"),
}


def _gofmt(invocation: Invocation) -> Use:
    """Without `-w` it prints; profiles are files too."""
    return Flat(
        spec("-l -d -s -e -r= -h -help --help", single_dash=True),
        {"-w": writes("`-w` rewrites files"), "-cpuprofile": writes("it writes a profile")},
    )(invocation)


def _golangci(invocation: Invocation) -> Use:
    table: dict[str, Judge] = {
        **many("version help", prints),
        **many("linters formatters", reads("--json")),
        **many("run fmt", develops("--config -c")),
        "cache": Verbs({"status": prints, "clean": _WRITES}),
    }
    return Verbs(table, spec("--version --help -h"))(invocation)


def _checker(invocation: Invocation) -> Use:
    if asks_only(invocation, "-version", "--version", "-h", "-help", "--help"):
        return READS
    return develops()(invocation)


def _gopls(invocation: Invocation) -> Use:
    table: dict[str, Judge] = {
        "version": prints,
        **many(
            "check definition references symbols workspace_symbol implementation highlight"
            " folding_ranges links call_hierarchy signature",
            develops(),
        ),
    }
    return Verbs(table)(invocation)


PROGRAMS: Mapping[str, Judge] = {
    "go": Verbs(
        _GO,
        spec("--version --help -h"),
        bare=prints,
    ),
    "gofmt": _gofmt,
    "gofumpt": _gofmt,
    "goimports": lambda invocation: (
        _gofmt(invocation) if _gofmt(invocation).effect else develops()(invocation)
    ),
    "golangci-lint": _golangci,
    **many("staticcheck revive errcheck gosec govulncheck gotestsum ginkgo", _checker),
    "gopls": _gopls,
    "dlv": lambda invocation: (
        READS if asks_only(invocation, "version") else unknown("it runs a program step by step")
    ),
}
