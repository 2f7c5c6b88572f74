"""Shell builtins as simple commands: variables, options, jobs, look-ups."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.programs.assigning import (
    JOB,
    LISTS_ALL,
    NUMBER,
    declaration_use,
    double_test_use,
    getopts_use,
    is_number,
    let_use,
    mapfile_use,
    printf_use,
    read_use,
    test_use,
    unset_use,
    wait_use,
)
from automode.programs.forms import sole
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown, writes
from automode.shell.options import Spec, arguments

_ANY = re.compile(r".*", re.DOTALL)
_NONE = re.compile(r"(?!)")
_RUNS_TEXT = runs("runs text as shell code")


@dataclass(frozen=True, slots=True)
class Row:
    """A builtin that changes nothing but this shell: its options, and what each operand must be.

    `dynamic` says that the list of options is the whole list, in bash and in zsh, and no operand is
    evaluated: then a word that is not known does no harm either. Elsewhere it must be a number."""

    spec: Spec = field(default_factory=Spec)
    operand: re.Pattern[str] = _ANY
    dynamic: bool = False

    def __call__(self, invocation: Invocation) -> Use:
        if not self.dynamic and not all(
            w.value is not None or is_number(w) for w in invocation.args
        ):
            return unknown(f"an argument of {invocation.name} is not known")
        written = [word for word in invocation.args if word.value is not None]
        given = arguments(written, self.spec)
        if given.unclear:
            return unknown(f"option `{given.unclear[0]}` is not known to be harmless")
        for word in given.operands:
            if not self.operand.fullmatch(word.text):
                return unknown(f"an argument of {invocation.name} is not known to be harmless")
        return READS


_SET_NAMES = frozenset(
    "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace noexec physical "
    "posix".split()
)


def _set(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    if not words:
        return LISTS_ALL
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
    given = arguments(invocation.args, Spec(flags="psuqo"))
    names = {word.value for word in given.operands}
    if given.unclear or None in names:
        return unknown("an argument of shopt is not known")
    if not given.has("-s", "-u"):
        return READS
    if "expand_aliases" in names:
        return runs("aliases replace commands")
    known = _SET_NAMES if given.has("-o") else _SHOPT_NAMES
    return READS if names <= known else unknown("a shell option may change meanings")


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


def _hash(invocation: Invocation) -> Use:
    if any(word.text.startswith("-p") for word in invocation.args):
        return runs("`-p` puts another program behind a name")
    return _HASH(invocation)


_HASH = Row(Spec(flags="rldt"), re.compile(r"[\w./+-]+"))
_COMPGEN = Spec(flags="abcdefgjksuv", values="AGPSX")

_LEAVES = Row(Spec(numbers=True), NUMBER)
_LOOKS_UP = Row(Spec(flags="afptPvcwmsS"), dynamic=True)

PROGRAMS: Mapping[str, Judge] = {
    # Every word is text to these, options or none.
    **dict.fromkeys(("echo", ":", "true", "false"), lambda _: READS),
    **dict.fromkeys(("cd", "chdir"), Row(Spec(flags="LPe@qs"), dynamic=True)),
    "pushd": Row(Spec(flags="nqsLP", numbers=True), dynamic=True),
    "popd": Row(Spec(flags="nq", numbers=True), re.compile(r"\+[0-9]{1,9}")),
    "dirs": Row(Spec(flags="clpv", numbers=True), re.compile(r"\+[0-9]{1,9}")),
    "pwd": Row(Spec(flags="LP"), operand=_NONE),
    **dict.fromkeys("shift return exit logout break continue caller".split(), _LEAVES),
    "wait": wait_use,
    "jobs": Row(Spec(flags="lnprs"), JOB),
    **dict.fromkeys(("bg", "fg"), Row(operand=JOB)),
    "disown": Row(Spec(flags="ahr"), JOB),
    "times": Row(operand=_NONE),
    "umask": Row(Spec(flags="pS"), re.compile(r"[0-7]{1,4}|[ugoa]*[-+=][rwxXst,ugoa=+-]*")),
    "ulimit": Row(
        Spec(flags="SHabcdefiklmnpqrstuvxPRT"), re.compile(r"[0-9]{1,18}|unlimited|hard|soft")
    ),
    **dict.fromkeys(("type", "whence", "where"), _LOOKS_UP),
    "help": Row(Spec(flags="dms"), dynamic=True),
    "rehash": Row(operand=_NONE),
    "printf": printf_use,
    **dict.fromkeys(("test", "["), test_use),
    "[[": double_test_use,
    "read": read_use,
    **dict.fromkeys(("mapfile", "readarray"), mapfile_use),
    "getopts": getopts_use,
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), declaration_use),
    "unset": unset_use,
    "set": _set,
    "shopt": _shopt,
    "let": let_use,
    "trap": _trap,
    "alias": _alias,
    "unalias": Row(Spec(flags="a"), re.compile(r"[\w.+-]+")),
    "enable": _listing(runs("may load code"), "-a", "-p", "-s", "-n"),
    "complete": _listing(runs("completions run functions"), "-p"),
    "compgen": Flat(_COMPGEN, effects=dict.fromkeys(("-C", "-F", "-W"), _RUNS_TEXT)),
    "bind": _listing(runs("keys may run commands"), *"-l -p -P -s -S -v -V -X".split()),
    "hash": _hash,
    "eval": _listing(_RUNS_TEXT),
    "exec": _listing(_RUNS_TEXT),
    **dict.fromkeys(("source", "."), lambda _: runs("runs the code of a file")),
    **dict.fromkeys(("coproc", "builtin"), lambda _: runs("runs a command")),
    "fc": lambda _: runs("runs or edits commands of the history"),
    "history": lambda _: Use(Effect.UNKNOWN | Effect.SECRETS, "the history may hold credentials"),
    "suspend": lambda _: Use(Effect.SYSTEM, "stops the shell"),
    "compopt": lambda _: writes("changes completions"),
}
