"""macOS programs: preferences, disks, networks, backups, directory services."""

import re
from collections.abc import Mapping

from automode.programs.forms import Asked, Mostly, sole
from automode.programs.rows import Flat, Tree
from automode.programs.use import (
    READS,
    Effect,
    Invocation,
    Judge,
    Use,
    network,
    runs,
    unknown,
    writes,
)
from automode.shell.options import Spec, arguments

_SYSTEM = Use(Effect.SYSTEM, "changes the system's settings")


def _dashed(flags: str = "", values: str = "") -> Spec:
    return Spec(long_flags=flags.split(), long_values=values.split(), single_dash=True)


def _first(pattern: str, otherwise: Use, *, then_options: bool = True) -> Judge:
    """Programs whose first word says it all, and whose reading forms no later word can change."""
    reading = re.compile(pattern)

    def judge(invocation: Invocation) -> Use:
        first = invocation.args[0].value if invocation.args else None
        options = any(word.text[:1] == "-" or word.could_be_flag for word in invocation.args[1:])
        if sole(invocation, ("-h", "-help")):
            return READS
        if first is None or not reading.fullmatch(first) or (options and not then_options):
            return otherwise
        return READS

    return judge


def _defaults(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    while words and words[0] in ("-currentHost", "-host"):
        words = words[1:] if words[0] == "-currentHost" else words[2:]
    verb = words[0] if words else None
    if verb in ("read", "read-type", "domains", "find", "help"):
        return READS
    if verb == "export" and len(words) == 3 and words[2] == "-":
        return READS
    return writes("changes preferences")


def _plutil(invocation: Invocation) -> Use:
    """Converting writes back unless `-o -` sends the result to standard output."""
    words = [word.value for word in invocation.args]
    verb = words[0] if words else None
    if verb in ("-p", "-lint", "-help", "-type", "-s") or (verb and not verb.startswith("-")):
        return READS if "-o" not in words else writes("`-o` writes a file")
    prints = any(words[at : at + 2] == ["-o", "-"] for at in range(len(words)))
    if verb in ("-convert", "-extract") and prints and words.count("-o") == 1:
        return READS
    return writes("rewrites the property list")


_SAY = Spec(
    flags="i",
    values="vrf",
    long_values="--voice --rate --input-file --quality --progress --interactive".split(),
    long_maybe=("--interactive",),
)


def _dscl(invocation: Invocation) -> Use:
    words = [
        word.value for word in invocation.args if word.value not in ("-plist", "-raw", "-url", "-q")
    ]
    node, verb = [*words, None, None][:2]
    local = node in (".", "/", "/Local/Default", "/Search", "localhost")
    reading = (verb or "").lstrip("-") in (
        "read",
        "readall",
        "list",
        "search",
        "readpl",
        "cat",
        "ls",
    )
    if local and reading:
        return READS
    return _SYSTEM if local else network("may ask a directory server")


def _xcrun(invocation: Invocation) -> Use:
    asks = (
        "--show-sdk-path --show-sdk-version --show-sdk-build-version --show-sdk-platform-path "
        "--show-sdk-platform-version --show-toolchain-path --find -f -find --version --help -h"
    ).split()
    words = [word.value for word in invocation.args]
    if words[:1] in (["--sdk"], ["-sdk"], ["--toolchain"]):
        words = words[2:]
    if words[:1] and words[0] in asks and len(words) <= 2:
        return READS
    if words[:2] == ["simctl", "list"]:
        return READS
    return runs("runs a developer tool")


def _sips(invocation: Invocation) -> Use:
    spec = _dashed("-1 --oneLine -v --verify --help -h --formats --version", "-g --getProperty")
    asked = Asked(
        ("-g", "--getProperty", "-v", "--verify", "-h", "--formats"),
        writes("changes the image"),
        spec,
    )
    return asked(invocation)


def _textutil(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    first = words[0] if words else None
    if first in ("-info", "-help", "--help") or (
        first in ("-convert", "-cat") and "-stdout" in words
    ):
        return READS if not {"-output", "-outputdir"} & set(words) else writes("writes a file")
    return writes("writes the converted file")


def _caffeinate(invocation: Invocation) -> Use:
    given = arguments(invocation.args, Spec(flags="dimsu", values="tw"))
    return runs("runs a program") if given.unclear or given.operands else READS


_DISKUTIL = Tree(
    reads=(
        "list",
        "info",
        "information",
        "activity",
        "listFilesystems",
        "apfs list",
        "ap list",
        "apfs listUsers",
        "apfs listCryptoUsers",
        "apfs listSnapshots",
        "apfs listVolumeGroups",
        "cs list",
        "coreStorage list",
        "cs info",
        "cs information",
        "appleRAID list",
        "ar list",
    ),
    uses={"apfs": _SYSTEM, "eraseDisk": _SYSTEM, "rename": _SYSTEM},
    spec=_dashed("-plist -all", ""),
    depth=2,
    strict=True,
)

PROGRAMS: Mapping[str, Judge] = {
    "defaults": _defaults,
    "plutil": _plutil,
    "dscl": _dscl,
    "xcrun": _xcrun,
    "xcode-select": Mostly(_SYSTEM, ("-p", "--print-path", "-v", "--version", "-h", "--help")),
    "sips": _sips,
    "textutil": _textutil,
    "caffeinate": _caffeinate,
    "diskutil": _DISKUTIL,
    "mdls": Flat(_dashed("-raw -nullMarker", "-name -nullMarker")),
    "mdutil": Asked(("-s",), _SYSTEM, Spec(flags="sav")),
    "mdimport": Asked(
        ("-X", "-A", "-L", "-h"), writes("changes the index"), Spec(flags="XALh"), None, 0
    ),
    "say": Flat(_SAY, effects={"-o": writes("`-o` writes a file"), "-n": network("`-n` sends")}),
    "networksetup": _first(
        r"-(get|list|show|is|print|version|help).*",
        Use(Effect.SYSTEM, "changes the network settings"),
    ),
    "systemsetup": _first(r"-(get|list|print|help|version).*", _SYSTEM),
    "pmset": _first(r"-g", _SYSTEM, then_options=False),
    "scutil": _first(r"--(get|dns|proxy|nwi)", _SYSTEM),
    "csrutil": _first(r"status|report", _SYSTEM),
    "fdesetup": _first(r"status|list|isactive|version|help|supportsauthrestart", _SYSTEM),
    "tmutil": _first(
        r"status|list\w*|destinationinfo|latestbackup|machinedirectory|isexcluded|uniquesize|version"
        r"|calculatedrift|compare|verifychecksums|currentphase|help",
        Use(Effect.SYSTEM, "changes backups"),
    ),
    "hdiutil": _first(
        r"info|imageinfo|isencrypted|plugins|pmap|fsid|help", Use(Effect.SYSTEM | Effect.WRITES, "")
    ),
    "kmutil": _first(r"showloaded|inspect|find|libraries|print-diagnostics", _SYSTEM),
    "log": _first(
        r"show|stats|help|stream", Use(Effect.SYSTEM | Effect.WRITES, "changes the logs")
    ),
    "shortcuts": _first(r"list|help", runs("runs a shortcut")),
    "lsappinfo": _first(r"list|info|find|visibleProcessList|front|processList|help", _SYSTEM),
    "pluginkit": _first(r"-m\w*", _SYSTEM),
    "nvram": Mostly(_SYSTEM, ("-p", "-xp")),
    "qlmanage": Mostly(runs("shows a window"), ("-h", "-m")),
    "symbols": Mostly(unknown("symbols may write signatures"), ("-help", "--help")),
    "softwareupdate": lambda invocation: (
        READS
        if sole(invocation, ("--history", "-h", "--help"))
        else network("asks for updates, or installs them")
    ),
    "pbcopy": Mostly(writes("changes the clipboard")),
    "open": Mostly(runs("opens a program"), ("-h", "--help")),
    "osascript": Mostly(runs("runs a script"), ("-h",)),
    **dict.fromkeys(
        "automator sysadminctl tccutil dseditgroup bless asr kextload kextunload".split(),
        Mostly(_SYSTEM),
    ),
    **dict.fromkeys(
        "screencapture iconutil SetFile sample spindump compression_tool pkgbuild productbuild "
        "productsign hiutil".split(),
        Mostly(writes("writes a file"), ("-h", "-help", "--help")),
    ),
}
