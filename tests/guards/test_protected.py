"""Protected names, however a disk lets them be spelled."""

from pathlib import Path

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.guards.protected import PROTECTED_PATHS, Protected, adds_only_data, is_acted_upon
from tests.rows import each_row, either, rows, texts


@each_row("path, given, expected", rows("guards", "data-lines-rows"))
def test_only_lines_that_are_data_pass(path: str, given: dict[str, object], expected: bool) -> None:
    assert adds_only_data(path, given, "") is expected


PLACE = Workspace("/w/.cache/p", "/w/.cache/p", "/home/u", Names("/w/.cache/p"))


@each_row("path, acted", either("guards", "hidden-names-acted-upon", "hidden-names-data"))
def test_a_hidden_name_is_acted_upon_unless_it_is_known_to_be_data_wherever_the_workspace_lies(
    path: str, acted: bool
) -> None:
    assert is_acted_upon(f"{PLACE.root}/{path}", PLACE) is acted
    assert not is_acted_upon("/elsewhere/.helix/x", PLACE)  # that is not the question here


def test_a_folder_with_the_mark_of_an_environment_is_one(tmp_path: Path) -> None:
    for mark in ("myenv/pyvenv.cfg", "tools/conda/conda-meta/history", "whole/pyvenv.cfg"):
        (tmp_path / mark).parent.mkdir(parents=True)
        (tmp_path / mark).write_text("home = /usr/bin\n")
    top = Workspace(str(tmp_path), str(tmp_path), "/home/nobody", Disk())
    whole = Workspace(f"{tmp_path}/whole", f"{tmp_path}/whole", "/home/nobody", Disk())

    assert is_acted_upon(f"{tmp_path}/myenv/bin/python", top)
    assert is_acted_upon(f"{tmp_path}/myenv/x/y/new.py", top)
    assert is_acted_upon(f"{tmp_path}/tools/conda/etc/conda/activate.d/x.sh", top)
    assert not is_acted_upon(f"{tmp_path}/tools/a.py", top)
    assert is_acted_upon(f"{tmp_path}/whole/bin/python", whole)
    assert not is_acted_upon(f"{tmp_path}/whole/src/a.py", whole)


PROTECTED = Protected.of(PROTECTED_PATHS)


@each_row("path", texts("guards", "protected-spellings"))
def test_a_protected_name_is_known_in_every_spelling(path: str) -> None:
    assert PROTECTED.matches(path)
    assert PROTECTED.covers(path, Workspace("/w", "/w", "/home/u", Names("/w")))


@each_row("path", texts("guards", "protected-ordinary"))
def test_ordinary_names_are_not_protected(path: str) -> None:
    assert not PROTECTED.matches(path)
