"""What a user's words name, what only sounds like it, and conversions that need no word."""

from automode.assemble import READER
from automode.judge.needs import converts, hosts_in, named_by
from tests.judge.sessions import TABLES, WORKSPACE
from tests.rows import each_row

HOME = "/home/user"


@each_row("said, script, named", TABLES["named_scripts"])
def test_a_script_has_to_be_named_in_a_request(said: str, script: str, *, named: bool) -> None:
    assert named_by((said,)).script(script) is named


@each_row("said, path, named", TABLES["named_files"])
def test_a_file_that_steers_has_to_be_named(said: str, path: str, *, named: bool) -> None:
    assert named_by((said,)).file(path, HOME) is named


@each_row("said, path, named", TABLES["named_outside"])
def test_outside_of_the_workspace_the_folder_counts(said: str, path: str, *, named: bool) -> None:
    assert named_by((said,)).file(path, HOME, inside=False) is named


@each_row("said, host, named", TABLES["named_hosts"])
def test_a_machine_is_known_by_its_whole_name(said: str, host: str, *, named: bool) -> None:
    assert named_by((said,)).host(host) is named


@each_row("said, package, named", TABLES["named_packages"])
def test_a_package_has_to_be_named(said: str, package: str, *, named: bool) -> None:
    assert named_by((said,)).package(package) is named


def test_settings_name_machines_in_prose() -> None:
    found = hosts_in(["Our hosts: api.acme.example and https://ci.acme.example/jobs."])

    assert {"api.acme.example", "ci.acme.example"} <= found


@each_row("text, wanted", TABLES["conversions"])
def test_only_listed_conversions_inside_of_the_workspace_are_known(
    text: str, *, wanted: bool
) -> None:
    commands = [one for one in READER.full(text, WORKSPACE).commands if not one.transparent]

    assert all(converts(one, WORKSPACE) for one in commands) is wanted
