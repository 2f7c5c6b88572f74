"""What a confined call sees of the disk."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.confinement import Sight, services, sight
from automode.facts.place import live_workspace


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = Path(os.path.realpath(tmp_path)) / "home"
    (home / "work/project/.git").mkdir(parents=True)
    return home


def place(home: Path, project: str = "work/project") -> Workspace:
    return replace(live_workspace(str(home / project)), home=str(home))


def see(home: Path, at: Workspace | None = None) -> Sight:
    return sight(at or place(home), [str(home)], [])


def write(path: Path, text: str = "x") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_a_home_is_hidden_but_for_what_programs_need(home: Path) -> None:
    needed = [write(home / one) for one in (".cargo/bin/cargo", ".gitconfig", "go/pkg/mod/x")]
    write(home / "Documents/plans")
    found = see(home)

    assert str(home) in found.hidden
    shown = {one for one in found.readable if one.startswith(str(home))}
    assert shown == {str(home / ".cargo/bin"), str(home / ".gitconfig"), str(home / "go/pkg")}
    assert all(any(one.startswith(above) for above in shown) for one in needed)


def test_what_is_no_folder_of_the_system_is_hidden(home: Path) -> None:
    found = see(home)

    assert "/var" in found.hidden
    assert not {"/usr", "/etc", "/opt", "/"} & set(found.hidden)
    assert "/var/lib" in found.readable
    assert all(
        os.path.islink(one) or any(one.startswith(f"{above}/") for above in found.hidden)
        for one in found.readable
    )


@pytest.mark.parametrize("name", ["auth.json", "Credentials.toml", "registry-token", ".netrc"])
def test_a_folder_with_a_credential_is_shown_without_it(home: Path, name: str) -> None:
    write(home / ".pnpm" / name)
    kept = [write(home / ".pnpm/other"), write(home / ".pnpm/secret-helper")]
    os.chmod(kept[1], 0o755)

    assert [one for one in see(home).readable if "/.pnpm" in one] == kept


def test_a_known_credential_in_a_folder_is_left_out(home: Path) -> None:
    write(home / ".cargo/registry/.env")
    kept = write(home / ".cargo/registry/index/x")

    found = [one for one in see(home).readable if ".cargo" in one]
    assert found == [os.path.dirname(kept)]


KEPT_BY_TOOLS = """
.cargo/credentials.toml .local/share/uv/credentials/credentials.toml .julia/servers/x/auth.toml
.conan2/.conan.db .conan/.conan.db .cabal/config .hex/hex.config .luarocks/upload_config.lua
.pub-cache/credentials.json .sbt/1.0/credentials.sbt .local/share/gem/credentials
.dotnet/corefx/cryptography/x509stores/my/a.pfx .npm/_logs/a.log .m2/settings.xml
.gradle/gradle.properties .bundle/config .composer/auth.json .config/composer/auth.json
.stack/upload/credentials.json .config/pip/pip.conf .docker/config.json
.terraform.d/credentials.tfrc.json .bash_history .zsh_history .python_history .psql_history
.lesshst .viminfo .bashrc .zshrc .profile .config/fish/config.fish .local/share/fish/fish_history
.local/share/zoxide/db.zo notes.txt go/src/x/.env Documents/passwords.txt
work/other/config/prod.yml work/other/.env .kube/config .ssh/config
"""


@pytest.mark.parametrize("name", KEPT_BY_TOOLS.split())
def test_where_tools_keep_credentials_nothing_is_shown(home: Path, name: str) -> None:
    path = write(home / name)

    found = see(home)

    assert not [one for one in found.readable if path == one or path.startswith(f"{one}/")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[user]\n name = Me\n", True),
        ("[http]\n extraheader = Authorization: basic c2VjcmV0\n", False),
        ('[url "https://me:secret@host/"]\n insteadOf = x\n', False),
        ("#" * 70_000, False),
    ],
)
def test_settings_are_shown_where_no_token_is_seen(home: Path, text: str, shown: bool) -> None:
    path = write(home / ".gitconfig", text)

    assert (path in see(home).readable) is shown


def test_a_link_is_shown_with_what_it_leads_to_unless_that_is_secret(home: Path) -> None:
    tools = write(home / "dotfiles/cargo/x")
    (home / ".cargo").mkdir()
    (home / ".cargo/bin").symlink_to(home / "dotfiles/cargo")
    write(home / ".ssh/id_rsa")
    (home / ".rustup").symlink_to(home / ".ssh")
    (home / ".nvm").symlink_to(home)

    found = see(home).readable

    assert {str(home / ".cargo/bin"), os.path.dirname(tools)} <= set(found)
    assert str(home / ".rustup") not in found
    assert not {str(home), str(home / ".ssh")} & set(found)


def test_a_linked_working_tree_sees_its_repository(home: Path) -> None:
    write(home / "code/main/.git/HEAD")
    write(home / "code/main/.git/worktrees/w/HEAD")
    write(home / "code/main/.git/worktrees/w/commondir", "../..\n")
    write(home / "work/tree/.git", f"gitdir: {home}/code/main/.git/worktrees/w\n")

    assert f"{home}/code/main/.git" in see(home, place(home, "work/tree")).readable


@pytest.mark.parametrize("leads", ["Documents", ".ssh", "."])
def test_what_is_no_repository_is_not_shown_for_one(home: Path, leads: str) -> None:
    write(home / "Documents/plans")
    write(home / ".ssh/HEAD")
    write(home / "HEAD")
    write(home / "work/tree/.git", f"gitdir: {home}/{leads}\n")

    found = see(home, place(home, "work/tree")).readable

    assert not [one for one in found if one.startswith(f"{home}/")]
    assert str(home) not in found


def test_files_are_watched_that_no_program_looks_for_by_itself(home: Path) -> None:
    watched = [write(home / one) for one in (".git-credentials", ".gnupg/a", ".ssh/id_rsa")]
    for one in (
        ".aws/credentials",
        ".npmrc",
        ".netrc",
        ".ssh/known_hosts",
        ".bashrc",
        ".local/share/fish/fish_history",
    ):
        write(home / one)
    beside = write(home / "work/other/.env")

    found = [one for one in see(home).watched if one.startswith(str(home))]

    assert sorted(found) == sorted([*watched, beside])


def test_services_are_sockets_that_act_for_whoever_connects(tmp_path: Path) -> None:
    rows = ["/run/docker.sock", "/run/nscd/socket", "/run/user/1000/bus", "@abstract", "/x/docker"]
    lines = [f"0: 00000002 00000000 00010000 0001 01 9 {path}\n" for path in rows]
    table = write(tmp_path / "unix", "".join(["Num RefCount\n", *lines]))

    assert services(table) == ("/run/docker.sock", "/run/user/1000/bus")
    assert services(str(tmp_path / "nothing")) == ()


@pytest.mark.real
def test_a_real_worktree_of_git_is_seen(home: Path) -> None:
    main, tree = home / "code/main", home / "work/tree"
    run = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run([*run, "init", "-q", str(main)], check=True)
    subprocess.run([*run, "-C", str(main), "commit", "-qm", "a", "--allow-empty"], check=True)
    subprocess.run([*run, "-C", str(main), "worktree", "add", "-q", str(tree)], check=True)

    assert f"{main}/.git" in see(home, place(home, "work/tree")).readable
