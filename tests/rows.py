"""A table in one test: every row is tried, and each that fails is named with its own error."""

import functools
import inspect
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

LONGEST = 200  # characters of a row that are shown


Test = Callable[..., None]


def each_row(names: str, rows: Iterable[object]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, without a test of its own for each row: those cost more than
    most rows do. For tests that share nothing between two rows."""
    wanted = [name.strip() for name in names.split(",")]
    table = [row if len(wanted) > 1 else (row,) for row in rows]
    assert table, "a table without rows tests nothing"

    def made(test: Test) -> Test:
        @functools.wraps(test)
        def tried(**fixtures: object) -> None:
            failed = []
            for row in table:
                assert isinstance(row, tuple | list), row
                try:
                    test(**fixtures, **dict(zip(wanted, row, strict=True)))
                except Exception as error:  # noqa: BLE001 - told with all others below
                    error.add_note(f"row: {repr(row)[:LONGEST]}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(table)} rows fail", failed)

        others = [
            one for one in inspect.signature(test).parameters.values() if one.name not in wanted
        ]
        tried.__signature__ = inspect.Signature(others)  # type: ignore[attr-defined]
        return tried

    return made


def texts(room: str, name: str) -> list[str]:
    """A table of `rows.toml` in the folder of tests `room` that has one text a row."""
    return [str(row) for row in _tables(room)[name]]


def rows(room: str, name: str) -> list[Sequence[object]]:
    """The same with several values a row."""
    return [row for row in _tables(room)[name] if isinstance(row, list)]


def either(room: str, holds: str, fails: str) -> list[Sequence[object]]:
    """The rows of two such tables, each with whether it is one of `holds`."""
    rows = [(row, name == holds) for name in (holds, fails) for row in _tables(room)[name]]
    return [(*(row if isinstance(row, list) else [row]), held) for row, held in rows]


@functools.cache
def _tables(room: str) -> Mapping[str, list[object]]:
    text = (Path(__file__).parent / room / "rows.toml").read_text("utf-8")
    found: Mapping[str, list[object]] = tomllib.loads(text)
    return found
