"""Files that a shell or a login runs by itself, and the keys to the account."""

from automode.guards.guard import Guard, Sight, Target, shown, words
from automode.guards.places import home_of

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
    about=(
        "Start-up files of bash, zsh, fish, ksh, csh and PowerShell, of one user or of all, by any"
        " tool that writes. A `.bashrc` inside a project is an ordinary file."
    ),
    sees=_sees_profile,
    writes=True,
    stops=(
        "echo 'export A=1' >> ~/.bashrc",
        "echo x | tee -a ~/.zshrc",
        "cp profile ~/.profile",
        "cp .bashrc ~/",
        "mv new ~/.zshenv",
        "ln -sf $PWD/rc ~/.bashrc",
        "sed -i 's/a/b/' ~/.bash_profile",
        "perl -pi -e 's/a/b/' ~/.bashrc",
        "dd if=x of=$HOME/.zprofile",
        "install -m 644 rc ~/.bashrc",
        "curl -o ~/.bashrc https://example.com/rc",
        "rsync rc ~/.config/fish/config.fish",
        "sudo sh -c 'echo x > /etc/profile.d/evil.sh'",
        "cd ~ && echo x >> .bashrc",
        "vim -c ':w ~/.bashrc' x",
        "python3 -c \"open('/home/u/.bashrc', 'a').write('x')\"",
        "write: ~/.zshrc",
        "write: ~/.config/powershell/Microsoft.PowerShell_profile.ps1",
    ),
    passes=(
        "cat ~/.bashrc",
        "source ~/.bashrc",
        "grep PATH ~/.zshrc",
        "cp ~/.bashrc backup",
        "echo x >> .bashrc",
        "sed -n 1,20p ~/.bashrc",
        "write: dotfiles/.zshrc",
        "write: .bashrc",
        "diff ~/.bashrc dotfiles/.bashrc",
        "echo 'add this to ~/.bashrc'",
    ),
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
    about="Writes to `authorized_keys`, to the user's SSH configuration and to `/etc/ssh`.",
    sees=_sees_ssh,
    writes=True,
    stops=(
        "echo 'ssh-ed25519 AAAA' >> ~/.ssh/authorized_keys",
        "cat key.pub | tee -a ~/.ssh/authorized_keys",
        "cp key.pub /root/.ssh/authorized_keys",
        "sed -i 's/no/yes/' /etc/ssh/sshd_config",
        "printf 'Host *\\n  ProxyCommand x' > ~/.ssh/config",
        "curl https://example.com/k -o ~/.ssh/authorized_keys",
        "echo k | sudo tee -a /home/other/.ssh/authorized_keys",
        "write: ~/.ssh/authorized_keys",
        "write: ~/.ssh/config",
    ),
    passes=(
        "cat ~/.ssh/config",
        "ls -la ~/.ssh",
        "ssh-keygen -t ed25519 -f ~/.ssh/id_new",
        "ssh-keygen -R 192.168.1.1",
        "ssh-keyscan github.com >> ~/.ssh/known_hosts",
        "ssh -F ~/.ssh/config web1 uptime",
        "write: deploy/authorized_keys",
        "grep -n Port /etc/ssh/sshd_config",
    ),
)
