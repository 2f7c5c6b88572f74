"""Passwords that only the program they are handed to makes recognisable.

The same letter means something else to the next program (`mkdir -p`, `grep -a`): each row names
the programs that it is for.
"""

from dataclasses import dataclass

_BEGIN = r"(?<![\w.\-])"
# From dash to dash up to an option, past what is quoted and over lines that end in a backslash.
_TO_AN_OPTION = (
    r"(?:[^\n;&|\-\"']{0,200}+"
    r"(?:(?<=\s)--[\w\-.=:,/@%+]{0,200}+|(?<=\s)-(?!-)|(?<!\s)-"
    r"|\n(?<=\\\n)|\"[^\"\n]{0,400}+\"|'[^'\n]{0,400}+')){1,24}?"
    r"(?<=\s-)"
)
_VALUE = (
    r"\\{0,3}[\"']?"
    r"((?<=\\\")[^\"\\\n]++|(?<=\")[^\"\n]++|(?<=')[^'\n]++|[^\s\"';&|)`<>\-\\][^\s\"';&|)`<>]*+)"
)
_ATTACHED = "(?=\\S)"
_NEXT = r"[ \t=]{0,3}"
_WORD = r"[ \t]{1,3}"
_GAP = r"(?:\s|\\n){1,40}"
_NETRC = rf"login{_GAP}[^\s\\]{{1,200}}+{_GAP}password{_GAP}([^\s\\\"']++)"
_GLOBAL_OPTIONS = r"(?:[ \t]{1,3}-[\w\-]{1,40}+(?:[ =][^\s\-]\S{0,100}+)?){0,3}"


@dataclass(frozen=True, slots=True)
class Place:
    """A secret stands where `program`, which begins with one of `marks`, is followed by `then`. Its
    only group is the secret."""

    marks: tuple[str, ...]
    program: str
    then: str
    name: str = "password"


def _option(marks: str, programs: str, option: str) -> Place:
    program = f"{_BEGIN}(?:{programs})(?:\\.exe)?(?=[ \\t])"
    return Place(tuple(marks.split()), program, f"{_TO_AN_OPTION}{option}{_VALUE}")


_IMAGE_PROGRAMS = ("docker", "podman", "nerdctl", "buildah", "skopeo", "crane", "oras", "helm")
_LOGIN = (
    f"{_BEGIN}(?:{'|'.join(_IMAGE_PROGRAMS)}){_GLOBAL_OPTIONS}"
    rf"(?:{_WORD}(?:auth|registry))?{_WORD}login(?=[ \t])"
)
_CLOUD_LOGIN = rf"{_BEGIN}(?:az|oc|cf) login(?=[ \t])"
_MYSQL = r"(?:mysql|mariadb)(?:-?(?:dump|admin|import|show|check|slap|sh))?|mycli"
_MONGO = "mongo(?:sh|dump|restore|export|import|stat|top|files)?"
_LDAP = "ldap(?:search|add|modify|delete|passwd|whoami|modrdn|compare|exop|vc)"

_COOKIES = r"[^\s=;\"']{1,100}+=([^\s;\"']{4,}+(?:;[ \t]{0,3}[^\s=;\"']{1,100}+=[^\s;\"']++){0,40})"

PLACES = (
    _option("mysql mariadb mycli", _MYSQL, f"p{_ATTACHED}"),
    Place(("sshpass",), "", f"{_BEGIN}sshpass{_WORD}(?:-v{_WORD})?-p{_NEXT}{_VALUE}"),
    Place(_IMAGE_PROGRAMS, _LOGIN, f"{_TO_AN_OPTION}p{_NEXT}{_VALUE}"),
    Place(("az login", "oc login", "cf login"), _CLOUD_LOGIN, f"{_TO_AN_OPTION}p{_NEXT}{_VALUE}"),
    _option("mongo", _MONGO, f"p(?!ort\\b){_NEXT}"),
    _option("cqlsh", "cqlsh", f"p{_NEXT}"),
    _option("redis-cli valkey-cli keydb-cli", "(?:redis|valkey|keydb)-cli", f"a{_NEXT}"),
    _option("ldap", _LDAP, f"x?w{_NEXT}"),
    _option("zip unzip", "(?:un)?zip", f"[A-Za-z0-9]{{0,6}}P{_NEXT}"),
    _option("7z", "7z[azr]?", f"p{_ATTACHED}"),
    _option("rar unrar", "(?:un)?rar", f"h?p{_ATTACHED}"),
    _option("sqlcmd", "sqlcmd", f"P{_NEXT}"),
    _option("ipmitool mosquitto_", "ipmitool|mosquitto_[ps]ub", f"P{_NEXT}"),
    _option("smbclient rpcclient", "smbclient|rpcclient", rf"U{_NEXT}[\"']?[^\s%\"']{{1,80}}+%"),
    _option("lftp", "lftp", rf"u{_NEXT}[\"']?[^\s,\"']{{1,80}}+,"),
    Place(
        ("rabbitmqctl",),
        f"{_BEGIN}rabbitmqctl{_GLOBAL_OPTIONS}{_WORD}(?:add_user|change_password){_WORD}",
        rf"\S{{1,80}}+{_WORD}{_VALUE}",
    ),
    _option("openssl", "openssl", f"(?:k|K|hmac){_WORD}"),
    Place(
        ("openssl",),
        f"{_BEGIN}openssl{_WORD}passwd",
        rf"(?:{_WORD}-[\w\-]{{1,20}}+){{0,6}}{_WORD}{_VALUE}",
    ),
    Place(("-pass",), "", rf"-pass(?:in|out)?[ \t=]{{1,3}}[\"']?pass:{_VALUE}"),
    # The last word of the command, where one of its options says that it is the password.
    Place(
        ("htpasswd",),
        rf"{_BEGIN}htpasswd(?=[ \t])",
        rf"{_TO_AN_OPTION}[A-Za-z]{{0,8}}b[A-Za-z0-9]{{0,8}}"
        rf"(?:{_WORD}[^\s;&|]{{1,200}}+){{1,6}}?{_WORD}{_VALUE}"
        r"(?=\\{0,3}[\"']{0,2}[ \t]{0,3}(?:[0-9]?>|[\n;&|)`,\]}]|\Z))",
    ),
    Place(
        ("curl",),
        rf"{_BEGIN}curl(?:\.exe)?(?=[ \t])",
        rf"{_TO_AN_OPTION}b[ \t]{{0,3}}[\"']?{_COOKIES}",
        "cookie",
    ),
    # What a `.netrc` holds.
    Place(("machine",), "", rf"machine{_GAP}[^\s\\]{{1,200}}+{_GAP}{_NETRC}"),
    Place(("default",), "", rf"default{_GAP}{_NETRC}"),
)
