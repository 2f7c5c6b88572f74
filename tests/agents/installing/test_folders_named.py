"""The state folders that installed hooks name are found in the files of agents."""

import json
import shlex

import pytest

from automode.agents.installing.own_files import folders_named_in
from automode.agents.installing.plan import Change, Plan, Scope

PATHS = ["/srv/state", "/srv/my state", "/srv/zustände", "/srv/a\\b"]


def plan(*before: bytes | None) -> Plan:
    changes = tuple(Change(f"/f{at}", data, b"") for at, data in enumerate(before))
    return Plan("claude-code", Scope.USER, changes)


@pytest.mark.parametrize("path", PATHS)
def test_the_folder_of_a_command_is_found(path: str) -> None:
    words = ["/usr/bin/python3", "client.py", "--state", path, "--config", "/c", "plain"]
    line = f"{shlex.join(words)} || exit 2"
    settings = json.dumps({"hooks": [{"command": line}, {"command": line}]}).encode()
    known = {"client": "client.py", "state": path}
    extension = f"const INSTALLED = {json.dumps(known)};\n".encode()

    for data in (settings, extension):
        assert [one.path for one in folders_named_in(plan(data, None))] == [path]


@pytest.mark.parametrize("data", [b"", b"{}", b"--state", b"--state ~/x", b"\xff\xfe --state"])
def test_where_none_is_named_none_is_found(data: bytes) -> None:
    assert folders_named_in(plan(data)) == ()
