"""What was taken over from npm is what the list says."""

import hashlib
import tomllib
from pathlib import Path

import automode.ui

FOLDER = Path(automode.ui.__file__).parent / "static" / "vendor"


def test_every_file_has_the_hash_that_the_list_names_and_a_licence() -> None:
    listed = tomllib.loads((FOLDER / "vendored.toml").read_text())["package"]
    hashes = {name: one for package in listed for name, one in package["files"].items()}

    found = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in FOLDER.iterdir()
        if file.name != "vendored.toml"
    }

    assert found == hashes
    for package in listed:
        assert any(name.endswith(".LICENSE") for name in package["files"]), package["name"]
