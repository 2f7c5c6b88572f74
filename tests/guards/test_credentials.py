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
from tests.rows import each_row, rows

HOME = "/home/user"
TYPICAL = (
    *(".env", ".env.local", "id_rsa", ".netrc", ".pgpass", "secrets.json", ".ssh/id_rsa"),
    *(".aws/credentials", ".kube/config", ".config/gh/hosts.yml", ".npmrc", ".git-credentials"),
)


@each_row("path, wanted", rows("guards", "credentials-files"))
def test_a_path_is_a_credential_by_its_name(path: str, wanted: bool) -> None:
    assert is_credential(path, HOME) is wanted


@each_row("pattern, wanted", rows("guards", "credentials-patterns"))
def test_a_pattern_is_one_when_it_may_stand_for_one(pattern: str, wanted: bool) -> None:
    assert may_be_credential(pattern, HOME) is wanted


@each_row("pattern, wanted", rows("guards", "credentials-places"))
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
