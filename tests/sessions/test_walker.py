"""Which mode holds for a session."""

import pytest

from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.core.session import Mode
from automode.sessions.book import Override
from automode.sessions.walker import failed, mode

ROWS = [
    # enabled  configured     typed           holds
    (True, Mode.ENFORCE, Override.NONE, Mode.ENFORCE),
    (True, Mode.SHADOW, Override.NONE, Mode.SHADOW),
    (False, Mode.ENFORCE, Override.NONE, Mode.OFF),
    (True, Mode.ENFORCE, Override.OFF, Mode.OFF),
    (False, Mode.ENFORCE, Override.ON, Mode.ENFORCE),
    (False, Mode.SHADOW, Override.ON, Mode.SHADOW),
    (True, Mode.OFF, Override.ON, Mode.ENFORCE),
    (True, Mode.SHADOW, Override.OFF, Mode.OFF),
]


@pytest.mark.parametrize(("enabled", "configured", "typed", "holds"), ROWS)
def test_what_a_person_typed_comes_before_what_is_configured(
    enabled: bool, configured: Mode, typed: Override, holds: Mode
) -> None:
    assert mode(Settings(enabled=enabled, mode=configured), typed) is holds


def test_errors_of_ours_are_told_and_others_only_named() -> None:
    ours, other = failed(BadCall("no such `thing`", "name it")), failed(ValueError("a secret"))

    assert (ours.reason, ours.advice) == ("deciding failed: no such `thing`", "name it")
    assert other.reason == "deciding failed (ValueError)"
