"""Interpreters without a family of their own, and programs known only by `--version`."""

from collections.abc import Mapping

from automode.programs.development import script_file
from automode.programs.forms import Asked
from automode.programs.rows import Tree
from automode.programs.use import READS, Invocation, Judge, Use, runs, unknown, writes
from automode.programs.verbs import asks_only, many, words
from automode.shell.options import Spec

# Each prints and ends when `--version` or `--help` is all it is given.
VERSION_ONLY = words(
    "ld valgrind autoconf automake libtool pkg-config bison flex swig protoc protoc-gen-go"
    " thrift flatc emcc wasm-pack wasm-opt wasmtime wasmer node-gyp prisma nginx httpd"
    " apachectl caddy redis-server postgres mysqld mongod rabbitmq-server minio pandoc pdflatex"
    " xelatex latex tectonic gnuplot graphviz hugo jekyll mkdocs zola tmux nu elvish starship"
    " zoxide lazygit aider claude codex gemini opencode pi tree-sitter sccache ccache distcc"
    " mold lld cross trunk tauri electron expo eas pod fastlane carthage xcodegen"
    " gradle-profiler godot unity blender qemu-system-x86_64 chezmoi stow"
)
# Every verb that runs also reports its use over the network; help and version do not.
_ENTIRE = Tree(
    verbs=words("explain dispatch search status rewind reset session enable disable clean doctor"),
    help_depth=2,
)
_VERSION_FLAGS = ("--version", "-V", "--help")


def only_version(invocation: Invocation) -> Use:
    """One argument that asks for the version or for help, and nothing else."""
    if asks_only(invocation, *_VERSION_FLAGS):
        return READS
    return unknown(f"`{invocation.name}` is only known by its `--version`")


def _shell(invocation: Invocation) -> Use:
    """A shell that was not opened: a script, a login, or a look at the syntax."""
    if asks_only(invocation, "--version", "--help"):
        return READS
    texts = [word.text for word in invocation.args]
    if texts[:1] == ["-n"] and len(texts) > 1 and invocation.literal:
        return (
            READS if all(text[:1] not in ("-", "+") for text in texts[1:]) else runs("it runs code")
        )
    return runs("it runs a script")


def _plain(*flags: str) -> Judge:
    def judge(invocation: Invocation) -> Use:
        return READS if asks_only(invocation, *flags) else script_file(invocation)

    return judge


PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(VERSION_ONLY, only_version),
    **many("bash sh zsh dash ksh", _shell),
    "entire": _ENTIRE,
    "luac": Asked(("-p",), writes("it writes what it compiles"), Spec(flags="plv")),
    "perl": _plain("-v", "--version", "-V", "--help", "-h"),
    **many("lua luajit", _plain("-v", "--version")),
    **many("tclsh wish guile racket sbcl clisp", _plain("--version", "-version", "-v")),
    "pwsh": _plain("--version", "-v", "-Version", "--help", "-h"),
    "fish": lambda invocation: (
        READS
        if asks_only(invocation, "--version", "-v", "--help", "-h")
        else runs("it runs a script")
    ),
}
