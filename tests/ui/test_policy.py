"""The page of settings: what is in force, what is wrong, and an editor that saves no errors."""

from pathlib import Path

import pytest

from automode.config.load import Loaded
from automode.ui.checks import Checks, Finding, Outcome
from tests.ui.windows import Client, window_on

FAILED = Outcome("git push", "policy.toml:3", "deny", "ask classifier.local", "nobody asked", False)


def no_findings(loaded: Loaded, project: str | None) -> list[Finding]:
    return []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".config" / "automode" / "config.json"


@pytest.fixture
def client(tmp_path: Path) -> Client:
    window = window_on(tmp_path)
    window.checks = Checks(no_findings, lambda file, project: [FAILED])
    return Client(window).sign_in()


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def digest(client: Client) -> str:
    page = client.get(client.at("/policy/edit")).text
    return page.partition('id="digest" value="')[2].partition('"')[0]


def post(client: Client, path: str, **given: str) -> tuple[int, str]:
    answer = client.post(client.at(path), data={"csrf": client.csrf(), **given})
    return answer.status_code, answer.text


def test_rules_and_settings_stand_with_where_they_come_from(client: Client, file: Path) -> None:
    write(file, '{"permissions": {"deny": ["bash(rm*)"]}, "autoMode": {"asks": {"hold": 30}}}')

    page = client.get(client.at("/policy")).text

    assert "<code>bash(rm*)</code>" in page
    assert f"{file}:1" in page
    assert "autoMode.asks.hold" in page


def test_a_check_tells_what_would_be_wrong_and_saves_nothing(client: Client, file: Path) -> None:
    status, text = post(client, "/policy/check", text='{"permissions": {"denny": ["x"]}}')

    assert status == 200
    assert "denny" in text
    assert not file.exists()


def test_what_was_typed_is_saved_to_the_letter(client: Client, file: Path) -> None:
    wanted = '{\n  // mine\n  "permissions": {"ask": ["bash(git push*)"]}\n}\n'

    status, text = post(client, "/policy/save", text=wanted, digest=digest(client))

    assert status == 200
    assert "Saved in" in text
    assert file.read_text() == wanted
    assert digest(client) in text


BROKEN = ['{"permissions": ', '{"permissions": {"deny": [1]}}', "[]"]


@pytest.mark.parametrize("text", BROKEN)
def test_a_text_with_errors_is_not_saved(client: Client, file: Path, text: str) -> None:
    write(file, "{}")

    status, told = post(client, "/policy/save", text=text, digest=digest(client))

    assert status == 400
    assert "nothing was saved" in told
    assert file.read_text() == "{}"


def test_a_file_that_changed_meanwhile_is_not_overwritten(client: Client, file: Path) -> None:
    shown = digest(client)
    write(file, '{"permissions": {"deny": ["bash(rm*)"]}}')

    status, told = post(client, "/policy/save", text="{}", digest=shown)

    assert status == 400
    assert "changed meanwhile" in told
    assert "rm*" in file.read_text()


def test_a_window_that_only_looks_saves_nothing(tmp_path: Path, file: Path) -> None:
    client = Client(window_on(tmp_path, read_only=True)).sign_in()

    status, _ = post(client, "/policy/save", text="{}", digest=digest(client))

    assert status == 403
    assert not file.exists()


def test_cases_that_differ_are_shown(client: Client) -> None:
    status, text = post(client, "/policy/tests", file="policy.toml")

    assert status == 200
    assert "1 cases, 1 different" in text
    assert "ask classifier.local" in text


def test_hostile_settings_stay_text(client: Client, file: Path) -> None:
    write(file, '{"permissions": {"deny": ["<script>alert(1)</script>`<b>`"]}}')

    pages = [client.get(client.at(path)).text for path in ("/policy", "/policy/edit")]

    assert all("<script>alert" not in page and "<b>" not in page for page in pages)
