"""Files that a shell or a login runs by itself, and the keys to the account."""

from collections.abc import Mapping

from automode.guards.floor.deletion import home_of
from automode.guards.guard import Guard, See, Sight, Target, shown, words

_HOME_PROFILES = words(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_env .profile .zshrc .zshenv"
    " .zprofile .zlogin .zlogout .zsh_aliases .kshrc .mkshrc .cshrc .tcshrc .login .logout .shrc"
    " .pam_environment .xprofile .xsessionrc .xsession .xinitrc .config/fish/config.fish"
    " .config/zsh/.zshrc .config/zsh/.zshenv .config/zsh/.zprofile .config/bash/bashrc"
    " .config/nushell/config.nu .config/nushell/env.nu .elvish/rc.elv"
)
_HOME_FOLDERS = (".config/fish/conf.d/", ".config/fish/functions/", ".bashrc.d/", ".zshrc.d/",
                 ".config/environment.d/", ".oh-my-zsh/custom/")  # fmt: skip
_SYSTEM_PROFILES = words(
    "/etc/profile /etc/bashrc /etc/bash.bashrc /etc/bash.bash_logout /etc/environment /etc/zshrc"
    " /etc/zshenv /etc/zprofile /etc/zlogin /etc/zlogout /etc/csh.cshrc /etc/csh.login /etc/shrc"
    " /etc/ksh.kshrc"
)
_SYSTEM_FOLDERS = ("/etc/profile.d/", "/etc/zsh/", "/etc/fish/", "/etc/bash_completion.d/",
                   "/etc/skel/", "/etc/environment.d/")  # fmt: skip


def below_home(path: str, sight: Sight) -> str | None:
    """The part of `path` below a home folder, in lower case; None outside of homes. A project's own
    dotfiles are ordinary files."""
    home = home_of(path, sight.workspace)
    return None if home is None else path[len(home) :].lstrip("/").casefold()


def both(target: Target) -> tuple[str, ...]:
    """The path as typed and with links followed; macOS keeps `/etc` below `/private`."""
    found = dict.fromkeys((target.path, target.resolved))
    return tuple(path.removeprefix("/private") for path in found)


def is_profile(path: str, sight: Sight) -> bool:
    low = path.casefold()
    if low in _SYSTEM_PROFILES or low.startswith(_SYSTEM_FOLDERS):
        return True
    rest = below_home(path, sight)
    if rest is None:
        return False
    return rest in _HOME_PROFILES or rest.startswith(_HOME_FOLDERS) or _powershell(rest)


def _powershell(rest: str) -> bool:
    return rest.endswith("profile.ps1") and rest.startswith(
        (".config/powershell/", "documents/powershell/", "documents/windowspowershell/")
    )


def _sees_profile(sight: Sight) -> str | None:
    for target in sight.targets:
        if any(is_profile(path, sight) for path in both(target)):
            return f"`{shown(target.path)}` runs with every new shell"
    return None


SHELL_PROFILE = Guard(
    id="shell-profile",
    reason="this changes a shell profile",
    advice="set the variable for one command, or show the person the line to add",
    sees=_sees_profile,
    writes=True,
)

_SSH_FILES = words("authorized_keys authorized_keys2 config rc environment allowed_signers")


def _sees_ssh(sight: Sight) -> str | None:
    for target in sight.targets:
        for path in both(target):
            rest = below_home(path, sight)
            inside = rest.removeprefix(".ssh/") if rest and rest.startswith(".ssh/") else None
            if inside in _SSH_FILES or (inside and inside.startswith("config.d/")):
                return f"`{shown(target.path)}` decides who may log in, and where to"
            if path.casefold().startswith("/etc/ssh/"):
                return f"`{shown(target.path)}` is the machine's SSH configuration"
    return None


SSH_ACCESS = Guard(
    id="ssh-access",
    reason="this changes who may log in over SSH, or how connections are made",
    advice="show the person the line to add",
    sees=_sees_ssh,
    writes=True,
)


_FOLDERS = (
    "/usr/local/share/ca-certificates", "/etc/ssl/certs", "/etc/pki/ca-trust",
    "/etc/ca-certificates",
    "/usr/share/pki/trust", "/usr/share/ca-certificates", "/etc/pki/tls/certs",
    "/library/keychains", "/system/library/keychains",
)  # fmt: skip


def _words(*wanted: str) -> See:
    def sees(sight: Sight) -> str | None:
        low = {text.casefold() for text in sight.texts}
        return f"`{wanted[0]}` does that" if set(wanted) <= low else None

    return sees


def _security(sight: Sight) -> str | None:
    verb = sight.texts[0] if sight.texts else ""
    changing = words("add-trusted-cert trust-settings-import remove-trusted-cert"
                     " authorizationdb")  # fmt: skip
    reads = verb == "authorizationdb" and "read" in sight.texts
    return f"`security {verb}` does that" if verb in changing and not reads else None


def _keytool(sight: Sight) -> str | None:
    low = {text.casefold() for text in sight.texts}
    imports = {"-importcert", "-import"} & low
    store = "-cacerts" in low or any(text.endswith("/cacerts") for text in low)
    return "the Java trust store is changed" if imports and store else None


def _certutil(sight: Sight) -> str | None:
    low = [text.casefold() for text in sight.texts]
    if "-addstore" in low or "/addstore" in low:
        return "it changes the certificate store"
    trusted = "-a" in low and any(text.startswith(("c,", "ct", "tc")) for text in low)
    return "it adds a trusted authority" if trusted else None


_BY_PROGRAM: Mapping[str, See] = {
    "security": _security,
    "trust": _words("anchor"),
    "keytool": _keytool,
    "certutil": _certutil,
    "mkcert": _words("-install"),
    "import-certificate": lambda sight: "it changes the certificate store",
}


def _sees(sight: Sight) -> str | None:
    for target in sight.targets:
        if any(path.casefold().startswith(_FOLDERS) for path in both(target)):
            return f"`{shown(target.path)}` is trusted by every program"
    see = _BY_PROGRAM.get(sight.name)
    return see(sight) if see else None


TRUST_STORE = Guard(
    id="trust-store",
    reason="this changes which certificates the machine trusts",
    advice="give the certificate to the one program that needs it",
    sees=_sees,
    programs=frozenset(_BY_PROGRAM),
    writes=True,
)
