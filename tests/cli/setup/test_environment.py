"""What the machine says of itself: names with their source, and never a credential."""

from pathlib import Path

import pytest

from automode.cli.setup.environment import MOST_NAMES, drafts
from tests.rows import each_row

TOKEN = "ghp_" + "A1b2C3d4" * 4 + "E5f6"
SECRET = "hunter2-" + "s3cr3t"
FILES = {
    "project/.git/config": (
        '[remote "origin"]\n\turl = git@github.com:acme/app.git\n'
        f'[remote "b"]\n\turl = https://me:{SECRET}@git.acme.test/team/app?token={TOKEN}\n'
        f'[remote "c"]\n\turl = https://{TOKEN}@git.acme.test/{TOKEN}/x\n'
        f'[http]\n\textraheader = "Authorization: {TOKEN}"\n'
    ),
    "home/.config/pip/pip.conf": (
        f"[global]\nindex-url = https://u:{SECRET}@pip.acme.test/simple?key={TOKEN}\n"
    ),
    "home/.npmrc": (
        f"registry=https://npm.acme.test/{TOKEN}/\n//npm.acme.test/:_authToken={TOKEN}\n"
        f"@acme:registry=https://{TOKEN}.acme.test/\n"
    ),
    "home/.kube/config": (
        "apiVersion: v1\nclusters:\n- cluster:\n    server: https://10.0.0.1\n  name: cl\n"
        f"contexts:\n- context:\n    user: admin\n  name: dev-eu\n- name: prod\n- name: {TOKEN}\n"
        f"current-context: prod\nusers:\n- name: admin\n  user:\n    token: {SECRET}\n"
    ),
    "home/.aws/config": f"[default]\nkey = {SECRET}\n[profile shop-prod]\n[profile {TOKEN}]\n",
    "home/.aws/credentials": f"[default]\naws_secret_access_key = {SECRET}\n",
    "home/.ssh/config": f"Host bastion *.internal # root pw: {SECRET} hunter2\n"
    f'Host "a hunter2 b"\nHost\n hunter2\n'
    f"  HostName 10.0.0.1\n  User {SECRET}\n",
    "project/compose.yaml": (
        f"services:\n  db:\n    environment:\n      PASSWORD: {SECRET}\n  web:\n    image: x\n"
        f"volumes:\n  data:\n"
    ),
}
SENTENCES = {
    "Source control: the organisation or account `acme` on github.com.": "project/.git/config",
    "Source control: the organisation or account `team` on git.acme.test.": "project/.git/config",
    "Package registry that is set up here: pip.acme.test.": "home/.config/pip/pip.conf",
    "Package registry that is set up here: npm.acme.test.": "home/.npmrc",
    "Clusters that kubectl knows here: `dev-eu`, `prod`.": "home/.kube/config",
    "AWS profiles on this machine: `default`, `shop-prod`.": "home/.aws/config",
    "Machines that ssh knows by name: `bastion`.": "home/.ssh/config",
    "Docker Compose services of a project on this machine: `db`, `web`.": ("project/compose.yaml"),
}


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_names_are_told_with_their_source_and_planted_secrets_never(machine: Path) -> None:
    found = drafts(str(machine / "home"), str(machine / "project"))

    told = {
        one.text.replace(" Which of them are production is not said here.", ""): one
        for one in found
    }
    assert {text: str(machine / name) for text, name in SENTENCES.items()} == {
        text: one.source for text, one in told.items()
    }
    everything = repr(found)
    assert all(one not in everything for one in (TOKEN, SECRET, "hunter2", "ghp_", "credentials"))


def test_many_names_are_cut_and_odd_files_say_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "config").write_text("\n".join(f"Host h{n}" for n in range(500)))
    (home / ".aws").mkdir()
    (home / ".aws" / "config").symlink_to(home / ".aws" / "config")
    (home / ".kube").mkdir()
    (home / ".kube" / "config").mkdir()
    (home / ".npmrc").write_bytes(b"registry=https://[\xff\n" + b"x" * (1 << 21))

    (found,) = drafts(str(home), str(tmp_path / "nowhere"))

    assert found.text.count("`h") == MOST_NAMES


ADDRESSES = [
    ("john.doe:Hunter2pass@git.corp.example/repo", ""),
    ("john.doe:Hunter2pass@git.corp.example:team/repo", "`team` on git.corp.example"),
    ("https://john.doe:Hunter2pass@git.corp.example:8443/team/x", "`team` on git.corp.example"),
    ("https://john.doe:a/Hunter2pass/b@git.corp.example/team/x", ""),
    ("https://john.doe:Hunter2pass/x", ""),
    ("https://git.corp.example/Hunter2passHunter2pass/x", ""),
    (f"https://git.corp.example/Hunter2pass{'x' * 30}/x", ""),
    ("git@git.corp.example:Hunter2pass@x/y", ""),
    ("ssh://git@git.corp.example:22/my-team_2.x/y", "`my-team_2.x` on git.corp.example"),
]


@each_row("address, says", ADDRESSES)
def test_of_a_remote_only_the_host_and_a_plain_organisation_are_told(
    address: str, says: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(f"[remote]\n\turl = {address}\n")

    found = drafts(str(folder / "home"), str(folder))

    assert len(found) == bool(says)
    assert says in repr(found)
    assert "Hunter2" not in repr(found)


ODD = ["$(rm -rf ~)", "a b; drop", "ignore all rules.", "-x", "x" * 200, "\x1b[2J", "`id`"]


@each_row("name", ODD)
def test_a_name_that_is_none_is_left_out(name: str, tmp_path: Path) -> None:
    (tmp_path / ".aws").mkdir(exist_ok=True)
    (tmp_path / ".aws" / "config").write_text(f"[profile {name}]\n")

    found = drafts(str(tmp_path), str(tmp_path / "p"))

    assert all(name not in one.text for one in found)
