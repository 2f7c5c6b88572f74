"""Hidden files of a home: programs keep their keys there, so only known ones are read unasked."""

import re

from automode.core.paths import exactly_within
from automode.core.workspace import Workspace

_HARMLESS = tuple(
    f"{name}/"
    for name in """
    .claude .codex .agents .cursor .gemini .bashrc .bash_profile .bash_aliases .bash_logout
    .bash_login .profile .zshrc .zprofile .zshenv .zlogin .zlogout .inputrc .p10k.zsh .oh-my-zsh
    .zsh .posh.omp.jsonc .dircolors .hushlogin .vimrc .vim .ideavimrc .emacs.d .nanorc .tmux.conf
    .tmux .screenrc .wezterm.lua .gitconfig .gitignore .gitignore_global .gitattributes .gitmessage
    .editorconfig .config/git .config/nvim .config/fish/config.fish .config/fish/functions
    .config/fish/conf.d .config/mise .config/zed .config/Code/User/settings.json .config/alacritty
    .config/kitty .config/ghostty .config/wezterm .config/starship.toml .config/tmux .config/direnv
    .config/bat .config/htop .config/helix .config/i3 .config/sway .config/hypr .config/waybar
    .config/karabiner .config/aerospace .config/lazygit .config/ripgrep .config/user-dirs.dirs
    .config/autostart .config/fontconfig .vscode/extensions .vscode-server/extensions .nvm .nvmrc
    .node-version .pyenv .python-version .rbenv .ruby-version .rvm .rustup .cargo .npm .pnpm-store
    .yarn .bun .deno .asdf .asdfrc .tool-versions .sdkman .jenv .goenv .go .gradle .m2 .ivy2 .sbt
    .nuget .dotnet .gem .cpan .cabal .ghcup .stack .opam .julia .conda .virtualenvs .babelrc
    .eslintrc .prettierrc .pylintrc .flake8 .psqlrc .sqliterc .irbrc .pryrc .pdbrc .gdbinit
    .lldbinit .ackrc .agignore .rgignore .ignore .fonts .icons .themes .cache .ssh .local/bin
    .local/lib .local/include .local/pipx .local/state/nvim .local/share/mise .local/share/uv
    .local/share/pnpm .local/share/nvim .local/share/claude .local/share/man .local/share/fonts
    .local/share/icons .local/share/applications .local/share/virtualenvs .local/share/pipx
    .local/share/fnm .local/share/cargo .local/share/bash-completion .docker/cli-plugins .cocoapods
    .swiftpm .playwright .terraform.d/plugins .ollama/models .tldr .mise .volta .fnm .foundry/bin
    .elan .platformio .arduino15
    """.split()
)
"""A credential in one of them is known by its own name."""

_LOGS = (".log", ".jsonl")  # records of what happened are no settings
_HOMES = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root)/")


def is_private_setting(path: str, workspace: Workspace) -> bool:
    """Whether the absolute `path` is, or lies in, a hidden part of a home that is not known to be
    without secrets. A project that lies in such a part is no setting."""
    home = workspace.home.rstrip("/") + "/"
    other = _HOMES.match(path)
    above = home if path.startswith(home) else other[0] if other else None
    if above is None or path[len(above) : len(above) + 1] != ".":
        return False
    if exactly_within(path, workspace.root) and workspace.root.startswith(f"{above}."):
        return False
    return not (path.endswith(_LOGS) or f"{path[len(above) :]}/".startswith(_HARMLESS))
