"""Where settings are looked for."""

import pytest

from automode.config.places import Places

FOLDERS = {
    # XDG_CONFIG_HOME: the user's file
    None: "/home/u/.config/automode/config.json",
    "": "/home/u/.config/automode/config.json",
    "relative": "/home/u/.config/automode/config.json",
    "/x": "/x/automode/config.json",
}


@pytest.mark.parametrize("xdg", FOLDERS)
def test_the_users_file_honours_an_absolute_xdg_folder(xdg: str | None) -> None:
    environment = {} if xdg is None else {"XDG_CONFIG_HOME": xdg}

    assert Places.of(home="/home/u", environment=environment).user[0] == FOLDERS[xdg]


def test_an_installed_hook_cannot_be_moved_by_the_environment() -> None:
    places = Places.of(
        home="/home/u", environment={"XDG_CONFIG_HOME": "/evil"}, config_folder="/home/u/cfg"
    )

    assert places.user[0] == "/home/u/cfg/config.json"
    assert places.trust_file == "/home/u/cfg/trust.json"


def test_all_places_stand_in_order() -> None:
    places = Places.of(home="/h", environment={}, project="/p")

    assert places.files == (
        "/h/.config/automode/config.json",
        "/h/.pi/agent/automode.json",
        "/p/.automode/config.local.json",
        "/p/.pi/automode.local.json",
        "/etc/automode/config.json",
        "/p/.automode/config.json",
        "/p/.pi/automode.json",
        "/h/.config/automode/trust.json",
    )
    assert places.variables == ("AUTOMODE_SETTINGS_JSON", "PI_AUTOMODE_SETTINGS_JSON")


def test_another_host_does_not_read_the_files_of_pi() -> None:
    places = Places.of(home="/h", environment={}, project="/p", pi=False)

    assert [path for path in (*places.files, *places.variables) if "pi" in path.lower()] == []


def test_without_a_project_there_are_no_project_files() -> None:
    places = Places.of(home="/h", environment={})

    assert (places.local, places.shared) == ((), ())
