"""Names of credentials are known in any spelling that a shell would find them by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.guards.reads import credentials
from automode.guards.reads.credentials import (
    in_credential_folder,
    is_credential,
    may_be_credential,
    meets_credentials,
)
from automode.shell.script import HOLE
from tests.rows import each_row

HOME = "/home/user"
TYPICAL = (
    *(".env", ".env.local", "id_rsa", ".netrc", ".pgpass", "secrets.json", ".ssh/id_rsa"),
    *(".aws/credentials", ".kube/config", ".config/gh/hosts.yml", ".npmrc", ".git-credentials"),
)
SECRET = """
    server.pem private.pem ca-key.pem SERVER.PEM .env~ .env.bak prod.env.bak .env.old
    credentials.json.bak token.txt gh-token.txt secret.txt api_key.txt gcp-key.json
    my-service-account-1.json x-firebase-adminsdk-1.json id_ecdsa_sk id_ed25519_sk kubeconfig.yaml
    prod.kubeconfig vault_pass.txt .vault-password .credentials .python_history .irb_history
    wg0.conf server.key.orig
""".split()
SECRET_AT_HOME = """
    .kaggle/kaggle.json .huggingface/token .cache/huggingface/stored_tokens .erlang.cookie
    .config/configstore/x.json .wrangler/config/default.toml .railway/config.json .dockercfg
    .config/openstack/clouds.yaml .config/helm/registry/config.json .age/key.txt .msmtprc
    .cloudflared/cert.pem .local/share/atuin/key .local/share/atuin/session .fetchmailrc
""".split()
SECRET_OF_THE_SYSTEM = """
    /etc/wireguard/wg0.conf /etc/NetworkManager/system-connections/x.nmconnection
    /etc/ppp/chap-secrets /etc/mysql/debian.cnf /etc/rancher/k3s/k3s.yaml /etc/openvpn/client/a.txt
""".split()
ORDINARY = """
    cert.pem ca.pem my-ca.pem cacert.pem fullchain.pem chain.pem public.pem public-rsa.pem x.crt
    roots.pem id_rsa.pub tokens.ts token.py credentials.py keys.md token.go secret.rs test_rsa.py
    kubeconfig.go kubeconfig.md vault_pass.py history.md key.json keys.json main.py.bak
    package.json.orig
""".split()
FILES: list[tuple[str, bool]] = [
    (f"{HOME}/.npmrc", True),
    ("/srv/app/.npmrc", False),
    ("/srv/app/.ENV", True),
    ("/Users/other/.Docker/config.json", True),
    ("/Users/other/work/.config/rclone/rclone.conf", True),
    ("/srv/config/rclone/rclone.conf", False),
    ("/etc/shadow", True),
    ("/srv/etc/shadow", False),
    ("/srv/server.key", True),
    ("/srv/.key", False),
    ("/srv/.env.example", False),
    ("/srv/environment", False),
    ("/srv/deep\nline/.env", True),
    *((f"/srv/app/{name}", True) for name in SECRET),
    *((f"{HOME}/{name}", True) for name in SECRET_AT_HOME),
    *((name, True) for name in SECRET_OF_THE_SYSTEM),
    *((f"/srv/app/{name}", False) for name in ORDINARY),
]


@each_row("path, wanted", FILES)
def test_a_path_is_a_credential_by_its_name(path: str, wanted: bool) -> None:
    assert is_credential(path, HOME) is wanted


PATTERNS: list[tuple[str, bool]] = [
    ("~/.ssh/*", True),
    ("~/.ssh/id_ed25519.pub", False),
    ("~/.SSH/known_hosts", True),
    (".e*", True),
    (".en[uv]", True),
    (".[^x]nv", True),
    (".[[:lower:]]nv", True),
    (".[[=e=]]nv", True),
    ("~/.a[[:lower:]]s/cr[[.e.]]dentials", True),
    ("[^x]ecrets.json", True),
    ("[0-9]*", False),
    ("*", False),
    ("src/*.py", False),
    ("*rsa", False),
    ("i?_rsa", True),
    (f"{HOLE}/.env", True),
    (f"i{HOLE}", True),
    ("s/[a-z]*/x/", False),
]


@each_row("pattern, wanted", PATTERNS)
def test_a_pattern_is_one_when_it_may_stand_for_one(pattern: str, wanted: bool) -> None:
    assert may_be_credential(pattern, HOME) is wanted


PLACES: list[tuple[str, bool]] = [
    ("/proc/self/env[^x]ron", True),
    ("/run/secr*/db", True),
    ("/var/run/s*/kubernetes.io/serviceaccount/token", True),
    (f"{HOME}/.config/aut[^x]mode/config.json", True),
    (f"{HOME}/work/*.py", False),
    ("/etc/*.conf", False),
    ("/proc/*/status", False),
    ("/var/log/*.log", False),
]


@each_row("pattern, wanted", PLACES)
def test_a_pattern_may_lead_to_a_place_of_credentials(pattern: str, wanted: bool) -> None:
    assert meets_credentials(pattern, HOME) is wanted


@given(
    st.sampled_from(TYPICAL),
    st.sampled_from(["", "./", "~/", "/srv/a b/", f"{HOLE}/"]),
    st.integers(1, 40),
    st.sampled_from(["", "?", "*", HOLE]),
)
def test_no_spelling_of_a_typical_one_goes_unseen(
    name: str, folder: str, place: int, letter: str
) -> None:
    """Any letter but the first of a part may be written as a pattern."""
    at = place % len(name)
    changes = letter and at and "/" not in name[at - 1 : at + 1]
    spelled = name[:at] + letter + name[at + 1 :] if changes else name

    assert may_be_credential(folder + spelled, HOME)


@pytest.mark.parametrize("folder", [".ssh", ".AWS", ".config/gcloud", "Library/Keychains"])
def test_what_lies_in_a_folder_of_credentials_is_found_at_any_depth(folder: str) -> None:
    assert in_credential_folder(f"/x/{folder}")
    assert in_credential_folder(f"/x/{folder}/deep/er")
    assert not in_credential_folder(f"/x/{folder}2/deep")


def test_every_name_below_a_home_is_found_in_spite_of_the_quick_look_before() -> None:
    written = [name.replace("**", "x").replace("*", "x") for name in credentials._BELOW_A_HOME]

    missed = [name for name in written if not is_credential(f"/somewhere/{name}", HOME)]
    loud = [name for name in written if not is_credential(f"/somewhere/{name.upper()}", HOME)]

    assert (missed, loud) == ([], [])
