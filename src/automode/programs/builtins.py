"""Shell builtins as simple commands: variables, options, jobs, look-ups."""

import re
from collections.abc import Collection, Mapping
from itertools import pairwise

from automode.programs.forms import sole
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown, writes
from automode.shell.options import Spec, arguments
from automode.shell.script import Word

_NAME = re.compile(r"[A-Za-z_]\w*")
# Lower-case names are the script's own, apart from those that zsh ties to a path or a hook and
# those that programs read. Upper-case names may steer any program that runs later.
_OWN_NAME = re.compile(r"[a-z_]\w*|REPLY|LINE|FILE|NAME|ARR|OPT|OPTARG|KEY|VALUE|COUNT|[A-Z]")
_TIED_NAMES = frozenset(
    "path fpath cdpath manpath module_path mailpath psvar prompt precmd preexec chpwd periodic "
    "zshexit histchars watch signals fignore http_proxy https_proxy ftp_proxy all_proxy "
    "no_proxy".split()
)
_SUBSCRIPT = runs("a subscript is evaluated, and may run a command")
_LISTS_ALL = Use(Effect.SECRETS, "prints all variables, which hold credentials")
_RUNS_TEXT = runs("runs text as shell code")


def _target(word: Word | None) -> Use:
    """What it means to let a builtin assign to the variable this word names."""
    name = word.value if word else None
    if name is None:
        return unknown("the variable's name is not known")
    if "[" in name:
        return _SUBSCRIPT
    if not _OWN_NAME.fullmatch(name) or name in _TIED_NAMES:
        return unknown(f"`{name}` may steer programs that run later")
    return READS


def _targets(words: Collection[Word]) -> Use:
    use = READS
    for word in words:
        use |= _target(word)
    return use


def _printf(invocation: Invocation) -> Use:
    first = invocation.args[0] if invocation.args else Word("")
    if first.value is not None and first.value.startswith("-v"):
        glued = first.value[2:]
        return _target(Word(glued) if glued else (*invocation.args[1:2], None)[0])
    if first.value is None and first.could_be_flag:
        return unknown("the format may be the option `-v`")
    return READS


def _test(invocation: Invocation) -> Use:
    """`-v name[subscript]` evaluates the subscript, also when it comes out of a variable."""
    args = invocation.args
    if any(w.splits and w.value is None and not w.plain for w in args):
        return unknown("an unquoted expansion may turn into other tests")
    for word, following in pairwise(args):
        asks = word.value in ("-v", "-R") or (word.value is None and word.could_be_flag)
        if asks and (following.value is None or "[" in following.value):
            return _SUBSCRIPT
    return READS


def _double_test(invocation: Invocation) -> Use:
    """`[[ a -eq b ]]` evaluates both sides as arithmetic, where a subscript runs commands."""
    args = invocation.args
    for at, word in enumerate(args):
        if word.value in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge"):
            sides = (*args[max(at - 1, 0) : at], *args[at + 1 : at + 2])
            if not all(re.fullmatch(r"-?\w+", s.value or "") or s.plain for s in sides):
                return runs("an unknown value is evaluated as arithmetic")
    return _test(invocation)


_READ = Spec(flags="rse", values="pntdNuiak")


def _read(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _READ)
    if given.unclear:
        return unknown(f"option `{given.unclear[0]}` of read is not known to be harmless")
    array = given.value("-a")
    return _targets((*given.operands, *((array,) if array else ())))


_MAPFILE = Spec(flags="t", values="dnOsuCc")


def _mapfile(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _MAPFILE)
    if given.has("-C", "-c"):
        return runs("`-C` runs a callback")
    if given.unclear:
        return unknown("an option of mapfile is not known to be harmless")
    return _targets(given.operands)


def _getopts(invocation: Invocation) -> Use:
    return _target((*invocation.args[1:2], None)[0])


def _declaration(invocation: Invocation) -> Use:
    """export, declare, local …: names and values. What a name steers is judged elsewhere."""
    words = list(invocation.args)
    letters = ""
    while words and words[0].text[:1] in ("-", "+") and words[0].value is not None:
        letters += words.pop(0).text[1:]
    if set(letters) - set("aAfFgilnprtuxUTZLR-"):
        return unknown("an option of the declaration is not known to be harmless")
    if not words and "f" not in letters and "F" not in letters:
        return _LISTS_ALL
    if "p" in letters:
        return READS if all(_OWN_NAME.fullmatch(w.text) for w in words) else _LISTS_ALL
    use = READS
    for word in words:
        use |= _declared(word, arithmetic="i" in letters)
    return use


def _declared(word: Word, *, arithmetic: bool) -> Use:
    name, _, value = word.text.partition("=")
    if "[" in name:
        return _SUBSCRIPT
    if not _NAME.fullmatch(name.removesuffix("+")):
        return unknown("the variable's name is not known")
    if arithmetic and not re.fullmatch(r"-?\d*", value):
        return runs("the value is evaluated as arithmetic")
    return READS


def _unset(invocation: Invocation) -> Use:
    for word in invocation.args:
        if "[" in word.text:
            return _SUBSCRIPT
        if word.value is None or not re.fullmatch(r"-[vfn]|[A-Za-z_]\w*", word.value):
            return unknown("the variable's name is not known")
        if word.value.startswith("HIST"):
            return Use(Effect.SYSTEM, "hides the history")
    return READS


_SET_NAMES = frozenset(
    "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace noexec physical "
    "posix".split()
)


def _set(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    if not words:
        return _LISTS_ALL
    while words and words[0] not in ("--", "-", None):
        word = words.pop(0) or ""
        if word[:1] not in ("-", "+"):
            return READS  # positional parameters
        if set(word[1:]) - set("euxvfnETBhCPo"):
            return unknown(f"`set {word}` is not known to be harmless")
        if word.endswith("o") and words:
            name = words.pop(0)
            if name == "history":
                return Use(Effect.SYSTEM, "switches the history")
            if name not in _SET_NAMES:
                return unknown("the shell option is not known to be harmless")
    return unknown("an argument of set is not known") if words[:1] == [None] else READS


_SHOPT_NAMES = frozenset(
    "globstar nullglob dotglob extglob nocaseglob nocasematch failglob lastpipe inherit_errexit "
    "globasciiranges globskipdots checkwinsize".split()
)


def _shopt(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    if "-s" not in words and "-u" not in words and None not in words:
        return READS
    if "expand_aliases" in words:
        return runs("aliases replace commands")
    names = [word for word in words if word not in ("-s", "-u", "-q")]
    return READS if set(names) <= _SHOPT_NAMES else unknown("a shell option may change meanings")


def _let(invocation: Invocation) -> Use:
    for word in invocation.args:
        found = re.fullmatch(r"([a-z_]\w*)=[\d+*/%() <>&|^~?:-]+", word.value or "")
        if not found or _target(Word(found[1])).effect:
            return runs("arithmetic evaluates subscripts, which may run commands")
    return READS


def _trap(invocation: Invocation) -> Use:
    first = invocation.args[0].value if invocation.args else "-p"
    return READS if first in ("-", "", "-l", "-p", "--") and invocation.literal else _RUNS_TEXT


def _alias(invocation: Invocation) -> Use:
    if all(re.fullmatch(r"-p|[\w.-]+", word.value or "") for word in invocation.args):
        return READS
    return runs("an alias replaces a command")


def _listing(otherwise: Use, *options: str) -> Judge:
    """Lists things when bare or with one of `options` alone; does something otherwise."""

    def judge(invocation: Invocation) -> Use:
        return READS if not invocation.args or sole(invocation, options) else otherwise

    return judge


_COMPGEN = Spec(flags="abcdefgjksuv", values="AGPSX")
_HASH = Spec(flags="rldt")

PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(
        "echo cd pushd popd dirs pwd shift wait jobs bg fg disown times umask ulimit type return "
        "exit break continue caller logout help whence where rehash".split(),
        Flat(any_option=True),
    ),
    "printf": _printf,
    **dict.fromkeys(("test", "["), _test),
    "[[": _double_test,
    "read": _read,
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    "getopts": _getopts,
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _declaration),
    "unset": _unset,
    "set": _set,
    "shopt": _shopt,
    "let": _let,
    "trap": _trap,
    "alias": _alias,
    "unalias": Flat(any_option=True),
    "enable": _listing(runs("may load code"), "-a", "-p", "-s", "-n"),
    "complete": _listing(runs("completions run functions"), "-p"),
    "compgen": Flat(_COMPGEN, effects=dict.fromkeys(("-C", "-F", "-W"), _RUNS_TEXT)),
    "bind": _listing(runs("keys may run commands"), *"-l -p -P -s -S -v -V -X".split()),
    "hash": Flat(_HASH, effects={"-p": runs("`-p` puts another program behind a name")}),
    "eval": _listing(_RUNS_TEXT),
    "exec": _listing(_RUNS_TEXT),
    **dict.fromkeys(("source", "."), lambda _: runs("runs the code of a file")),
    **dict.fromkeys(("coproc", "builtin"), lambda _: runs("runs a command")),
    "fc": lambda _: runs("runs or edits commands of the history"),
    "history": lambda _: Use(Effect.UNKNOWN | Effect.SECRETS, "the history may hold credentials"),
    "suspend": lambda _: Use(Effect.SYSTEM, "stops the shell"),
    "compopt": lambda _: writes("changes completions"),
}
