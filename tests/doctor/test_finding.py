"""Findings: what counts as sound."""

import pytest

from automode.doctor.finding import Finding, fine, problem, sound, warning

ROWS = {
    "nothing was looked at": ([], True),
    "all is well": ([fine("a", "well")], True),
    "a warning is no problem": ([fine("a", "well"), warning("b", "hm")], True),
    "one problem among others": ([fine("a", "well"), problem("b", "bad", "mend it")], False),
}


@pytest.mark.parametrize(("findings", "expected"), ROWS.values(), ids=ROWS.keys())
def test_only_a_problem_is_not_sound(findings: list[Finding], expected: bool) -> None:
    assert sound(findings) is expected
