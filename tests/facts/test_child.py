"""A program that is run for a bounded time."""

import time

import pytest

from automode.facts.child import run_bounded

LONG, SHORT = 20.0, 0.3


@pytest.mark.parametrize(
    ("script", "seconds", "printed"),
    [
        ("cat", LONG, b"fed"),
        ("echo $GIVEN ${HOME-none} >&2; echo $GIVEN ${HOME-none}", LONG, b"yes none\n"),
        ("true", LONG, b""),
        ("echo some; exit 3", LONG, b""),
        ("exec sleep 60", SHORT, None),
        ("exec >&-; exec sleep 60", SHORT, None),
        ("head -c 200 /dev/zero", LONG, None),
    ],
)
def test_what_a_program_prints_in_its_time(
    script: str, seconds: float, printed: bytes | None
) -> None:
    deadline = time.monotonic() + seconds

    found = run_bounded(
        ("/bin/sh", "-c", script), {"GIVEN": "yes"}, b"fed", deadline=deadline, most=100
    )

    assert found == printed


def test_a_program_that_is_not_there_cannot_be_started() -> None:
    deadline = time.monotonic() + LONG

    with pytest.raises(OSError):
        run_bounded(("/nonexistent",), {}, b"", deadline=deadline, most=100)
