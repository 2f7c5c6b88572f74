"""Checks of python: what runs, and whether a file of the folder stands in for a module."""

import posixpath
import re
import sys

from automode.core.files import Files, Kind, Search
from automode.core.paths import absolute
from automode.programs.touch import Given
from automode.programs.use import READS, Invocation, Use, runs, unknown

# Of all versions of Python that are asked by these names, and not only of the one that runs here.
_VERSIONS = re.compile(r"py|python|python3(?:\.(?:8|9|1[0-4]))?")
_OTHER_VERSIONS = """
    aifc annotationlib asynchat asyncore audioop binhex cgi cgitb chunk compression crypt distutils
    dummy_threading imghdr imp lib2to3 macpath mailcap msilib nis nntplib ossaudiodev pipes
    profiling smtpd sndhdr spwd sunau telnetlib uu xdrlib ConfigParser Cookie Queue StringIO
    UserDict UserList UserString cPickle cStringIO copy_reg dummy_thread exceptions future_builtins
    htmlentitydefs httplib mimetools rfc822 sre strop thread urllib2 urlparse xmlrpclib
"""
_OF_EACH = sys.stdlib_module_names - {*_OTHER_VERSIONS.split(), "test"}  # which none imports
_STANDARD = _OF_EACH | {*_OTHER_VERSIONS.split()}
# Names of a project's own files that no tool imports for itself.
_OWN = frozenset(
    "__init__ __main__ __pycache__ setup conftest manage noxfile src tests docs scripts examples "
    "benchmarks node_modules".split()
)
# Tools that import standard modules alone, and start a program that is not Python.
_THIN = frozenset({"ruff"})
_CODE_SUFFIXES = (".py", ".pyc", ".pyo", ".pyw", ".so", ".pyd")
_NAMES_LISTED = 4_000
# What follows the `m` in one word would be the module.
_MODULE = re.compile(r"-[uBISsEqOP]*m")


def run(given: Given) -> Use:
    """`python -m NAME`: a module with a row, and no file of the folder in its place."""
    if given.outer is None:
        return runs("it runs a module") if given.options.has("-m") else READS
    leading = given.invocation.args[: -len(given.args) - 1]
    if not given.before.has("-m") or not _MODULE.fullmatch(leading[-1].text):
        return runs("it runs a script")
    if not given.row.develops and shadowed(given.invocation, given.verb):
        return runs("a file here may be imported in place of a module")
    return READS


def calendar(given: Given) -> Use:
    allowed = {"--help", "-h", "-m", "-t", "text", "html"}
    known = all((word.value or "") in allowed or word.text.isdigit() for word in given.args)
    return READS if known else unknown("an argument is not known to be harmless")


def shadowed(invocation: Invocation, module: str) -> bool:
    """Whether a file of the folder it runs in could be imported instead of the module, or instead
    of one that it imports in turn."""
    cwd = invocation.command.cwd
    if cwd is None:
        return True
    top = module.partition(".")[0]
    files = invocation.workspace.files
    path = absolute(top, cwd)
    if files.kind(path + ".py") is not Kind.MISSING or files.kind(path) is Kind.FOLDER:
        return True
    names = files.names(cwd, _NAMES_LISTED)
    known = top in _STANDARD | _THIN and _VERSIONS.fullmatch(invocation.name) is not None
    stands_in = _stands_in if known else _may_be_imported
    return len(names) >= _NAMES_LISTED or any(stands_in(files, cwd, name) for name in names)


def _stands_in(files: Files, cwd: str, name: str) -> bool:
    """Whether a name is that of a standard module. Those of its own that a version adds begin with
    `_`."""
    stem = name.partition(".")[0]
    own = stem.startswith("_") and not stem.startswith("__")
    if stem not in _STANDARD and not own:
        return False
    if name.endswith(_CODE_SUFFIXES):
        return True
    # A folder that is no package gives way to the standard module.
    inner = files.names(posixpath.join(cwd, name), _NAMES_LISTED)
    return len(inner) >= _NAMES_LISTED or any(one.startswith("__init__.") for one in inner)


def _may_be_imported(files: Files, cwd: str, name: str) -> bool:
    """Whether a name may be that of a module that is not known: a tool imports other packages, and
    tries to import some that are not installed."""
    stem = name.partition(".")[0]
    if stem in _OWN or not stem.isidentifier():
        return False
    if stem in _OF_EACH:
        return _stands_in(files, cwd, name)
    if stem != name:
        return name.endswith(_CODE_SUFFIXES)
    code = Search(posixpath.join(cwd, name), _NAMES_LISTED, ends=_CODE_SUFFIXES)
    return files.below(code) != ()
