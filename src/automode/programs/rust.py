"""cargo, rustc, rustup and rustfmt."""

from collections.abc import Mapping
from dataclasses import replace

from automode.programs.development import develops, installs
from automode.programs.settings_above import has_settings, project_code
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
    words,
)
from automode.shell.options import arguments

_COMMON = (
    " -v --verbose -q --quiet --color= --offline --locked --frozen"
    " --manifest-path= --message-format="
)
_FEATURES = " --features= -F= --all-features --no-default-features --workspace --all --exclude="
_PACKAGE = " -p= --package= --lockfile-path="
_SHAPE = (
    " --edges= -e= --invert[=] -i= --prune= --depth= --no-dedupe --duplicates -d --prefix= -a"
    " --charset= --format= -f= --target= --no-indent --no-dev-dependencies"
)
_TREE = _COMMON + _FEATURES + _PACKAGE + _SHAPE
_METADATA = _COMMON + _FEATURES + " --no-deps --format-version= --filter-platform="
_REGISTRY = {"--registry": ELSEWHERE, "--index": ELSEWHERE}
_FOREIGN = (
    "--config -Z --manifest-path --target-dir -C --artifact-dir --out-dir --git --registry --index"
)

_BUILDS = develops(_FOREIGN)
_FIXES = develops(_FOREIGN, Effect.WRITES)
_CHANGES = always(Effect.WRITES, "it changes the project or the toolchain")
_INSTALLS = always(
    Effect.WRITES | Effect.NETWORK | Effect.RUNS, "it installs, which runs build scripts"
)
_PUBLISHES = always(Effect.REMOTE_WRITE, "it changes something on the registry")
_TOKENS = always(Effect.SECRETS, "it handles the registry's credentials")


def _format(invocation: Invocation) -> Use:
    """`cargo fmt --check`, also as `cargo fmt -- --check`, only compares."""
    given = arguments(invocation.args, spec(_COMMON + _PACKAGE + " --all --check"))
    rest = {word.text for word in given.operands}
    if not given.unclear and (given.has("--check") or "--check" in rest) and rest <= {"--check"}:
        return READS
    return develops("--config --config-path --manifest-path", Effect.WRITES)(invocation)


def _owner(invocation: Invocation) -> Use:
    given = arguments(invocation.args, spec("--list -l"))
    if given.has("--list", "-l") and not given.unclear:
        return remote("--list -l")(invocation)
    return Use(Effect.REMOTE_WRITE, "it changes the owners of a package")


def _clippy(invocation: Invocation) -> Use:
    fixes = any(word.text == "--fix" for word in invocation.args)
    return (_FIXES if fixes else _BUILDS)(invocation)


_CARGO: dict[str, Judge] = {
    "tree": reads(_TREE),
    "metadata": reads(_METADATA),
    **many(
        "pkgid locate-project verify-project read-manifest version",
        reads(_COMMON + _PACKAGE + " --workspace"),
    ),
    "help": reads(),
    **many("search info", remote(_COMMON + " --limit= --registry= --index=", effects=_REGISTRY)),
    "owner": _owner,
    "fmt": _format,
    "clippy": _clippy,
    **many("check c build b test t doc d bench run r rustc rustdoc nextest miri expand", _BUILDS),
    **many("llvm-cov tarpaulin deny machete udeps outdated audit hack", _BUILDS),
    "fix": _FIXES,
    "package": develops(_FOREIGN, Effect.WRITES),
    "clean": develops(_FOREIGN, Effect.WRITES),
    "fetch": installs(_FOREIGN),
    **many("update generate-lockfile vendor", develops(_FOREIGN, Effect.WRITES | Effect.NETWORK)),
    "config": Verbs({}),
    **many("new init add remove rm", _CHANGES),
    **many("install uninstall binstall", _INSTALLS),
    **many("publish yank", _PUBLISHES),
    **many("login logout", _TOKENS),
}
_CARGO_ROW = Verbs(_CARGO, spec(_COMMON + " --version -V --help -h --list --explain="), bare=prints)
_TOOLCHAINS = words("+stable +beta +nightly")


def _cargo(invocation: Invocation) -> Use:
    """`cargo +nightly tree` chooses the toolchain first, which may be fetched for it; one with a
    name of its own may be linked to any folder."""
    if invocation.args and invocation.args[0].text.startswith("+"):
        name = invocation.args[0].value
        if name not in _TOOLCHAINS and not (name and name[1:].replace(".", "").isdigit()):
            return runs("the toolchain is not one of the usual ones")
        rest = replace(invocation, args=invocation.args[1:])
        return project_code(rest, _CARGO_ROW(rest), "another toolchain is run")
    if any(word.text.partition("=")[0] == "--config" for word in invocation.args):
        return _CARGO_ROW(invocation) | runs("`--config` may name the compiler that is started")
    return _CARGO_ROW(invocation)


def _rustc(invocation: Invocation) -> Use:
    texts = [word.value for word in invocation.args]
    prints_about = spec("--version -V --verbose -v --print= --explain= --help -h --target=")
    given = arguments(invocation.args, prints_about)
    named = given.has("--version", "-V", "--print", "--explain", "--help", "-h")
    if texts in (["-vV"], ["-Vv"]):
        return READS
    # `--print=native-static-libs=FILE` writes, and printing about a crate compiles it.
    topic = given.value("--print")
    if (
        named
        and not given.unclear
        and not given.operands
        and "=" not in (topic.text if topic else "")
    ):
        return READS
    return develops("-C -Z --out-dir -L --extern", Effect.WRITES)(invocation)


_SETTINGS = ("rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml")


def _in_place(judge: Judge) -> Judge:
    """These programs are started through the project's toolchain file, which may name a folder,
    and cargo asks the compiler that the project's settings name."""

    def judged(invocation: Invocation) -> Use:
        use = judge(invocation)
        if use.effect & ~Effect.REMOTE_READ or not has_settings(invocation, _SETTINGS):
            return use
        return project_code(invocation, use, "the project's settings may name the compiler")

    return judged


_RUSTUP: dict[str, Judge] = {
    **many("show which help completions", reads("-v --verbose --toolchain=", operands=1)),
    "check": remote(),
    "toolchain": Verbs(
        {
            "list": reads("-v --verbose -q --quiet"),
            **many("install uninstall link add remove", _INSTALLS),
        }
    ),
    **many(
        "target component",
        Verbs(
            {
                "list": reads("--installed --toolchain= -q --quiet"),
                **many("add remove install uninstall", _INSTALLS),
            }
        ),
    ),
    "override": Verbs({"list": prints, **many("set unset add remove", _CHANGES)}),
    "doc": always(Effect.RUNS, "it opens a browser"),
    "run": always(Effect.RUNS, "it runs a program"),
    **many("update install uninstall default self set", _INSTALLS),
}


def _rustfmt(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-V", "--help", "-h"):
        return READS
    given = arguments(invocation.args, spec("--check -l -q -v --edition= --color= --emit= --quiet"))
    emit = given.value("--emit")
    if any(word.text.startswith("+") for word in given.operands):
        return runs("another toolchain is run")
    to_screen = given.has("--check") or (emit is not None and emit.text == "stdout")
    if to_screen and not given.unclear:
        return READS
    return writes("it rewrites the files it formats")


PROGRAMS: Mapping[str, Judge] = {
    "cargo": _in_place(_cargo),
    "rustc": _in_place(_rustc),
    "rustup": _in_place(Verbs(_RUSTUP, spec("--version -V --help -h -v -q --verbose --quiet"))),
    "rustfmt": _in_place(_rustfmt),
}
