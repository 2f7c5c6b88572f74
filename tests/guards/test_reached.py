"""Patterns against paths, and links behind patterns."""

from fnmatch import fnmatchcase
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.core.paths import may_match
from automode.facts.files import Disk, Names
from automode.guards import guard
from automode.guards.guard import follow_links, is_pattern, known_folder, links_behind
from tests.rows import each_row, rows

MATCHES = rows("guards", "reached-matches")


@each_row("pattern, path, matches", MATCHES)
def test_a_pattern_matches_as_a_shell_might(pattern: str, path: str, matches: bool) -> None:
    assert may_match(pattern, path) is matches


@given(st.lists(st.text("ab.*?[]!-\n", max_size=6), max_size=6), st.text("ab.*?[]!-\n", max_size=6))
def test_no_name_that_a_pattern_matches_goes_unseen(names: list[str], part: str) -> None:
    expected = {name for name in names if fnmatchcase(name, part)}

    assert expected <= set(guard._matching(tuple(names), part))


@given(st.text(max_size=30).map(lambda text: f"/{text}"))
def test_a_path_without_marks_matches_itself(path: str) -> None:
    if not is_pattern(path):
        assert may_match(path, path)
        assert known_folder(path) == path


@given(st.text(alphabet="ab*?[]()@!/\0.", max_size=30), st.text(alphabet="ab/.", max_size=30))
def test_nothing_makes_it_raise(pattern: str, path: str) -> None:
    assert may_match(pattern, path) in (True, False)
    assert follow_links(f"/{pattern}", Names("/")).startswith("/")


def test_the_written_part_of_a_pattern_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert follow_links(f"{tmp_path}/link/*.txt", Disk()) == f"{tmp_path}/real/*.txt"


def test_links_that_a_pattern_matches_are_found(tmp_path: Path) -> None:
    (tmp_path / "real/deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")

    (tmp_path / "real/name").symlink_to(tmp_path / "elsewhere")

    def behind(pattern: str) -> list[str]:
        found = links_behind(f"{tmp_path}/{pattern}", Disk()) or ()
        return [path.removeprefix(f"{tmp_path}/") for path in found]

    assert "real/d?ep/x" in behind("l*/d?ep/x")
    assert "elsewhere" in behind("r*/name")
    assert "elsewhere" in behind("r*/n*")
    assert behind("r*/deep/x") == []


def test_too_many_names_are_said_to_be_too_many(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / str(number) / "inner").mkdir(parents=True)

    assert links_behind(f"{tmp_path}/*", Disk()) == ()
    assert links_behind(f"{tmp_path}/*/*/x", Disk()) is None
