"""Permission changes on system and SSH paths, set-user-id bits, and accounts with full rights."""

from itertools import pairwise

from automode.guards.floor.deletion import Loss, essential, essential_match
from automode.guards.floor.profiles import below_home, both
from automode.guards.guard import Guard, Sight, shown, words
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Word

_CHMOD = Spec(
    flags="cfvRhHLP",
    long_flags=("--recursive", "--changes", "--silent", "--quiet", "--verbose",
                "--no-preserve-root", "--preserve-root"),
    long_values=("--reference", "--from"),
)  # fmt: skip
_SETFACL = Spec(flags="bknRLPd", values="mxMX", long_values=("--modify", "--remove", "--set"))
_CHANGERS = words("chmod chown chgrp setfacl icacls takeown chflags gchmod gchown")


def _mode_and_paths(sight: Sight) -> tuple[str, tuple[Word, ...], bool]:
    """The new mode (or owner), the paths, and whether all below them change too."""
    if sight.name == "setfacl":
        given = arguments(sight.args, _SETFACL)
        return "", given.operands, given.has("-R")
    # A symbolic mode may start with a dash: `chmod -x FILE`.
    symbolic = next((w for w in sight.args if _takes_away(w.text)), None)
    rest = tuple(word for word in sight.args if word is not symbolic)
    given = arguments(rest, _CHMOD)
    recursive = given.has("-R", "--recursive")
    if symbolic is not None:
        return symbolic.text, given.operands, recursive
    return _first(given), _paths(given), recursive


def _first(given: Arguments) -> str:
    if given.has("--reference") or not given.operands:
        return ""
    return given.operands[0].text


def _paths(given: Arguments) -> tuple[Word, ...]:
    return given.operands if given.has("--reference") else given.operands[1:]


def _takes_away(text: str) -> bool:
    return len(text) > 1 and text[0] == "-" and set(text[1:]) <= set("rwxXst") and text != "-R"


def _private(mode: str) -> bool:
    """A mode that leaves nothing to group and others: people need it for their keys."""
    if mode.isdigit():
        return mode.endswith("00") and len(mode.lstrip("0")) <= 3
    parts = mode.split(",")
    return all(
        "-" in part or part in ("go=", "g=", "o=") or part.startswith(("u+", "u="))
        for part in parts
    )


def _sees_permissions(sight: Sight) -> str | None:
    if sight.name in ("icacls", "takeown"):
        return _windows(sight)
    mode, paths, recursive = _mode_and_paths(sight)
    for word in paths:
        path = sight.path(word.text)
        if path is None:
            continue
        for place in (path, sight.resolved(path)):
            found = _guarded(sight, place, mode, recursive=recursive)
            if found:
                return f"`{shown(word.text)}` is {found}"
    return None


def _guarded(sight: Sight, path: str, mode: str, *, recursive: bool) -> str | None:
    rest = below_home(path, sight)
    if rest is not None and (rest == ".ssh" or rest.startswith(".ssh/")):
        keys = sight.name in ("chmod", "gchmod") and _private(mode)
        return None if keys or sight.name in ("chown", "chgrp") else "where the keys are"
    globs = any(mark in path for mark in "*?[")
    find = essential_match if globs else essential
    found = find(path, sight.workspace)
    if not found or found.kind in (Loss.WORKSPACE, Loss.AROUND_WORKSPACE, Loss.OF_HOME):
        return None
    return found.text if recursive or found.kind is not Loss.HOME else None


def _windows(sight: Sight) -> str | None:
    for word in sight.args:
        if len(word.text) > 1 and word.text[1] == ":":
            path = sight.path(word.text)
            found = essential(path, sight.workspace) if path else None
            if found:
                return f"`{shown(word.text)}` is {found.text}"
    return None


SYSTEM_PERMISSIONS = Guard(
    id="system-permissions",
    reason="this changes permissions of system or SSH paths",
    advice="change the permissions of the project's own files only",
    sees=_sees_permissions,
    programs=_CHANGERS,
)


def _sees_setuid(sight: Sight) -> str | None:
    mode, paths, _ = _mode_and_paths(sight)
    if not paths or sight.name not in ("chmod", "gchmod"):
        return None
    if mode.isdigit():
        digits = mode.lstrip("0")
        return f"`{mode}` sets it" if len(digits) == 4 and digits[0] in "4567" else None
    for part in mode.split(","):
        who, plus, what = part.partition("+") if "+" in part else part.partition("=")
        if plus and "s" in what and who in ("u", "", "a", "ug", "gu"):
            return f"`{part}` sets it"
    return None


SETUID = Guard(
    id="set-user-id",
    reason="this makes a program run with its owner's rights, whoever starts it",
    advice="run the one command that needs it with the rights it needs",
    sees=_sees_setuid,
    programs=words("chmod gchmod"),
)

_RIGHTS = words("sudo wheel root admin docker shadow disk lxd administrators")
_ACCOUNTS = words("usermod useradd adduser gpasswd groupadd dseditgroup visudo net passwd chpasswd"
                  " addgroup dscl sysadminctl")  # fmt: skip
_ACCOUNT_FILES = words(
    "/etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/sudoers /etc/doas.conf /etc/master.passwd"
)
_ACCOUNT_FOLDERS = ("/etc/sudoers.d/", "/etc/pam.d/", "/etc/polkit-1/", "/etc/security/",
                    "/lib/security/", "/etc/pam.conf")  # fmt: skip


def _sees_accounts(sight: Sight) -> str | None:
    for target in sight.targets:
        for path in both(target):
            low = path.casefold()
            if low in _ACCOUNT_FILES or low.startswith(_ACCOUNT_FOLDERS):
                return f"`{shown(target.path)}` decides who may do what"
    name, texts = sight.name, sight.texts
    if name not in _ACCOUNTS:
        return None
    if name == "visudo":
        return None if "-c" in texts or "--check" in texts else "it edits the rules of sudo"
    if name == "chpasswd" or (name == "passwd" and not {"-S", "--status", "--help"} & set(texts)):
        return "it changes a password"
    if name == "net" and texts[:1] != ["localgroup"]:
        return None
    return _full_rights(texts)


def _full_rights(texts: list[str]) -> str | None:
    groups = {part.strip("-/") for text in texts for part in text.casefold().split(",")}
    groups |= {text.rpartition("/")[2] for text in texts if text.startswith("/Groups/")}
    group = next(iter(sorted(groups & _RIGHTS)), None)
    if group is not None and len(texts) > 1:
        return f"`{group}` has full rights"
    for option, value in pairwise(texts):
        if option in ("-u", "--uid") and value == "0":
            return "user 0 has full rights"
    return None


ACCOUNTS = Guard(
    id="account-rights",
    reason="this gives an account rights on the whole machine, or changes how people log in",
    advice="ask the person to do it",
    sees=_sees_accounts,
    programs=_ACCOUNTS,
    writes=True,
)
