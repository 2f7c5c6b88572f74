"""python itself: scripts, modules and code given on the command line."""

import posixpath
import sys
from collections.abc import Mapping
from dataclasses import replace

from automode.core.files import Kind
from automode.core.paths import absolute
from automode.programs import python_tools
from automode.programs.development import develops, plain_file, script_file
from automode.programs.python_code import harmless
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown, writes
from automode.programs.verbs import always, asks_only, blurred, reads, words
from automode.shell.options import Spec, arguments

_STANDARD = frozenset(sys.stdlib_module_names) - {"test"}  # which no other module imports
_CODE_SUFFIXES = ("py", "pyc", "so", "pyd")
_NAMES_LISTED = 4_000
_PRINTS = words("this calendar keyword")


def _json_tool(invocation: Invocation) -> Use:
    options = "--json-lines --sort-keys --no-ensure-ascii --tab --no-indent --compact --indent="
    indent = arguments(
        invocation.args, Spec(long_values=("--indent",), long_flags=options.split())
    ).value("--indent")
    if indent is not None and not indent.text.isdigit():
        return unknown("`--indent` needs a number")
    return reads(options, operands=1)(invocation)


def _prints(invocation: Invocation) -> Use:
    allowed = {"--help", "-h", "-m", "-t", "text", "html"}
    known = all(
        word.value is not None and (word.text in allowed or word.text.isdigit())
        for word in invocation.args
    )
    return READS if known else unknown("an argument is not known to be harmless")


_WRITES = always(Effect.WRITES, "it writes files")
_MODULES: Mapping[str, Judge] = {
    "json.tool": _json_tool,
    "venv": develops("--system-site-packages --symlinks", Effect.WRITES),
    **dict.fromkeys(("compileall", "py_compile", "ensurepip", "zipapp"), _WRITES),
    **dict.fromkeys(("unittest", "doctest"), develops()),
    "build": develops("", Effect.WRITES),
    "http.server": always(Effect.NETWORK, "it serves files to the network"),
    **dict.fromkeys(_PRINTS, _prints),
    "tokenize": reads("-e --exact", operands=1),
    "ast": reads("-m= --mode= -a -i=", operands=1),
    "dis": reads(operands=1),
}


def shadowed(invocation: Invocation, module: str) -> bool:
    """Whether a file of the folder it runs in would be imported instead of the module, or instead
    of a standard module that it imports in turn."""
    cwd = invocation.command.cwd
    if cwd is None:
        return True
    top = absolute(module.partition(".")[0], cwd)
    kind = invocation.workspace.files.kind
    if kind(top + ".py") is not Kind.MISSING or kind(top) is Kind.FOLDER:
        return True
    names = invocation.workspace.files.names(cwd, _NAMES_LISTED)
    return len(names) >= _NAMES_LISTED or any(_stands_in(invocation, cwd, name) for name in names)


def _stands_in(invocation: Invocation, cwd: str, name: str) -> bool:
    stem, _, suffix = name.partition(".")
    if stem not in _STANDARD:
        return False
    if suffix:
        return suffix.rpartition(".")[2] in _CODE_SUFFIXES
    # A folder without this file gives way to the standard module.
    package = posixpath.join(cwd, name, "__init__.py")
    return invocation.workspace.files.kind(package) is not Kind.MISSING


def _module(invocation: Invocation, name: str) -> Use:
    judge = _MODULES.get(name) or python_tools.PROGRAMS.get(name.replace("_", "-"))
    if judge is None:
        return runs("it runs a module")
    use = judge(replace(invocation, name=name))
    harmless = not use.effect & ~Effect.REMOTE_READ
    return (
        use | runs("a file here has the module's name")
        if (harmless and shadowed(invocation, name))
        else use
    )


def _code(invocation: Invocation, code: str) -> Use:
    found = harmless(code)
    if found is None:
        return runs("it runs code given on the command line")
    # Without any import, too: an error loads modules of its own.
    if any(shadowed(invocation, module) for module in found.modules | {"traceback"}):
        return runs("a file here has the name of a module that may be imported")
    if not all(plain_file(invocation, file) for file in found.files):
        return runs("it opens a file that is not plainly the project's own")
    return READS


def _python(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-V", "-VV", "--help", "-h", "--help-env", "--help-all"):
        return READS
    if blurred(invocation):
        return runs("it runs code")
    args = list(invocation.args)
    while args and args[0].value in {"-u", "-B", "-I", "-S", "-s", "-E", "-q", "-O", "-P"}:
        args.pop(0)
    match [word.value for word in args]:
        case ["-c", str(code), *_]:
            return _code(invocation, code)
        case ["-m", str(name), *_]:
            return _module(replace(invocation, args=tuple(args[2:])), name)
        case _:
            return script_file(replace(invocation, args=tuple(args)))


def _virtualenv(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "--help", "-h"):
        return READS
    return writes("it creates an environment")


PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(("python", "python2", "python3", "py", "pypy", "pypy3"), _python),
    **{f"python3.{minor}": _python for minor in range(6, 16)},
    "virtualenv": _virtualenv,
}
