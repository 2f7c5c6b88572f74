"""Written paths know who picks them up: the same answer as a search through all of them."""

from hypothesis import given
from hypothesis import strategies as st

from automode.guards.session_files import _PICKED_UP, WrittenPaths, _picked_up
from tests.rows import texts

NAMES = texts("guards", "written-paths-names")


@given(st.lists(st.lists(st.sampled_from(NAMES), max_size=4), max_size=8), st.integers(1, 6))
def test_who_picks_a_path_up_is_what_a_search_finds(added: list[list[str]], most: int) -> None:
    known = WrittenPaths(most)

    for paths in added:
        known.add({path: path.upper() for path in paths})

    assert len(known) <= most
    for program in _PICKED_UP:
        assert sorted(known.picked_up(program)) == sorted(_picked_up(program, dict(known)))


def test_the_newest_stay() -> None:
    known = WrittenPaths(2)

    known.add({"/a": "/a", "/b": "/b"})
    known.add({"/a": "/A"})
    known.add({"/c": "/c"})

    assert dict(known) == {"/a": "/A", "/c": "/c"}
