"""macOS programs that guard trust: signatures, packages, keychains, profiles."""

from collections.abc import Mapping

from automode.programs.forms import Asked
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, writes
from automode.shell.options import Spec, arguments

_SYSTEM = Use(Effect.SYSTEM, "changes what the system trusts")

_CODESIGN = Spec(
    flags="dvh",
    values="R",
    maybe="r",
    long_flags=(
        "--display --verify --deep --strict --xml --check-notarization --bundle-version "
        "--ignore-resources --all-architectures --der --no-strict --detached-database"
    ).split(),
    long_values=("--entitlements", "--arch", "--architecture", "--test-requirement"),
    long_maybe=("--verbose", "--strict", "--requirements"),
)


def _codesign(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _CODESIGN)
    shown = given.value("--entitlements")
    sends = shown is None or shown.value in ("-", ":-")
    printed = given.value("-r", "--requirements")
    sends = sends and (printed is None or printed.value in ("", "-"))
    asks = given.has("-d", "-v", "-h", "--display", "--verify")
    if given.unclear or not asks or not sends:
        return writes("signs, or writes what it extracts")
    return READS


_PKGUTIL = Spec(
    flags="hvf",
    long_flags=(
        "--help --verbose --pkgs-plist --packages --groups --groups-plist --regexp "
        "--only-files --only-dirs"
    ).split(),
    long_values=(
        "--files --export-plist --pkg-info --pkg-info-plist --pkg-groups --group-pkgs --file-info "
        "--file-info-plist --lsbom --payload-files --check-signature --volume"
    ).split(),
    long_maybe=("--pkgs",),
)
_SPCTL = Spec(
    flags="av",
    values="t",
    long_flags="--assess --status --list --verbose --continue --raw --ignore-cache".split(),
    long_values=("--type", "--context"),
    long_maybe=("--verbose",),
)


def _security(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    verb = words[0] if words else None
    if verb in ("list-keychains", "default-keychain", "login-keychain") and "-s" not in words:
        return READS
    if verb in (
        "find-certificate find-identity show-keychain-info list-smartcards dump-trust-settings "
        "error help -h".split()
    ):
        return READS
    if verb == "authorizationdb" and words[1:2] == ["read"]:
        return READS
    if verb is None or verb.startswith(("find", "dump", "export", "get", "unwrap", "smartcard")):
        return Use(Effect.SECRETS, "prints or hands out keychain items")
    return Use(Effect.SYSTEM | Effect.SECRETS, "changes keychains")


def _profiles(invocation: Invocation) -> Use:
    """`-output` writes a file, and the old one-letter forms also install and remove."""
    words = [word.value for word in invocation.args]
    first = words[0] if words else None
    letters = ("-L", "-P", "-C", "-H", "-v", "-e")
    if first in ("-L", "-P", "-C", "-H") and all(word in letters for word in words):
        return READS
    if first in ("list", "show", "status", "help", "version"):
        touchy = {"-output", "-o", "-password", None} & set(words)
        return writes("writes the profiles to a file") if touchy else READS
    return _SYSTEM


PROGRAMS: Mapping[str, Judge] = {
    "codesign": _codesign,
    "pkgutil": Flat(_PKGUTIL),
    "spctl": Asked(("-a", "--assess", "--status", "--list"), _SYSTEM, _SPCTL),
    "security": _security,
    "profiles": _profiles,
}
