"""No secret of a call stands anywhere in the state folder, whichever way it was recorded."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.recorded import state_folder

Run = Callable[..., Result]

SECRETS = {
    "a token in a header": (
        "bash",
        "curl -H 'Authorization: Bearer ghp_{}' https://a.example",
        "16C7e42F292c6912E7710c838347Ae178B4a",
    ),
    "a password in an address": (
        "bash",
        "git clone https://me:{}@git.example/x",
        "hunter2-Correct9",
    ),
    "an assignment": ("bash", "API_KEY={} make deploy", "a8f5f167f44f4964e6c998dee827110c"),
    "an option": ("bash", "mysql --password {} -e 'drop table x'", "s3cr3t-Passw0rd"),
    "a cloud key": (
        "bash",
        "export AWS_SECRET_ACCESS_KEY={} && terraform apply",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
    ),
    "a configured key": (
        "bash",
        "aws configure set aws_secret_access_key {}",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
    ),
    "a field of a tool": (
        "mcp__db__connect",
        '{{"host": "db.example", "password": "{}"}}',
        "s3cr3t-Passw0rd",
    ),
    "a file that is written": (
        "write",
        '{{"path": "/etc/app.env", "content": "DB_PASSWORD={}"}}',
        "s3cr3t-Passw0rd",
    ),
}


def found_in(folder: Path, secret: str) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if secret.encode() in path.read_bytes()]


@pytest.mark.parametrize(("tool", "text", "secret"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_not_in_the_database(
    automode: Run, tmp_path: Path, tool: str, text: str, secret: str
) -> None:
    result = automode("check", tool, text.format(secret), "--json")
    listed = json.loads(automode("audit", "list", "--json").stdout)

    assert result.exit_code in (0, 10, 20)
    assert len(listed) == 1
    assert "[secret:" in listed[0]["input"]
    assert found_in(tmp_path / "state", secret) == []
    assert secret not in automode("audit", "export").stdout


@pytest.mark.parametrize(("tool", "text", "secret"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_not_in_the_outage_file(
    automode: Run, tmp_path: Path, tool: str, text: str, secret: str
) -> None:
    state = state_folder(tmp_path)
    Path(state.database).mkdir()

    automode("check", tool, text.format(secret), "--json", "--no-classifier")

    assert found_in(tmp_path / "state", secret) == []
